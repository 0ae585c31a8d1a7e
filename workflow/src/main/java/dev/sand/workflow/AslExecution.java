package dev.sand.workflow;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.event.Payload;
import dev.sand.event.Redrive;
import dev.sand.workflow.Agenda.Open;
import dev.sand.workflow.Agenda.Ready;
import dev.sand.workflow.asl.Resources;
import dev.sand.workflow.asl.State;
import dev.sand.workflow.asl.StateMachine;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Document.PayloadSource;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.QueryBudget;
import dev.sand.workflow.data.StatesError;
import dev.sand.workflow.data.WorkflowLimits;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

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
public final class AslExecution implements Execution, StateExit.Listener, StepSignals.Listener {
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
    private final long startMs;
    private final PayloadSource source;
    private final TaskTokens tokens;
    private final History history;
    private final Quotas quotas;
    private final Agenda agenda = new Agenda();
    private final StateExit exit;
    private final StateEntry entry;
    private final StepSignals steps;
    private final Weight weight;
    private final QueryBudget budget = new QueryBudget();
    private final PublishedEvents published = new PublishedEvents(false);
    private Scope root;
    private Document output;
    /** Null: it runs. */
    private Ended ended;
    private final Scope.Redrives redrives = new Scope.Redrives();
    private final Places places = new Places();
    private int continues;
    private int transitions;
    private long nowMs;

    /**
     * @param startMs when it began: what {@code $$.Execution.StartTime} shows
     * @param source where a value's bytes are that travels by reference
     * @param tokens for tasks that wait for a callback
     * @param history to be told of each event, or null
     * @param quotas that it is held to
     */
    AslExecution(StateMachine machine, String application, String workflow, String executionId, long startMs,
                 PayloadSource source, TaskTokens tokens, History history, Quotas quotas) {
        this.machine = machine;
        this.application = application;
        this.workflow = workflow;
        this.executionId = executionId;
        this.source = source;
        this.tokens = tokens;
        this.history = history;
        this.quotas = quotas;
        DataFlow flow = new DataFlow(source);
        this.exit = new StateExit(agenda, flow, source, this);
        this.entry = new StateEntry(agenda, flow, exit, source);
        this.steps = new StepSignals(agenda, entry, exit, published, this);
        this.weight = new Weight(machine, agenda, () -> root == null ? 0 : root.variables.totalBytes(),
                this::redrivenBytes);
        this.startMs = startMs;
        this.nowMs = startMs;
    }

    /** Whether the signals of a workflow must be in its journal before what follows from them. */
    public static boolean isStrict(String definition) {
        return definition.contains(CALLBACK) || OBJECTS.stream().anyMatch(definition::contains);
    }

    @Override
    public void expect(Collection<Signal> coming) {
        places.expect(coming);
    }

    /** Of every state of the workflow itself, what it has when it is entered is kept. */
    Places expectAny() {
        places.expectAny();
        return places;
    }

    @Override
    public List<Command> on(Signal signal) {
        if (isEnded() && !(signal instanceof Signal.Redriven) || isMoot(signal)) {
            return List.of();
        }
        boolean wasHeavy = weight.isHeavy(signal);
        budget.renew();
        budget.takeSpent();
        agenda.begin();
        nowMs = Math.max(nowMs, signal instanceof Signal.Redriven(Redrive how) && !isEnded() ? how.endedMs() : signal.atMs());
        try {
            take(signal);
        } catch (HistoryFull full) {
            onFull(full);
        }
        drain(wasHeavy);
        return agenda.commands();
    }

    private void take(Signal signal) {
        switch (signal) {
            case Signal.Started started -> onStarted(started.input());
            case Signal.TaskSucceeded succeeded -> steps.onSucceeded(succeeded);
            case Signal.TaskFailed failed -> steps.onFailed(failed);
            case Signal.TimerFired fired -> {
                if (!(agenda.open(fired.step()) instanceof Open.Retry) || mayGoOn()) {
                    steps.onTimer(fired.step(), nowMs);
                }
            }
            case Signal.Heartbeat beat -> agenda.startHeartbeat(((Open.Token) agenda.open(beat.step())).token());
            case Signal.Stopped stopped -> fail(Ended.STOPPED, stopped.error(), stopped.cause());
            case Signal.Redriven redriven -> redrive(redriven.redrive());
        }
    }

