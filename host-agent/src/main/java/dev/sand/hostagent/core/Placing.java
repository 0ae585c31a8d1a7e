package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Placement;
import dev.sand.globalbus.Membership.HostCard;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Puts the events of executions here where they are to run: into their grain's queue, or into another host's hands ({@link
 * Sending}), from where they come back ({@link Returning}). Where, is {@link PlacementPolicy}'s; what another host does with an
 * event, {@link Guests}'.
 *
 * <p>A host that is lost is not noticed here: whoever owns its slots then runs what was sent there. So an event that the
 * global bus has is waited for until its deadline.
 */
final class Placing {
    private final CoreContext context;
    private final PlacementPolicy policy;
    private final Sending sending;
    private final Returning returning;
    private final Set<Event> unplaced = new LinkedHashSet<>();
    /** When other hosts' words last came, which they do once a second over the global bus. */
    private long heardNs;

    Placing(CoreContext context) {
        this.context = context;
        this.policy = new PlacementPolicy(context.host, context.configuration.processors());
        this.sending = new Sending(context, this, policy);
        this.returning = new Returning(context, this, sending);
    }

    Sending sending() {
        return sending;
    }

    Returning returning() {
        return returning;
    }

    boolean mayRunHere(Grain grain) {
        return policy.mayRunHere(grain.placement());
    }

    /** Whether it may run here, and this host stays. */
    boolean mayStay(Grain grain) {
        return policy.mayStay(grain.placement());
    }

    int unplacedCount() {
        return unplaced.size();
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
        boolean here = host != null && (host.equals(PlacementPolicy.HERE) || host.equals(context.host));
        if (here || host != null && mayRunHere(event.grain) && !sending.takesOne()) {
            if (accepted) {
                event.grain.readmit(event);
            } else {
                event.grain.submit(event, false);
            }
        } else if (host == null || sending.isFull()) {
            park(event);
        } else {
            sending.send(event, host);
        }
    }

    /** While hosts come and go, slots do, and what waits in their queues is lost with each: here it has the fate of its execution. */
    void placeLost(Event event) {
        if (mayStay(event.grain)) {
            event.grain.readmit(event);
        } else {
            place(event, true);
        }
    }

    private void park(Event event) {
        context.counters.unplaced++;
        event.unplaced(context);
        unplaced.add(event);
    }

    /** It could not be sent. @param silence why the global bus takes nothing, which it waits out; or null: another host may be found */
    void tryLater(Event event, String silence) {
        if (silence == null) {
            park(event);
        } else {
            context.counters.unplaced++;
            event.unsent(silence, context);
            unplaced.add(event);
        }
        context.later(() -> placeAgain(event));
    }

    /** It is not away, and does not wait for a host (any more). */
    void forget(Event event) {
        if (event.isAway()) {
            sending.forget(event);
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

    long heardNs() {
        return heardNs;
    }

    Failure nowhere(Event event) {
        return Failure.platform(Errors.UNAVAILABLE, whyNowhere(event), true);
    }

    String whyNowhere(Event event) {
        return Refusals.nowhere(event, event.grain.placement(), policy.inWords());
    }

    void onHosts(List<HostCard> hosts) {
        heardNs = context.nowNs;
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
}
