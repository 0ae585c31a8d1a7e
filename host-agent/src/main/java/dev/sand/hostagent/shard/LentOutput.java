package dev.sand.hostagent.shard;

import dev.sand.hostagent.segments.SegmentServer;

/** A large output in its execution's memory, for somebody who passes it on. Given back with one of the last two, once. Any thread. */
public interface LentOutput {
    /** Where it lies, until it is given back. Waits for a moment at most. @throws dev.sand.datalayer.StoreException when it has gone */
    SegmentServer.Mapped memory();

    /** Whoever it is for has it: it need not be kept beyond this. */
    void delivered();

    /** That is not known: it is kept with the execution's record, and found when it is asked for again. */
    void undelivered();
}
