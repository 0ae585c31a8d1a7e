package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.Placement;
import dev.sand.globalbus.Membership.HostCard;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Puts the events of executions here where they are to run: into their grain's queue, or into another host's hands; and takes
 * back what comes from there. Where, is {@link PlacementPolicy}'s; what another host does with an event, {@link Guests}'.
 *
 * <p>A host that is lost is not noticed here: whoever owns its slots then runs what was sent there. So an event is waited for
 * until its deadline.
 */
final class Placing {
    private static final int LONGEST_PAUSE = 5;
    private final CoreContext context;
    private final PlacementPolicy policy;
    private final Set<Event> unplaced = new LinkedHashSet<>();
    private int away;

    Placing(CoreContext context) {
        this.context = context;
        this.policy = new PlacementPolicy(context.host, context.configuration.processors());
    }

    boolean mayRunHere(Grain grain) {
        return policy.mayRunHere(grain.placement());
    }

    int unplacedCount() {
        return unplaced.size();
    }

    int awayCount() {
        return away;
    }

    /** A new event. @param execution may have kept a place for it in the queue here */
    void submit(Event event, RunningExecution execution) {
        if (isUnknown(event)) {
            return;
        }
        boolean reserved = execution.admission().takeReservation(event.grain);
        if (staysHere(event)) {
            event.grain.submit(event, reserved);
            return;
        }
        if (reserved) {
            event.grain.queue().release(event.bytes());
        }
        place(event, false);
    }

    /** One that was accepted before: it is not refused for want of room. */
    void readmit(Event event) {
        if (isUnknown(event)) {
            return;
        }
        if (event.owner.process() != null) {
            event.grain.readmit(event);
        } else {
            place(event, true);
        }
    }

    private boolean isUnknown(Event event) {
        if (event.grain != null) {
            return false;
        }
        event.end(context);
        event.owner.onEventFailed(event, Failure.platform(Errors.UNKNOWN_GRAIN, "step " + event.step + " wants grain "
                + event.grainName + ", which the application does not have", false));
        return true;
    }

    /** Of nearly all events, told by two reads. */
    private boolean staysHere(Event event) {
        return policy.keepsAll() && event.grain.placement() == Placement.ANYWHERE || event.owner.process() != null;
    }

    private void place(Event event, boolean accepted) {
        String host = policy.choose(event.grain.placement());
        boolean full = away >= context.configuration.maxAway();
        boolean hereInstead = full && mayRunHere(event.grain);
        if (host == null || full && !hereInstead && !host.equals(PlacementPolicy.HERE)) {
            park(event);
        } else if (host.equals(PlacementPolicy.HERE) || host.equals(context.host) || hereInstead) {
            if (accepted) {
                event.grain.readmit(event);
            } else {
                event.grain.submit(event, false);
            }
        } else {
            send(event, host);
        }
    }

    private void park(Event event) {
        context.counters.unplaced++;
        event.unplaced(context);
        unplaced.add(event);
    }

    private void send(Event event, String host) {
        RunningExecution execution = ((Steps) event.owner).execution();
        event.away(host, context);
        away++;
        policy.began(host, context.nowNs);
        context.counters.sentAway++;
        long deadlineNs = Math.min(event.stepDeadlineNs, execution.deadlineNs());
        long remainingMs = Math.max(1, (deadlineNs - context.nowNs + 999_999) / 1_000_000);
        context.emit(new Action.SendAway(host, new RemoteEvent(event.grain.application().key(), execution.id(), event.id,
                event.grainName, event.attempt, remainingMs, event.payload, event.owner.traceparent(), execution.slot(),
                execution.epoch())));
    }

    /** It is not away, and does not wait for a host (any more). */
    void forget(Event event) {
        if (event.isAway()) {
            away--;
            policy.ended(event.host, context.nowNs);
        } else if (event.state() == Event.State.UNPLACED) {
            unplaced.remove(event);
        }
    }

    /** An event of our own or of another host has come into a queue here, or has left this host. */
    void inProgressHere(boolean begins) {
        if (begins) {
            policy.began(PlacementPolicy.HERE, context.nowNs);
        } else {
            policy.ended(PlacementPolicy.HERE, context.nowNs);
        }
    }

    Failure nowhere(Event event) {
        return Failure.platform(Errors.UNAVAILABLE, whyNowhere(event), true);
    }

    String whyNowhere(Event event) {
        return Refusals.nowhere(event, event.grain.placement(), policy.inWords());
    }

