package dev.sand.standalone;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Whether the platform is controlled through grains.
 *
 * @param folder of the management application; null: there is none, and operations are done directly
 * @param capabilities file that says which applications may control the platform; null: the shipped one
 * @param none whoever has a capability by the shipped file has it not
 */
record ManagementOptions(Path folder, Path capabilities, boolean none) {
    static final String USAGE = """
              --management on|off|DIR    control the platform through the grains of the management application: the one that comes
                                         with the program, or that in DIR; the same at every host and frontend of a platform [on]
              --capabilities FILE|none   which applications may control the platform [the management application alone]
            """;
    private static final String MANAGEMENT = "--management";
    private static final String NONE = "none";

    static ManagementOptions take(Map<String, String> given) {
        Values values = new Values(given);
        String capabilities = values.text("--capabilities", null);
        boolean none = NONE.equals(capabilities);
        return new ManagementOptions(folder(values.text(MANAGEMENT, Checkout.management() == null ? "off" : "on")),
                none || capabilities == null ? null : Path.of(capabilities), none);
    }

    private static Path folder(String text) {
        if (text.equals("off")) {
            return null;
        }
        Path folder = text.equals("on") ? Checkout.management() : Path.of(text).toAbsolutePath().normalize();
        if (folder == null || !Files.exists(folder.resolve("sand.yaml"))) {
            throw new IllegalArgumentException(MANAGEMENT + " " + text + ": there is no application in "
                    + (folder == null ? "a folder 'management' beside the program" : folder));
        }
        return folder;
    }

    boolean isOn() {
        return folder != null;
    }

    void show(Map<String, Object> values) {
        values.put("management", folder == null ? "off" : folder);
        values.put("capabilities", none ? NONE : capabilities == null ? "shipped" : capabilities);
    }
}
