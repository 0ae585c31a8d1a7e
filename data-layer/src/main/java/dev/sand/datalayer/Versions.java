package dev.sand.datalayer;

import dev.sand.datalayer.StoreException.Kind;
import java.nio.charset.StandardCharsets;

/**
 * The rules of versions and counters, the same in every store. A deleted key leaves no row behind, but raises its scope's
 * floor above its version: what is written under that name later starts above it, so no version comes twice.
 */
final class Versions {
    private Versions() {}

    /** @param actual 0: nothing there; @return the version of the write; @throws StoreException CONFLICT */
    static long next(String key, long actual, long floor, long expected) {
        if (expected != GlobalStore.ANY && expected != actual) {
            throw new StoreException(Kind.CONFLICT, actual == 0
                    ? "nothing is stored under \"" + key + "\", version " + expected + " was expected"
                    : "\"" + key + "\" is at version " + actual + ", "
                            + (expected == 0 ? "nothing" : "version " + expected) + " was expected", actual, null);
        }
        return 1 + (actual == 0 ? floor : actual);
    }

    static long sum(String key, byte[] value, long delta) {
        String text = value == null ? "0" : new String(value, 0, Math.min(value.length, 32), StandardCharsets.ISO_8859_1);
        try {
            return Math.addExact(Long.parseLong(text), delta);
        } catch (NumberFormatException e) {
            throw new StoreException(Kind.BAD_VALUE, "the value of \"" + key + "\" is no counter", 0, e);
        } catch (ArithmeticException e) {
            throw new StoreException(Kind.BAD_VALUE, "the counter \"" + key + "\" would overflow: " + text + " + " + delta, 0, e);
        }
    }

    static byte[] counter(long value) {
        return Long.toString(value).getBytes(StandardCharsets.ISO_8859_1);
    }
}
