package dev.sand.hostagent.core;

import dev.sand.event.ApplicationVersion.Durability;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.HostAgentPort.ProgressListener;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution;
import dev.sand.workflow.Execution.Published;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.GrainExecution;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * One execution on this host, from the request to its one answer.
 *
 * <pre>
 * LOADING   → ACCEPTING  the application is there and the target known; durable: its backup is on the way
 * LOADING   → RUNNING    the same, without waiting for the backup; or it comes from the journal
 * ACCEPTING → RUNNING    the backup is in the global bus: accepted
 * any       → ENDED      refused, succeeded, failed, timed out, cancelled
 * </pre>
 * Armed as a timer: until it has ended, for its deadline; after, for the figures of processes that are still exiting.
 */
final class RunningExecution extends Timed {
    private enum State { LOADING, ACCEPTING, RUNNING, ENDED }

    private static final int KEPT_FAILURES = 16;

    private final CoreContext context;
    private final Application application;
    private final InvocationRequest request;
    private final boolean recovered;
    private final List<Signal> replay;
    private final long deadlineNs;
    private final long startedMs;
    private final Hops hops;
    private State state = State.LOADING;
    private final List<InvocationListener> listeners = new ArrayList<>(1);
    private List<ProgressListener> watchers = List.of();
    private Steps steps;
    private Grain reservation;
    private boolean acceptedJournaled;
    private boolean acceptAwaited;
    private boolean acceptedDurably;
    private long sequence;
    /** Of events, in full; the state machine hands on no more than error and cause. */
    private final ArrayDeque<Failure> failures = new ArrayDeque<>(0);
    private InvocationResult result;
    private long endedMs;

    RunningExecution(CoreContext context, Application application, InvocationRequest request, InvocationListener listener,
                     List<Signal> replay, boolean recovered) {
        this.context = context;
        this.application = application;
        this.request = request;
        this.replay = replay;
        this.sequence = replay.size() + 1;
        this.acceptedJournaled = recovered;
        this.acceptedDurably = recovered;
        this.recovered = recovered;
        this.deadlineNs = context.nowNs + request.timeoutMs() * 1_000_000;
        this.startedMs = recovered ? idMs() : context.epochMs();
        this.hops = new Hops(context.configuration.maxHops());
        if (listener != null) {
            listeners.add(listener);
        }
    }

    String id() {
        return request.executionId();
    }

    InvocationRequest request() {
        return request;
    }

    long deadlineNs() {
        return deadlineNs;
    }

    boolean isRecovered() {
        return recovered;
    }

    boolean isEnded() {
        return state == State.ENDED;
    }

    /** It outlives this process: its request is in the global bus. */
    boolean isDurable() {
        return acceptedDurably;
    }

    /** Global bus first, for every event. */
    boolean isStrict() {
        return application.version().durability() == Durability.STRICT;
    }

    static long bytes(InvocationRequest request) {
        return request.input().bytes() == null ? 0 : request.input().bytes().length;
    }

    private void become(State next) {
        boolean legal = switch (state) {
            case LOADING -> next != State.LOADING;
            case ACCEPTING -> next == State.RUNNING || next == State.ENDED;
            case RUNNING -> next == State.ENDED;
            case ENDED -> next == State.ENDED && !context.has(Rule.ONE_ANSWER);
        };
        if (!legal) {
            throw CoreContext.illegal("execution", id(), state, next);
        }
        state = next;
    }

    // --- the way in

    void begin() {
        context.timers.arm(this, deadlineNs);
        application.executionBegins(this);
    }

    /** Another caller asks for the same. */
    void join(InvocationListener listener, boolean durable) {
        listeners.add(listener);
        if (durable && acceptedDurably) {
            context.emit(new Action.Accepted(listener));
        } else if (durable && !acceptAwaited && !(state == State.LOADING && request.durable())) {
            journalAccepted(true);
        }
    }

    int listeners() {
        return listeners.size();
    }

