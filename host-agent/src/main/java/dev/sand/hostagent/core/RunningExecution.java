package dev.sand.hostagent.core;

import dev.sand.event.ApplicationVersion.Durability;
import dev.sand.event.ApplicationVersion.WorkflowSpec;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.workflow.AslExecution;
import dev.sand.workflow.Execution;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.GrainExecution;
import java.util.Collection;
import java.util.List;

/**
 * One execution on its owner's host, from the request to its one answer.
 *
 * <pre>
 * HELD     → ENTERING  the journals of its slot have been read, and did not have it
 * ENTERING → RUNNING   {@link Admission} is done
 * any      → ENDED     refused, succeeded, failed, timed out, cancelled; or moved with its slot, without effect
 * </pre>
 * Armed as a timer for its deadline until it has ended.
 */
final class RunningExecution extends Timed implements Tenant {
    private enum State { HELD, ENTERING, RUNNING, ENDED }

    /** Bytes of an input that a workflow looks into in a turn of its own: the request's turn has done enough with beginning it. */
    private static final int LONG_INPUT_BYTES = 1024;

    private final CoreContext context;
    private final InvocationRequest request;
    private final int slot;
    private final long epoch;
    /** From the journal; null: the execution is new. */
    private Input.Recover recovery;
    private final long arrivedNs;
    private final long deadlineNs;
    private final Audience audience;
    private final Backups backups;
    private final Story story;
    private final Signals.Kept kept = new Signals.Kept();
    private final Admission admission;
    private final Ending ending;
    private State state = State.HELD;
    private boolean first;
    /** Null while the request is held. */
    private Application application;
    /** Of the process that it runs in, and where that is; null: the application's sandbox. */
    private OwnSandbox own;
    private Application place;
    private Signals signals;
    /** What it did before it is redriven, once that is known; null: nothing. */
    private List<Signal> before;
    /** Null: not looked at yet. */
    private Boolean hasStrictWorkflow;
    /** Its deadline has passed while what it did to its process was on its way into the journal. */
    private boolean isOverdue;
    /** Why the record that it waits for is not in the global bus; null: nothing is known to be wrong. */
    private String journalTrouble;

    /** @param recovery what the journal of an earlier owner has of it; null: the execution is new */
    RunningExecution(CoreContext context, InvocationRequest request, int slot, Input.Recover recovery) {
        this.context = context;
        this.request = request;
        this.slot = slot;
        this.epoch = context.slots.epoch(slot);
        this.recovery = recovery;
        this.arrivedNs = context.nowNs;
        this.deadlineNs = context.nowNs + Deadlines.remainingMs(request, recovery, context.epochMs()) * 1_000_000;
        this.audience = new Audience(context, slot, epoch);
        this.backups = new Backups(context, request, slot, epoch, deadlineNs, recovery == null ? 0 : recovery.next());
        this.story = new Story(context, request, audience, slot, epoch, isNew() ? context.epochMs() : idMs(), kept);
        this.admission = new Admission(context, this, backups, audience, story);
        this.ending = new Ending(context, this, backups, audience, story);
    }

    String id() {
        return request.executionId();
    }

    InvocationRequest request() {
        return request;
    }

    int slot() {
        return slot;
    }

    long epoch() {
        return epoch;
    }

    /** When the request, or the journal's word of it, came here. */
    long arrivedNs() {
        return arrivedNs;
    }

    long deadlineNs() {
        return deadlineNs;
    }

    Audience audience() {
        return audience;
    }

    Backups backups() {
        return backups;
    }

    Story story() {
        return story;
    }

    Signals.Kept kept() {
        return kept;
    }

    Admission admission() {
        return admission;
    }

    Ending ending() {
        return ending;
    }

    boolean isRecovered() {
        return recovery != null;
    }

    /** Of a grain, from the journal: nothing of it is to run any more. */
    boolean endsInItsReplay() {
        Execution machine = new GrainExecution(request.target());
        machine.on(new Signal.Started(request.input(), 0));
        recovery.replay().forEach(machine::on);
        return machine.isEnded() && request.redrive() == null;
    }

    /** Of its process, what its journal has and the image is to confirm; null: nothing. */
    Input.Changed changed() {
        return recovery == null ? null : recovery.changed();
    }

    /** It runs again: nobody was told of its end. */
    void forgetItsEnd() {
        recovery = recovery.withoutItsEnd();
        backups.goesOnFrom(recovery.next());
        context.timers.arm(this, deadlineNs);
    }

    boolean isHeld() {
        return application == null;
    }

    boolean isRunning() {
        return state == State.RUNNING;
    }

    boolean isEnded() {
        return state == State.ENDED;
    }

