package dev.sand.hostagent.process;

import dev.sand.event.Payload;
import dev.sand.localbus.GrainQueue.Refusal;

/**
 * What small values take in the journal's record of a function's end. Large ones are objects beside it; of small ones a record has room
 * for so many, and one that is too large for the bus would be in the way of all that come after it. Pure.
 */
public final class RecordBytes {
    /** Of a function's writes, and as much again of its atomic sends: together, as the journal writes them, less than a record may have. */
    public static final long MOST = 10 << 20;
    /** Values of more than that are objects when there are many. */
    private static final int SMALL_BYTES = 4096;
    /** Of each, what is around its key and value. */
    private static final int AROUND = 128;

    private RecordBytes() {}

    /** @param value null: none */
    public static long of(String key, Payload value) {
        boolean isInside = value != null && value.reference() == null && value.size() <= SMALL_BYTES;
        return AROUND + key.length() + (isInside ? value.size() : 0);
    }

    /** @return null: a record has room for so many */
    public static Refusal refusal(long bytes) {
        return bytes <= MOST ? null : new Refusal("process record", MOST, bytes);
    }
}
