package dev.sand.hostagent.triggers;

import dev.sand.event.Failure;

/** What a queue wants done. */
sealed interface QueueAction {
    /** Answered by {@link QueueRun#onEnded} or {@link QueueRun#onRefused}. */
    record Deliver(Batch batch) implements QueueAction {}

    /** Into the dead letters, then to the handler where there is one; answered by {@link QueueRun#onBuried}. */
    record Bury(Batch batch, Failure failure, String executionId) implements QueueAction {}

    /** The partition's progress is another; to be stored soon. */
    record Progressed(int partition) implements QueueAction {}

    /** @param wanted false: no more messages for now */
    record Flow(int partition, boolean wanted) implements QueueAction {}
}
