package dev.sand.hostagent.mask;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.UnaryOperator;

/** How a text reads within another one: what Python and the platform make of it when they write it into JSON, a literal or an address. */
final class Escapes {
    /** A literal in double quotes leaves single ones as they are; bytes are those of UTF-8. */
    static final List<UnaryOperator<String>> ALL = List.of(text -> json(text, false), text -> json(text, true),
            text -> literal(text, false, false), text -> literal(text, true, false),
            text -> literal(text, false, true), text -> literal(text, true, true),
            text -> bytes(text, false), text -> bytes(text, true));

    private Escapes() {}

    /** Whether none of them changes it. */
    static boolean leave(String text) {
        return text.chars().allMatch(c -> c >= ' ' && c <= '~' && c != '"' && c != '\'' && c != '\\');
    }

    /** @param ascii as json.dumps does it unless told otherwise; the platform's own logger does it without */
    static String json(String text, boolean ascii) {
        StringBuilder json = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> json.append("\\\"");
                case '\\' -> json.append("\\\\");
                case '\n' -> json.append("\\n");
                case '\r' -> json.append("\\r");
                case '\t' -> json.append("\\t");
                case '\b' -> json.append("\\b");
                case '\f' -> json.append("\\f");
                default -> {
                    if (c < ' ' || ascii && c > '~') {
                        hex(json.append("\\u"), c, 4);
                    } else {
                        json.append(c);
                    }
                }
            }
        }
        return json.toString();
    }

    /** What stands between the quotes of repr(). @param quotes whether single ones are escaped; @param ascii as ascii() does it */
    static String literal(String text, boolean quotes, boolean ascii) {
        StringBuilder literal = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> {
            if (c < 0x7f || !ascii && isPrintable(c)) {
                plain(literal, c, quotes);
            } else if (c < 0x100) {
                hex(literal.append("\\x"), c, 2);
            } else {
                hex(literal.append(c < 0x10000 ? "\\u" : "\\U"), c, c < 0x10000 ? 4 : 8);
            }
        });
        return literal.toString();
    }

    /** The same of its bytes. */
    static String bytes(String text, boolean quotes) {
        StringBuilder literal = new StringBuilder(text.length() + 16);
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            if (each < 0 || each == 0x7f) {
                hex(literal.append("\\x"), each & 0xff, 2);
            } else {
                plain(literal, each, quotes);
            }
        }
        return literal.toString();
    }

    /** As urllib's quote() and quote_plus(). @param kept what is not escaped beside letters, digits, `_`, `.`, `-` and `~` */
    static String percent(String text, String kept) {
        StringBuilder percent = new StringBuilder(text.length() + 16);
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (each & 0xff);
            if (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || ("_.-~" + kept).indexOf(c) >= 0) {
                percent.append(c);
            } else {
                percent.append('%').append(Character.toUpperCase(Character.forDigit(c >> 4, 16)))
                        .append(Character.toUpperCase(Character.forDigit(c & 15, 16)));
            }
        }
        return percent.toString();
    }

    private static void plain(StringBuilder literal, int c, boolean quotes) {
        switch (c) {
            case '\\' -> literal.append("\\\\");
            case '\n' -> literal.append("\\n");
            case '\r' -> literal.append("\\r");
            case '\t' -> literal.append("\\t");
            case '\'' -> literal.append(quotes ? "\\'" : "'");
            default -> {
                if (c < ' ') {
                    hex(literal.append("\\x"), c, 2);
                } else {
                    literal.appendCodePoint(c);
                }
            }
        }
    }

    private static boolean isPrintable(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED,
                    Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
            case Character.SPACE_SEPARATOR -> c == ' ';
            default -> true;
        };
    }

    private static void hex(StringBuilder to, int value, int digits) {
        for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
            to.append(Character.forDigit(value >> shift & 15, 16));
        }
    }
}