    /** The execution whose history it is ends, and none of its states catches it. */
    private void onFull(HistoryFull full) {
        if (full.scope.join == null) {
            fail(Ended.FAILED, StatesError.RUNTIME, full.getMessage());
            return;
        }
        try {
            agenda.abandonWork(full.scope);
            exit.failScope(full.scope, new Failure(StatesError.RUNTIME, full.getMessage()));
        } catch (HistoryFull outer) {
            onFull(outer);
        }
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
            case Signal.TaskSucceeded succeeded -> steps.isNoTask(succeeded.step());
            case Signal.TaskFailed failed -> steps.isNoTask(failed.step());
            case Signal.TimerFired fired -> agenda.open(fired.step()) == null || StepSignals.isTask(agenda.open(fired.step()));
            case Signal.Heartbeat beat -> !(agenda.open(beat.step()) instanceof Open.Token);
            case Signal.Stopped stopped -> false;
            case Signal.Redriven redriven -> root == null || ended == Ended.SUCCEEDED || redriven.redrive().count() <= redrives.count;
        };
    }

    // --- signals

    private void onStarted(Payload input) {
        Document document = Document.of(input);
        root = Scope.root(new Scope.Info(executionId, application, workflow, new Scope.Start(startMs), document, () -> nowMs, budget, tokens, history,
                redrives, quotas), machine);
        root.started();
        if (machine.timeoutSeconds() > 0) {
            agenda.startTimer(TIMEOUT_STEP, new Open.Deadline(), machine.timeoutSeconds() * 1000);
        }
        StatesError refused = DataLimit.ofInput(document, quotas.dataBytes(), source);
        if (refused != null) {
            fail(Ended.FAILED, refused.error(), refused.getMessage());
            return;
        }
        agenda.enter(root, machine.startAt(), document);
    }

    /**
     * Into the state that it was in, of the machine itself and of the branches and iterations that had not succeeded; or into another
     * one of the machine itself, once more.
     */
    private void redrive(Redrive how) {
        if (!isEnded()) {
            fail(Ended.as(how.endedAs()), how.error(), how.cause());
            agenda.commands().removeLast();
        }
        nowMs = Math.max(nowMs, how.atMs());
        ended = null;
        redrives.count = how.count();
        redrives.lastMs = how.atMs();
        root.event("ExecutionRedriven", () -> {
            ObjectNode details = Json.NODES.objectNode().put("redriveCount", how.count());
            return how.from() == null ? details : details.put("from", how.from());
        });
        if (machine.timeoutSeconds() > 0) {
            agenda.startTimer(TIMEOUT_STEP + "#" + how.count(), new Open.Deadline(), machine.timeoutSeconds() * 1000);
        }
        Places.Place place = how.from() == null ? null : places.get(how.from());
        published.again(how.count(), place == null ? Integer.MAX_VALUE : place.publications(), agenda.commands());
        if (how.from() != null) {
            goBack(how.from(), place);
        } else if (output != null) {
            endIfDone();
        } else {
            if (root.current != null && root.current.join != null) {
                agenda.forget(root.current.join);
            }
            agenda.add(new Ready.GoOn(root));
        }
    }

    private void goBack(String state, Places.Place place) {
        if (place == null) {
            fail(Ended.FAILED, StatesError.RUNTIME, "The execution cannot be redriven from the state '" + state + "': it has not entered it.");
            return;
        }
        if (root.current != null && root.current.join != null) {
            agenda.forget(root.current.join);
        }
        output = null;
        root.isClosed = false;
        root.variables.restore(place.variables());
        agenda.enter(root, state, place.input());
    }

    private long redrivenBytes(Redrive how) {
        Places.Place place = how.from() == null ? null : places.get(how.from());
        return place != null ? place.input().sizeHint() : root == null || root.current == null ? 0 : root.current.input.sizeHint();
    }

    // --- what is ready

    private void drain(boolean mayBeHeavy) {
        int left = WorkflowLimits.TRANSITIONS_AT_ONCE;
        long steps = budget.takeSpent();
        while (!isEnded() && !agenda.ready.isEmpty()) {
            if (left-- == 0 || steps > WorkflowLimits.QUERY_STEPS_AT_ONCE || !mayBeHeavy && weight.isHeavy(agenda.ready.peek())) {
                if (agenda.open(CONTINUE_STEP + "#" + continues) == null) {
                    agenda.startTimer(CONTINUE_STEP + "#" + ++continues, new Open.Continue(), 0);
                }
                return;
            }
            try {
                goOn(agenda.ready.poll());
            } catch (HistoryFull full) {
                onFull(full);
            }
            steps += budget.takeSpent();
        }
    }

    private void goOn(Ready next) {
        switch (next) {
            case Ready.Enter(Scope scope, String state, Document input) -> enter(scope, state, input);
            case Ready.StartItem(Join join) -> {
                budget.renew();
                entry.maps().startItem(join);
            }
            case Ready.Exceeded(Join join) -> exit.maps().writeKnown(join);
            case Ready.GoOn(Scope scope) -> {
                if (scope.following == null) {
                    entry.goOn(scope, nowMs);
                } else {
                    enter(scope, scope.following.state(), scope.following.input());
                }
            }
        }
    }

    private void enter(Scope scope, String name, Document input) {
        if (scope.isClosed) {
            return;
        }
        if (!mayGoOn()) {
            return;
        }
        scope.following = null;
        State state = scope.machine.state(name);
        Visit visit = new Visit(scope, state, input, nowMs, scope.event(History.typeOf(state) + "StateEntered",
                () -> History.value(Json.NODES.objectNode().put("name", name), "input", input)));
        scope.current = visit;
        if (scope == root && places.isWanted(name)) {
            places.enter(name, new Places.Place(input, root.variables.snapshot(), published.publications()));
        }
        entry.attempt(visit, nowMs);
    }

    /** Counts a state that is entered or tried again, and ends the execution when there were too many. */
    private boolean mayGoOn() {
        if (++transitions > WorkflowLimits.TRANSITIONS) {
            fail(Ended.FAILED, StatesError.RUNTIME, "The execution reached the maximum number of states that it may enter ("
                    + WorkflowLimits.TRANSITIONS + ").");
            return false;
        }
        return true;
    }

    // --- its end

    @Override
    public void onSucceeded(Document result) {
        output = result;
        endIfDone();
    }

    @Override
    public void onFailed(String error, String cause) {
        fail(Ended.FAILED, error, cause);
    }

    @Override
    public void onPublishedEnded() {
        endIfDone();
    }

    @Override
    public void onDeadline() {
        root.follows(0); // as on AWS, where its time-out follows no event
        fail(Ended.OVERDUE, StatesError.TIMEOUT, "The execution ran longer than its TimeoutSeconds, " + machine.timeoutSeconds() + ".");
    }

    /** An execution ends when its machine has and no published event is pending. */
    private void endIfDone() {
        if (output == null || !published.isEmpty() || isEnded()) {
            return;
        }
        Payload whole;
        try {
            whole = output.payload(source);
        } catch (StatesError e) {
            fail(Ended.FAILED, e.error(), e.getMessage());
            return;
        }
        end(Ended.SUCCEEDED, new Command.Succeed(whole), () -> History.value(Json.NODES.objectNode(), "output", output));
    }

    private void fail(Ended how, String error, String cause) {
        Failure bounded = new Failure(error, cause);
        Command.Fail last = new Command.Fail(bounded.error(), bounded.cause());
        end(how, last, () -> History.failure(last.error(), how == Ended.OVERDUE ? null : last.cause()));
    }

    private void end(Ended how, Command last, Supplier<ObjectNode> details) {
        ended = how;
        agenda.abandonAll();
        published.abandonAll(agenda.commands());
        agenda.add(last);
        root.event(how.event, details);
    }

    // --- about it

    @Override
    public boolean isHeavy(Signal signal) {
        return weight.isHeavy(signal);
    }

    @Override
    public boolean isEnded() {
        return ended != null;
    }

    @Override
    public boolean isTimedOut() {
        return ended == Ended.TIMED_OUT || ended == Ended.OVERDUE;
    }
}
