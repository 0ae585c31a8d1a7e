package dev.sand.hostagent.journal;

import dev.sand.event.Failure;
import dev.sand.event.InvocationRequest;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.workflow.Execution;
import java.util.List;

/** Backups and condition flags on the global bus (SAND 3.2): one topic an application, partitioned by execution. */
public interface JournalAdapter extends AutoCloseable {
    /** Called on the bus's thread: implementations only enqueue. */
    interface AppendListener {
        /** @param failure null when the record is durable */
        void onAppended(Failure failure);
    }

    /** An execution that was accepted and not ended, with its signals in order. */
    record Unfinished(InvocationRequest request, List<Execution.Signal> signals) {}

    /**
     * Appends a record. Called on a shard: encodes nothing here, never blocks, and is to cost about a microsecond (a record
     * that nobody awaits needs no wake-up of its own). Records of one execution keep their order.
     *
     * @param listener null when the outcome is not awaited
     */
    void append(String application, String executionId, long sequence, Backup backup, AppendListener listener);

    /** What earlier runs of this host agent left open, oldest first; blocks. Called once, before the first append. */
    List<Unfinished> recover();

    /** Records given and not yet durable: a host agent that is far behind takes no new requests. */
    long backlog();

    /** Blocks until everything given is durable. */
    @Override
    void close();
}
