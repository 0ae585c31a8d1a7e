package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.Payload;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.workflow.Execution.Published;
import java.util.List;

/**
 * One event of another host's execution, in one attempt: it waits for its application, runs as any event of its grain, and
 * ends with one result for its owner. Whatever goes wrong with this host is told as lost: the next attempt is the owner's to
 * place. Armed as a timer for the deadline.
 *
 * <pre>
 * LOADING → RUNNING  the application is there: its event is in the grain's hands
 * any     → ENDED    answered, or given up by its owner
 * </pre>
 */
final class Guest extends Timed implements EventOwner, Tenant, AttemptLog {
    private enum State { LOADING, RUNNING, ENDED }

    private final CoreContext context;
    private final RemoteEvent remote;
    private final long deadlineNs;
    private State state = State.LOADING;
    private Application application;
    private Event event;
    private Hop hop;

    Guest(CoreContext context, RemoteEvent remote) {
        this.context = context;
        this.remote = remote;
        this.deadlineNs = context.nowNs + remote.remainingMs() * 1_000_000;
    }

    RemoteEvent event() {
        return remote;
    }

    private void become(State next) {
        if (state == State.ENDED || next == State.LOADING || next == state) {
            throw CoreContext.illegal("guest", remote.eventId(), state, next);
        }
        state = next;
    }

    void begin() {
        context.timers.arm(this, deadlineNs);
        AppKey app = remote.app();
        application = context.application(app);
        application.onTenant(this);
    }

    @Override
    public void onApplicationReady() {
        if (state != State.LOADING) {
            return;
        }
        become(State.RUNNING);
        Grain grain = application.grain(remote.grain());
        if (grain == null) {
            end(null, List.of(), Failure.platform(Errors.UNKNOWN_GRAIN, "event " + remote.eventId() + " wants grain "
                    + remote.grain() + ", which application " + remote.app().application() + " does not have", false), false);
            return;
        }
        String step = remote.eventId().substring(remote.executionId().length() + 1);
        event = new Event(this, step, grain, remote.grain(), remote.payload(), Long.MAX_VALUE, remote.attempt());
        grain.submit(event, false);
    }

    @Override
    public void onApplicationMissing(Failure failure) {
        end(null, List.of(), failure, true);
    }

    @Override
    public boolean waitsForRegistry() {
        return false;
    }

    // --- as its event's owner

    @Override
    public String executionId() {
        return remote.executionId();
    }

    @Override
    public String traceparent() {
        return remote.traceparent();
    }

    @Override
    public long deadlineNs() {
        return deadlineNs;
    }

    @Override
    public AttemptLog attemptLog() {
        return this;
    }

    @Override
    public void onEventSucceeded(Event ended, Payload output, List<Published> published) {
        if (state == State.RUNNING) {
            end(output, published, null, false);
        }
    }

    @Override
    public void onEventFailed(Event ended, Failure failure) {
        if (state == State.RUNNING) {
            end(null, List.of(), failure, Guests.isHostsFault(failure));
        }
    }

    @Override
    public boolean onEventLost(Event lost, String cause) {
        lost.end(context);
        end(null, List.of(), Failure.platform(Errors.CRASHED, cause, true), true);
        return false;
    }

    private void end(Payload output, List<Published> published, Failure failure, boolean lost) {
        become(State.ENDED);
        context.timers.disarm(this);
        application.onTenantGone(this);
        context.guests.ended(this, new RemoteResult(remote, context.host, output, published, failure, lost, hop));
    }

    /** Its owner has given this attempt up. */
    void abandon() {
        withdraw(Errors.CANCELLED);
        become(State.ENDED);
        context.timers.disarm(this);
        application.onTenantGone(this);
        context.guests.abandoned(this);
    }

    private void withdraw(String error) {
        if (event != null && !event.isEnded()) {
            event.grain.attempts().withdraw(event, error, true);
        }
    }

    /** Its deadline. */
    @Override
    void onDue() {
        withdraw(Errors.TIMEOUT);
        end(null, List.of(), Failure.platform(Errors.TIMEOUT, "event " + remote.eventId() + " did not end on host " + context.host
                + " within the " + remote.remainingMs() + " ms that it had", true), false);
    }

    // --- as the log of its attempt

    @Override
    public int add(Event ended, String error, long startedNs, long endedNs) {
        hop = new Hop(ended.id, ended.grainName, ended.attempt, error, ended.queuedNs, ended.handedNs, startedNs, endedNs,
                context.nowNs, 0, 0);
        context.attemptEnded(ended, hop, remote.traceparent(), false);
        return -1;
    }

    @Override
    public void expectFigures() {
        // The result does not wait for them.
    }

    @Override
    public void onFigures(int place, long cpuUs, long peakMemoryBytes) {
        // The result has gone.
    }

    @Override
    public void onFiguresLost() {
        // The result has gone.
    }
}
