package dev.sand.datalayer;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The operator's key for stored secrets: the first one closes boxes and opens them, older ones open alone. A box is
 * {@code version 1 | nonce 12 | AES-256-GCM of the value, with its tag}, and opens for its application and name only.
 */
public final class SecretsKey {
    private static final int LEAST_BYTES = 32;
    private static final int MOST_BYTES = 4096;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final byte VERSION = 1;
    private static final String CIPHER = "AES/GCM/NoPadding";
    private static final SecureRandom RANDOM = new SecureRandom();

    /** @param id tells which key closed a box, and nothing of the key */
    private record Derived(String id, SecretKey key) {}

    private final List<Derived> keys;

    private SecretsKey(List<Derived> keys) {
        this.keys = keys;
    }

    /** @param files the contents of the operator's files, the current one first; white space around each does not belong to it */
    public static SecretsKey of(List<byte[]> files) {
        return new SecretsKey(files.stream().map(SecretsKey::derive).toList());
    }

    private static Derived derive(byte[] file) {
        byte[] given = stripped(file);
        if (given.length < LEAST_BYTES || given.length > MOST_BYTES) {
            throw new IllegalArgumentException("a key for secrets has " + LEAST_BYTES + " to " + MOST_BYTES + " bytes, not " + given.length
                    + "; make one with: openssl rand -base64 48");
        }
        try {
            KDF kdf = KDF.getInstance("HKDF-SHA256");
            SecretKey key = kdf.deriveKey("AES", expanded(given, "sand secrets"));
            byte[] id = kdf.deriveData(expanded(given, "sand secrets, key id"));
            return new Derived(HexFormat.of().formatHex(id, 0, 4), new SecretKeySpec(key.getEncoded(), "AES"));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has HKDF-SHA256", e);
        }
    }

    private static HKDFParameterSpec expanded(byte[] given, String purpose) {
        return HKDFParameterSpec.ofExtract().addIKM(given).thenExpand(purpose.getBytes(StandardCharsets.UTF_8), 32);
    }

    private static byte[] stripped(byte[] file) {
        int from = 0;
        int to = file.length;
        while (to > from && file[to - 1] <= ' ' && file[to - 1] >= 0) {
            to--;
        }
        while (from < to && file[from] <= ' ' && file[from] >= 0) {
            from++;
        }
        return Arrays.copyOfRange(file, from, to);
    }

    /** Of the key that closes boxes now. */
    String id() {
        return keys.getFirst().id;
    }

    byte[] seal(String application, String name, byte[] value) {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        byte[] closed = crypt(Cipher.ENCRYPT_MODE, keys.getFirst().key, nonce, application, name, value, 0)
                .orElseThrow(() -> new IllegalStateException("AES-GCM closes what it is given"));
        byte[] box = new byte[1 + NONCE_BYTES + closed.length];
        box[0] = VERSION;
        System.arraycopy(nonce, 0, box, 1, NONCE_BYTES);
        System.arraycopy(closed, 0, box, 1 + NONCE_BYTES, closed.length);
        return box;
    }

    /** Whether one of the keys is that one: otherwise nothing of it opens. */
    boolean has(String id) {
        return keys.stream().anyMatch(each -> each.id.equals(id));
    }

    /** Empty: it is not the key's, or not what was closed, or not that application's under that name. */
    Optional<byte[]> open(String id, String application, String name, byte[] box) {
        if (box.length < 1 + NONCE_BYTES + TAG_BITS / 8 || box[0] != VERSION) {
            return Optional.empty();
        }
        byte[] nonce = Arrays.copyOfRange(box, 1, 1 + NONCE_BYTES);
        return keys.stream().filter(each -> each.id.equals(id)).findFirst()
                .flatMap(each -> crypt(Cipher.DECRYPT_MODE, each.key, nonce, application, name, box, 1 + NONCE_BYTES));
    }

    private static Optional<byte[]> crypt(int mode, SecretKey key, byte[] nonce, String application, String name, byte[] bytes, int from) {
        try {
            Cipher cipher = Cipher.getInstance(CIPHER);
            cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
            // Each part with its length, so that no two different pairs are the same bytes.
            for (String part : List.of(application, name)) {
                byte[] text = part.getBytes(StandardCharsets.UTF_8);
                cipher.updateAAD(new byte[] {(byte) (text.length >> 8), (byte) text.length});
                cipher.updateAAD(text);
            }
            return Optional.of(cipher.doFinal(bytes, from, bytes.length - from));
        } catch (AEADBadTagException e) {
            return Optional.empty();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + CIPHER, e);
        }
    }

    @Override
    public String toString() {
        return "key for secrets (masked)";
    }
}
