package dev.sand.standalone;

import dev.sand.frontend.deployment.Quantity;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Options as they were given, taken out one by one: what is left in the end is unknown. */
record Values(Map<String, String> given) {
    private static final int HIGHEST_PORT = 65_535;

    String text(String name, String otherwise) {
        String value = given.remove(name);
        return value == null ? otherwise : value;
    }

    Path path(String name) {
        String value = given.remove(name);
        return value == null ? null : Path.of(value);
    }

    /** @return what stands behind the prefix; null: embedded */
    String after(String name, String prefix) {
        String value = text(name, "embedded");
        if (value.equals("embedded")) {
            return null;
        }
        if (!value.startsWith(prefix) || value.length() == prefix.length()) {
            throw new IllegalArgumentException(name + " is embedded or " + prefix + "HOST:PORT[,…], not " + value);
        }
        return value.substring(prefix.length());
    }

    <E extends Enum<E>> E choice(String name, Class<E> type, E otherwise) {
        String value = given.remove(name);
        if (value == null) {
            return otherwise;
        }
        for (E constant : type.getEnumConstants()) {
            if (constant.name().toLowerCase(Locale.ROOT).equals(value)) {
                return constant;
            }
        }
        throw new IllegalArgumentException(name + " is " + Arrays.stream(type.getEnumConstants())
                .map(constant -> constant.name().toLowerCase(Locale.ROOT)).collect(Collectors.joining(", ")) + ", not " + value);
    }

    int number(String name, int otherwise, int min, int max) {
        String text = given.remove(name);
        return text == null ? otherwise : number(name, text, min, max);
    }

    static int number(String name, String text, int min, int max) {
        try {
            int value = Integer.parseInt(text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new IllegalArgumentException(name + " is a number from " + min + " to " + max + ", not " + text);
    }

    Duration duration(String name, String otherwise) {
        try {
            return Duration.ofMillis(Quantity.millis(text(name, otherwise)));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(name + ": " + e.getMessage());
        }
    }

    InetSocketAddress address(String name, String otherwise) {
        String text = text(name, otherwise);
        if (text == null) {
            return null;
        }
        int colon = text.lastIndexOf(':');
        if (colon < 1) {
            throw new IllegalArgumentException(name + " is HOST:PORT, not " + text);
        }
        return new InetSocketAddress(text.substring(0, colon), number(name, text.substring(colon + 1), 0, HIGHEST_PORT));
    }
}
