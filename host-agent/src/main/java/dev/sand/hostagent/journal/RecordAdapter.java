package dev.sand.hostagent.journal;

import dev.sand.event.Failure;
import dev.sand.event.InvocationRecord;

/** Keeps invocation records in the global data layer; a later record of the same execution replaces the earlier one. */
public interface RecordAdapter extends AutoCloseable {
    /** Called on the store's thread: implementations only enqueue. */
    interface StoredListener {
        /** @param failure null when the record is stored */
        void onStored(Failure failure);
    }

    /**
     * Called on a shard: only enqueues.
     *
     * @param listener null when the outcome is not awaited
     */
    void record(InvocationRecord record, StoredListener listener);

    /** Whether a record says that the execution has ended, and is not only on its way; blocks. */
    boolean hasEnded(String application, String executionId);

    /** Records given and not yet stored: a host agent that is far behind takes no new requests. */
    long backlog();

    /** Blocks until everything given is stored. */
    @Override
    void close();
}
