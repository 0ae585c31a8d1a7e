package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.WorkflowLimits;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

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
    /** Of a distributed Map, else null. */
    final MapRun run;
    private final long maxConcurrency;
    /** Of a Map: the next item to start, how many iterations have begun, and whether the next start is queued. */
    int nextItem;
    int begun;
    boolean isStarting;

    private final Document[] results;
    private int missing;
    private int running;
    private long bytes;
    private final boolean keepsResults;
    /** How many items each iteration has, where there are batches; else null. */
    private final int[] itemsOf;
    private long failed;

    /** @param maxConcurrency 0: as many as may be; @param run of a distributed Map, else null */
    Join(Visit visit, int size, JsonNode items, Document itemInput, long maxConcurrency, MapRun run) {
        this.visit = visit;
        this.step = visit.attemptStep();
        this.items = items;
        this.keys = items != null && items.isObject() ? items.properties().stream().map(Map.Entry::getKey).toList() : null;
        this.itemInput = itemInput;
        this.run = run;
        this.itemsOf = run != null && run.isBatched() ? new int[size] : null;
        // What nothing will look at is not gathered.
        this.keepsResults = visit.state.flow().resultPath() != null || visit.state.flow().resultSelector() != null
                || visit.state.common().assign() != null;
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

    /** Of a batch. */
    void open(Scope scope, int items) {
        open(scope);
        if (itemsOf != null) {
            itemsOf[scope.index] = items;
        }
    }

    void arrive(int index, Document result) {
        if (keepsResults) {
            results[index] = result;
            bytes += result.sizeHint();
        }
        end(index);
    }

    /** An iteration of a distributed Map has failed. @return whether that is one too many */
    boolean isOneTooMany(int index) {
        failed += end(index);
        return run.isExceededBy(failed, items.size());
    }

    private int end(int index) {
        int count = itemsOf == null ? 1 : itemsOf[index];
        scopes[index] = null;
        missing -= count;
        running--;
        return count;
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

    /** In order; iterations that failed, and were tolerated, are left out. */
    Document joined() {
        return Document.join(run == null && keepsResults ? Arrays.asList(results)
                : Arrays.stream(results).filter(Objects::nonNull).toList());
    }
}
