package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
    private final ComputedFields fields;
    private final MapEntry maps;

    StateEntry(Agenda agenda, DataFlow flow, StateExit exit, PayloadSource source) {
        this.agenda = agenda;
        this.flow = flow;
        this.exit = exit;
        this.source = source;
        this.fields = new ComputedFields(source);
        this.maps = new MapEntry(agenda, flow, exit, fields, source);
    }

    /** Of Maps. */
    MapEntry maps() {
        return maps;
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
                case State.Map map -> maps.iterate(visit, map);
                case State.Succeed succeed -> passOn(visit);
                case State.Fail fail -> stop(visit, fail);
            }
        } catch (StatesError e) {
            exit.fail(visit, e);
        }
    }

    /**
     * Goes on where a redriven execution had stopped: in a Parallel or Map with the branches and iterations that had not
     * succeeded, and those that had not begun; in any other state from its beginning.
     */
    void goOn(Scope scope, long nowMs) {
        if (scope.isClosed) {
            return;
        }
        if (scope.current.left == null) {
            scope.current = scope.current.again();
            attempt(scope.current, nowMs);
        } else {
            Join join = scope.current.goOn();
            if (join.run != null && !join.hasSucceeded) {
                scope.event("MapRunRedriven", () -> Json.NODES.objectNode().put("mapRunArn", IterationRecord.mapRun(join.visit))
                        .put("redriveCount", scope.info.redrives().count));
            }
            join.reopen();
            join.running().forEach(maps::goOn);
            exit.goOn(join);
        }
    }

    private void runTask(Visit visit, State.Task task) {
        Document input = flow.input(visit);
        long timeoutSeconds = task.timeout() == null ? task.timeoutSeconds()
                : fields.integer(visit, task.timeout(), input, "TimeoutSecondsPath", 1);
        long heartbeatSeconds = task.heartbeat() == null ? task.heartbeatSeconds()
                : fields.integer(visit, task.heartbeat(), input, "HeartbeatSecondsPath", 1);
        Document arguments = flow.parameters(visit, input);
        TaskEvents.Limits limits = new TaskEvents.Limits(timeoutSeconds, heartbeatSeconds, flow.role(visit, task, input));
        String step = visit.attemptStep();
        long workMs = task.awaitsToken() ? 0 : timeoutSeconds * 1000;
        Command work;
        try {
            work = work(visit, task, arguments, step, workMs);
        } catch (StatesError e) {
            if (StatesError.RUNTIME.equals(e.error())) {
                throw e;
            }
            // It is the service that declines, once the task has begun.
            TaskEvents.began(visit, task, arguments, limits);
            exit.fail(visit, e.error(), e.getMessage(), false);
            return;
        }
        TaskEvents.began(visit, task, arguments, limits);
        if (visit.invocation == Invocation.Kind.DRY_RUN && !task.awaitsToken()) {
            exit.complete(visit, Document.of(Json.NODES.nullNode(), 4));
            return;
        }
        if (task.awaitsToken()) {
            agenda.open(new TokenWait(visit, heartbeatSeconds * 1000), work, timeoutSeconds * 1000);
        } else {
            agenda.open(visit, new Agenda.Open.Task(visit), work, step);
        }
    }

    /** What the task asks for. @throws StatesError States.Runtime for arguments that make no call; by another name when the service declines it */
    private Command work(Visit visit, State.Task task, Document arguments, String step, long timeoutMs) {
        visit.invocation = null;
        boolean isJsonata = task.flow().isJsonata();
        if (task.service() != null) {
            // A message with a token is another one in each attempt: only the last one's token is waited for.
            String message = task.awaitsToken() ? step : visit.firstStep();
            return ServiceCalls.command(task.service(), step, message, arguments, isJsonata, timeoutMs, source);
        }
        if (!task.invokesFunction()) {
            if (!task.required().isEmpty()) {
                ServiceParameters.requiring(task.required()).checked(arguments.node(source), isJsonata);
            }
            return new Command.RunTask(step, task.grain(), arguments.payload(source), timeoutMs);
        }
        Invocation invocation = Invocation.asked(arguments, isJsonata, source);
        visit.invocation = invocation.kind();
        return new Command.RunTask(step, invocation.grain(), invocation.payload().payload(source), timeoutMs);
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
            delayMs = fields.delay(visit, wait.secondsFrom(), flow.input(visit)) * 1000;
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

    private Instant timestamp(Visit visit, Expression from) {
        JsonNode value = fields.value(visit, from, flow.input(visit), "TimestampPath");
        Instant time = !value.isTextual() ? null
                : from instanceof Query ? Timestamps.parseLoosely(value.textValue()) : Timestamps.parse(value.textValue());
        if (time == null) {
            String form = "ISO-8601 extended offset date-time format string: ";
            String shown = ComputedFields.plain(value);
            if (!(from instanceof Query query)) {
                throw StatesError.runtime("The TimestampPath parameter does not reference a valid " + form + from + " == " + shown);
            }
            throw !value.isTextual() ? query.mistyped("string", value)
                    : new StatesError(StatesError.QUERY_EVALUATION_ERROR, "The Timestamp field cannot be parsed as an " + form + shown);
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
        visit.scope.event("ParallelStateStarted");
        Join join = Join.ofBranches(visit, parallel.branches().size());
        visit.join = join;
        for (int i = 0; i < parallel.branches().size(); i++) {
            StateMachine branch = parallel.branches().get(i);
            Scope scope = Scope.below(join, i, branch, null);
            join.open(scope);
            agenda.enter(scope, branch.startAt(), input);
        }
    }

    private void stop(Visit visit, State.Fail fail) {
        String error = fail.errorFrom() == null ? fail.error() : text(visit, fail.errorFrom(), "ErrorPath");
        String cause = fail.causeFrom() == null ? fail.cause() : text(visit, fail.causeFrom(), "CausePath");
        exit.failScope(visit.scope, new Failure(error, cause));
    }

    private String text(Visit visit, Expression from, String field) {
        JsonNode value = flow.evaluate(visit, from, visit.input, field);
        if (!value.isTextual()) {
            throw from instanceof Query query ? query.mistyped("string", value) : StatesError.runtime("The " + field + " must give a string, it gives " + Json.text(value));
        }
        return value.textValue();
    }
}