    void onApplicationReady() {
        if (isEnded()) {
            return;
        }
        if (!application.version().hasTarget(request.target())) {
            refuse(Failure.caller(Errors.NOT_FOUND, "application " + request.application() + " version " + request.version()
                    + " has neither a grain nor a workflow " + request.target()));
            return;
        }
        Grain target = isWorkflow() ? null : application.grain(request.target());
        if (target != null && !recovered) {
            Failure refusal = target.reserve(bytes(request));
            if (refusal != null) {
                context.counters.overloaded++;
                refuse(refusal);
                return;
            }
            reservation = target;
        }
        if (!recovered && (request.durable() || isStrict())) {
            journalAccepted(true);
            if (context.has(Rule.JOURNAL_BEFORE_ACCEPT)) {
                become(State.ACCEPTING);
                return;
            }
            accepted();
        }
        run();
    }

    private boolean isWorkflow() {
        return application.version().workflows().containsKey(request.target());
    }

    boolean takeReservation(Grain grain) {
        boolean reserved = reservation == grain;
        if (reserved) {
            reservation = null;
        }
        return reserved;
    }

    private void accepted() {
        acceptedDurably = true;
        for (InvocationListener listener : listeners) {
            context.emit(new Action.Accepted(listener));
        }
        context.emit(new Action.Record(record(Status.RUNNING), false));
    }

    private void run() {
        become(State.RUNNING);
        Execution machine;
        try {
            machine = isWorkflow()
                    ? context.executionFactory.create(application.version(), request.target(), id(), idMs())
                    : new GrainExecution(request.target());
        } catch (IllegalArgumentException invalid) {
            onMachineFailed(Failure.platform(Errors.BAD_REQUEST, "workflow " + request.target() + " of application "
                    + request.application() + " cannot be run: " + invalid.getMessage(), false));
            return;
        }
        steps = new Steps(context, this, application, machine);
        steps.start(new Signal.Started(request.input(), isWorkflow() ? idMs() : startedMs), replay);
        if (!isEnded()) {
            ensureAcceptedJournaled();
        }
    }

    /** When the id was made: the start as the machine sees it, which is the same when the journal is replayed. */
    private long idMs() {
        return Ids.isValid(id()) ? Ids.epochMs(id()) : context.epochMs();
    }

    // --- its steps

    void onEventSucceeded(Event event, Payload output, List<Published> published) {
        if (closes(event)) {
            steps.signal(new Signal.TaskSucceeded(event.step, output, published, context.epochMs()));
        }
    }

    void onEventFailed(Event event, Failure failure) {
        if (closes(event)) {
            if (failures.size() == KEPT_FAILURES) {
                failures.removeLast();
            }
            failures.addFirst(failure);
            steps.signal(new Signal.TaskFailed(event.step, failure.error(), failure.cause(), context.epochMs()));
        }
    }

    private boolean closes(Event event) {
        return steps.closed(event) || !context.has(Rule.ONE_ANSWER);
    }

    Event openEvent(String step) {
        return steps == null ? null : steps.openEvent(step);
    }

    /** The event's own limit has passed, not the execution's. */
    void onEventDeadline(Event event) {
        long waitedMs = (context.nowNs - event.queuedNs) / 1_000_000;
        Failure failure = Failure.platform(Errors.TIMEOUT, event.isRunning()
                ? "step " + event.step + " ran for " + (context.nowNs - event.handedNs) / 1_000_000
                        + " ms, which is the limit of grain " + event.grainName + " or of the step"
                : "step " + event.step + " waited in the queue of grain " + event.grainName + " for " + waitedMs
                        + " ms, which is the limit of the step", true);
        event.grain.withdraw(event, Errors.TIMEOUT, context.has(Rule.DEADLINE_KILLS));
        onEventFailed(event, failure);
    }

    void onEvaluated(Input.Evaluated evaluated) {
        if (steps == null || !steps.awaitsEvaluation()) {
            context.drop("execution " + id() + " has nothing evaluated", evaluated);
            return;
        }
        steps.onEvaluated(evaluated.commands(), evaluated.failure());
    }

    // --- its end

    void onSucceeded(Payload output) {
        end(Status.SUCCEEDED, output, null);
    }

