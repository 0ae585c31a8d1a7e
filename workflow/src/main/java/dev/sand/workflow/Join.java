package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.WorkflowLimits;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Where the branches of a Parallel or the iterations of a Map meet: a place for each result; complete when every place is
 * taken. The same predicate as that of the local bus's multi-source trigger: all sources have one, order does not matter.
 */
final class Join {
    final Visit visit;
    /** Of the attempt of the state: its branches' steps are below it. */
    final String step;
    final Scope[] scopes;
    /** Of a Map: what is iterated over; null for a Parallel. */
    final JsonNode items;
    /** Of a Map over an object: the names of its members; else null. */
    final List<String> keys;
    /** Of a Map: what an iteration's ItemSelector sees as its input. */
    final Document itemInput;
    private final long maxConcurrency;
    /** Of a Map: the next item to start, and whether its start is queued. */
    int nextItem;
    boolean isStarting;

    private final Document[] results;
    private int missing;
    private int running;
    private long bytes;

    /** @param maxConcurrency 0: as many as may be */
    Join(Visit visit, int size, JsonNode items, Document itemInput, long maxConcurrency) {
        this.visit = visit;
        this.step = visit.attemptStep();
        this.items = items;
        this.keys = items != null && items.isObject() ? items.properties().stream().map(Map.Entry::getKey).toList() : null;
        this.itemInput = itemInput;
        this.maxConcurrency = maxConcurrency == 0 ? WorkflowLimits.MAP_CONCURRENCY
                : Math.min(maxConcurrency, WorkflowLimits.MAP_CONCURRENCY);
        this.scopes = new Scope[size];
        this.results = new Document[size];
        this.missing = size;
    }

    void open(Scope scope) {
        scopes[scope.index] = scope;
        running++;
    }

    void arrive(int index, Document result) {
        scopes[index] = null;
        results[index] = result;
        bytes += result.sizeHint();
        missing--;
        running--;
    }

    boolean isComplete() {
        return missing == 0;
    }

    int missing() {
        return missing;
    }

    /** About how many bytes have arrived. */
    long bytes() {
        return bytes;
    }

    boolean mayStartItem() {
        return items != null && nextItem < items.size() && running < maxConcurrency;
    }

    Document joined() {
        return Document.join(Arrays.asList(results));
    }
}
