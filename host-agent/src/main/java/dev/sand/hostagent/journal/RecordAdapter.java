package dev.sand.hostagent.journal;

import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.ObjectStore;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.Payload;
import dev.sand.hostagent.core.Question.Answer;
import dev.sand.hostagent.core.Question.Answer.Claimed;
import dev.sand.hostagent.core.Question.Answer.Found;
import dev.sand.workflow.KeptSignals;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;

/** Keeps invocation records in the global data layer; a later record of the same execution replaces the earlier one. */
public interface RecordAdapter extends AutoCloseable {
    /** Called on the store's thread: implementations only enqueue. */
    interface StoredListener {
        /** @param failure null when the record is stored */
        void onStored(Failure failure);

        /** All that was stored with it was told of. */
        default void onAllTold() {}
    }

    /**
     * Called on a shard: only enqueues.
     *
     * @param epoch of the execution's owner: what one of a higher epoch has recorded stays
     * @param listener null when the outcome is not awaited
     * @param history what is kept beside it, asked for on the store's thread; null: as it was
     */
    void record(InvocationRecord record, long epoch, StoredListener listener, Supplier<byte[]> history);

    /** As above, without what is kept beside it. */
    default void record(InvocationRecord record, long epoch, StoredListener listener) {
        record(record, epoch, listener, null);
    }

    /**
     * Keeps a large output before its record is given; blocks.
     *
     * @param output by reference; @param content its bytes; @return the output as the record is to have it
     * @throws dev.sand.datalayer.StoreException BAD_VALUE when it is larger than what is kept; @throws IOException the content's
     */
    Payload keepOutput(String application, String executionId, Payload output, ObjectStore.Content content) throws IOException;

    /**
     * As {@link #keepOutput}, of a value of an execution that may be redriven; blocks.
     *
     * @param name unique in the execution
     */
    default void keepValue(String application, String executionId, String name, Payload value, ObjectStore.Content content) throws IOException {
    }

    /** What was kept so; empty when it is not (any more); blocks. @param size the value without its bytes */
    default Optional<InvocationStore.Output> value(String application, String executionId, String name, Payload size) {
        return Optional.empty();
    }

    /** Whether a record says that the execution has ended, and is not only on its way; blocks. */
    boolean hasEnded(String application, String executionId);

    /**
     * The same, asked by a new owner of its slot that will run it again if not: then no end that an earlier owner meant to
     * record is taken any more, from the same step on; blocks.
     */
    boolean endedOrFenced(InvocationRequest request, long epoch);

    /**
     * Gives a name of a workflow's executions away, once; blocks.
     *
     * @param input of the execution that asks, to know the same call again; @return who has it, since whenever
     */
    Claimed claimName(String application, String workflow, String name, String executionId, Payload input);

    /** What its record says of an execution, with the bytes of its output; blocks. */
    Found find(String application, String executionId);

    /**
     * What an execution did before it is redriven; blocks.
     *
     * @param isBegun the redrive is in the journal: its record may be there already
     * @param values what gives those that are kept as {@link #value}
     * @return Before, or Failed
     */
    default Answer before(String application, String executionId, int redrive, boolean isBegun, KeptSignals.LargeValues values) {
        return new Answer.Failed(Errors.NOT_FOUND, "nothing is kept here of what executions did", false);
    }

    /** The application is deleted: once this returns, nothing of it up to that version is stored any more. Blocks. */
    void forget(String application, int upTo);

    /** Records given and not yet stored: a host agent that is far behind takes no new requests. */
    long backlog();

    /** Blocks until everything given is stored. */
    @Override
    void close();
}
