package dev.sand.hostagent.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What all grains of an application ask for together: they share one sandbox, so one set of packages. */
record Requirements(List<Line> lines) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?");
    private static final Pattern LOCAL = Pattern.compile("(^|@ *|:)(\\.{0,2}/|file:).*");

    /** @param origin where it was asked for, for messages */
    record Line(String text, String origin) {
        String name() {
            Matcher name = NAME.matcher(text);
            return name.lookingAt() ? name.group().toLowerCase(Locale.ROOT).replaceAll("[-_.]+", "-") : text;
        }
    }

    /** requirements.txt of the application and of each grain. */
    static Requirements of(Path app, Collection<String> grains) throws IOException {
        List<Line> lines = new ArrayList<>();
        read(app.resolve("requirements.txt"), "the application", lines);
        for (String grain : new TreeSet<>(grains)) {
            read(app.resolve("grains").resolve(grain).resolve("requirements.txt"), "grain " + grain, lines);
        }
        return new Requirements(List.copyOf(lines));
    }

    private static void read(Path file, String origin, List<Line> lines) throws IOException {
        if (Files.notExists(file)) {
            return;
        }
        for (String raw : Files.readString(file).replace("\\\n", " ").lines().toList()) {
            String line = raw.replaceFirst("(^|\\s)#.*$", "").strip().replaceAll("\\s+", " ");
            if (line.isEmpty()) {
                continue;
            }
            if (line.startsWith("-")) {
                throw BundleStore.refused(origin + ": requirements.txt has the option '" + line + "'; only requirements are taken "
                        + "(where packages come from is the host's pip configuration)");
            }
            if (LOCAL.matcher(line).find()) {
                throw BundleStore.refused(origin + ": requirements.txt names the local path '" + line + "'; put its modules into the application instead");
            }
            lines.add(new Line(line, origin));
        }
    }

    boolean isEmpty() {
        return lines.isEmpty();
    }

    /** Without repetition, in order: the same requirements written in another order are the same. */
    List<String> distinct() {
        return List.copyOf(lines.stream().map(Line::text).collect(Collectors.toCollection(TreeSet::new)));
    }

    /** Who asked for the packages that the text speaks of: "grain a: idna==3.4; grain b: idna==3.5". */
    String mentionedIn(String text) {
        String lower = text.toLowerCase(Locale.ROOT).replaceAll("[_.]+", "-");
        return lines.stream().filter(line -> Pattern.compile("(?<![a-z0-9-])" + Pattern.quote(line.name()) + "(?![a-z0-9]|-[a-z])").matcher(lower).find())
                .map(line -> line.origin() + ": " + line.text()).distinct().collect(Collectors.joining("; "));
    }
}
