package dev.sand.workflow;

import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.sand.workflow.asl.Distribution.Writer.Transformation;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Document.PayloadSource;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.WorkflowLimits;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Where the branches of a Parallel or the iterations of a Map meet: a place for each result; complete when every place is
 * taken. The same predicate as that of the local bus's multi-source trigger: all sources have one, order does not matter.
 */
final class Join {
    /** Joining a result takes about as long as looking at so many bytes. */
    private static final int RESULT_BYTES = 32;
    final Visit visit;
    /** Of the attempt of the state: its branches' steps are below it. */
    final String step;
    /** Of a Map: what is iterated over; null for a Parallel. */
    final Items items;
    /** Of a Map: what an iteration's ItemSelector sees as its input. */
    final Document itemInput;
    /** Of a distributed Map, else null. */
    final MapRun run;
    /** Where the results of a distributed Map are written, or null: they are gathered here. */
    final ResultFiles files;
    private final long maxConcurrency;
    /** Of a Map: the next item to start, how many iterations have begun, and whether the next start is queued. */
    int nextItem;
    int begun;
    boolean isStarting;
    /** A batch has room for more items than are known. */
    boolean isShort;
    /** Open steps about objects, or null. */
    String readStep;
    String writeStep;
    /** More items have failed than may: what is known is written, then the state fails. */
    boolean isExceeded;
    /** The state has failed with what all of them gave. */
    boolean hasSucceeded;
    /** Of an inline Map: the event of the last end of an iteration; 0: none has ended. */
    long lastEnd;

    private final Map<Integer, Scope> running = new LinkedHashMap<>();
    private final int branches;
    private Document[] results;
    private long ended;
    private long bytes;
    private final boolean keepsResults;
    /** How many items each batch has that runs. */
    private final Map<Integer, Integer> itemsOf = new LinkedHashMap<>(0);
    private long failed;
    private int objectSteps;
    /** Iterations of a distributed Map that have failed, as long as they are not too many; and those that are to run again. */
    private final ArrayDeque<Failed> failures = new ArrayDeque<>(0);
    private final ArrayDeque<Failed> again = new ArrayDeque<>(0);
    private long failureBytes;
    private boolean hasForgotten;

    /** @param items that it has */
    private record Failed(Scope scope, int items) {}

    private Join(Visit visit, int branches, Items items, Document itemInput, long maxConcurrency, MapRun run, ResultFiles files) {
        this.visit = visit;
        this.step = visit.attemptStep();
        this.branches = branches;
        this.items = items;
        this.itemInput = itemInput;
        this.run = run;
        this.files = files;
        // What nothing will look at is not gathered; on AWS the run of a distributed Map gathers it all the same.
        boolean isLookedAt = visit.state.flow().resultPath() != null || visit.state.flow().resultSelector() != null
                || visit.state.common().assign() != null || run != null && visit.scope.info.quotas().dataBytes() != Quotas.NONE.dataBytes();
        this.keepsResults = files == null && isLookedAt;
        this.maxConcurrency = maxConcurrency == 0 ? WorkflowLimits.MAP_CONCURRENCY
                : Math.min(maxConcurrency, WorkflowLimits.MAP_CONCURRENCY);
        this.results = new Document[items == null ? branches : items.count()];
    }

    static Join ofBranches(Visit visit, int branches) {
        return new Join(visit, branches, null, null, 0, null, null);
    }

    /** @param maxConcurrency 0: as many as may be; @param run of a distributed Map, else null; @param files or null */
    static Join ofItems(Visit visit, Items items, Document itemInput, long maxConcurrency, MapRun run, ResultFiles files) {
        return new Join(visit, 0, items, itemInput, maxConcurrency, run, files);
    }

    void open(Scope scope) {
        running.put(scope.index, scope);
    }

    /** Of a distributed Map. */
    void open(Scope scope, int items) {
        open(scope);
        itemsOf.put(scope.index, items);
    }

    /** Whether it can be redriven without those that have succeeded: the others are known. */
    boolean mayGoOn() {
        return !hasForgotten;
    }