    /**
     * Global bus first, for every event. So does whatever has lost an owner before: it may be what took that host down, and
     * then each of its steps must be known to have begun. And so does one that may be called back: who was told that a report
     * counts will not come again, and what lies behind a record that is missing does not count; and one that reads the items of a
     * Map: another owner is to go on with the same ones, and the object may be another by then.
     */
    boolean isStrict() {
        return application.version().durability() == Durability.STRICT
                || isRecovered() && context.has(Rule.RECOVERED_IS_STRICT) || hasStrictWorkflow();
    }

    /** No host has begun it before: it was never given, or it was in the bus before it began, and who gives it again finds that. */
    boolean isFirst() {
        return first || request.durable() || isStrict();
    }

    /** @param isNew whoever gave it had never done so before */
    void isFirst(boolean isNew) {
        first = isNew;
    }

    private boolean hasStrictWorkflow() {
        if (hasStrictWorkflow == null) {
            WorkflowSpec workflow = application.version().workflows().get(request.target());
            hasStrictWorkflow = workflow != null && AslExecution.isStrict(workflow.definition());
        }
        return hasStrictWorkflow;
    }

    boolean isWorkflow() {
        return application.version().workflows().containsKey(request.target());
    }

    /** Bytes that its request holds in memory. */
    static long bytes(InvocationRequest request) {
        return request.input().bytes() == null ? 0 : request.input().bytes().length;
    }

    private void become(State next) {
        boolean legal = switch (state) {
            case HELD -> next == State.ENTERING || next == State.ENDED;
            case ENTERING -> next == State.RUNNING || next == State.ENDED;
            case RUNNING -> next == State.ENDED;
            case ENDED -> next == State.ENDED && !context.has(Rule.ONE_ANSWER);
        };
        if (!legal) {
            throw CoreContext.illegal("execution", id(), state, next);
        }
        state = next;
    }

    // --- its beginning

    /** Until {@link #begin}, while the journals of its slot are being read. */
    void hold() {
        context.timers.arm(this, deadlineNs);
    }

    void begin() {
        become(State.ENTERING);
        context.timers.arm(this, deadlineNs);
        application = context.application(new AppKey(request.application(), request.version()));
        application.onTenant(this);
    }

    /** It was held, and the journal has it: whoever waits for the request waits for that. */
    void becomes(RunningExecution recovered) {
        become(State.ENDED);
        context.timers.disarm(this);
        context.counters.admitted--;
        context.counters.joined++;
        audience.moveTo(recovered.audience);
    }

    @Override
    public boolean waitsForRegistry() {
        return backups.isDurable();
    }

    @Override
    public void onApplicationMissing(Failure failure) {
        ending.refused(failure);
    }

    @Override
    public void onApplicationReady() {
        if (!isEnded()) {
            admission.onApplicationReady(application);
        }
    }

    /** @param signals what it did before it is redriven */
    void runsOnFrom(List<Signal> signals) {
        before = signals;
    }

    void run() {
        become(State.RUNNING);
        Execution machine;
        try {
            machine = isWorkflow()
                    ? context.executionFactory.create(application.version(), request.target(), id(), idMs())
                    : new GrainExecution(request.target());
        } catch (IllegalArgumentException invalid) {
            ending.machineFailed(Failure.platform(Errors.BAD_REQUEST, "workflow " + request.target() + " of application "
                    + request.application() + " cannot be run: " + invalid.getMessage(), false));
            return;
        }
        if (!isWorkflow()) {
            backups.ofGrain();
        }
        own = request.process() == null ? null : context.processes.ownSandbox(this);
        place = own == null ? application : own.enter(application.version());
        signals = new Signals(context, this, place, machine, recovery,
                before == null ? null : before.subList(1, before.size()));
        if (isNew() && isWorkflow() && bytes(request) > LONG_INPUT_BYTES) {
            signals.hold();
            context.later(FanOut.NEXT_TURN_NS, this::start);
        } else {
            start();
        }
    }

    private boolean isNew() {
        return recovery == null && request.redrive() == null;
    }

    private void start() {
        if (isEnded()) {
            return;
        }
        signals.start(before != null ? (Signal.Started) before.getFirst()
                : new Signal.Started(request.input(), isWorkflow() || isRecovered() ? idMs() : context.epochMs()));
        if (!isEnded()) {
            backups.ensureBegun();
        }
    }

    long startedMs() {
        return idMs();
    }

    /** When the id was made: the start as the machine sees it, which is the same when the journal is replayed. */
    private long idMs() {
        return Ids.epochMs(id(), context.epochMs());
    }

    // --- while it runs

    Event openEvent(String step) {
        return signals == null ? null : signals.steps().openEvent(step);
    }

    /** Those that are open. */
    Collection<Event> events() {
        return signals == null ? List.of() : signals.steps().events();
    }

    void onEvaluated(Input.Evaluated evaluated) {
        if (signals == null || !signals.awaitsEvaluation()) {
            context.drop("execution " + id() + " has nothing evaluated", evaluated);
        } else {
            signals.onEvaluated(evaluated.commands(), evaluated.failure());
        }
    }

