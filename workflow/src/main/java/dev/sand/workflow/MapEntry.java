package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.workflow.asl.Distribution;
import dev.sand.workflow.asl.State;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Document.PayloadSource;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.Query;
import dev.sand.workflow.data.StatesError;
import dev.sand.workflow.data.Template;
import dev.sand.workflow.data.WorkflowLimits;
import dev.sand.workflow.objects.ItemChunk;

/** What a Map does: its items, and the starts of its iterations. */
final class MapEntry {
    private final Agenda agenda;
    private final DataFlow flow;
    private final StateExit exit;
    private final ComputedFields fields;
    private final PayloadSource source;

    MapEntry(Agenda agenda, DataFlow flow, StateExit exit, ComputedFields fields, PayloadSource source) {
        this.agenda = agenda;
        this.flow = flow;
        this.exit = exit;
        this.fields = fields;
        this.source = source;
    }

    void iterate(Visit visit, State.Map map) {
        if (map.isMisfit()) {
            throw StatesError.runtime("The ItemReader, ItemBatcher and ResultWriter fields are not supported for INLINE maps");
        }
        Document input = flow.input(visit);
        Distribution distribution = map.distribution();
        Distribution.Reader reader = distribution == null ? null : distribution.reader();
        Items given = reader != null ? null : checked(Items.Given.of(items(visit, map, input), distribution == null ? null : "STATE_DATA"));
        long concurrency = map.concurrency() == null ? map.maxConcurrency()
                : fields.count(visit, map.concurrency(), input, "MaxConcurrencyPath");
        visit.scope.event("MapStateStarted", () -> Json.NODES.objectNode().put("length", given == null ? 0 : given.count()));
        MapRun run = distribution == null ? null : run(visit, distribution, input);
        if (run != null) {
            visit.scope.event("MapRunStarted");
            visit.hasRun = true;
        }
        Items items = reader == null ? given : MapObjects.read(reader, run);
        ResultFiles files = run == null || run.writes() == null ? null : MapObjects.files(visit, run);
        if (run != null) {
            run.checkMaxItems();
        }
        Join join = Join.ofItems(visit, items, input, concurrency, run, files);
        visit.join = join;
        if (join.isComplete()) {
            exit.maps().end(join);
        } else {
            agenda.startMore(join);
        }
    }

    private static Items checked(Items given) {
        if (given.count() > WorkflowLimits.MAP_ITEMS) {
            throw tooMany(String.valueOf(given.count()));
        }
        return given;
    }

    private static StatesError tooMany(String items) {
        return StatesError.runtime("The array has " + items + " items; a Map takes " + WorkflowLimits.MAP_ITEMS);
    }

    /** An array; in JSONata, of a distributed Map, also an object, of which each member is an item. */
    private JsonNode items(Visit visit, State.Map map, Document input) {
        if (!visit.state.flow().isJsonata()) {
            JsonNode items = flow.readItems(visit, map.itemsPath(), input);
            if (!items.isArray()) {
                String shown = map.itemsPath().toString(); // of one into the context object, AWS shows one of its two signs
                throw StatesError.runtime("Reference path \"" + (shown.startsWith("$$") ? shown.substring(1) : shown) + "\" must point to array.");
            }
            return items;
        }
        JsonNode items = flow.fill(visit, map.items(), input).node(source);
        if (items.isArray() || items.isObject() && map.distribution() != null) {
            return items;
        }
        if (map.items() instanceof Template.Computed(String field, Query query)) {
            throw query.mistyped("array", items);
        }
        throw new StatesError(StatesError.QUERY_EVALUATION_ERROR, "Map state input must be an array but was: "
                + Json.text(items));
    }

    /** What the state itself works out, in this order, before its run starts: as on AWS a fault in it is not the run's. */
    private MapRun run(Visit visit, Distribution distribution, Document input) {
        Distribution.Reader reader = distribution.reader();
        Distribution.Batch batch = distribution.batch();
        Distribution.Writer writer = distribution.writer();
        return new MapRun(distribution.isExpress(), reader == null ? null : flow.fill(visit, reader.parameters(), input).node(source),
                (long) fields.amount(visit, batch == null ? null : batch.items(), input, 0),
                (long) fields.amount(visit, batch == null ? null : batch.bytes(), input, 0),
                batch == null || batch.input() == null ? null : flow.fill(visit, batch.input(), input).node(source),
                fields.amount(visit, distribution.toleratedCount(), input, 0),
                fields.amount(visit, distribution.toleratedPercentage(), input, 0), writer,
                writer == null || !writer.isExported() ? null : flow.fill(visit, writer.parameters(), input).node(source),
                (long) fields.amount(visit, reader == null ? null : reader.maxItems(), input, 0));
    }

    // --- items that are read

    void onItems(Join join, Document chunk) {
        try {
            ((ReadItems) join.items).add(ItemChunk.of(chunk.node(source)));
            if (join.items.count() > WorkflowLimits.MAP_ITEMS) {
                throw tooMany("more than " + WorkflowLimits.MAP_ITEMS); // nobody has counted them
            }
        } catch (StatesError e) {
            agenda.abandon(join);
            join.visit.left = null; // there are too many of them, or too large ones: so it is found again
            exit.fail(join.visit, e);
            return;
        }
        join.isShort = false;
        if (join.items.areAllKnown() && join.isOneTooMany()) {
            exit.maps().exceed(join);
        } else {
            exit.goOn(join);
        }
    }