    /** Its state is redriven: what had not ended goes on, and what had failed. */
    void reopen() {
        isStarting = false;
        running.values().forEach(Scope::reopen);
        if (hasSucceeded || run == null) {
            return;
        }
        isExceeded = false;
        for (Failed each : failures) {
            ended -= each.items();
            failed -= each.items();
            forget(each.scope().index);
        }
        again.addAll(failures);
        failures.clear();
        failureBytes = 0;
        if (items instanceof ReadItems read) {
            read.reopen();
        }
        if (files != null) {
            files.reopen();
        }
    }

    /** The next iteration that had failed and is to run again; null: none. */
    Scope takeAgain() {
        Failed next = again.poll();
        if (next == null) {
            return null;
        }
        open(next.scope(), next.items());
        return next.scope();
    }

    /** What has begun and not ended, in order. */
    Collection<Scope> running() {
        return List.copyOf(running.values());
    }

    /** @return a step that this join has not had yet */
    String newStep(String kind) {
        return step + kind + "#" + ++objectSteps;
    }

    void arrive(int index, Document result) {
        keep(index, result);
        end(index);
    }

    private void keep(int index, Document result) {
        if (keepsResults && result != null) {
            if (index >= results.length) {
                results = Arrays.copyOf(results, Math.max(index + 1, results.length * 2));
            }
            results[index] = result;
            bytes += result.sizeHint();
        }
    }

    private void forget(int index) {
        if (index < results.length && results[index] != null) {
            bytes -= results[index].sizeHint();
            results[index] = null;
        }
    }

    /** An iteration of a distributed Map has failed. @param shown in its place; @return whether that is one too many */
    boolean isOneTooMany(Scope scope, Document shown) {
        keep(scope.index, shown);
        int count = end(scope.index);
        failed += count;
        failureBytes += scope.info.input().sizeHint() + scope.current.input.sizeHint();
        hasForgotten |= failures.size() == WorkflowLimits.FAILED_ITERATIONS || failureBytes > WorkflowLimits.DOCUMENT_BYTES;
        if (hasForgotten) {
            failures.clear();
        } else {
            failures.add(new Failed(scope, count));
        }
        return isOneTooMany();
    }

    /** Whether more have failed than may. */
    boolean isOneTooMany() {
        return run.isExceededBy(failed, items.areAllKnown() ? items.count() : -1);
    }

    private int end(int index) {
        running.remove(index);
        Integer items = itemsOf.remove(index);
        int count = items == null ? 1 : items;
        ended += count;
        return count;
    }

    boolean isComplete() {
        return items == null ? ended == branches : items.areAllKnown() && ended == items.count();
    }

    /** How many are open or to come, as far as that is known. */
    long missing() {
        return items == null ? branches - ended : items.count() - ended + (items.areAllKnown() ? 0 : 1);
    }

    /** About how many bytes have arrived. */
    long bytes() {
        return bytes;
    }

    /** As {@link #bytes}, with what it costs to put so many results side by side, however small. */
    long weight() {
        return bytes + ended * RESULT_BYTES;
    }

    boolean mayStartItem() {
        return items != null && (!again.isEmpty() || nextItem < items.count() && !isShort) && running.size() < maxConcurrency && !isExceeded
                && (files == null || !files.isBehind());
    }

    /** In order; what stands for an iteration that failed, and was tolerated, is among them. */
    Document joined(PayloadSource source) {
        List<Document> there = Arrays.stream(results).filter(Objects::nonNull).toList();
        if (run == null) {
            return Document.join(keepsResults ? Arrays.asList(results) : there);
        }
        return run.transformation() == Transformation.FLATTEN ? flattened(there, source) : Document.join(there);
    }

    private static Document flattened(List<Document> results, PayloadSource source) {
        ArrayNode all = Json.NODES.arrayNode();
        for (Document result : results) {
            if (result.node(source) instanceof ArrayNode array) {
                all.addAll(array);
            } else {
                all.add(result.node(source));
            }
        }
        return Document.made(all);
    }
}
