package dev.sand.hostagent.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Packages that came with the program (deploy/images/wheels.sh): a host without an index installs the management application from
 * them. They stand for the index only where it could give nothing else: each requirement names its version.
 *
 * @param folder null: none came
 */
record BroughtWheels(Path folder) {
    private static final Pattern PINNED = Pattern.compile("([A-Za-z0-9][A-Za-z0-9._-]*) ?== ?([A-Za-z0-9.!+_]+)");
    private static final String WHEEL = ".whl";

    /** @return the wheels of all these requirements, for whichever Python; empty when one of them is not there, or may be of several versions */
    List<Path> of(List<String> requirements) throws IOException {
        if (folder == null || !Files.isDirectory(folder)) {
            return List.of();
        }
        List<Path> there;
        try (Stream<Path> files = Files.list(folder)) {
            there = files.filter(file -> file.getFileName().toString().endsWith(WHEEL)).sorted().toList();
        }
        List<Path> found = new ArrayList<>();
        for (String requirement : requirements) {
            Matcher pinned = PINNED.matcher(requirement);
            String beginning = pinned.matches() ? normal(pinned.group(1)) + "-" + pinned.group(2) + "-" : null;
            List<Path> wheels = there.stream().filter(file -> beginning != null && beginningOf(file).equals(beginning)).toList();
            if (wheels.isEmpty()) {
                return List.of();
            }
            found.addAll(wheels);
        }
        return found;
    }

    /** Its name and version. */
    private static String beginningOf(Path wheel) {
        String[] parts = wheel.getFileName().toString().split("-", 3);
        return parts.length < 3 ? "" : normal(parts[0]) + "-" + parts[1] + "-";
    }

    private static String normal(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[-_.]+", "_");
    }
}
