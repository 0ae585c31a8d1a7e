package dev.sand.hostagent.sandbox;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What Debian's installer says in an engine's build, for people: without what colours it on a terminal, and which of the names it does
 * not know. One thread writes; read after it has ended.
 */
final class InstallWords {
    private static final int LAST_WORDS = 2048;
    /** Of a terminal: such as {@code ESC [ 9 1 m}. */
    private static final Pattern ESCAPE = Pattern.compile("\u001b(?:\\[[0-9;?]*[ -/]*[@-~]|[@-Z\\\\^_])?");
    private static final Pattern UNKNOWN = Pattern.compile(
            "E: (?:Unable to locate package (\\S+)|Package '([^']+)' has no installation candidate)");
    private final OutputTail tail = new OutputTail(LAST_WORDS, this::onLine);
    private final Set<String> unknown = new TreeSet<>();
    private boolean sourceIsAway;

    void write(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        tail.write(bytes, bytes.length);
    }

    private void onLine(String line) {
        String plain = plain(line);
        Matcher matcher = UNKNOWN.matcher(plain);
        if (matcher.find()) {
            unknown.add(matcher.group(1) != null ? matcher.group(1) : matcher.group(2));
        }
        sourceIsAway |= plain.contains("Failed to fetch") || plain.startsWith("Err:");
    }

    private static String plain(String text) {
        return ESCAPE.matcher(text).replaceAll("").replace("\r", "");
    }

    /** Names that no source has; none when one could not be asked, for it may have them. */
    Set<String> unknown() {
        tail.flush();
        return sourceIsAway ? Set.of() : unknown;
    }

    String text() {
        return plain(tail.text()).strip();
    }
}
