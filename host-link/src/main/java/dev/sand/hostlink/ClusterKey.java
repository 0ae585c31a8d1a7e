package dev.sand.hostlink;

import dev.sand.event.Digests;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The secret that all programs of a cluster share, from a file. It is used to prove that one has it, and never sent. */
public final class ClusterKey {
    static final int PROOF_BYTES = 32;
    private static final int LEAST_BYTES = 32;
    private static final int MOST_BYTES = 4096;
    private static final String ALGORITHM = "HmacSHA256";
    private final SecretKeySpec key;

    /** Which side makes a proof: a proof of one side is never one of the other. */
    enum Role { FRONTEND, HOST }

    private ClusterKey(byte[] secret) {
        this.key = new SecretKeySpec(secret, ALGORITHM);
    }

    /** @throws IllegalArgumentException when the secret is too short to be one */
    public static ClusterKey of(byte[] secret) {
        if (secret.length < LEAST_BYTES || secret.length > MOST_BYTES) {
            throw new IllegalArgumentException("a cluster key has " + LEAST_BYTES + " to " + MOST_BYTES + " bytes, not "
                    + secret.length + "; make one with: openssl rand -base64 48");
        }
        return new ClusterKey(secret.clone());
    }

    /** Reads the key; white space around it does not belong to it. @throws IOException when that cannot be done */
    public static ClusterKey read(Path file) throws IOException {
        if (Files.size(file) > MOST_BYTES) {
            throw new IllegalArgumentException("the cluster key in " + file + " has more than " + MOST_BYTES + " bytes");
        }
        byte[] bytes = Files.readAllBytes(file);
        int from = 0;
        int to = bytes.length;
        while (to > from && bytes[to - 1] <= ' ' && bytes[to - 1] >= 0) {
            to--;
        }
        while (from < to && bytes[from] <= ' ' && bytes[from] >= 0) {
            from++;
        }
        try {
            return of(Arrays.copyOfRange(bytes, from, to));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage());
        }
    }

    byte[] prove(Role role, byte[] frontendNonce, byte[] hostNonce, String frontend, String host) {
        return code(text("sand " + role), frontendNonce, hostNonce, text(frontend), text(host));
    }

    /** What only a part of the cluster can have made of that content: for what lies where others may write. @param purpose one seal is none for another */
    public byte[] seal(String purpose, byte[] content) {
        return code(text("sand seal " + purpose), Digests.sha256(content));
    }

    private byte[] code(byte[]... parts) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            // Each part with its length, so that no two different sets of parts are the same bytes.
            for (byte[] part : parts) {
                mac.update(new byte[] {(byte) (part.length >> 8), (byte) part.length});
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }

    static boolean same(byte[] expected, byte[] given) {
        return MessageDigest.isEqual(expected, given);
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return "cluster key (masked)";
    }
}
