package dev.sand.frontend.access;

import dev.sand.event.Digests;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.zip.CRC32;

/**
 * An API key as text: {@code sand_}, its id (12 characters), its secret (43, of 256 bits), a sum over all of that (6). The sum
 * tells half a paste, and most garbage, from a key without a look into the store; what was leaked is found by how it begins.
 */
public record KeyText(String id, String text) implements Credential {
    private static final String BEGIN = "sand_";
    private static final String DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    private static final int ID_DIGITS = 36;
    private static final int ID = 12;
    private static final int SECRET = 43;
    private static final int SUM = 6;
    private static final int LENGTH = 5 + ID + SECRET + SUM;

    public static KeyText draw(SecureRandom random) {
        StringBuilder text = new StringBuilder(LENGTH).append(BEGIN);
        for (int i = 0; i < ID; i++) {
            text.append(DIGITS.charAt(random.nextInt(ID_DIGITS)));
        }
        for (int i = 0; i < SECRET; i++) {
            text.append(DIGITS.charAt(random.nextInt(DIGITS.length())));
        }
        String drawn = text.toString();
        return new KeyText(id(drawn), drawn + sum(drawn));
    }

    /** @return null: that is no key, or not all of one */
    static KeyText parse(String text) {
        if (text.length() != LENGTH || !text.startsWith(BEGIN)) {
            return null;
        }
        for (int i = BEGIN.length(); i < LENGTH; i++) {
            char c = text.charAt(i);
            boolean inId = c >= '0' && c <= '9' || c >= 'a' && c <= 'z';
            if (!inId && (i < BEGIN.length() + ID || c < 'A' || c > 'Z')) {
                return null;
            }
        }
        String summed = text.substring(0, LENGTH - SUM);
        return text.endsWith(sum(summed)) ? new KeyText(id(text), text) : null;
    }

    private static String id(String text) {
        return text.substring(BEGIN.length(), BEGIN.length() + ID);
    }

    private static String sum(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.ISO_8859_1));
        char[] sum = new char[SUM];
        long rest = crc.getValue();
        for (int i = SUM - 1; i >= 0; i--) {
            sum[i] = DIGITS.charAt((int) (rest % DIGITS.length()));
            rest /= DIGITS.length();
        }
        return new String(sum);
    }

    /** All that is kept of it: SHA-256 of the whole text. */
    @Override
    public byte[] hash() {
        return sha256(text);
    }

    static byte[] sha256(String text) {
        return Digests.sha256(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Override
    public String unknown() {
        return "What 'Authorization' shows is no key of this platform.";
    }

    public String hashInHex() {
        return java.util.HexFormat.of().formatHex(hash());
    }

    @Override
    public String toString() {
        return "key " + id + " (masked)";
    }
}
