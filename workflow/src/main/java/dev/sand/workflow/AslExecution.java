package dev.sand.workflow;

import dev.sand.event.Errors;
import dev.sand.event.Payload;
import dev.sand.workflow.Agenda.Open;
import dev.sand.workflow.Agenda.Ready;
import dev.sand.workflow.asl.State;
import dev.sand.workflow.asl.StateMachine;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Document.PayloadSource;
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
    private static final String TIMEOUT_STEP = ">timeout";
    private static final String CONTINUE_STEP = ">continue";

    private final StateMachine machine;
    private final String executionId;
    private final String application;
    private final String workflow;
    private final String startTime;
    private final PayloadSource source;
    private final Agenda agenda = new Agenda();
    private final StateExit exit;
    private final StateEntry entry;
    private final QueryBudget budget = new QueryBudget();
    private final PublishedEvents published = new PublishedEvents(false);
    private Scope root;
    private Document output;
    private boolean isEnded;
    private boolean isTimedOut;
    private boolean isContinuing;
    private int continues;
    private int transitions;
    private long nowMs;

    /** @param source where a value's bytes are that travels by reference */
    AslExecution(StateMachine machine, String application, String workflow, String executionId, String startTime,
                 PayloadSource source) {
        this.machine = machine;
        this.application = application;
        this.workflow = workflow;
        this.executionId = executionId;
        this.startTime = startTime;
        this.source = source;
        DataFlow flow = new DataFlow(source);
        this.exit = new StateExit(agenda, flow, this);
        this.entry = new StateEntry(agenda, flow, exit, source);
        Instant start = Timestamps.parse(startTime);
        this.nowMs = start == null ? 0 : start.toEpochMilli();
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
            case Signal.Stopped stopped -> end(new Command.Fail(stopped.error(), stopped.cause()));
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
            case Signal.TimerFired fired -> agenda.open(fired.step()) == null || agenda.open(fired.step()) instanceof Open.Task;
            case Signal.Stopped stopped -> false;
        };
    }

    private boolean isNoTask(String step) {
        return !(agenda.open(step) instanceof Open.Task) && !published.isOpen(step);
    }

    // --- signals

    private void onStarted(Payload input) {
        Document document = Document.of(input);
        root = Scope.root(new Scope.Info(executionId, application, workflow, startTime, document, () -> nowMs, budget), machine);
        if (machine.timeoutSeconds() > 0) {
            agenda.startTimer(TIMEOUT_STEP, new Open.Deadline(), machine.timeoutSeconds() * 1000);
        }
        agenda.add(new Ready.Enter(root, machine.startAt(), document));
    }

    private void onSucceeded(Signal.TaskSucceeded succeeded) {
        String step = succeeded.step();
        PublishedEvents.Refusal refusal = null;
        if (agenda.open(step) instanceof Open.Task(Visit visit)) {
            agenda.close(visit);
            if (!succeeded.published().isEmpty()) {
                refusal = published.publish(step, succeeded.published(), agenda.commands());
            }
            if (refusal == null) {
                exit.complete(visit, Document.of(succeeded.output()));
            }
        } else {
            refusal = published.succeeded(step, succeeded.output(), succeeded.published(), agenda.commands());
            endIfDone();
        }
        if (refusal != null) {
            end(new Command.Fail(refusal.error(), refusal.cause()));
        }
    }

    private void onFailed(Signal.TaskFailed failed) {
        if (agenda.open(failed.step()) instanceof Open.Task(Visit visit)) {
            agenda.close(visit);
            exit.fail(visit, Errors.TIMEOUT.equals(failed.error()) ? StatesError.TIMEOUT : failed.error(), failed.cause(), false);
        } else {
            end(new Command.Fail(failed.error(), failed.cause()));
        }
    }

    private void onTimer(String step) {
        switch (agenda.open(step)) {
            case Open.Waiting(Visit visit) -> {
                agenda.close(visit);
                entry.passOn(visit);
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
            case Open.Task task -> throw new IllegalStateException("a task is no timer: " + step);
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
                    entry.startItem(join);
                }
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
        Visit visit = new Visit(scope, scope.machine.state(name), input, nowMs, scope.countEvents(1));
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

    private void end(Command last) {
        isEnded = true;
        agenda.abandonAll();
        published.abandonAll(agenda.commands());
        agenda.add(last);
    }

    // --- about it

    @Override
    public boolean isHeavy(Signal signal) {
        long bytes = switch (signal) {
            case Signal.Started started -> started.input().size();
            case Signal.TaskSucceeded succeeded -> succeeded.output().size() + weight(agenda.open(succeeded.step()));
            case Signal.TaskFailed failed -> weight(agenda.open(failed.step()));
            case Signal.TimerFired fired -> weight(agenda.open(fired.step()));
            case Signal.Stopped stopped -> 0;
        };
        return isHeavy(bytes) || agenda.ready.stream().limit(WorkflowLimits.TRANSITIONS_AT_ONCE).anyMatch(this::isHeavy);
    }

    private boolean isHeavy(Ready next) {
        return isHeavy(switch (next) {
            case Ready.Enter(Scope scope, String state, Document input) -> input.sizeHint();
            case Ready.StartItem(Join join) -> ((State.Map) join.visit.state).itemSelector() != null || join.run != null ? join.itemInput.sizeHint()
                    : join.itemInput.sizeHint() / join.items.size();
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
