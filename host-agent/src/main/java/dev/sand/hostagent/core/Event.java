package dev.sand.hostagent.core;

import dev.sand.event.Payload;
import dev.sand.localbus.GrainQueue;
import dev.sand.workflow.Execution.Published;
import java.util.ArrayList;
import java.util.List;

/**
 * One event message of an execution, from the step that made it to the end of its last attempt (SAND 3.2, 4.1).
 *
 * <pre>
 * HELD    → QUEUED   the replay of the journal is over and the step is still open
 * HELD    → ENDED    the replay closed the step
 * QUEUED  → RUNNING  handed over to an instance
 * RUNNING → QUEUED   its attempt was lost with its worker or sandbox: the next attempt, last in the queue
 * QUEUED, RUNNING → ENDED  finished, failed, timed out, abandoned
 * </pre>
 * Armed as a timer while it has a deadline that comes before its execution's.
 */
final class Event extends Timed implements GrainQueue.Entry {
    enum State { HELD, QUEUED, RUNNING, ENDED }

    final RunningExecution execution;
    final String step;
    final String id;
    /** Null when the version has no grain of that name: it fails when it is submitted. */
    final Grain grain;
    final String grainName;
    final Payload payload;
    /** By the workflow's limit for the step, queueing included. */
    final long stepDeadlineNs;
    int attempt = 1;
    Instance instance;
    long queuedNs;
    long handedNs;
    private State state = State.HELD;
    private List<Published> published = List.of();

    Event(RunningExecution execution, String step, Grain grain, String grainName, Payload payload, long stepDeadlineNs) {
        this.execution = execution;
        this.step = step;
        this.id = execution.id() + "/" + step;
        this.grain = grain;
        this.grainName = grainName;
        this.payload = payload;
        this.stepDeadlineNs = stepDeadlineNs;
    }

    State state() {
        return state;
    }

    boolean isRunning() {
        return state == State.RUNNING;
    }

    boolean isEnded() {
        return state == State.ENDED;
    }

    private void become(State next) {
        boolean legal = switch (state) {
            case HELD -> next != State.HELD;
            case QUEUED -> next == State.RUNNING || next == State.ENDED;
            case RUNNING -> next == State.QUEUED || next == State.ENDED;
            case ENDED -> false;
        };
        if (!legal) {
            throw CoreContext.illegal("event", id, state, next);
        }
        state = next;
    }

    /** In the queue, or on its way straight through it. */
    void queued(CoreContext context) {
        become(State.QUEUED);
        queuedNs = context.nowNs;
        handedNs = 0;
        instance = null;
        if (stepDeadlineNs < execution.deadlineNs()) {
            context.timers.arm(this, stepDeadlineNs);
        }
    }

    /** @return until when this attempt may run */
    long handedTo(Instance next, CoreContext context) {
        become(State.RUNNING);
        instance = next;
        handedNs = context.nowNs;
        long deadlineNs = Math.min(stepDeadlineNs, context.nowNs + grain.spec().timeoutMs() * 1_000_000);
        if (deadlineNs < execution.deadlineNs()) {
            context.timers.arm(this, deadlineNs);
            return deadlineNs;
        }
        return execution.deadlineNs();
    }

    /** The attempt is lost; the next one begins with nothing of it. */
    void nextAttempt(CoreContext context) {
        context.timers.disarm(this);
        attempt++;
        if (context.has(Rule.PUBLISH_ON_FINISH_ONLY)) {
            published = List.of();
        }
    }

    void end(CoreContext context) {
        become(State.ENDED);
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
        grain.attempts().onDeadline(this);
    }

    @Override
    public String toString() {
        return id + " attempt " + attempt + " " + state;
    }
}
