package dev.sand.hostagent.sim;

import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Status;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Invocation records in the global layer: a lower epoch never overwrites a higher one. */
final class SimStore {
    private final Set<Protocol> protocol;
    private final Map<String, InvocationRecord> records = new HashMap<>();
    private final Map<String, Long> epochs = new HashMap<>();
    /** Executions that somebody was promised. */
    private final Set<String> durable = new HashSet<>();

    SimStore(Set<Protocol> protocol) {
        this.protocol = protocol;
    }

    void promised(String executionId) {
        durable.add(executionId);
    }

    void write(InvocationRecord record, long epoch) {
        String id = record.executionId();
        if (epoch < epochs.getOrDefault(id, -1L)) {
            return;
        }
        epochs.put(id, epoch);
        InvocationRecord before = records.put(id, record);
        boolean hadEnded = before != null && before.status() != Status.RUNNING;
        if (hadEnded && durable.contains(id) && (before.status() != record.status() || !text(before).equals(text(record)))) {
            throw new Violation("execution " + id + " ended as " + before.status() + " " + text(before) + " and then, under epoch "
                    + epoch + ", as " + record.status() + " " + text(record));
        }
    }

    private static String text(InvocationRecord record) {
        return record.output() == null ? "" : Script.text(record.output());
    }

    /** From now on nothing of a lower epoch is taken. @return whether it has ended */
    boolean fence(String executionId, long epoch) {
        if (protocol.contains(Protocol.RECORDS_FENCED)) {
            epochs.merge(executionId, epoch, Math::max);
        }
        return ended(executionId) != null;
    }

    /** The record of its end, or null. */
    InvocationRecord ended(String executionId) {
        InvocationRecord record = records.get(executionId);
        return record == null || record.status() == Status.RUNNING ? null : record;
    }

    void checkEnd() {
        for (String id : durable) {
            if (ended(id) == null) {
                throw new Violation("execution " + id + " was promised, and has no end");
            }
        }
    }
}