    /** @return false: no step waits for it (any more) */
    boolean onObjectsCalled(Input.ObjectsCalled called) {
        return signals != null && signals.steps().objects().on(called);
    }

    void onAnswered(Input.Answered answered) {
        if (signals == null && !isEnded()) {
            admission.onAnswer(answered);
        } else if (signals == null) {
            context.drop("execution " + id() + " has asked nothing", answered);
        } else {
            signals.steps().services().onAnswer(answered);
        }
    }

    /** Until it runs, and its journal is replayed, nobody knows what it waits for. */
    void onCallback(Input.Callback callback) {
        if (signals == null || signals.isReplaying()) {
            Callbacks.later(context, callback, "is being recovered");
        } else {
            signals.signal(signals.callbacks().bring(callback));
        }
    }

    /** The answer to a backup: the request's own, or a transition's that was awaited. */
    void onJournaled(Input.Journaled journaled) {
        if (journaled.failure() != null) {
            context.counters.journalFailures++;
        }
        if (journaled.sequence() == 0) {
            admission.onJournaled(journaled.failure());
        } else if (backups.onJournaled(journaled.sequence(), journaled.failure() == null)) {
            journalTrouble = journaled.failure() == null ? null : journaled.failure().cause();
        } else {
            context.drop("execution " + id() + " awaits no journal record " + journaled.sequence(), journaled);
        }
    }

    // --- its end

    /** Nothing of it is to run on. */
    void close(String error, boolean kills) {
        boolean again = isEnded();
        become(State.ENDED);
        context.timers.disarm(this);
        if (signals != null && !again) {
            signals.steps().abandonAll(error, kills);
            signals.steps().services().abandonAll(!Errors.MOVED.equals(error));
            signals.callbacks().close(Errors.MOVED.equals(error));
            signals.close();
        }
        admission.close();
        backups.close();
        if (request.process() != null) {
            context.processes.left(this);
        }
    }

    void leave(InvocationResult remembered, boolean isKept, boolean awaitsRecord) {
        context.executions.ended(this, remembered, isKept, awaitsRecord);
        if (!isHeld()) {
            application.onTenantGone(this);
        }
        if (own != null) {
            own.left(place);
        }
        audience.leave();
    }

    /** An execution's deadline may come before the end of the patience with placement. */
    private String whoLacksAHost() {
        return events().stream().filter(event -> event.lacksHost() || event.silence() != null)
                .findFirst().map(event -> "; step " + event.step + (event.lacksHost() ? " waits for a host: " + context.placing.whyNowhere(event)
                        : " waits to be sent to another host: " + event.silence())).orElse("");
    }

    /** What a function did to its process is on its way into the journal: that cannot be withdrawn any more. */
    boolean writesChange() {
        return isRunning() && signals != null && signals.writesChange();
    }

    /** It comes from the journal, and what that has of it is not taken in yet: it may lead to its end, of which somebody was told. */
    boolean isUnreplayed() {
        return isRecovered() && request.process() == null
                && (state == State.ENTERING || state == State.RUNNING && signals != null && signals.isReplaying());
    }

    /** It is not over by what the journal has of it; what was wanted of it meanwhile is done. */
    void onReplayed() {
        if (context.nowNs >= deadlineNs) {
            onDue();
        }
        context.stops.onKnown(id());
    }

    /** The journal has its end. Whether that counts, its process is to tell; if it does, somebody may have been told of it. */
    boolean mayHaveEnded() {
        return state == State.ENTERING && isRecovered() && request.process() != null && endsInItsReplay();
    }

    /** The same, and should that not count, it is nothing: its input was left out of the journal. */
    boolean mayBeNothing() {
        return mayHaveEnded() && request.input().isNotKept();
    }

    /** What it did to its process is there, and it may have ended by that. */
    void onWritten() {
        if (isOverdue && !isEnded()) {
            onDue();
        }
    }

    /**
     * Its deadline. What a function did that ended before, and is on its way into the journal, counts once it is there, whatever is told
     * of it: so it has ended in time, and that is told then.
     */
    @Override
    void onDue() {
        isOverdue = writesChange();
        if (isOverdue) {
            return;
        }
        if (mayHaveEnded() || isUnreplayed() && !recovery.replay().isEmpty()) {
            return;
        }
        String where = switch (state) {
            case HELD -> "while the journals of slot " + slot + " were being read";
            case ENTERING -> admission.stage();
            case RUNNING, ENDED -> journalTrouble != null ? "while its last step waited for the global bus: " + journalTrouble
                    : "with " + (signals == null ? 0 : signals.steps().openCount()) + " steps open" + whoLacksAHost();
        };
        // The journal of an earlier owner may have it, and so may ours, which has not said so.
        ending.timedOut(where, state == State.HELD || state == State.ENTERING && backups.isUnsure());
    }
}
