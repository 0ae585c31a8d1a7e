package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.asl.State;
import dev.sand.workflow.asl.StateMachine;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Document.PayloadSource;
import dev.sand.workflow.data.Environment;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.StatesError;
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
        long timeoutSeconds = task.timeoutPath() == null ? task.timeoutSeconds()
                : integer(flow.read(visit, task.timeoutPath(), input), "TimeoutSecondsPath", 1);
        Payload payload = flow.parameters(visit, input).payload(source);
        String step = visit.attemptStep();
        agenda.open(visit, new Agenda.Open.Task(visit),
                new Command.RunTask(step, task.grain(), payload, timeoutSeconds * 1000), step);
    }

    private void choose(Visit visit, State.Choice choice) {
        Document input = flow.input(visit);
        Environment environment = visit.environment(input, source);
        String next = choice.otherwise();
        for (State.Choice.Branch branch : choice.branches()) {
            if (branch.rule().matches(environment)) {
                next = branch.next();
                break;
            }
        }
        if (next == null) {
            throw new StatesError(StatesError.NO_CHOICE_MATCHED, "No rule matched, and the state has no Default.");
        }
        exit.leave(visit, flow.select(visit, visit.state.flow().outputPath(), input), next);
    }

    private void await(Visit visit, State.Wait wait, long nowMs) {
        long delayMs;
        if (wait.secondsPath() != null) {
            delayMs = integer(flow.read(visit, wait.secondsPath(), flow.input(visit)), "SecondsPath", 0) * 1000;
        } else if (wait.seconds() >= 0) {
            delayMs = wait.seconds() * 1000;
        } else {
            Instant until = wait.timestamp() != null ? wait.timestamp()
                    : timestamp(flow.read(visit, wait.timestampPath(), flow.input(visit)), wait.timestampPath().text());
            delayMs = Math.max(0, until.toEpochMilli() - nowMs);
        }
        if (delayMs == 0) {
            passOn(visit);
            return;
        }
        String step = visit.attemptStep();
        agenda.open(visit, new Agenda.Open.Waiting(visit), new Command.StartTimer(step, delayMs), step);
    }

    private static long integer(JsonNode value, String field, long least) {
        Long number = Json.wholeNumber(value);
        if (number == null || number < least || number > WorkflowLimits.SECONDS) {
            throw StatesError.runtime("The " + field + " parameter must reference an integer from " + least + " to "
                    + WorkflowLimits.SECONDS + ", it is " + Json.text(value));
        }
        return number;
    }

    private static Instant timestamp(JsonNode value, String path) {
        Instant time = value.isTextual() ? Timestamps.parse(value.textValue()) : null;
        if (time == null) {
            throw StatesError.runtime("The TimestampPath parameter does not reference a valid ISO-8601 extended offset"
                    + " date-time format string: " + path + " == " + Json.text(value));
        }
        return time;
    }

    /** A Wait is over, or a Succeed is reached. */
    void passOn(Visit visit) {
        try {
            exit.leave(visit, flow.select(visit, visit.state.flow().outputPath(), flow.input(visit)), visit.state.common().next());
        } catch (StatesError e) {
            exit.fail(visit, e);
        }
    }

    private void fork(Visit visit, State.Parallel parallel) {
        Document input = flow.parameters(visit, flow.input(visit));
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
        JsonNode items = flow.read(visit, map.itemsPath(), input);
        if (!items.isArray()) {
            throw StatesError.runtime("Reference path \"" + map.itemsPath() + "\" must point to array.");
        }
        if (items.size() > WorkflowLimits.MAP_ITEMS) {
            throw StatesError.runtime("The array has " + items.size() + " items; an inline Map takes " + WorkflowLimits.MAP_ITEMS);
        }
        long concurrency = map.maxConcurrencyPath() == null ? map.maxConcurrency()
                : integer(flow.read(visit, map.maxConcurrencyPath(), input), "MaxConcurrencyPath", 0);
        Join join = new Join(visit, items.size(), items, input, concurrency);
        visit.join = join;
        if (join.isComplete()) {
            exit.complete(visit, join.joined());
        } else {
            agenda.startMore(join);
        }
    }

    /** The next iteration of a Map. */
    void startItem(Join join) {
        Visit visit = join.visit;
        if (visit.scope.isClosed || visit.join != join) {
            return;
        }
        int index = join.nextItem++;
        JsonNode value = join.items.get(index);
        State.Map map = (State.Map) visit.state;
        Scope scope = Scope.below(join, index, map.processor(), new Scope.Item(index, value));
        join.open(scope);
        join.isStarting = false;
        agenda.startMore(join);
        Document input;
        try {
            input = map.itemSelector() == null ? Document.made(value)
                    : flow.fill(Visit.ofItem(scope, visit), map.itemSelector(), join.itemInput);
        } catch (StatesError e) {
            agenda.abandon(join);
            exit.fail(visit, e);
            return;
        }
        agenda.add(new Agenda.Ready.Enter(scope, map.processor().startAt(), input));
    }

    private void stop(Visit visit, State.Fail fail) {
        String error = fail.errorPath() == null ? fail.error()
                : text(flow.evaluate(visit, fail.errorPath(), visit.input), "ErrorPath");
        String cause = fail.causePath() == null ? fail.cause()
                : text(flow.evaluate(visit, fail.causePath(), visit.input), "CausePath");
        exit.failScope(visit.scope, error, cause);
    }

    private static String text(JsonNode value, String field) {
        if (!value.isTextual()) {
            throw StatesError.runtime("The " + field + " must give a string, it gives " + Json.text(value));
        }
        return value.textValue();
    }
}
