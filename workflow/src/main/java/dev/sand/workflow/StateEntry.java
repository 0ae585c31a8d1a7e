package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Command;
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
        if (task.heartbeat() != null) {
            integer(visit, task.heartbeat(), input, "HeartbeatSecondsPath", 1);
        }
        Payload payload = flow.parameters(visit, input).payload(source);
        String step = visit.attemptStep();
        agenda.countEvents(2);
        agenda.open(visit, new Agenda.Open.Task(visit),
                new Command.RunTask(step, task.grain(), payload, timeoutSeconds * 1000), step);
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
        agenda.countEvents(1);
        Join join = new Join(visit, parallel.branches().size(), null, null, 0);
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
            throw StatesError.runtime("The array has " + items.size() + " items; an inline Map takes " + WorkflowLimits.MAP_ITEMS);
        }
        long concurrency = map.concurrency() == null ? map.maxConcurrency()
                : integer(visit, map.concurrency(), input, "MaxConcurrencyPath", 0);
        agenda.countEvents(1);
        Join join = new Join(visit, items.size(), items, input, concurrency);
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

    /** The next iteration of a Map. */
    void startItem(Join join) {
        Visit visit = join.visit;
        if (visit.scope.isClosed || visit.join != join) {
            return;
        }
        int index = join.nextItem++;
        String key = join.keys == null ? null : join.keys.get(index);
        JsonNode value = key == null ? join.items.get(index) : join.items.get(key);
        State.Map map = (State.Map) visit.state;
        Scope scope = Scope.below(join, index, map.processor(), new Scope.Item(index, key, value));
        join.open(scope);
        agenda.countEvents(1);
        join.isStarting = false;
        agenda.startMore(join);
        Document input;
        try {
            input = map.itemSelector() == null ? Document.made(key == null ? value : pair(key, value))
                    : flow.fill(Visit.ofItem(scope, visit), map.itemSelector(), join.itemInput);
        } catch (StatesError e) {
            agenda.abandon(join);
            exit.fail(visit, e);
            return;
        }
        agenda.add(new Agenda.Ready.Enter(scope, map.processor().startAt(), input));
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
