package dev.sand.dataplane.client;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** What a function is given, and what it gives. */
public record Value(String contentType, byte[] bytes) {
    public Value {
        Objects.requireNonNull(contentType, "a value has a content type");
        Objects.requireNonNull(bytes, "a value has bytes");
    }

    public static Value json(String text) {
        return new Value("application/json", text.getBytes(StandardCharsets.UTF_8));
    }

    public static Value bytes(byte[] bytes) {
        return new Value("application/octet-stream", bytes);
    }

    public String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
