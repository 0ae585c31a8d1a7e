package dev.sand.hostagent.journal;

import dev.sand.event.InvocationRecord;

/** Keeps invocation records in the global data layer; a later record of the same execution replaces the earlier one. */
public interface RecordAdapter extends AutoCloseable {
    /** Called on a shard: only enqueues. */
    void record(InvocationRecord record);

    /** Records given and not yet stored: a host agent that is far behind takes no new requests. */
    long backlog();

    /** Blocks until everything given is stored. */
    @Override
    void close();
}
