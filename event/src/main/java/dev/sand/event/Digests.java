package dev.sand.event;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256, which every Java has. A digest is a copy of the first: to look for one takes longer than to reckon with it. */
public final class Digests {
    private static final MessageDigest FIRST = find();

    private Digests() {}

    /** @return one that has seen nothing yet, the caller's alone */
    public static MessageDigest sha256() {
        try {
            return (MessageDigest) FIRST.clone();
        } catch (CloneNotSupportedException e) {
            return find();
        }
    }

    public static byte[] sha256(byte[] bytes) {
        return sha256().digest(bytes);
    }

    /** Of the text's UTF-8. */
    public static byte[] sha256(String text) {
        return sha256(text.getBytes(StandardCharsets.UTF_8));
    }

    private static MessageDigest find() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
