package dev.sand.workflow.data;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** RFC 3339 timestamps with a capital T between date and time and a capital Z for UTC (specification, "Timestamps"). */
public final class Timestamps {
    private static final DateTimeFormatter MILLIS = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'");

    private Timestamps() {}

    /** @return null when it is none */
    public static Instant parse(String text) {
        if (text.length() < 20 || text.charAt(10) != 'T' || text.charAt(4) != '-' || text.charAt(16) != ':'
                || text.indexOf('z') >= 0 || text.indexOf('t') >= 0) {
            return null;
        }
        // Java reads a point without digits, and offsets other than of hours and minutes.
        if (text.charAt(19) == '.' && !Character.isDigit(text.charAt(Math.min(20, text.length() - 1)))
                || text.charAt(text.length() - 1) != 'Z' && "+-".indexOf(text.charAt(text.length() - 6)) < 0) {
            return null;
        }
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            return null;
        }
    }

    public static String format(long epochMs) {
        return MILLIS.format(LocalDateTime.ofInstant(Instant.ofEpochMilli(epochMs), ZoneOffset.UTC));
    }
}
