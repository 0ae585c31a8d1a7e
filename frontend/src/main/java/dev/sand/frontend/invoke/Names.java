package dev.sand.frontend.invoke;

import dev.sand.datalayer.AccessTables;
import dev.sand.event.ApplicationName;
import java.util.regex.Pattern;

/** Names that people give: they become folder names, queue names and parts of URLs, so odd characters are refused. */
public final class Names {
    public static final String GRAIN = "[A-Za-z][A-Za-z0-9_-]{0,62}";
    public static final String MANAGEMENT = AccessTables.APPLICATION;
    private static final Pattern GRAIN_PATTERN = Pattern.compile(GRAIN);

    private Names() {}

    public static boolean isApplication(String name) {
        return ApplicationName.isValid(name);
    }

    /** It is the platform's, and shown to who asks for it alone. */
    public static boolean isSystem(String name) {
        return MANAGEMENT.equals(name);
    }

    /** Grains, workflows and aliases. */
    public static boolean isGrain(String name) {
        return GRAIN_PATTERN.matcher(name).matches();
    }
}
