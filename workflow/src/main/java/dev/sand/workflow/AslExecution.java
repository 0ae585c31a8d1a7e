package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.Errors;
import dev.sand.event.Payload;
import dev.sand.workflow.asl.ErrorRules;
import dev.sand.workflow.asl.ErrorRules.Catcher;
import dev.sand.workflow.asl.ErrorRules.Retrier;
import dev.sand.workflow.asl.State;
import dev.sand.workflow.asl.StateMachine;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Document.PayloadSource;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.StatesError;
import dev.sand.workflow.data.Timestamps;
import dev.sand.workflow.data.WorkflowLimits;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The execution of a workflow.
 *
 * <p>Transitions of a scope (a run of a state machine): a state is entered; Pass, Choice, Succeed and Fail are left at once;
 * a Task opens a step until its signal, a Wait until its timer, a Parallel or Map opens scopes below it until all have ended
 * (complete) or one has failed (the others are abandoned). An error goes to the state's retriers (a timer, then another
 * attempt), then its catchers (the catcher's state is entered), then fails the scope, which is an error of the state above.
 *
 * <p>What is ready to go on stands in a queue, of which a bounded number is taken in one go; if more is left, a timer of no
 * delay brings the next. So no signal holds a shard for long, however wide a Map is.
 */
public final class AslExecution implements Execution {
    private static final String TIMEOUT_STEP = ">timeout";
    private static final String CONTINUE_STEP = ">continue";

    /** What a step that is open waits for. */
    private sealed interface Open {
        record Task(Visit visit) implements Open {}

        record Waiting(Visit visit) implements Open {}

        record Retry(Visit visit) implements Open {}

        record Continue() implements Open {}

        record Deadline() implements Open {}
    }

    /** What can go on. */
    private sealed interface Ready {
        record Enter(Scope scope, String state, Document input) implements Ready {}

        record StartItem(Join join) implements Ready {}
    }

    private final StateMachine machine;
    private final String executionId;
    private final String application;
    private final String workflow;
    private final String startTime;
    private final PayloadSource source;
    private final DataFlow flow;
    private final Map<String, Open> open = new LinkedHashMap<>();
    private final ArrayDeque<Ready> ready = new ArrayDeque<>();
    private final PublishedEvents published = new PublishedEvents(false);
    private List<Command> commands = new ArrayList<>();
    private Scope root;
    private Document output;
    private boolean isEnded;
    private boolean isTimedOut;
    private boolean isContinuing;
    private int continues;
    private int transitions;
    private long nowMs;
    /** Whether the signal at hand was announced as heavy: then large documents may be looked into. */
    private boolean mayBeHeavy;

    /** @param source where a value's bytes are that travels by reference */
    AslExecution(StateMachine machine, String application, String workflow, String executionId, String startTime,
                 PayloadSource source) {
        this.machine = machine;
        this.application = application;
        this.workflow = workflow;
        this.executionId = executionId;
        this.startTime = startTime;
        this.source = source;
        this.flow = new DataFlow(source);
        Instant start = Timestamps.parse(startTime);
        this.nowMs = start == null ? 0 : start.toEpochMilli();
    }

    @Override
    public List<Command> on(Signal signal) {
        if (isEnded || isMoot(signal)) {
            return List.of();
        }
        commands = new ArrayList<>(2);
        mayBeHeavy = isHeavy(signal);
        nowMs = Math.max(nowMs, signal.atMs());
        switch (signal) {
            case Signal.Started started -> onStarted(started.input());
            case Signal.TaskSucceeded succeeded -> onSucceeded(succeeded);
            case Signal.TaskFailed failed -> onFailed(failed);
            case Signal.TimerFired fired -> onTimer(fired.step());
            case Signal.Stopped stopped -> end(new Command.Fail(stopped.error(), stopped.cause()));
        }
        drain();
        return commands;
    }

    /** A late or doubled signal changes nothing at all: whether it is journaled must not matter. */
    private boolean isMoot(Signal signal) {
        return switch (signal) {
            case Signal.Started started -> root != null;
            case Signal.TaskSucceeded succeeded -> isNoTask(succeeded.step());
            case Signal.TaskFailed failed -> isNoTask(failed.step());
            case Signal.TimerFired fired -> open.get(fired.step()) == null || open.get(fired.step()) instanceof Open.Task;
            case Signal.Stopped stopped -> false;
        };
    }

    private boolean isNoTask(String step) {
        return !(open.get(step) instanceof Open.Task) && !published.isOpen(step);
    }

    // --- signals

    private void onStarted(Payload input) {
        Document document = Document.of(input);
        root = Scope.root(new Scope.Info(executionId, application, workflow, startTime, document), machine);
        if (machine.timeoutSeconds() > 0) {
            open.put(TIMEOUT_STEP, new Open.Deadline());
            commands.add(new Command.StartTimer(TIMEOUT_STEP, machine.timeoutSeconds() * 1000));
        }
        ready.add(new Ready.Enter(root, machine.startAt(), document));
    }

    private void onSucceeded(Signal.TaskSucceeded succeeded) {
        String step = succeeded.step();
        PublishedEvents.Refusal refusal = null;
        if (open.get(step) instanceof Open.Task(Visit visit)) {
            close(visit);
            if (!succeeded.published().isEmpty()) {
                refusal = published.publish(step, succeeded.published(), commands);
            }
            if (refusal == null) {
                complete(visit, Document.of(succeeded.output()));
            }
        } else {
            refusal = published.succeeded(step, succeeded.output(), succeeded.published(), commands);
            endIfDone();
        }
        if (refusal != null) {
            end(new Command.Fail(refusal.error(), refusal.cause()));
        }
    }

    private void onFailed(Signal.TaskFailed failed) {
        if (open.get(failed.step()) instanceof Open.Task(Visit visit)) {
            close(visit);
            fail(visit, Errors.TIMEOUT.equals(failed.error()) ? StatesError.TIMEOUT : failed.error(), failed.cause(), false);
        } else {
            end(new Command.Fail(failed.error(), failed.cause()));
        }
    }

    private void onTimer(String step) {
        switch (open.get(step)) {
            case Open.Waiting(Visit visit) -> {
                close(visit);
                passOn(visit);
            }
            case Open.Retry(Visit visit) -> {
                close(visit);
                visit.beginAttempt();
                attempt(visit);
            }
            case Open.Continue() -> {
                open.remove(step);
                isContinuing = false;
            }
            case Open.Deadline() -> {
                isTimedOut = true;
                end(new Command.Fail(StatesError.TIMEOUT, "The execution ran longer than its TimeoutSeconds, "
                        + machine.timeoutSeconds() + "."));
            }
            case Open.Task task -> throw new IllegalStateException("a task is no timer: " + step);
        }
    }

    // --- what is ready

    private void drain() {
        int left = WorkflowLimits.TRANSITIONS_AT_ONCE;
        while (!isEnded && !ready.isEmpty()) {
            if (left-- == 0 || !mayBeHeavy && isHeavy(ready.peek())) {
                if (!isContinuing) {
                    isContinuing = true;
                    String step = CONTINUE_STEP + "#" + ++continues;
                    open.put(step, new Open.Continue());
                    commands.add(new Command.StartTimer(step, 0));
                }
                return;
            }
            switch (ready.poll()) {
                case Ready.Enter(Scope scope, String state, Document input) -> {
                    if (!scope.isClosed) {
                        enter(scope, state, input);
                    }
                }
                case Ready.StartItem(Join join) -> startItem(join);
            }
        }
    }

    private void enter(Scope scope, String name, Document input) {
        if (++transitions > WorkflowLimits.TRANSITIONS) {
            end(new Command.Fail(StatesError.RUNTIME, "The execution entered more than " + WorkflowLimits.TRANSITIONS
                    + " states; does " + name + " belong to a loop without an end?"));
            return;
        }
        Visit visit = new Visit(scope, scope.machine.state(name), input, nowMs);
        scope.current = visit;
        attempt(visit);
    }

    private void attempt(Visit visit) {
        try {
            switch (visit.state) {
                case State.Task task -> runTask(visit, task);
                case State.Pass pass -> complete(visit, pass.result() != null
                        ? Document.of(pass.result().value(), visit.input.sizeHint()) : flow.parameters(visit, flow.input(visit)));
                case State.Choice choice -> choose(visit, choice);
                case State.Wait wait -> await(visit, wait);
                case State.Parallel parallel -> fork(visit, parallel);
                case State.Map map -> iterate(visit, map);
                case State.Succeed succeed -> leave(visit, flow.select(visit, visit.state.flow().outputPath(), flow.input(visit)), null);
                case State.Fail fail -> stop(visit, fail);
            }
        } catch (StatesError e) {
            fail(visit, e.error(), cause(visit, e), false);
        }
    }

    // --- the state types

    private void runTask(Visit visit, State.Task task) {
        Document input = flow.input(visit);
        long timeoutSeconds = task.timeoutPath() == null ? task.timeoutSeconds()
                : seconds(flow.read(visit, task.timeoutPath(), input), "TimeoutSecondsPath", 1);
        Payload payload = flow.parameters(visit, input).payload(source);
        open(visit, visit.attemptStep(), new Open.Task(visit));
        commands.add(new Command.RunTask(visit.openStep, task.grain(), payload, timeoutSeconds * 1000));
    }

    private void choose(Visit visit, State.Choice choice) {
        Document input = flow.input(visit);
        var environment = visit.environment(input, source);
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
        leave(visit, flow.select(visit, visit.state.flow().outputPath(), input), next);
    }

    private void await(Visit visit, State.Wait wait) {
        Document input = wait.secondsPath() == null && wait.timestampPath() == null ? null : flow.input(visit);
        long delayMs;
        if (wait.secondsPath() != null) {
            delayMs = seconds(flow.read(visit, wait.secondsPath(), input), "SecondsPath", 0) * 1000;
        } else if (wait.seconds() >= 0) {
            delayMs = wait.seconds() * 1000;
        } else {
            Instant until = wait.timestamp();
            if (until == null) {
                JsonNode value = flow.read(visit, wait.timestampPath(), input);
                until = value.isTextual() ? Timestamps.parse(value.textValue()) : null;
                if (until == null) {
                    throw StatesError.runtime("The TimestampPath parameter does not reference a valid ISO-8601 extended offset"
                            + " date-time format string: " + wait.timestampPath() + " == " + Json.text(value));
                }
            }
            delayMs = Math.max(0, until.toEpochMilli() - nowMs);
        }
        if (delayMs == 0) {
            passOn(visit);
            return;
        }
        open(visit, visit.attemptStep(), new Open.Waiting(visit));
        commands.add(new Command.StartTimer(visit.openStep, delayMs));
    }

    private static long seconds(JsonNode value, String field, long least) {
        Long seconds = value.isNumber() ? Json.wholeNumber(value) : null;
        if (seconds == null || seconds < least || seconds > WorkflowLimits.SECONDS) {
            throw StatesError.runtime("The " + field + " parameter must reference an integer from " + least + " to "
                    + WorkflowLimits.SECONDS + ", it is " + Json.text(value));
        }
        return seconds;
    }

    /** A Wait is over. */
    private void passOn(Visit visit) {
        try {
            leave(visit, flow.select(visit, visit.state.flow().outputPath(), flow.input(visit)), visit.state.common().next());
        } catch (StatesError e) {
            fail(visit, e.error(), cause(visit, e), false);
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
            ready.add(new Ready.Enter(scope, branch.startAt(), input));
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
                : seconds(flow.read(visit, map.maxConcurrencyPath(), input), "MaxConcurrencyPath", 0);
        Join join = new Join(visit, items.size(), items, input, concurrency);
        visit.join = join;
        if (join.isComplete()) {
            complete(visit, join.joined());
        } else {
            startMore(join);
        }
    }

    private void startMore(Join join) {
        if (!join.isStarting && join.mayStartItem()) {
            join.isStarting = true;
            ready.add(new Ready.StartItem(join));
        }
    }

    private void startItem(Join join) {
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
        startMore(join);
        try {
            long sizeHint = join.itemInput.sizeHint() / join.items.size();
            Document input = Document.of(value, sizeHint);
            if (map.itemSelector() != null) {
                Visit selecting = new Visit(scope, visit.state, join.itemInput, visit.enteredMs);
                input = flow.fill(selecting, map.itemSelector(), join.itemInput);
            }
            ready.add(new Ready.Enter(scope, map.processor().startAt(), input));
        } catch (StatesError e) {
            closeAll(join);
            fail(visit, e.error(), cause(visit, e), false);
        }
    }

    private void stop(Visit visit, State.Fail fail) {
        String error = fail.error();
        String cause = fail.cause();
        if (fail.errorPath() != null) {
            error = text(flow.evaluate(visit, fail.errorPath(), visit.input), "ErrorPath");
        }
        if (fail.causePath() != null) {
            cause = text(flow.evaluate(visit, fail.causePath(), visit.input), "CausePath");
        }
        failScope(visit.scope, error, cause);
    }

    private static String text(JsonNode value, String field) {
        if (!value.isTextual()) {
            throw StatesError.runtime("The " + field + " must give a string, it gives " + Json.text(value));
        }
        return value.textValue();
    }

    // --- out of a state

    /** The state's work gave a result. */
    private void complete(Visit visit, Document result) {
        visit.join = null;
        Document next;
        try {
            next = flow.output(visit, result);
        } catch (StatesError e) {
            fail(visit, e.error(), cause(visit, e), false);
            return;
        }
        leave(visit, next, visit.state.common().next());
    }

    private void leave(Visit visit, Document document, String next) {
        if (next != null) {
            ready.add(new Ready.Enter(visit.scope, next, document));
            return;
        }
        Scope scope = visit.scope;
        scope.isClosed = true;
        Join join = scope.join;
        if (join == null) {
            output = document;
            endIfDone();
            return;
        }
        join.arrive(scope.index, document);
        if (join.bytes() > WorkflowLimits.DOCUMENT_BYTES) {
            closeAll(join);
            fail(join.visit, StatesError.DATA_LIMIT_EXCEEDED, "The results that state '" + join.visit.state.name()
                    + "' has to join are over the limit of " + WorkflowLimits.DOCUMENT_BYTES + " bytes", false);
        } else if (join.isComplete()) {
            complete(join.visit, join.joined());
        } else {
            startMore(join);
        }
    }

    /** An execution ends when its machine has and no published event is pending. */
    private void endIfDone() {
        if (output != null && published.isEmpty() && !isEnded) {
            try {
                end(new Command.Succeed(output.payload(source)));
            } catch (StatesError e) {
                end(new Command.Fail(e.error(), e.getMessage()));
            }
        }
    }

    private void fail(Visit visit, String error, String cause, boolean isBranchFailure) {
        ErrorRules rules = switch (visit.state) {
            case State.Task task -> task.errors();
            case State.Parallel parallel -> parallel.errors();
            case State.Map map -> map.errors();
            default -> null;
        };
        if (rules == null || !retry(visit, rules.retriers(), error, isBranchFailure)
                && !catches(visit, rules.catchers(), error, cause, isBranchFailure)) {
            failScope(visit.scope, error, cause);
        }
    }

    private boolean retry(Visit visit, List<Retrier> retriers, String error, boolean isBranchFailure) {
        for (int i = 0; i < retriers.size(); i++) {
            Retrier retrier = retriers.get(i);
            if (ErrorRules.matches(retrier.errors(), error, isBranchFailure)) {
                if (visit.retries != null && visit.retries[i] >= retrier.maxAttempts() || retrier.maxAttempts() == 0) {
                    return false;
                }
                long delayMs = retrier.delayMs(visit.countRetry(i, retriers));
                if (retrier.hasFullJitter()) {
                    delayMs = Chance.upTo(delayMs, visit.draw());
                }
                visit.join = null;
                open(visit, visit.attemptStep() + ">retry", new Open.Retry(visit));
                commands.add(new Command.StartTimer(visit.openStep, delayMs));
                return true;
            }
        }
        return false;
    }

    private boolean catches(Visit visit, List<Catcher> catchers, String error, String cause, boolean isBranchFailure) {
        for (Catcher catcher : catchers) {
            if (ErrorRules.matches(catcher.errors(), error, isBranchFailure)) {
                var errorOutput = Json.NODES.objectNode().put("Error", error == null ? "" : error)
                        .put("Cause", cause == null ? "" : cause);
                try {
                    visit.join = null;
                    Document document = Document.of(errorOutput, 64 + (cause == null ? 0 : cause.length()));
                    leave(visit, flow.place(visit, catcher.resultPath(), document), catcher.next());
                } catch (StatesError e) {
                    failScope(visit.scope, e.error(), cause(visit, e));
                }
                return true;
            }
        }
        return false;
    }

    private void failScope(Scope scope, String error, String cause) {
        scope.isClosed = true;
        if (scope.join == null) {
            end(new Command.Fail(error, cause));
            return;
        }
        closeAll(scope.join);
        fail(scope.join.visit, error, cause, true);
    }

    /** The join is moot: whatever still runs below it is abandoned. */
    private void closeAll(Join join) {
        join.visit.join = null;
        for (Scope scope : join.scopes) {
            if (scope != null && !scope.isClosed) {
                close(scope);
            }
        }
    }

    private void close(Scope scope) {
        scope.isClosed = true;
        Visit visit = scope.current;
        if (visit == null) {
            return;
        }
        if (visit.openStep != null) {
            commands.add(new Command.Abandon(visit.openStep));
            close(visit);
        }
        if (visit.join != null) {
            closeAll(visit.join);
        }
    }

    private void end(Command last) {
        isEnded = true;
        ready.clear();
        for (String step : open.keySet()) {
            commands.add(new Command.Abandon(step));
        }
        open.clear();
        published.abandonAll(commands);
        commands.add(last);
    }

    private void open(Visit visit, String step, Open what) {
        visit.openStep = step;
        open.put(step, what);
    }

    private void close(Visit visit) {
        open.remove(visit.openStep);
        visit.openStep = null;
    }

    private static String cause(Visit visit, StatesError e) {
        return "An error occurred while executing the state '" + visit.state.name() + "'. " + e.getMessage();
    }

    // --- about it

    @Override
    public boolean isHeavy(Signal signal) {
        long bytes = switch (signal) {
            case Signal.Started started -> started.input().size();
            case Signal.TaskSucceeded succeeded -> succeeded.output().size() + weight(open.get(succeeded.step()));
            case Signal.TaskFailed failed -> weight(open.get(failed.step()));
            case Signal.TimerFired fired -> weight(open.get(fired.step()));
            case Signal.Stopped stopped -> 0;
        };
        return isHeavy(bytes) || ready.stream().limit(WorkflowLimits.TRANSITIONS_AT_ONCE).anyMatch(this::isHeavy);
    }

    private boolean isHeavy(Ready next) {
        return isHeavy(switch (next) {
            case Ready.Enter(Scope scope, String state, Document input) -> input.sizeHint();
            case Ready.StartItem(Join join) -> ((State.Map) join.visit.state).itemSelector() != null ? join.itemInput.sizeHint()
                    : join.itemInput.sizeHint() / join.items.size();
        });
    }

    private boolean isHeavy(long bytes) {
        return machine.isLarge() || (machine.looksInside() ? bytes * machine.copies() > WorkflowLimits.LIGHT_BYTES
                : bytes > WorkflowLimits.LIGHT_JOIN_BYTES);
    }

    /** Bytes that may be looked into, or joined, when what is open ends. */
    private static long weight(Open what) {
        Visit visit = switch (what) {
            case Open.Task(Visit of) -> of;
            case Open.Waiting(Visit of) -> of;
            case Open.Retry(Visit of) -> of;
            case Open.Continue() -> null;
            case Open.Deadline() -> null;
            case null -> null;
        };
        long bytes = 0;
        if (visit != null) {
            bytes = visit.input.sizeHint();
            for (Join join = visit.scope.join; join != null && join.missing() == 1; join = join.visit.scope.join) {
                bytes += join.bytes() + join.visit.input.sizeHint();
            }
        }
        return bytes;
    }

    @Override
    public boolean isEnded() {
        return isEnded;
    }

    @Override
    public boolean isTimedOut() {
        return isTimedOut;
    }
}
