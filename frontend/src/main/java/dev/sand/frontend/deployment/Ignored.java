package dev.sand.frontend.deployment;

import dev.sand.event.LeftOut;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * What of a folder is not part of its application: what is {@link LeftOut} of every one, and what its {@code .sandignore} names, as when the {@code sand}
 * command makes a zip of it. A name matches anywhere, a pattern with a slash from the folder on; {@code *}, {@code ?} and
 * {@code [...]} are a shell's, but they match slashes too.
 */
final class Ignored {
    private static final String FILE = LeftOut.IGNORE_FILE;
    private static final long MOST_BYTES = 64 << 10;

    private final List<Predicate<String>> paths = new ArrayList<>();
    private final List<Predicate<String>> names = new ArrayList<>();

    private Ignored() {}

    static Ignored of(Path folder) throws IOException {
        Ignored ignored = new Ignored();
        Path file = folder.resolve(FILE);
        if (Files.isRegularFile(file)) {
            if (Files.size(file) > MOST_BYTES) {
                throw Archive.refuse(FILE + " has more than " + MOST_BYTES + " bytes").asException();
            }
            for (String line : new String(Files.readAllBytes(file), StandardCharsets.UTF_8).split("\\R")) {
                if (!line.isBlank() && !line.startsWith("#")) {
                    ignored.add(line.strip());
                }
            }
        }
        return ignored;
    }

    /** @param path below the folder; what is in an ignored one is not asked for */
    boolean has(Path path) {
        String name = path.getFileName().toString();
        String whole = path.toString();
        return LeftOut.is(name) || names.stream().anyMatch(each -> each.test(name)) || paths.stream().anyMatch(each -> each.test(whole));
    }

    private void add(String pattern) {
        String wanted = pattern.replaceAll("^/+|/+$", "");
        boolean fromTheFolder = pattern.replaceAll("/+$", "").contains("/");
        (fromTheFolder ? paths : names).add(pattern(wanted).asMatchPredicate());
    }

    private static Pattern pattern(String wanted) {
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < wanted.length(); i++) {
            char c = wanted.charAt(i);
            int end = c == '[' ? wanted.indexOf(']', i + (wanted.startsWith("!", i + 1) ? 3 : 2)) : -1;
            if (c == '*') {
                regex.append(".*");
            } else if (c == '?') {
                regex.append('.');
            } else if (end > 0) {
                String set = wanted.substring(i + 1, end).replace("\\", "\\\\").replace("[", "\\[").replace("&", "\\&");
                regex.append('[').append(set.startsWith("!") ? "^" + set.substring(1) : set.startsWith("^") ? "\\" + set : set).append(']');
                i = end;
            } else {
                regex.append(Pattern.quote(String.valueOf(c)));
            }
        }
        try {
            return Pattern.compile(regex.toString(), Pattern.DOTALL);
        } catch (PatternSyntaxException e) {
            throw Archive.refuse(FILE + " has a pattern that is none: '" + wanted + "'").asException();
        }
    }
}
