package dev.sand.event;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * Time-ordered ids: 48 bits of milliseconds and 80 random bits in Crockford's base 32, 26 characters (the ULID layout), so
 * that ids sort by time as text. Clock and randomness are given by the caller.
 */
public final class Ids {
    private static final char[] ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ".toCharArray();
    public static final int LENGTH = 26;

    private Ids() {}

    /** @param epochMs wall clock; @param random for the lower 80 bits */
    public static String next(long epochMs, RandomGenerator random) {
        return encode(epochMs, random.nextInt() & 0xFFFF, random.nextLong());
    }

    /** The id that is always the same for the same 80 bits and time: for ids derived from an idempotency key. */
    public static String encode(long epochMs, int high16, long low64) {
        char[] out = new char[LENGTH];
        for (int i = 9; i >= 0; i--) {
            out[i] = ALPHABET[(int) (epochMs & 31)];
            epochMs >>>= 5;
        }
        long high = high16 & 0xFFFFL;
        for (int i = 25; i >= 10; i--) {
            out[i] = ALPHABET[(int) (low64 & 31)];
            low64 = (low64 >>> 5) | ((high & 31) << 59);
            high >>>= 5;
        }
        return new String(out);
    }

    /** @return the wall clock in the id; @param otherwise when it is none: whoever invoked has made it up */
    public static long epochMs(String id, long otherwise) {
        return isValid(id) ? epochMs(id) : otherwise;
    }

    /** @return the wall clock in the id; @throws IllegalArgumentException when it is none */
    public static long epochMs(String id) {
        if (!isValid(id)) {
            throw new IllegalArgumentException("not an id: " + id);
        }
        long ms = 0;
        for (int i = 0; i < 10; i++) {
            ms = (ms << 5) | new String(ALPHABET).indexOf(id.charAt(i));
        }
        return ms;
    }

    /** Of its lowest five bits. */
    static char character(int digit) {
        return ALPHABET[digit & 31];
    }

    /** The five bits of a character of an id. */
    static int digit(char c) {
        return Arrays.binarySearch(ALPHABET, c);
    }

    public static boolean isValid(String id) {
        if (id == null || id.length() != LENGTH || id.charAt(0) > '7') {
            return false;
        }
        for (int i = 0; i < LENGTH; i++) {
            char c = id.charAt(i);
            boolean known = c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' && c != 'I' && c != 'L' && c != 'O' && c != 'U';
            if (!known) {
                return false;
            }
        }
        return true;
    }
}
