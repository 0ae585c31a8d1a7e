package dev.sand.hostagent.journal;

import dev.sand.event.Failure;
import dev.sand.event.InvocationRequest;
import dev.sand.hostagent.core.Action.Await;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.process.ProcessChange;
import dev.sand.workflow.Execution;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/** Backups and condition flags on the global bus (SAND 3.2): one topic an application, a partition a slot. */
public interface JournalAdapter extends AutoCloseable {
    /** Newest schema of records that this platform understands; others are told. */
    int READS = JournalRecord.NEWEST;

    /** Called on the bus's thread: implementations only enqueue. */
    interface AppendListener {
        /** @param failure null when the record is durable */
        void onAppended(Failure failure);
    }

    /** Whether a slot is this host's under an epoch; UNKNOWN: the group is not heard, and it may be another's by now. */
    enum Standing { OURS, UNKNOWN, LOST }

    /** Asked before what cannot be taken back. */
    interface Fence {
        Standing of(int slot, long epoch);
    }

    /**
     * What is to be kept of an execution.
     *
     * @param slot of the execution, and the epoch under which its owner writes
     * @param process of which it is, or in which the execution runs, all of whose records keep their order; null: none
     * @param change of the process, in the same record; null: none
     */
    record Entry(String application, String executionId, int slot, long epoch, long sequence, Backup backup, Await await, String process,
                 ProcessChange change) {
        public Entry(String application, String executionId, int slot, long epoch, long sequence, Backup backup, Await await) {
            this(application, executionId, slot, epoch, sequence, backup, await, null, null);
        }
    }

    /**
     * An execution that was accepted and not ended, with its signals in order.
     *
     * @param next the first number that no record has
     * @param attempts of the steps that earlier owners resumed
     */
    record Unfinished(InvocationRequest request, List<Execution.Signal> signals, long next, Map<String, Integer> attempts,
                      Ages ages, Input.Changed changed) {
        /**
         * Its input was left out, for its end was to be right behind it, and is not: nobody was told that it had begun or how it ended, and
         * whoever asked asks again. It has no record either: that is written behind its end.
         */
        public boolean isNothing() {
            return request.input().isNotKept() && signals.isEmpty();
        }

        /** What its new owner is told. @param nowNs of this host's monotonic clock */
        public Input.Recover recover(long nowNs) {
            return new Input.Recover(request, signals, next, attempts, ages.ofAcceptanceMs(nowNs), ages.ofSignalsMs(nowNs), changed);
        }
    }

    /** What earlier owners left. @param executions those of an application in the order in which they began: functions of a process queue in it */
    record Left(List<Unfinished> executions, List<Input.RecoverProcess> processes) {}

    /**
     * Appends a record. Called on a shard: never blocks, and is to cost about a microsecond (a record that nobody awaits needs no wake-up
     * of its own), but for the end of a function that has changed its process, which may be written here. Records of one execution keep
     * their order.
     *
     * @param listener told as {@link Entry#await} says; null when the outcome is not awaited
     */
    void append(Entry entry, AppendListener listener);

    /**
     * Claims the slot in every journal that there is and that is not claimed under this epoch, and reads it up to the claim
     * (SAND 4.2.1): what lower epochs write after it counts no more. Blocks, and waits for a bus that is away.
     *
     * @param current whether the slot is still ours under that epoch
     * @return what was left open, oldest first
     */
    Left take(int slot, long epoch, BooleanSupplier current);

    /** Partitions of each journal: as many as the platform has slots. */
    int slots();

    /** The slot goes to another host: blocks until what was given for it is in the bus, or for so long. */
    void leave(int slot, long epoch, Duration atMost);

    /** @param wanted told of a slot in which a journal is to be taken: its topic is new */
    void onUnclaimed(IntConsumer wanted);

    /** Why the global bus takes no records now, as those given before tell; null: nothing is known to be wrong. Any thread. */
    default String away() {
        return null;
    }

    /** Without one, every slot that was taken is ours until it is left. */
    void fencedBy(Fence fence);

    /** @return why requests of that application that fall into the slot cannot be taken, or null */
    Failure refusal(String application, int slot);

    /** Whether the slot is surely ours, its journal is read, and the execution is not open there, nor has values that are to go. */
    boolean knowsNothingOf(String application, int slot, String executionId);

    /** The application is deleted, and its topics with it: what is kept of it here goes too. Blocks. */
    void deleteApplication(String application);

    /** Records given and not yet durable. */
    long backlog();

    /**
     * Records that count for nothing, since the slot is not their writer's.
     *
     * @param moved given here for a slot that was another host's by then: not written
     * @param voided found behind the claim of a higher epoch when a slot was taken here: written by a host that did not know yet
     */
    record Refused(long moved, long voided) {}

    Refused refused();

    /** Any thread. */
    default JournalFigures figures() {
        return JournalFigures.NONE;
    }

    /** Blocks until everything given is durable. */
    @Override
    void close();
}
