package dev.sand.frontend.deployment;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes and durations as people write them: {@code 512MiB}, {@code 30s}. */
public final class Quantity {
    public static final String SIZE_PATTERN = "^[0-9]+(\\.[0-9]+)?(B|KiB|MiB|GiB|KB|MB|GB)?$";
    public static final String DURATION_PATTERN = "^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$";
    private static final Pattern NUMBER_UNIT = Pattern.compile("([0-9]{1,18}(?:\\.[0-9]{1,9})?)([A-Za-z]*)");
    private static final Map<String, Long> BYTES = Map.of("", 1L, "B", 1L, "KiB", 1L << 10, "MiB", 1L << 20, "GiB", 1L << 30,
            "KB", 1_000L, "MB", 1_000_000L, "GB", 1_000_000_000L);
    private static final Map<String, Long> MILLIS = Map.of("ms", 1L, "s", 1_000L, "", 1_000L, "m", 60_000L, "h", 3_600_000L,
            "d", 86_400_000L);

    private Quantity() {}

    /** @return bytes; @throws IllegalArgumentException when it is no size */
    public static long bytes(String text) {
        return parse(text, BYTES, "a size like 512MiB, 64KiB or 1GiB");
    }

    /** @param said a text, or a number of bytes */
    public static long bytes(JsonNode said) {
        if (!said.isTextual() && !said.isIntegralNumber()) {
            throw new IllegalArgumentException(said + " is not a size like 512MiB, 64KiB or 1GiB");
        }
        return bytes(said.asText());
    }

    /** @return milliseconds, a bare number being seconds; @throws IllegalArgumentException when it is no duration */
    public static long millis(String text) {
        return parse(text, MILLIS, "a duration like 500ms, 30s or 10m");
    }

    private static long parse(String text, Map<String, Long> units, String expected) {
        Matcher matcher = NUMBER_UNIT.matcher(text.strip());
        Long unit = matcher.matches() ? units.get(matcher.group(2)) : null;
        if (unit == null) {
            throw new IllegalArgumentException("'" + text + "' is not " + expected);
        }
        try {
            return new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit)).toBigInteger().longValueExact();
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("'" + text + "' is too large", e);
        }
    }
}
