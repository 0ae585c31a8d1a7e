package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.StatesError;
import dev.sand.workflow.data.WorkflowLimits;
import java.util.HashMap;
import java.util.Map;

/**
 * The variables of a scope: those that its own states assign, before those of the scopes around it. No name is in two scopes of
 * which one is in the other (the definition would be refused), so that a value cannot hide another.
 */
final class Variables {
    /** What all variables of the execution have together. */
    private static final class Total {
        private long bytes;
    }

    private record Value(JsonNode node, long bytes) {}

    /** What the variables of one scope were at a time. */
    static final class Snapshot {
        private final Map<String, Value> values;

        private Snapshot(Map<String, Value> values) {
            this.values = values;
        }
    }

    private final Variables outer;
    private final Total total;
    private Map<String, Value> values = Map.of();

    private Variables(Variables outer, Total total) {
        this.outer = outer;
        this.total = total;
    }

    static Variables root() {
        return new Variables(null, new Total());
    }

    Variables inner() {
        return new Variables(this, total);
    }

    /** Of an execution of its own: it sees none of these, and counts with them. */
    Variables apart() {
        return new Variables(null, total);
    }

    /** @return null when none of that name has a value here */
    JsonNode get(String name) {
        for (Variables scope = this; scope != null; scope = scope.outer) {
            Value value = scope.values.get(name);
            if (value != null) {
                return value.node();
            }
        }
        return null;
    }

    /** Bytes of all variables of the execution. */
    long totalBytes() {
        return total.bytes;
    }

    /**
     * Gives all of them their values, or none.
     *
     * @throws StatesError DataLimitExceeded when they are too large
     */
    void assign(ObjectNode assigned) {
        Map<String, Value> next = new HashMap<>(values);
        long added = 0;
        long grown = total.bytes;
        for (var field : assigned.properties()) {
            long bytes = Json.bytes(field.getValue(), WorkflowLimits.ASSIGN_BYTES);
            added += bytes;
            if (added > WorkflowLimits.ASSIGN_BYTES) {
                throw new StatesError(StatesError.DATA_LIMIT_EXCEEDED, "The values that the field Assign gives to variables, up to $"
                        + field.getKey() + ", are over the limit of " + WorkflowLimits.ASSIGN_BYTES + " bytes");
            }
            Value before = next.put(field.getKey(), new Value(field.getValue(), bytes));
            grown += bytes - (before == null ? 0 : before.bytes());
        }
        if (grown > WorkflowLimits.VARIABLES_BYTES) {
            throw new StatesError(StatesError.DATA_LIMIT_EXCEEDED, "The execution's variables would have " + grown
                    + " bytes; the limit is " + WorkflowLimits.VARIABLES_BYTES);
        }
        values = next;
        total.bytes = grown;
    }

    /** The scope has ended: nothing can see them any more. */
    void drop() {
        suspend();
        values = Map.of();
    }

    /** They do not count until they are opened again, if they ever are. */
    void suspend() {
        total.bytes -= bytes();
    }

    void reopen() {
        total.bytes += bytes();
    }

    Snapshot snapshot() {
        return new Snapshot(values); // which is replaced, and never changed
    }

    /** Of a scope that runs, or has ended. */
    void restore(Snapshot before) {
        suspend();
        values = before.values;
        reopen();
    }

    /** Of a scope that is suspended. */
    void forget() {
        values = Map.of();
    }

    private long bytes() {
        long bytes = 0;
        for (Value value : values.values()) {
            bytes += value.bytes();
        }
        return bytes;
    }
}
