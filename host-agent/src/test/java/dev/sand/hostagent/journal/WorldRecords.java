package dev.sand.hostagent.journal;

import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.hostagent.core.Action;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** Records of executions that have ended, as the global data layer keeps them: an earlier owner's replaces no later one's. */
final class WorldRecords {
    private final Map<String, InvocationRecord> ended = new HashMap<>();
    private final Map<String, Long> fences = new HashMap<>();

    /** From here on no earlier owner writes one. */
    boolean endedOrFenced(String executionId, long epoch) {
        fences.merge(executionId, epoch, Math::max);
        return ended.containsKey(executionId);
    }

    void write(Action.Record write) {
        InvocationRecord record = write.record();
        if (record.status() != Status.RUNNING && write.epoch() >= fences.getOrDefault(record.executionId(), 0L)) {
            fences.put(record.executionId(), write.epoch());
            ended.put(record.executionId(), record);
        }
    }

    /** Null: it has not ended, as far as anybody knows. */
    InvocationResult result(String executionId) {
        InvocationRecord record = ended.get(executionId);
        return record == null ? null : new InvocationResult(executionId, record.status(), record.output(), record.failure(), record.hops());
    }

    Collection<InvocationRecord> all() {
        return ended.values();
    }
}
