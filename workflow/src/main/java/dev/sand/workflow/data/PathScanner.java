package dev.sand.workflow.data;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A text and where it is read on. Of its characters, only the space is passed over, as in Jayway's library. */
abstract class PathScanner {
    /** As deep as brackets may stand in each other: Jayway's library goes down with them. */
    static final int DEPTH = 100;
    /** A path may have so many: the library calls itself for each. */
    static final int MOST_SEGMENTS = 1000;

    private static final Pattern ESCAPED = Pattern.compile("(?:[^\\\\]|\\\\[^u]|\\\\u[0-9a-fA-F]{4})*+", Pattern.DOTALL);

    private static final Pattern ESCAPE = Pattern.compile("\\\\(u[0-9a-fA-F]{4}|.)", Pattern.DOTALL);
    private static final String CONTROLS = "nrtfb";

    final String text;
    int at;

    PathScanner(String text) {
        this.text = text;
    }

    static IllegalArgumentException fault(String what, String where) {
        return new IllegalArgumentException(what + " " + where);
    }

    /** @throws IllegalArgumentException for what should be a character by its number */
    static void checkEscapes(String quoted) {
        if (quoted.contains("\\u") && !ESCAPED.matcher(quoted).matches()) {
            throw fault("four hexadecimal digits are expected behind \\u in", quoted);
        }
    }

    /** Of what stands in quotes: its escapes are those that {@link #checkEscapes} lets pass. */
    static String unescaped(String quoted) {
        return ESCAPE.matcher(quoted).replaceAll(found -> {
            String escape = found.group(1);
            int control = CONTROLS.indexOf(escape);
            return Matcher.quoteReplacement(escape.length() > 1 ? String.valueOf((char) Integer.parseInt(escape, 1, 5, 16))
                    : control < 0 ? escape : String.valueOf("\n\r\t\f\b".charAt(control)));
        });
    }

    /** The first character behind that place that is no space; NUL at the end. */
    final char nextSignificant(int place) {
        int next = place + 1;
        while (next < text.length() && text.charAt(next) == ' ') {
            next++;
        }
        return character(next);
    }

    /** Where that one stands, when it is this character; else -1. */
    final int significant(int place, char character) {
        return place < 0 || nextSignificant(place) != character ? -1 : text.indexOf(character, place + 1);
    }

    /** NUL at the end. */
    final char character(int place) {
        return place < text.length() ? text.charAt(place) : 0;
    }

    final boolean startsWith(String word) {
        return text.startsWith(word, at);
    }

    /** Where the bracket at that place is closed, or -1; brackets in quotes are none. */
    final int matching(int place, char open, char close, boolean skipsRegexes) {
        int level = 0;
        for (int i = place; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\'' || c == '"' || c == '/' && skipsRegexes && isRegex(i)) {
                i = unescaped(i + 1, c);
                if (i < 0) {
                    return -1;
                }
            } else {
                level += c == open ? 1 : c == close ? -1 : 0;
                if (level == 0) {
                    return i;
                }
            }
        }
        return -1;
    }

    /** Whether the slash there begins one; a text without quotation marks may have slashes too. */
    private boolean isRegex(int slash) {
        int before = slash - 1;
        while (before > 0 && text.charAt(before) == ' ') {
            before--;
        }
        return text.charAt(before) == '~';
    }

    /** Where the next one stands that has no backslash before it, or -1. */
    final int unescaped(int place, char character) {
        boolean isEscaped = false;
        for (int i = place; i < text.length(); i++) {
            if (text.charAt(i) == character && !isEscaped) {
                return i;
            }
            isEscaped = text.charAt(i) == '\\' && !isEscaped;
        }
        return -1;
    }
}
