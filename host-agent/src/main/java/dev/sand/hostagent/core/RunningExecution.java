package dev.sand.hostagent.core;

import dev.sand.event.ApplicationVersion.Durability;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution;
import dev.sand.workflow.Execution.Published;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.GrainExecution;
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

    private final CoreContext context;
    private final Application application;
    private final InvocationRequest request;
    private final boolean recovered;
    private final List<Signal> replay;
    private final long deadlineNs;
    private final long startedMs;
    private final Audience audience;
    private final Backups backups;
    private final Hops hops;
    private final EventFailures failures = new EventFailures();
    private State state = State.LOADING;
    private Steps steps;
    /** Where the request has a place kept in the queue, until its event takes it. */
    private Grain reservation;
    private InvocationResult result;
    private long endedMs;

    /** @param replay the journal of an earlier run; null: the execution is new */
    RunningExecution(CoreContext context, Application application, InvocationRequest request, List<Signal> replay) {
        this.context = context;
        this.application = application;
        this.request = request;
        this.recovered = replay != null;
        this.replay = recovered ? replay : List.of();
        this.deadlineNs = context.nowNs + request.timeoutMs() * 1_000_000;
        this.startedMs = recovered ? idMs() : context.epochMs();
        this.audience = new Audience(context);
        this.backups = new Backups(context, request, recovered ? replay.size() : -1);
        this.hops = new Hops(context.configuration.maxHops());
    }

    String id() {
        return request.executionId();
    }

    InvocationRequest request() {
        return request;
    }

    Audience audience() {
        return audience;
    }

    Backups backups() {
        return backups;
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

    /** Global bus first, for every event. */
    boolean isStrict() {
        return application.version().durability() == Durability.STRICT;
    }

    /** Bytes that its request holds in memory. */
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
        audience.add(listener);
        if (durable && backups.isDurable()) {
            context.emit(new Action.Accepted(listener));
        } else if (durable && !backups.isAwaited() && !(state == State.LOADING && request.durable())) {
            backups.accepted(true);
        }
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
                refuse(refusal);
                return;
            }
            reservation = target;
        }
        if (!recovered && (request.durable() || isStrict())) {
            backups.accepted(true);
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
        backups.durable();
        audience.accepted();
        context.emit(new Action.Record(hops.record(request, null, startedMs, 0), false));
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
            backups.ensureBegun();
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
            failures.add(failure);
            steps.signal(new Signal.TaskFailed(event.step, failure.error(), failure.cause(), context.epochMs()));
        }
    }

    private boolean closes(Event event) {
        return steps.closed(event) || !context.has(Rule.ONE_ANSWER);
    }

    Event openEvent(String step) {
        return steps == null ? null : steps.openEvent(step);
    }

    void onEvaluated(Input.Evaluated evaluated) {
        if (steps == null || !steps.awaitsEvaluation()) {
            context.drop("execution " + id() + " has nothing evaluated", evaluated);
            return;
        }
        steps.onEvaluated(evaluated.commands(), evaluated.failure());
    }

    /** The answer to a backup that was awaited: the request's own, or a strict application's signal. */
    void onJournaled(Input.Journaled journaled) {
        if (journaled.failure() != null) {
            context.counters.journalFailures++;
        }
        if (journaled.sequence() == 0) {
            onAcceptJournaled(journaled.failure());
        } else if (steps == null || !steps.awaitsJournal() || !backups.isLast(journaled.sequence())) {
            context.drop("execution " + id() + " awaits no journal record " + journaled.sequence(), journaled);
        } else if (journaled.failure() == null) {
            steps.onJournaled();
        } else {
            backups.lastFailed();
            context.later(() -> {
                if (!isEnded()) {
                    backups.advanced(steps.pending(), true);
                }
            });
        }
    }

    private void onAcceptJournaled(Failure failure) {
        if (failure != null) {
            backups.acceptFailed();
            if (state == State.ACCEPTING) {
                refuse(Failure.platform(Errors.UNAVAILABLE, "request " + id() + " could not be written to the global bus: "
                        + failure.cause(), true));
            }
        } else if (state == State.ACCEPTING) {
            accepted();
            run();
        } else if (!backups.isDurable()) {
            accepted();
        }
    }

    // --- its end

    void onSucceeded(Payload output) {
        end(Status.SUCCEEDED, output, null);
    }

    void onFailed(String error, String cause) {
        Failure failure = failures.find(error, cause);
        end(EventFailures.status(failure), null, failure);
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
        boolean again = isEnded();
        if (again && context.has(Rule.ONE_ANSWER)) {
            return;
        }
        boolean kept = state == State.RUNNING || backups.isDurable();
        become(State.ENDED);
        context.timers.disarm(this);
        if (steps != null && !again) {
            steps.abandonAll(failure == null ? Errors.CANCELLED : failure.error(),
                    status != Status.TIMED_OUT || context.has(Rule.DEADLINE_KILLS));
        }
        result = new InvocationResult(id(), status, output, failure, hops.copy());
        audience.answer(result);
        if (again) {
            return;
        }
        endedMs = context.epochMs();
        context.counters.ended(status);
        if (reservation != null) {
            reservation.queue().release(bytes(request));
            reservation = null;
        }
        boolean recordFirst = backups.isDurable() && context.has(Rule.RECORD_BEFORE_END);
        if (!recordFirst) {
            backups.ended(status);
        }
        if (kept) {
            record(recordFirst);
        }
        if (kept && !hops.isComplete()) {
            context.timers.arm(this, context.nowNs + context.configuration.lateFiguresNs());
        }
        context.executions.ended(this, kept ? result : null, recordFirst);
        application.executionEnded(this);
        audience.leave();
    }

    /** Its deadline; or, after its end, the figures of its processes have been waited for long enough. */
    @Override
    void onDue() {
        if (isEnded()) {
            record(false);
            return;
        }
        String where = switch (state) {
            case LOADING -> "while its application was being loaded";
            case ACCEPTING -> "while it was being written to the global bus";
            case RUNNING, ENDED -> "with " + (steps == null ? 0 : steps.openCount()) + " steps open";
        };
        end(Status.TIMED_OUT, null, Failure.platform(Errors.TIMEOUT, "execution " + id() + " did not end within its "
                + request.timeoutMs() + " ms: the deadline passed " + where, true));
    }

    private void record(boolean awaited) {
        context.emit(new Action.Record(hops.record(request, result, startedMs, endedMs), awaited));
    }

    /** Its record is stored: from now on a crash loses nothing of it. */
    void onRecorded() {
        backups.ended(result.status());
    }

    void recordAgain() {
        context.later(() -> record(true));
    }

    // --- its attempts

    /** @return the attempt's place among the hops */
    int addHop(Event event, String error, long startedNs, long endedNs) {
        Hop hop = new Hop(event.id, event.grainName, event.attempt, error, event.queuedNs, event.handedNs, startedNs, endedNs,
                context.nowNs, 0, 0);
        int place = hops.add(hop);
        if (place < 0) {
            context.counters.hopsNotKept++;
        }
        audience.saw(hop);
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
            record(false);
        }
    }
}