    void onHosts(List<HostCard> hosts) {
        policy.onHosts(hosts, context.nowNs);
        for (Event event : new ArrayList<>(unplaced)) {
            placeAgain(event);
        }
    }

    private void placeAgain(Event event) {
        if (unplaced.remove(event)) {
            context.timers.disarm(event);
            place(event, true);
        }
    }

    // --- what comes back

    void onSentAway(Input.SentAway sent) {
        Event event = away(sent.executionId(), sent.eventId(), sent.attempt(), sent);
        if (event != null && sent.failure() == null) {
            event.placed();
        } else if (event != null) {
            context.counters.sendFailures++;
            forget(event);
            event.nextAttempt(context); // it may be there all the same
            if (mayRunHere(event.grain)) {
                event.grain.readmit(event);
            } else {
                park(event);
                context.later(() -> placeAgain(event));
            }
        }
    }

    void onReturned(Input.Returned returned) {
        RemoteResult result = returned.result();
        Event event = away(result.event().executionId(), result.event().eventId(), result.event().attempt(), returned);
        if (event == null) {
            return;
        }
        RunningExecution execution = ((Steps) event.owner).execution();
        if (result.event().epoch() != execution.epoch() && context.has(Rule.STALE_RETURN_DROPPED)) {
            context.drop("event " + event.id + " was sent under another epoch than " + execution.epoch(), returned);
            return;
        }
        context.counters.cameBack++;
        forget(event);
        Failure failure = result.failure() != null || result.lost() ? result.failure()
                : Refusals.ofResult(event, result.output(), result.published(), event.grain.application());
        log(event, result, result.lost() ? Errors.CRASHED : failure == null ? null : failure.error());
        if (result.lost()) {
            onLost(event, result);
            return;
        }
        event.end(context);
        if (failure == null) {
            event.owner.onEventSucceeded(event, result.output(), result.published());
        } else {
            event.owner.onEventFailed(event, failure);
        }
    }

    private void onLost(Event event, RemoteResult result) {
        context.counters.lost++;
        String cause = "host " + result.host() + ": " + (result.failure() == null ? "lost" : result.failure().cause());
        if (!event.owner.onEventLost(event, cause)) {
            return;
        }
        context.counters.reruns++;
        event.nextAttempt(context);
        if (!context.has(Rule.RESUMED_BEFORE_RERUN)) {
            placeLost(event);
            return;
        }
        event.waiting(context);
        ((Steps) event.owner).execution().backups().resumed(Map.of(event.step, event.losses() + 1),
                () -> context.later(policy.mayStay(event.grain.placement()) ? 0 : pauseNs(event), () -> {
                    if (event.state() == Event.State.UNPLACED) {
                        context.timers.disarm(event);
                        placeLost(event);
                    }
                }));
    }

    /** While hosts come and go, slots do, and what waits in their queues is lost with each: here it has the fate of its execution. */
    private void placeLost(Event event) {
        if (policy.mayStay(event.grain.placement())) {
            event.grain.readmit(event);
        } else {
            place(event, true);
        }
    }

    private long pauseNs(Event event) {
        return Math.min(2L * event.losses() - 1, LONGEST_PAUSE) * context.configuration.retryNs();
    }

    /** Times of another host's clock are moved to where the event was sent by ours: their differences are what counts. */
    private void log(Event event, RemoteResult result, String error) {
        Hop hop = result.hop();
        Story story = (Story) event.owner.attemptLog();
        if (hop == null) {
            story.add(event, error, 0, 0);
            return;
        }
        long shiftNs = event.queuedNs - hop.queuedNs();
        story.add(new Hop(event.id, event.grainName, event.attempt, error, event.queuedNs, shifted(hop.handedNs(), shiftNs),
                shifted(hop.startedNs(), shiftNs), shifted(hop.endedNs(), shiftNs), context.nowNs, hop.cpuUs(), hop.peakMemoryBytes()));
    }

    private static long shifted(long readingNs, long shiftNs) {
        return readingNs == 0 ? 0 : readingNs + shiftNs;
    }

    /** The event that is away in that attempt, or null: the input was dropped. */
    private Event away(String executionId, String eventId, int attempt, Input input) {
        RunningExecution execution = context.executions.get(executionId);
        Event event = execution == null ? null : context.executions.openEvent(eventId);
        if (event != null && event.isAway() && (event.attempt == attempt || !context.has(Rule.STALE_RETURN_DROPPED))) {
            return event;
        }
        context.drop("attempt " + attempt + " of " + eventId + " is not away", input);
        return null;
    }
}
