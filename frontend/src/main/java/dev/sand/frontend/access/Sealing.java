package dev.sand.frontend.access;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.function.Supplier;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Passwords on their way to a grain: what it is given is kept in records, so that they are closed in boxes there, each of which opens
 * for the execution and the field that it was closed for. A box is {@code version 1 | nonce 12 | AES-256-GCM with its tag}, in base 64.
 */
public final class Sealing {
    /** The name of its key among the platform's. */
    public static final String KEY = "sealed-input";
    private static final String CIPHER = "AES/GCM/NoPadding";
    private static final byte VERSION = 1;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final SecureRandom RANDOM = new SecureRandom();
    private final Supplier<byte[]> source;
    private volatile SecretKeySpec key;

    /** @param source of the key that all hosts and frontends share; asked once, and may block */
    public Sealing(Supplier<byte[]> source) {
        this.source = source;
    }

    public String seal(String execution, String pointer, String value) {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        byte[] closed = crypt(Cipher.ENCRYPT_MODE, nonce, execution, pointer, value.getBytes(StandardCharsets.UTF_8))
                .orElseThrow(() -> new IllegalStateException("AES-GCM closes what it is given"));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(ByteBuffer.allocate(1 + NONCE_BYTES + closed.length)
                .put(VERSION).put(nonce).put(closed).array());
    }

    /** Empty: it is no box, or another execution's, or another field's. */
    public Optional<String> open(String execution, String pointer, String box) {
        byte[] bytes;
        try {
            bytes = Base64.getUrlDecoder().decode(box);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
        if (bytes.length < 1 + NONCE_BYTES + TAG_BITS / 8 || bytes[0] != VERSION) {
            return Optional.empty();
        }
        return crypt(Cipher.DECRYPT_MODE, Arrays.copyOfRange(bytes, 1, 1 + NONCE_BYTES), execution, pointer,
                Arrays.copyOfRange(bytes, 1 + NONCE_BYTES, bytes.length)).map(value -> new String(value, StandardCharsets.UTF_8));
    }

    private Optional<byte[]> crypt(int mode, byte[] nonce, String execution, String pointer, byte[] value) {
        try {
            Cipher cipher = Cipher.getInstance(CIPHER);
            cipher.init(mode, key(), new GCMParameterSpec(TAG_BITS, nonce));
            cipher.updateAAD((execution + '\n' + pointer).getBytes(StandardCharsets.UTF_8)); // an id has no line's end
            return Optional.of(cipher.doFinal(value));
        } catch (AEADBadTagException e) {
            return Optional.empty();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + CIPHER, e);
        }
    }

    private SecretKeySpec key() {
        SecretKeySpec known = key;
        if (known == null) {
            known = new SecretKeySpec(source.get(), "AES");
            key = known;
        }
        return known;
    }
}
