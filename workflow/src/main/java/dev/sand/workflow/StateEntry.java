package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.asl.Distribution;
import dev.sand.workflow.asl.State;
import dev.sand.workflow.asl.StateMachine;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Document.PayloadSource;
import dev.sand.workflow.data.Environment;
import dev.sand.workflow.data.Expression;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.Path;
import dev.sand.workflow.data.Query;
import dev.sand.workflow.data.StatesError;
import dev.sand.workflow.data.Template;
import dev.sand.workflow.data.Timestamps;
import dev.sand.workflow.data.WorkflowLimits;
import java.time.Instant;

/** What each type of state does when it is entered, and at each further attempt. */
final class StateEntry {
    private final Agenda agenda;
    private final DataFlow flow;
    private final StateExit exit;
    private final PayloadSource source;

    StateEntry(Agenda agenda, DataFlow flow, StateExit exit, PayloadSource source) {
        this.agenda = agenda;
        this.flow = flow;
        this.exit = exit;
        this.source = source;
    }

    void attempt(Visit visit, long nowMs) {
        visit.scope.info.budget().renew();
        try {
            switch (visit.state) {
                case State.Task task -> runTask(visit, task);
                case State.Pass pass -> exit.complete(visit, pass.result() != null
                        ? Document.made(pass.result().value()) : flow.parameters(visit, flow.input(visit)));
                case State.Choice choice -> choose(visit, choice);
                case State.Wait wait -> await(visit, wait, nowMs);
                case State.Parallel parallel -> fork(visit, parallel);
                case State.Map map -> iterate(visit, map);
                case State.Succeed succeed -> passOn(visit);
                case State.Fail fail -> stop(visit, fail);
            }
        } catch (StatesError e) {
            exit.fail(visit, e);
        }
    }

    private void runTask(Visit visit, State.Task task) {
        Document input = flow.input(visit);
        long timeoutSeconds = task.timeout() == null ? task.timeoutSeconds()
                : integer(visit, task.timeout(), input, "TimeoutSecondsPath", 1);
        long heartbeatSeconds = task.heartbeat() == null ? task.heartbeatSeconds()
                : integer(visit, task.heartbeat(), input, "HeartbeatSecondsPath", 1);
        Document arguments = flow.parameters(visit, input);
        String grain = task.grain();
        if (task.invokesFunction()) {
            JsonNode invocation = arguments.node(source);
            grain = function(invocation.path("FunctionName"));
            JsonNode given = invocation.get("Payload");
            arguments = given == null ? Document.of(Json.NODES.objectNode(), 2) : Document.of(given, arguments.sizeHint());
        }
        Payload payload = arguments.payload(source);
        String step = visit.attemptStep();
        visit.scope.countEvents(2);
        if (task.awaitsToken()) {
            agenda.open(new TokenWait(visit, heartbeatSeconds * 1000), new Command.RunTask(step, grain, payload, 0),
                    timeoutSeconds * 1000);
            return;
        }
        agenda.open(visit, new Agenda.Open.Task(visit),
                new Command.RunTask(step, grain, payload, timeoutSeconds * 1000), step);
    }

    private static String function(JsonNode name) {
        String grain = name.isTextual() ? State.Task.function(name.textValue()) : null;
        if (grain == null) {
            throw StatesError.runtime("The field FunctionName must name a function, it is " + (name.isMissingNode() ? "missing" : Json.text(name)));
        }
        return grain;
    }

    private void choose(Visit visit, State.Choice choice) {
        Document input = flow.input(visit);
        Environment environment = visit.environment(input, source);
        State.Choice.Branch taken = new State.Choice.Branch(null, visit.state.flow().output(), visit.state.common().assign(), choice.otherwise());
        for (State.Choice.Branch branch : choice.branches()) {
            if (branch.rule().matches(environment)) {
                taken = branch;
                break;
            }
        }
        if (taken.next() == null) {
            throw StatesError.runtime("Failed to transition out of the state. The state does not point to a next state.");
        }
        Document output = flow.passedOn(visit, input, taken.output());
        flow.assign(visit, taken.assign(), input, null);
        exit.leave(visit, output, taken.next());
    }

    private void await(Visit visit, State.Wait wait, long nowMs) {
        long delayMs;
        if (wait.secondsFrom() != null) {
            delayMs = integer(visit, wait.secondsFrom(), flow.input(visit), "SecondsPath", 0) * 1000;
        } else if (wait.seconds() >= 0) {
            delayMs = wait.seconds() * 1000;
        } else {
            Instant until = wait.timestamp() != null ? wait.timestamp()
                    : timestamp(visit, wait.timestampFrom());
            delayMs = Math.max(0, until.toEpochMilli() - nowMs);
        }
        if (delayMs == 0) {
            passOn(visit);
            return;
        }
        String step = visit.attemptStep();
        agenda.open(visit, new Agenda.Open.Waiting(visit), new Command.StartTimer(step, delayMs), step);
    }

