package dev.sand.workflow;

import java.util.UUID;

/** Random-looking bits that follow from the execution's id and the place where they are drawn, so that a replay draws the same. */
final class Chance {
    private Chance() {}

    static long draw(String executionId, String step, long count) {
        return mix(hash(executionId) ^ mix(hash(step) + count * 0x9E3779B97F4A7C15L));
    }

    /** @return from 0 to {@code most}, both included */
    static long upTo(long most, long bits) {
        return most <= 0 ? 0 : Long.remainderUnsigned(bits, most + 1);
    }

    /** Of version 4. */
    static String uuid(String executionId, String step) {
        long most = draw(executionId, step, -1) & ~0xF000L | 0x4000L;
        long least = draw(executionId, step, -2) & ~(3L << 62) | 2L << 62;
        return new UUID(most, least).toString();
    }

    private static long hash(String text) {
        long hash = 0xCBF29CE484222325L;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001B3L;
        }
        return hash;
    }

    private static long mix(long bits) {
        bits = (bits ^ bits >>> 30) * 0xBF58476D1CE4E5B9L;
        bits = (bits ^ bits >>> 27) * 0x94D049BB133111EBL;
        return bits ^ bits >>> 31;
    }
}
