package dev.sand.workflow;

import dev.sand.event.Errors;
import dev.sand.event.Payload;
import dev.sand.workflow.Agenda.Open;
import dev.sand.workflow.Agenda.Ready;
import dev.sand.workflow.asl.Resources;
import dev.sand.workflow.asl.StateMachine;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Document.PayloadSource;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.QueryBudget;
import dev.sand.workflow.data.StatesError;
import dev.sand.workflow.data.Timestamps;
import dev.sand.workflow.data.WorkflowLimits;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The execution of a workflow.
 *
 * <p>Transitions of a scope (a run of a state machine): a state is entered ({@link StateEntry}); Pass, Choice, Succeed and Fail
 * are left at once; a Task opens a step until its signal, a Wait until its timer, a Parallel or Map opens scopes below it until
 * all have ended (complete) or one has failed (the others are abandoned). An error goes to the state's retriers (a timer, then
 * another attempt), then its catchers, then out of the scope ({@link StateExit}).
 *
 * <p>What is ready to go on stands in a queue, of which a bounded number is taken in one go; if more is left, or the next one
 * may be long and this signal was not announced as heavy, a timer of no delay brings it. So no signal holds a shard for long.
 */
public final class AslExecution implements Execution, StateExit.Listener {
    /** Stands in every definition that has a task which waits for a callback, and hardly in any other. */
    public static final String CALLBACK = Resources.TOKEN;
    /** Stand in every definition whose Maps read their items from objects, or write their results into some. */
    private static final List<String> OBJECTS = List.of("ItemReader", "ResultWriter");
    private static final String TIMEOUT_STEP = ">timeout";
    private static final String CONTINUE_STEP = ">continue";

    private final StateMachine machine;
    private final String executionId;
    private final String application;
    private final String workflow;
    private final String startTime;
    private final PayloadSource source;
    private final TaskTokens tokens;
    private final History history;
    private final Agenda agenda = new Agenda();
    private final StateExit exit;
    private final StateEntry entry;
    private final QueryBudget budget = new QueryBudget();
    private final PublishedEvents published = new PublishedEvents(false);
    private Scope root;
    private Document output;
    private boolean isEnded;
    private boolean isTimedOut;
    private boolean isStopped;
    private boolean isContinuing;
    private int continues;
    private int transitions;
    private long nowMs;

    /** @param source where a value's bytes are that travels by reference; @param tokens for tasks that wait for a callback; @param history to be told of, or null */
    AslExecution(StateMachine machine, String application, String workflow, String executionId, String startTime,
                 PayloadSource source, TaskTokens tokens, History history) {
        this.machine = machine;
        this.application = application;
        this.workflow = workflow;
        this.executionId = executionId;
        this.source = source;
        this.tokens = tokens;
        this.history = history;
        DataFlow flow = new DataFlow(source);
        this.exit = new StateExit(agenda, flow, source, this);
        this.entry = new StateEntry(agenda, flow, exit, source);
        Instant start = Timestamps.parse(startTime);
        this.nowMs = start == null ? 0 : start.toEpochMilli();
        this.startTime = start == null ? startTime : Timestamps.format(nowMs);
    }

    /** Whether the signals of a workflow must be in its journal before what follows from them. */
    public static boolean isStrict(String definition) {
        return definition.contains(CALLBACK) || OBJECTS.stream().anyMatch(definition::contains);
    }

    @Override
    public List<Command> on(Signal signal) {
        if (isEnded || isMoot(signal)) {
            return List.of();
        }
        boolean wasHeavy = isHeavy(signal);
        budget.renew();
        budget.takeSpent();
        agenda.begin();
        nowMs = Math.max(nowMs, signal.atMs());
        switch (signal) {
            case Signal.Started started -> onStarted(started.input());
            case Signal.TaskSucceeded succeeded -> onSucceeded(succeeded);
            case Signal.TaskFailed failed -> onFailed(failed);
            case Signal.TimerFired fired -> onTimer(fired.step());
            case Signal.Heartbeat beat -> agenda.startHeartbeat(((Open.Token) agenda.open(beat.step())).token());
            case Signal.Stopped stopped -> stop(stopped);
        }
        drain(wasHeavy);
        return agenda.commands();
    }

    @Override
    public List<Command> on(Signal signal, BooleanSupplier isCancelled) {
        budget.cancelWhen(isCancelled);
        try {
            return on(signal);
        } finally {
            budget.cancelWhen(() -> false);
        }
    }

    /** A late or doubled signal changes nothing at all: whether it is journaled must not matter. */
    private boolean isMoot(Signal signal) {
        return switch (signal) {
            case Signal.Started started -> root != null;
            case Signal.TaskSucceeded succeeded -> isNoTask(succeeded.step());
            case Signal.TaskFailed failed -> isNoTask(failed.step());
            case Signal.TimerFired fired -> agenda.open(fired.step()) == null || isTask(agenda.open(fired.step()));
            case Signal.Heartbeat beat -> !(agenda.open(beat.step()) instanceof Open.Token);
            case Signal.Stopped stopped -> false;
        };
    }