    void onFailed(String error, String cause) {
        Failure failure = null;
        for (Failure known : failures) {
            if (failure == null && known.error().equals(error) && known.cause().equals(cause)) {
                failure = known;
            }
        }
        if (failure == null) {
            failure = named(error, cause);
        }
        boolean timedOut = Errors.TIMEOUT.equals(error) || "States.Timeout".equals(error);
        end(timedOut ? Status.TIMED_OUT : Status.FAILED, null, failure);
    }

    /** A Fail state need not say what failed. */
    private static Failure named(String error, String cause) {
        String name = error == null ? "States.Fail" : error;
        String words = cause == null ? "the workflow gave no cause" : cause;
        return name.startsWith("Sand.") ? Failure.platform(name, words, false) : Failure.grain(name, words, null);
    }

    /** Not the grain's or the workflow's own failure: a limit, or an evaluation that was stopped. */
    void onMachineFailed(Failure failure) {
        end(Status.FAILED, null, failure);
    }

    void cancel(String cause) {
        end(Status.CANCELLED, null, Failure.platform(Errors.CANCELLED, "execution " + id() + " was cancelled: " + cause, false));
    }

    /** Before it was accepted: nothing of it is kept. */
    void refuse(Failure failure) {
        end(Status.FAILED, null, failure);
    }

    private void end(Status status, Payload output, Failure failure) {
        if (isEnded() && context.has(Rule.ONE_ANSWER)) {
            return;
        }
        boolean kept = state == State.RUNNING || acceptedDurably;
        boolean again = isEnded();
        become(State.ENDED);
        context.timers.disarm(this);
        if (steps != null && !again) {
            steps.abandonAll(failure == null ? Errors.CANCELLED : failure.error(),
                    status != Status.TIMED_OUT || context.has(Rule.DEADLINE_KILLS));
        }
        result = new InvocationResult(id(), status, output, failure, hops.copy());
        endedMs = context.epochMs();
        for (InvocationListener listener : listeners) {
            context.emit(new Action.Respond(listener, result));
        }
        if (again) {
            return;
        }
        count(status);
        if (reservation != null) {
            reservation.queue().release(bytes(request));
            reservation = null;
        }
        if (kept) {
            recordEnd();
        } else if (acceptedJournaled) {
            context.emit(new Action.Journal(id(), request.application(), sequence, new Action.Backup.Ended(status), false));
        }
        boolean awaitsRecord = acceptedDurably && context.has(Rule.RECORD_BEFORE_END);
        context.executions.ended(this, kept ? result : null, awaitsRecord);
        application.executionEnded(this);
        for (ProgressListener watcher : watchers) {
            context.emit(new Action.Notify(watcher, null));
        }
        watchers = List.of();
    }

    private void count(Status status) {
        Counters counters = context.counters;
        switch (status) {
            case SUCCEEDED -> counters.succeeded++;
            case FAILED -> counters.failed++;
            case TIMED_OUT -> counters.timedOut++;
            case CANCELLED -> counters.cancelled++;
            case RUNNING -> throw CoreContext.illegal("execution", id(), state, status);
        }
    }

    /** Its deadline; or, after its end, the figures of its processes have been waited for long enough. */
    @Override
    void onDue() {
        if (isEnded()) {
            context.emit(new Action.Record(record(result.status()), false));
            return;
        }
        String where = switch (state) {
            case LOADING -> "while its application was being loaded";
            case ACCEPTING -> "while it was being written to the global bus";
            default -> "with " + (steps == null ? 0 : steps.openCount()) + " steps open";
        };
        end(Status.TIMED_OUT, null, Failure.platform(Errors.TIMEOUT, "execution " + id() + " did not end within its "
                + request.timeoutMs() + " ms: the deadline passed " + where, true));
    }

    // --- journal and records

    private void journalAccepted(boolean awaited) {
        acceptedJournaled = true;
        acceptAwaited |= awaited;
        context.emit(new Action.Journal(id(), request.application(), 0, new Action.Backup.Accepted(request), awaited));
    }

    private void ensureAcceptedJournaled() {
        if (!acceptedJournaled) {
            journalAccepted(false);
        }
    }

