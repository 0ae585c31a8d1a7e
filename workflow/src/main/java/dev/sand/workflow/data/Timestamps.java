package dev.sand.workflow.data;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** RFC 3339 timestamps with a capital T between date and time and a capital Z for UTC (specification, "Timestamps"). */
public final class Timestamps {
    private static final DateTimeFormatter MILLIS = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'");

    private static final Pattern LOOSE = Pattern.compile("(\\d{4}-\\d\\d-\\d\\d)[Tt](\\d\\d:\\d\\d)"
            + "(:\\d\\d(?:\\.\\d{1,9})?)?([Zz]|[+-]\\d\\d:\\d\\d)");

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

    /** As {@link #parse}, and as AWS takes what an expression gives: without seconds too, and with small letters. */
    public static Instant parseLoosely(String text) {
        Matcher found = LOOSE.matcher(text);
        return found.matches() ? parse(found.group(1) + "T" + found.group(2) + (found.group(3) == null ? ":00" : found.group(3))
                + found.group(4).toUpperCase(Locale.ROOT)) : null;
    }

    public static String format(long epochMs) {
        return MILLIS.format(LocalDateTime.ofInstant(Instant.ofEpochMilli(epochMs), ZoneOffset.UTC));
    }
}