    private boolean isNoTask(String step) {
        return !isTask(agenda.open(step)) && !published.isOpen(step);
    }

    /** A task's signal ends it, or a callback. */
    private static boolean isTask(Open what) {
        return what instanceof Open.Task || what instanceof Open.TokenGrain || what instanceof Open.Token || what instanceof Open.Objects;
    }

    // --- signals

    private void onStarted(Payload input) {
        Document document = Document.of(input);
        root = Scope.root(new Scope.Info(executionId, application, workflow, startTime, document, () -> nowMs, budget, tokens, history),
                machine);
        root.started(source);
        if (machine.timeoutSeconds() > 0) {
            agenda.startTimer(TIMEOUT_STEP, new Open.Deadline(), machine.timeoutSeconds() * 1000);
        }
        agenda.add(new Ready.Enter(root, machine.startAt(), document));
    }

    private void onSucceeded(Signal.TaskSucceeded succeeded) {
        String step = succeeded.step();
        switch (agenda.open(step)) {
            case Open.Task(Visit visit) -> {
                agenda.close(visit);
                if (publishes(succeeded)) {
                    exit.complete(visit, Document.of(succeeded.output()));
                }
            }
            case Open.TokenGrain(TokenWait token) -> {
                if (!token.isOver()) {
                    token.visit.scope.event("TaskSubmitted", () -> TaskEvents.resource(token.visit));
                }
                agenda.close(step);
                publishes(succeeded);
            }
            case Open.Token(TokenWait token) -> {
                agenda.close(token, step, true);
                exit.complete(token.visit, Document.of(succeeded.output()));
            }
            case Open.Objects(Join join, boolean isRead) -> {
                agenda.close(step);
                if (isRead) {
                    entry.maps().onItems(join, Document.of(succeeded.output()));
                } else {
                    exit.maps().onWritten(join);
                }
            }
            case null, default -> {
                PublishedEvents.Refusal refusal = published.succeeded(step, succeeded.output(), succeeded.published(),
                        agenda.commands());
                endIfDone();
                refuse(refusal);
            }
        }
    }

    /** @return whether the execution goes on */
    private boolean publishes(Signal.TaskSucceeded succeeded) {
        return succeeded.published().isEmpty()
                || !refuse(published.publish(succeeded.step(), succeeded.published(), agenda.commands()));
    }

    /** @param refusal null: none */
    private boolean refuse(PublishedEvents.Refusal refusal) {
        if (refusal != null) {
            end(new Command.Fail(refusal.error(), refusal.cause()));
        }
        return refusal != null;
    }

    private void onFailed(Signal.TaskFailed failed) {
        String error = Errors.TIMEOUT.equals(failed.error()) ? StatesError.TIMEOUT : failed.error();
        switch (agenda.open(failed.step())) {
            case Open.Task(Visit visit) -> {
                agenda.close(visit);
                exit.fail(visit, error, failed.cause(), false);
            }
            case Open.TokenGrain(TokenWait token) when token.isOver() -> agenda.close(failed.step());
            case Open.TokenGrain(TokenWait token) -> {
                agenda.close(token, failed.step(), false);
                exit.fail(token.visit, error, failed.cause(), false);
            }
            case Open.Token(TokenWait token) -> {
                agenda.close(token, failed.step(), true);
                exit.fail(token.visit, failed.error(), failed.cause(), false);
            }
            case Open.Objects(Join join, boolean isRead) -> {
                agenda.close(failed.step());
                if (isRead) {
                    entry.maps().onReadFailed(join, failed.cause());
                } else {
                    exit.maps().onWriteFailed(join, failed.cause());
                }
            }
            case null, default -> end(new Command.Fail(failed.error(), failed.cause()));
        }
    }

    private void onTimer(String step) {
        switch (agenda.open(step)) {
            case Open.Waiting(Visit visit) -> {
                agenda.close(visit);
                entry.passOn(visit);
            }
            case Open.TokenTimer(TokenWait token, String error) -> {
                agenda.close(token, step, false);
                exit.fail(token.visit, error, null, false);
            }
            case Open.Retry(Visit visit) -> {
                agenda.close(visit);
                visit.beginAttempt();
                entry.attempt(visit, nowMs);
            }
            case Open.Continue() -> {
                agenda.close(step);
                isContinuing = false;
            }
            case Open.Deadline() -> {
                isTimedOut = true;
                end(new Command.Fail(StatesError.TIMEOUT, "The execution ran longer than its TimeoutSeconds, "
                        + machine.timeoutSeconds() + "."));
            }
            case Open.Task _, Open.TokenGrain _, Open.Token _, Open.Objects _ -> throw new IllegalStateException("a task is no timer: " + step);
        }
    }