    void journalAdvanced(Signal signal, boolean awaited) {
        ensureAcceptedJournaled();
        context.emit(new Action.Journal(id(), request.application(), sequence++, new Action.Backup.Advanced(signal), awaited));
    }

    void onJournaled(Input.Journaled journaled) {
        if (journaled.sequence() == 0) {
            onAcceptedJournaled(journaled.failure());
        } else if (steps != null && steps.awaitsJournal() && journaled.sequence() == sequence - 1) {
            if (journaled.failure() == null) {
                steps.onJournaled();
            } else {
                context.counters.journalFailures++;
                sequence--;
                later(() -> {
                    if (!isEnded()) {
                        journalAdvanced(steps.pending(), true);
                    }
                });
            }
        } else {
            context.drop("execution " + id() + " awaits no journal record " + journaled.sequence(), journaled);
        }
    }

    private void onAcceptedJournaled(Failure failure) {
        if (failure != null) {
            context.counters.journalFailures++;
            if (state == State.ACCEPTING) {
                refuse(Failure.platform(Errors.UNAVAILABLE, "request " + id() + " could not be written to the global bus: "
                        + failure.cause(), true));
            }
        } else if (state == State.ACCEPTING) {
            accepted();
            run();
        } else if (!acceptedDurably) {
            accepted();
        }
    }

    private void recordEnd() {
        boolean durable = acceptedDurably && context.has(Rule.RECORD_BEFORE_END);
        if (!durable && acceptedJournaled) {
            journalEnded();
        }
        context.emit(new Action.Record(record(result.status()), durable));
        if (!hops.isComplete()) {
            context.timers.arm(this, context.nowNs + context.configuration.lateFiguresNs());
        }
    }

    private void journalEnded() {
        context.emit(new Action.Journal(id(), request.application(), sequence, new Action.Backup.Ended(result.status()), false));
    }

    /** Its record is stored: from now on a crash loses nothing of it. */
    void onRecorded() {
        journalEnded();
    }

    void recordAgain() {
        later(() -> context.emit(new Action.Record(record(result.status()), true)));
    }

    private void later(Runnable step) {
        Timed later = new Timed() {
            @Override
            void onDue() {
                step.run();
            }
        };
        context.timers.arm(later, context.nowNs + context.configuration.retryNs());
    }

    private InvocationRecord record(Status status) {
        return new InvocationRecord(Limits.SCHEMA_VERSION, id(), request.application(), request.version(), request.target(),
                status, request.input(), result == null ? null : result.output(), result == null ? null : result.failure(),
                startedMs, endedMs, hops.cpuUs(), hops.peakMemoryBytes(), hops.copy());
    }

    // --- hops and watchers

    int addHop(Event event, String error, long startedNs, long endedNs) {
        Hop hop = new Hop(event.id, event.grainName, event.attempt, error, event.queuedNs, event.handedNs, startedNs, endedNs,
                context.nowNs, 0, 0);
        int place = hops.add(hop);
        if (place < 0) {
            context.counters.hopsNotKept++;
        }
        for (ProgressListener watcher : watchers) {
            context.emit(new Action.Notify(watcher, hop));
        }
        return place;
    }

    void expectFigures() {
        hops.expectFigures();
    }

    void onFigures(int place, long cpuUs, long peakMemoryBytes) {
        hops.figures(place, cpuUs, peakMemoryBytes);
        settleFigures();
    }

    void onFiguresLost() {
        hops.figuresLost();
        settleFigures();
    }

    private void settleFigures() {
        if (isEnded() && hops.isComplete() && isArmed()) {
            context.timers.disarm(this);
            context.emit(new Action.Record(record(result.status()), false));
        }
    }

    void watch(ProgressListener watcher) {
        if (watchers.size() >= context.configuration.maxListeners()) {
            context.emit(new Action.Notify(watcher, null));
            return;
        }
        if (watchers.isEmpty()) {
            watchers = new ArrayList<>(2);
        }
        watchers.add(watcher);
    }

    void unwatch(ProgressListener watcher) {
        if (!watchers.isEmpty()) {
            watchers.remove(watcher);
        }
    }
}