    void onReadFailed(Join join, String cause) {
        agenda.abandon(join);
        exit.fail(join.visit, StatesError.ITEM_READER_FAILED, cause, false);
    }

    // --- iterations

    /** About how many bytes are looked into when the next iteration starts. */
    static long bytesOfStart(Join join) {
        if (join.items instanceof ReadItems items && join.run.isBatched()) {
            return items.bytes() + join.itemInput.sizeHint();
        }
        boolean seesInput = ((State.Map) join.visit.state).itemSelector() != null || join.run != null;
        long one = join.items.bytesOfOne(join.itemInput.sizeHint());
        return join.items instanceof ReadItems ? one + join.itemInput.sizeHint() : seesInput ? join.itemInput.sizeHint() : one;
    }

    /** The next iteration of a Map. */
    void startItem(Join join) {
        Visit visit = join.visit;
        if (visit.scope.isClosed || visit.join != join || join.isExceeded) {
            return;
        }
        join.isStarting = false;
        Scope again = join.takeAgain();
        if (again != null) {
            again.reopen();
            agenda.startMore(join);
            goOn(again);
            return;
        }
        int first = join.nextItem;
        State.Map map = (State.Map) visit.state;
        Scope scope;
        Document input;
        try {
            if (join.run == null) {
                int index = join.begun;
                long started = visit.scope.aside("MapIterationStarted", () -> Json.NODES.objectNode().put("name", visit.state.name()).put("index", index));
                scope = Scope.below(join, join.begun, map.processor(), join.items.at(join.nextItem++));
                scope.follows(started);
                input = selected(join, scope);
            } else {
                input = join.run.isBatched() ? batch(join) : selected(join, selection(join, join.nextItem++));
                if (input == null) {
                    join.isShort = true;
                    agenda.startMore(join);
                    return;
                }
                scope = Scope.execution(join, join.begun, map.processor(), join.run.isBatched() ? null : join.items.at(first), input);
                scope.started();
            }
        } catch (StatesError e) {
            join.nextItem = first;
            agenda.abandon(join);
            exit.fail(visit, e);
            return;
        }
        join.begun++;
        join.items.drop(join.nextItem);
        if (join.run == null) {
            join.open(scope);
        } else {
            join.open(scope, join.nextItem - first);
        }
        agenda.startMore(join);
        agenda.enter(scope, map.processor().startAt(), input);
    }

    /** A branch or iteration that is open again, of a state that is redriven: where it had stopped; of an Express execution, from the beginning. */
    void goOn(Scope scope) {
        MapRun run = scope.join.run;
        if (run != null) {
            scope.event("ExecutionRedriven", () -> Json.NODES.objectNode().put("redriveCount", scope.info.redrives().count));
        }
        if (run != null && run.isExpress()) {
            scope.restart();
            agenda.enter(scope, scope.machine.startAt(), scope.info.input());
        } else {
            agenda.add(new Agenda.Ready.GoOn(scope));
        }
    }

    /** Where the ItemSelector of a distributed Map sees an item: in the Map's own execution. */
    private static Scope selection(Join join, int at) {
        return Scope.below(join, at, ((State.Map) join.visit.state).processor(), join.items.at(at));
    }

    /** What an iteration gets of an item. */
    private Document selected(Join join, Scope iteration) {
        Template selector = ((State.Map) join.visit.state).itemSelector();
        Scope.Item item = iteration.item();
        return selector != null ? DataLimit.checked(join.visit, flow.fill(Visit.ofItem(iteration, join.visit), selector, join.itemInput), source)
                : Document.made(item.key() == null ? item.value() : pair(item.key(), item.value()));
    }

    /** As many of the next items as a batch may have: one at least, however large; null: more must be known first. */
    private Document batch(Join join) {
        int next = join.nextItem;
        int known = join.items.count();
        if (!join.items.areAllKnown() && join.run.bytesPerBatch() == 0 && known - next < join.run.itemsPerBatch()) {
            return null;
        }
        ObjectNode input = Json.NODES.objectNode();
        if (join.run.batchInput() != null) {
            input.set("BatchInput", join.run.batchInput());
        }
        ArrayNode items = input.putArray("Items");
        long bytes = Json.bytes(input).length;
        boolean isFull = false;
        while (next < known && !isFull) {
            JsonNode item = selected(join, selection(join, next)).node(source);
            bytes += Json.bytes(item).length + (items.isEmpty() ? 0 : 1);
            if (!items.isEmpty() && join.run.bytesPerBatch() > 0 && bytes > join.run.bytesPerBatch()) {
                isFull = true;
            } else {
                items.add(item);
                next++;
                isFull = items.size() == join.run.itemsPerBatch();
            }
        }
        if (!isFull && !join.items.areAllKnown()) {
            return null;
        }
        join.nextItem = next;
        return Document.made(input);
    }

    private static JsonNode pair(String key, JsonNode value) {
        return Json.NODES.objectNode().put("Key", key).set("Value", value);
    }
}
