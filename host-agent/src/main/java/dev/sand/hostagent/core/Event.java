package dev.sand.hostagent.core;

import dev.sand.event.Payload;
import dev.sand.localbus.GrainQueue;
import dev.sand.workflow.Execution.Published;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * One event message, from the step that made it to the end of its last attempt (SAND 3.2, 4.1). It runs on its execution's
 * host, or is away on another; there it is an event again, whose owner is {@link Guest}.
 *
 * <pre>
 * HELD     → QUEUED, AWAY, UNPLACED  the replay of the journal is over and the step is still open; or it is new
 * QUEUED   → RUNNING  handed over to an instance
 * RUNNING  → QUEUED   its attempt was lost with its worker or sandbox: the next attempt, last in the queue
 * UNPLACED → QUEUED, AWAY, UNPLACED  a host came where it may run, or again none did
 * AWAY     → QUEUED, AWAY, UNPLACED  not sent, taken back, or lost there: the next attempt, here or elsewhere
 * any      → ENDED    finished, failed, timed out, abandoned; or the replay closed the step
 * </pre>
 * Armed as a timer while it has a deadline that comes before its execution's, waits for a host, or is away.
 */
final class Event extends Timed implements GrainQueue.Entry {
    enum State { HELD, QUEUED, RUNNING, AWAY, UNPLACED, ENDED }

    private static final int MOST_UNSEEN = 6;
    final EventOwner owner;
    final String step;
    final String id;
    /** Null when the version has no grain of that name: it fails when it is submitted. */
    final Grain grain;
    final String grainName;
    final Payload payload;
    /** By the workflow's limit for the step, queueing included. */
    final long stepDeadlineNs;
    int attempt;
    Instance instance;
    /** What its function has done to the process that it ran in, once it ended well; null: nothing. */
    ProcessRecords.Ending change;
    /** What its function has invoked here, and what may be lost of that if this host dies. */
    final Set<FollowUp> followUps = new LinkedHashSet<>(0);
    /** Where it is away. */
    String host;
    long queuedNs;
    long handedNs;
    private int losses;
    private int lossesHere;
    private int unseen;
    /** Until when a host is to be found for it; 0: one was. */
    private long placedByNs;
    /** Why it could not be sent to the host that was found; null: it was not tried, or it is there. */
    private String silence;
    private boolean confirmed;
    private State state = State.HELD;
    private List<Published> published = List.of();

    Event(EventOwner owner, String step, Grain grain, String grainName, Payload payload, long stepDeadlineNs, int attempt) {
        this.owner = owner;
        this.step = step;
        this.id = owner.executionId() + "/" + step;
        this.grain = grain;
        this.grainName = grainName;
        this.payload = payload;
        this.stepDeadlineNs = stepDeadlineNs;
        this.attempt = attempt;
    }

    State state() {
        return state;
    }

    boolean isRunning() {
        return state == State.RUNNING;
    }

    boolean isAway() {
        return state == State.AWAY;
    }

    boolean isEnded() {
        return state == State.ENDED;
    }

    private static boolean isHere(State state) {
        return state == State.QUEUED || state == State.RUNNING;
    }

    private void become(State next, CoreContext context) {
        boolean legal = switch (state) {
            case HELD -> next != State.HELD && next != State.RUNNING;
            case QUEUED -> next == State.RUNNING || next == State.ENDED;
            case RUNNING -> next == State.QUEUED || next == State.ENDED;
            case AWAY -> next != State.HELD && next != State.RUNNING;
            case UNPLACED -> next != State.HELD && next != State.RUNNING;
            case ENDED -> false;
        };
        if (!legal) {
            throw CoreContext.illegal("event", id, state, next);
        }
        if (state == State.RUNNING && owner.process() != null) {
            context.processes.attemptEnded(this);
        }
        if (isHere(state) != isHere(next)) {
            context.placing.inProgressHere(isHere(next));
        }
        state = next;
    }

    /** In the queue, or on its way straight through it. */
    void queued(CoreContext context) {
        placedByNs = 0;
        silence = null;
        waits(State.QUEUED, stepDeadlineNs, context);
    }

    void away(String toHost, CoreContext context) {
        waits(State.AWAY, stepDeadlineNs, context);
        host = toHost;
        confirmed = false;
        overdueIn(context.configuration.sendPatienceNs(), context);
    }

