package dev.sand.hostagent.process;

import dev.sand.event.Payload;
import dev.sand.localbus.GrainQueue.Refusal;

/**
 * What a function's writes and atomic sends take at most in the journal's record of its end, as that is written: JSON, with bytes in
 * base64. A record that is too large for the bus would be in the way of all that come after it. Pure.
 */
public final class RecordBytes {
    /** Of a function's writes, and as much again of its sends: a record has room for 32 MiB, and each value is named at least. */
    public static final long MOST = 12 << 20;
    /** Values of more than that are objects beside the record when there are many; it has their names. */
    public static final int SMALL_BYTES = 4096;
    /** A value in this host's memory of more than that is an object beside the record; else it goes into that. */
    public static final int TAKEN_IN_BYTES = 256 << 10;
    /** A control character of a key is six. */
    private static final int ESCAPED = 6;
    /** Names of fields, and of an object. */
    private static final int AROUND = 200;
    /** Its own fields, its sender's name and its source's. */
    private static final int AROUND_SEND = 320;

    private RecordBytes() {}

    /** @param value null: none */
    public static long of(String key, Payload value) {
        boolean isInside = value != null && value.reference() == null && value.size() <= SMALL_BYTES;
        return AROUND + (long) ESCAPED * key.length() + (isInside ? (value.size() + 2) / 3 * 4 : 0);
    }

    public static long ofSend(String destination, String key, Payload value) {
        return AROUND_SEND + destination.length() + of(key, value);
    }

    /** Whether the record of a message has the name of its value alone. */
    public static boolean isBeside(Payload value) {
        return value.reference() != null && value.size() > TAKEN_IN_BYTES;
    }

    /** @return null: a record has room for so many */
    public static Refusal refusal(long bytes) {
        return bytes <= MOST ? null : new Refusal("process record", MOST, bytes);
    }
}
