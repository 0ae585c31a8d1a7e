package dev.sand.dataplane;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Set;
import java.util.TreeSet;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Bytes behind an HMAC-SHA-256 under a key of the platform, in base 64 for URLs, and the texts in them. Pure. */
final class Signature {
    static final int BYTES = 32;
    private static final int LEAST_KEY_BYTES = 32;
    private static final String ALGORITHM = "HmacSHA256";
    private final SecretKeySpec key;

    /** @param what is signed, in the plural. @throws IllegalArgumentException when the key is too short to be one */
    Signature(byte[] key, String what) {
        if (key.length < LEAST_KEY_BYTES) {
            throw new IllegalArgumentException("a key for " + what + " has at least " + LEAST_KEY_BYTES + " bytes, not " + key.length);
        }
        this.key = new SecretKeySpec(key, ALGORITHM);
    }

    /** What was written into the buffer so far, signed. */
    String sign(ByteBuffer out) {
        out.put(mac(out.array(), out.position())).flip();
        byte[] bytes = new byte[out.remaining()];
        out.get(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Whether the last bytes are the signature of those before. */
    boolean isOf(byte[] bytes) {
        int signed = bytes.length - BYTES;
        return MessageDigest.isEqual(mac(bytes, signed), Arrays.copyOfRange(bytes, signed, bytes.length));
    }

    /** @return null when it is no token, or not all of one */
    static byte[] bytes(String token) {
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(token);
            return bytes.length > BYTES + 1 ? bytes : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private byte[] mac(byte[] bytes, int length) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update(bytes, 0, length);
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }

    static void put(ByteBuffer out, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        if (utf8.length > 255) {
            throw new IllegalArgumentException("a name in what is signed has at most 255 bytes, not " + utf8.length);
        }
        out.put((byte) utf8.length).put(utf8);
    }

    static void put(ByteBuffer out, Set<String> names) {
        out.put((byte) names.size());
        new TreeSet<>(names).forEach(name -> put(out, name));
    }

    /** @throws java.nio.BufferUnderflowException when it ends too early, and so does what follows */
    static String text(ByteBuffer in) {
        byte[] utf8 = new byte[Byte.toUnsignedInt(in.get())];
        in.get(utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }

    static Set<String> names(ByteBuffer in) {
        Set<String> names = new TreeSet<>();
        for (int left = Byte.toUnsignedInt(in.get()); left > 0; left--) {
            names.add(text(in));
        }
        return names;
    }
}
