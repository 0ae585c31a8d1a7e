package dev.sand.workflow;

import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Tokens of tasks that wait for a callback: base64url of {@code application/execution/step}, a point, base64url of its HMAC-SHA256 under the
 * platform's key. So a replay makes the same token, nobody else can make one, and nothing need be kept of it. A step is one
 * attempt's.
 */
public final class TaskTokens {
    /** Of a key, and of the shortest one that is taken. */
    public static final int KEY_BYTES = 32;
    /** Of the longest token that is looked at: a step's name grows with the nesting of its state. */
    public static final int MOST_CHARACTERS = 64 * 1024;
    private static final String ALGORITHM = "HmacSHA256";
    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

    /** What a token names. */
    public record Place(String application, String executionId, String step) {}

    private final SecretKeySpec key;

    /** @param key the platform's, the same on every host and for as long as tokens are to be good */
    public TaskTokens(byte[] key) {
        if (key.length < KEY_BYTES) {
            throw new IllegalArgumentException("a key of task tokens has " + KEY_BYTES + " bytes, not " + key.length);
        }
        this.key = new SecretKeySpec(key, ALGORITHM);
    }

    /** For executions that nobody can call back from outside: trials. */
    public static TaskTokens ofTrial() {
        return new TaskTokens(new byte[KEY_BYTES]);
    }

    public String token(String application, String executionId, String step) {
        byte[] place = (application + "/" + executionId + "/" + step).getBytes(StandardCharsets.UTF_8);
        return ENCODER.encodeToString(place) + "." + ENCODER.encodeToString(signature(place));
    }

    /** Empty when it is none of ours. */
    public Optional<Place> read(String token) {
        byte[][] parts = parts(token);
        return parts == null || !MessageDigest.isEqual(parts[1], signature(parts[0])) ? Optional.empty() : Optional.of(named(parts[0]));
    }

    /** What it says that it names; whether that is true, only the host agent can tell. Empty when it has not the form of a token. */
    public static Optional<Place> claimed(String token) {
        byte[][] parts = parts(token);
        return parts == null ? Optional.empty() : Optional.of(named(parts[0]));
    }

    /** The place and its signature, or null. */
    private static byte[][] parts(String token) {
        int point = token.indexOf('.');
        if (point < 0 || token.length() > MOST_CHARACTERS) {
            return null;
        }
        try {
            byte[] place = Base64.getUrlDecoder().decode(token.substring(0, point));
            return place(place).length == 3 ? new byte[][] {place, Base64.getUrlDecoder().decode(token.substring(point + 1))} : null;
        } catch (IllegalArgumentException notBase64) {
            return null;
        }
    }

    private static String[] place(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8).split("/", 3);
    }

    private static Place named(byte[] bytes) {
        String[] parts = place(bytes);
        return new Place(parts[0], parts[1], parts[2]);
    }

    private byte[] signature(byte[] place) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac.doFinal(place);
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
        }
    }
}