    private long integer(Visit visit, Expression from, Document input, String field, long least) {
        JsonNode value = field(visit, from, input, field);
        Long number = !(from instanceof Query) && value.isTextual() && value.textValue().matches("\\d{1,9}")
                ? Long.valueOf(value.textValue()) : Json.wholeNumber(value);
        if (number == null || number < least || number > WorkflowLimits.SECONDS) {
            if (from instanceof Query query) {
                throw value.isNumber() ? query.outOfBounds("an integer from " + least + " to " + WorkflowLimits.SECONDS, value)
                        : query.mistyped("number", value);
            }
            throw StatesError.runtime("The " + field + " parameter cannot be parsed as a long value: " + from + " == " + Json.text(value));
        }
        return number;
    }

    /** What gives the value of a field that may be computed. */
    private JsonNode field(Visit visit, Expression from, Document input, String field) {
        try {
            return from.evaluate(visit.environment(input, source));
        } catch (Path.Missing e) {
            throw StatesError.runtime("The " + field + " parameter does not reference an input value: " + from);
        }
    }

    private Instant timestamp(Visit visit, Expression from) {
        JsonNode value = field(visit, from, flow.input(visit), "TimestampPath");
        Instant time = value.isTextual() ? Timestamps.parse(value.textValue()) : null;
        if (time == null) {
            if (from instanceof Query query) {
                throw value.isTextual() ? query.outOfBounds("a timestamp such as 2016-08-18T17:33:00Z", value) : query.mistyped("string", value);
            }
            throw StatesError.runtime("The TimestampPath parameter does not reference a valid ISO-8601 extended offset"
                    + " date-time format string: " + from + " == " + Json.text(value));
        }
        return time;
    }

    /** A Wait is over, or a Succeed is reached. */
    void passOn(Visit visit) {
        visit.scope.info.budget().renew();
        try {
            Document input = flow.input(visit);
            Document output = flow.passedOn(visit, input, visit.state.flow().output());
            flow.assign(visit, visit.state.common().assign(), input, null);
            exit.leave(visit, output, visit.state.common().next());
        } catch (StatesError e) {
            exit.fail(visit, e);
        }
    }

    private void fork(Visit visit, State.Parallel parallel) {
        Document input = flow.parameters(visit, flow.input(visit));
        visit.scope.countEvents(1);
        Join join = new Join(visit, parallel.branches().size(), null, null, 0, null);
        visit.join = join;
        for (int i = 0; i < parallel.branches().size(); i++) {
            StateMachine branch = parallel.branches().get(i);
            Scope scope = Scope.below(join, i, branch, null);
            join.open(scope);
            agenda.add(new Agenda.Ready.Enter(scope, branch.startAt(), input));
        }
    }

    private void iterate(Visit visit, State.Map map) {
        Document input = flow.input(visit);
        JsonNode items = items(visit, map, input);
        if (items.size() > WorkflowLimits.MAP_ITEMS) {
            throw StatesError.runtime("The array has " + items.size() + " items; a Map takes " + WorkflowLimits.MAP_ITEMS);
        }
        long concurrency = map.concurrency() == null ? map.maxConcurrency()
                : integer(visit, map.concurrency(), input, "MaxConcurrencyPath", 0);
        MapRun run = map.distribution() == null ? null : run(visit, map.distribution(), input);
        visit.scope.countEvents(run == null ? 1 : 2);
        Join join = new Join(visit, items.size(), items, input, concurrency, run);
        visit.join = join;
        if (join.isComplete()) {
            exit.complete(visit, join.joined());
        } else {
            agenda.startMore(join);
        }
    }

    /** An array; in JSONata also an object, of which each member is an item. */
    private JsonNode items(Visit visit, State.Map map, Document input) {
        if (!visit.state.flow().isJsonata()) {
            JsonNode items = flow.read(visit, map.itemsPath(), input);
            if (!items.isArray()) {
                throw StatesError.runtime("Reference path \"" + map.itemsPath() + "\" must point to array.");
            }
            return items;
        }
        JsonNode items = flow.fill(visit, map.items(), input).node(source);
        if (items.isArray() || items.isObject()) {
            return items;
        }
        if (map.items() instanceof Template.Computed(String field, Query query)) {
            throw query.mistyped("array", items);
        }
        throw new StatesError(StatesError.QUERY_EVALUATION_ERROR, "The Map state's items must be an array or an object, they are "
                + Json.text(items));
    }