    /** It is in the global bus, for the host that it was sent to. */
    void placed(CoreContext context) {
        placedByNs = 0;
        silence = null;
        confirmed = true;
        overdueIn(context.configuration.returnPatienceNs(), context);
    }

    /** It is away, and looked after again then. */
    void overdueIn(long patienceNs, CoreContext context) {
        context.timers.disarm(this);
        armUntil(Math.min(stepDeadlineNs, context.nowNs + patienceNs), context);
    }

    /** The global bus is not known to have it. */
    boolean isUnconfirmed() {
        return isAway() && !confirmed;
    }

    /** No live host may run it, or takes it: a while is waited for one, in all. */
    void unplaced(CoreContext context) {
        if (placedByNs == 0) {
            placedByNs = context.nowNs + context.configuration.placementWaitNs();
        }
        waits(State.UNPLACED, Math.min(stepDeadlineNs, placedByNs), context);
    }

    /** The global bus does not take it, for a host that may run it. */
    void unsent(String why, CoreContext context) {
        placedByNs = 0;
        silence = why;
        waits(State.UNPLACED, stepDeadlineNs, context);
    }

    /** Why it waits to be sent, or null. */
    String silence() {
        return state == State.UNPLACED || isUnconfirmed() ? silence : null;
    }

    /** No live host may run it, or takes it. */
    boolean lacksHost() {
        return state == State.UNPLACED && placedByNs != 0;
    }

    /** Until what went before is noted. */
    void waiting(CoreContext context) {
        waits(State.UNPLACED, stepDeadlineNs, context);
    }

    private void waits(State next, long untilNs, CoreContext context) {
        become(next, context);
        queuedNs = context.nowNs;
        handedNs = 0;
        instance = null;
        armUntil(untilNs, context);
    }

    private void armUntil(long untilNs, CoreContext context) {
        if (untilNs < owner.deadlineNs()) {
            context.timers.arm(this, untilNs);
        }
    }

    /** @return until when this attempt may run */
    long handedTo(Instance next, CoreContext context) {
        become(State.RUNNING, context);
        instance = next;
        handedNs = context.nowNs;
        long deadlineNs = Math.min(stepDeadlineNs, context.nowNs + grain.spec().timeoutMs() * 1_000_000);
        if (deadlineNs < owner.deadlineNs()) {
            context.timers.arm(this, deadlineNs);
            return deadlineNs;
        }
        return owner.deadlineNs();
    }

    /** It was lost so many times before. */
    void lostBefore(int times) {
        losses = times;
    }

    int losses() {
        return losses;
    }

    /** One more loss. @return whether it may have another attempt */
    boolean mayRunAgain(CoreContext context) {
        losses++;
        boolean fewHere = isAway() || ++lossesHere < context.configuration.runsPerEvent();
        return fewHere && losses < context.configuration.runsInAll() || !context.has(Rule.RETRY_LIMIT);
    }

    /** One more hand-over that nobody saw: of a worker that dies, each instance that waits may fail one. @return whether it is no loss */
    boolean mayGoUnseen() {
        return ++unseen <= MOST_UNSEEN + grain.spec().maxIdle();
    }

    /** The attempt is lost; the next one begins with nothing of it. */
    void nextAttempt(CoreContext context) {
        context.timers.disarm(this);
        if (state == State.RUNNING && owner.process() != null) {
            context.processes.attemptEnded(this); // under its own number: the next one has done nothing yet
        }
        attempt++;
        if (context.has(Rule.PUBLISH_ON_FINISH_ONLY)) {
            published = List.of();
        }
    }

    void end(CoreContext context) {
        become(State.ENDED, context);
        context.timers.disarm(this);
    }

    /** Kept until the attempt finishes (SAND 3.2: output becomes available at the end of the execution). */
    void publish(Published publication) {
        if (published.isEmpty()) {
            published = new ArrayList<>(4);
        }
        published.add(publication);
    }

    int publishedCount() {
        return published.size();
    }

    List<Published> published(List<Published> withFinish) {
        if (published.isEmpty()) {
            return withFinish;
        }
        List<Published> all = new ArrayList<>(published);
        all.addAll(withFinish);
        return all;
    }

    /** Bytes in the frame; what a reference names is the data layer's to bound. */
    @Override
    public long bytes() {
        return payload.bytes() == null ? 0 : payload.bytes().length;
    }

    @Override
    void onDue() {
        grain.attempts().onDue(this);
    }

    @Override
    public String toString() {
        return id + " attempt " + attempt + " " + state;
    }
}