    // --- what is ready

    private void drain(boolean mayBeHeavy) {
        int left = WorkflowLimits.TRANSITIONS_AT_ONCE;
        long steps = budget.takeSpent();
        while (!isEnded && !agenda.ready.isEmpty()) {
            if (left-- == 0 || steps > WorkflowLimits.QUERY_STEPS_AT_ONCE || !mayBeHeavy && isHeavy(agenda.ready.peek())) {
                if (!isContinuing) {
                    isContinuing = true;
                    agenda.startTimer(CONTINUE_STEP + "#" + ++continues, new Open.Continue(), 0);
                }
                return;
            }
            switch (agenda.ready.poll()) {
                case Ready.Enter(Scope scope, String state, Document input) -> enter(scope, state, input);
                case Ready.StartItem(Join join) -> {
                    budget.renew();
                    entry.maps().startItem(join);
                }
                case Ready.Exceeded(Join join) -> exit.maps().writeKnown(join);
            }
            steps += budget.takeSpent();
        }
    }

    private void enter(Scope scope, String name, Document input) {
        if (scope.isClosed) {
            return;
        }
        if (++transitions > WorkflowLimits.TRANSITIONS) {
            end(new Command.Fail(StatesError.RUNTIME, "The execution entered more than " + WorkflowLimits.TRANSITIONS
                    + " states; does " + name + " belong to a loop without an end?"));
            return;
        }
        Visit visit = new Visit(scope, scope.machine.state(name), input, nowMs, scope.event(
                History.typeOf(scope.machine.state(name)) + "StateEntered", () -> History.value(Json.NODES.objectNode().put("name", name), "input", input, source)));
        scope.current = visit;
        entry.attempt(visit, nowMs);
    }

    // --- its end

    @Override
    public void onSucceeded(Document result) {
        output = result;
        endIfDone();
    }

    @Override
    public void onFailed(String error, String cause) {
        end(new Command.Fail(error, cause));
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

    private void stop(Signal.Stopped stopped) {
        isStopped = true;
        end(new Command.Fail(stopped.error(), stopped.cause()));
    }

    private void end(Command last) {
        isEnded = true;
        agenda.abandonAll();
        published.abandonAll(agenda.commands());
        agenda.add(last);
        tellEnd(last);
    }

    private void tellEnd(Command last) {
        switch (last) {
            case Command.Succeed _ -> root.event("ExecutionSucceeded", () -> History.value(Json.NODES.objectNode(), "output", output, source));
            case Command.Fail fail -> root.event(isTimedOut ? "ExecutionTimedOut" : isStopped ? "ExecutionAborted" : "ExecutionFailed",
                    () -> History.failure(fail.error(), fail.cause()));
            default -> throw new IllegalStateException("no end: " + last);
        }
    }

    // --- about it

    @Override
    public boolean isHeavy(Signal signal) {
        long bytes = switch (signal) {
            case Signal.Started started -> started.input().size();
            case Signal.TaskSucceeded succeeded -> succeeded.output().size() + weight(agenda.open(succeeded.step()));
            case Signal.TaskFailed failed -> weight(agenda.open(failed.step()));
            case Signal.TimerFired fired -> weight(agenda.open(fired.step()));
            case Signal.Heartbeat beat -> 0;
            case Signal.Stopped stopped -> 0;
        };
        return isHeavy(bytes) || agenda.ready.stream().limit(WorkflowLimits.TRANSITIONS_AT_ONCE).anyMatch(this::isHeavy);
    }

    private boolean isHeavy(Ready next) {
        return isHeavy(switch (next) {
            case Ready.Enter(Scope scope, String state, Document input) -> input.sizeHint();
            case Ready.StartItem(Join join) -> MapEntry.bytesOfStart(join);
            case Ready.Exceeded(Join join) -> Integer.MAX_VALUE; // a thousand records
        });
    }

    private boolean isHeavy(long bytes) {
        return machine.isLarge() || machine.hasQueries()
                || (machine.looksInside() ? (bytes + variableBytes()) * machine.copies() > WorkflowLimits.LIGHT_BYTES
                        : bytes > WorkflowLimits.LIGHT_JOIN_BYTES);
    }

    /** Any state may look into any of them. */
    private long variableBytes() {
        return root == null ? 0 : root.variables.totalBytes();
    }

    /** Bytes that may be looked into, or joined, when what is open ends. */
    private static long weight(Open what) {
        Visit visit = switch (what) {
            case Open.Task(Visit of) -> of;
            case Open.TokenGrain(TokenWait token) -> token.visit;
            case Open.Token(TokenWait token) -> token.visit;
            case Open.TokenTimer(TokenWait token, String error) -> token.visit;
            case Open.Waiting(Visit of) -> of;
            case Open.Retry(Visit of) -> of;
            case Open.Objects(Join join, boolean isRead) -> join.visit;
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