    private MapRun run(Visit visit, Distribution distribution, Document input) {
        Distribution.Batch batch = distribution.batch();
        return new MapRun(batch == null || batch.items() == null ? 0 : (long) amount(visit, batch.items(), input),
                batch == null || batch.bytes() == null ? 0 : (long) amount(visit, batch.bytes(), input),
                batch == null || batch.input() == null ? null : flow.fill(visit, batch.input(), input).node(source),
                distribution.toleratedCount() == null ? -1 : amount(visit, distribution.toleratedCount(), input),
                distribution.toleratedPercentage() == null ? -1 : amount(visit, distribution.toleratedPercentage(), input));
    }

    private double amount(Visit visit, Distribution.Amount amount, Document input) {
        if (amount.from() == null) {
            return amount.literal();
        }
        JsonNode value = field(visit, amount.from(), input, amount.field());
        double number = value.isNumber() ? value.doubleValue() : -1;
        if (number < amount.least() || number > amount.most()) {
            String expected = "a number from " + amount.least() + " to " + amount.most();
            throw amount.from() instanceof Query query
                    ? value.isNumber() ? query.outOfBounds(expected, value) : query.mistyped("number", value)
                    : StatesError.runtime("The " + amount.field() + " parameter must reference " + expected + ": " + amount.from() + " == " + Json.text(value));
        }
        return number;
    }

    /** The next iteration of a Map. */
    void startItem(Join join) {
        Visit visit = join.visit;
        if (visit.scope.isClosed || visit.join != join) {
            return;
        }
        join.isStarting = false;
        int index = join.begun++;
        int first = join.nextItem;
        State.Map map = (State.Map) visit.state;
        Scope scope;
        Document input;
        try {
            if (join.run == null) {
                visit.scope.countEvents(1);
                scope = Scope.below(join, index, map.processor(), item(join, join.nextItem++));
                input = selected(join, scope);
            } else {
                input = join.run.isBatched() ? batch(join) : selected(join, selection(join, join.nextItem++));
                scope = Scope.execution(join, index, map.processor(), join.run.isBatched() ? null : item(join, first), input);
            }
        } catch (StatesError e) {
            agenda.abandon(join);
            exit.fail(visit, e);
            return;
        }
        join.open(scope, join.nextItem - first);
        agenda.startMore(join);
        agenda.add(new Agenda.Ready.Enter(scope, map.processor().startAt(), input));
    }

    private static Scope.Item item(Join join, int at) {
        String key = join.keys == null ? null : join.keys.get(at);
        return new Scope.Item(at, key, key == null ? join.items.get(at) : join.items.get(key));
    }

    /** Where the ItemSelector of a distributed Map sees an item: in the Map's own execution. */
    private static Scope selection(Join join, int at) {
        return Scope.below(join, at, ((State.Map) join.visit.state).processor(), item(join, at));
    }

    /** What an iteration gets of an item. */
    private Document selected(Join join, Scope iteration) {
        Template selector = ((State.Map) join.visit.state).itemSelector();
        Scope.Item item = iteration.item();
        return selector != null ? flow.fill(Visit.ofItem(iteration, join.visit), selector, join.itemInput)
                : Document.made(item.key() == null ? item.value() : pair(item.key(), item.value()));
    }

    /** As many of the next items as a batch may have: one at least, however large. */
    private Document batch(Join join) {
        ObjectNode input = Json.NODES.objectNode();
        if (join.run.batchInput() != null) {
            input.set("BatchInput", join.run.batchInput());
        }
        ArrayNode items = input.putArray("Items");
        long bytes = Json.bytes(input).length;
        while (join.nextItem < join.items.size() && (join.run.itemsPerBatch() == 0 || items.size() < join.run.itemsPerBatch())) {
            JsonNode item = selected(join, selection(join, join.nextItem)).node(source);
            bytes += Json.bytes(item).length + (items.isEmpty() ? 0 : 1);
            if (!items.isEmpty() && join.run.bytesPerBatch() > 0 && bytes > join.run.bytesPerBatch()) {
                break;
            }
            items.add(item);
            join.nextItem++;
        }
        return Document.made(input);
    }

    private static JsonNode pair(String key, JsonNode value) {
        return Json.NODES.objectNode().put("Key", key).set("Value", value);
    }

    private void stop(Visit visit, State.Fail fail) {
        String error = fail.errorFrom() == null ? fail.error() : text(visit, fail.errorFrom(), "ErrorPath");
        String cause = fail.causeFrom() == null ? fail.cause() : text(visit, fail.causeFrom(), "CausePath");
        exit.failScope(visit.scope, error, cause);
    }

    private String text(Visit visit, Expression from, String field) {
        JsonNode value = flow.evaluate(visit, from, visit.input);
        if (!value.isTextual()) {
            throw from instanceof Query query ? query.mistyped("string", value) : StatesError.runtime("The " + field + " must give a string, it gives " + Json.text(value));
        }
        return value.textValue();
    }
}
