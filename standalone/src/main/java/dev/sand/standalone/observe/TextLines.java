package dev.sand.standalone.observe;

import ch.qos.logback.classic.pattern.MessageConverter;
import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;

/**
 * What of the platform's log as text (logback.xml) others may have written: a grain's error, a name. It begins no line of its own, and is
 * no command for the terminal of whoever reads the log.
 */
public final class TextLines {
    private TextLines() {}

    /** {@code %said}: the message, on one line. */
    public static final class Said extends MessageConverter {
        @Override
        public String convert(ILoggingEvent event) {
            return printable(super.convert(event), false);
        }
    }

    /** {@code %thrown}: lines of a stack trace begin with a tabulator, all but the first, as no line of the log does. */
    public static final class Thrown extends ThrowableProxyConverter {
        @Override
        protected String throwableProxyToString(IThrowableProxy thrown) {
            return printable(super.throwableProxyToString(thrown), true).replaceAll("\n(?=[^\t\n])", "\n\t");
        }
    }

    /** @param lines breaks between them, and tabulators, stay */
    static String printable(String text, boolean lines) {
        StringBuilder out = null;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean shown = !isControl(c) || lines && (c == '\n' || c == '\t');
            if (!shown && out == null) {
                out = new StringBuilder(text.length() + 16).append(text, 0, i);
            }
            if (out != null) {
                out.append(shown ? String.valueOf(c) : escaped(c));
            }
        }
        return out == null ? text : out.toString();
    }

    /** C0, DEL and C1; what ends a line in Unicode; what turns the direction of writing. */
    private static boolean isControl(char c) {
        return c < ' ' || c >= 0x7f && c <= 0x9f || c >= 0x2028 && c <= 0x202e || c >= 0x2066 && c <= 0x2069;
    }

    private static String escaped(char c) {
        return switch (c) {
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            default -> c < 0x100 ? "\\x%02x".formatted((int) c) : "\\u%04x".formatted((int) c);
        };
    }
}
