package dev.sand.frontend.hosts;

import dev.sand.datalayer.RecordedResults;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.ProcessPlace;
import dev.sand.frontend.hosts.Acceptance.Host;
import dev.sand.globalbus.Membership.Owner;
import dev.sand.hostlink.HostPeer;
import java.util.Objects;

/**
 * One request, kept by its frontend until it cannot be lost any more: sent to the owner of its slot, and again under the same
 * id when that host is gone, the slot is another's, or the host says so. On the links' event loop.
 *
 * <pre>
 * waiting ─ owner reachable ───────────▶ sent ─ accepted, or in the bus ─▶ accepted ─ broken, owner changed ─▶ following
 *    ▲  │                                 │ broken, owner changed, moved, not now             (its record) │
 *    │  └ in the bus ─▶ following         │                                                                │
 *    └────────── after a pause ◀──────────┘                                                                │
 * any ─ end (under no older epoch than known), refused, or deadline ─▶ ended ◀──────── record has its end ─┘
 * </pre>
 * Whether one that is accepted for later goes over the global bus beside that is {@link LaterAcceptance}'s.
 */
final class RoutedRequest implements HostCall.Caller, LaterAcceptance.Kept {
    private enum State { WAITING, SENT, ACCEPTED, FOLLOWING, ENDED }

    private final RemoteHosts hosts;
    private final InvocationListener listener;
    private final long startedNs;
    private final int slot;
    private final LaterAcceptance acceptance;
    private final BackOff backOff;
    private InvocationRequest request;
    private State state = State.WAITING;
    private long waitingSinceNs;
    /** The last sending; null: none yet. */
    private HostCall call;
    /** Whom it was sent to last, under which epoch. */
    private Owner sentTo;
    private FollowedRecord record;
    private boolean pausing;
    private boolean acceptedByHost;

    RoutedRequest(RemoteHosts hosts, InvocationRequest request, InvocationListener listener, int slot, long nowNs) {
        this.hosts = hosts;
        this.request = request;
        this.listener = listener;
        this.slot = slot;
        this.startedNs = nowNs;
        this.waitingSinceNs = nowNs;
        this.backOff = new BackOff(hosts.options());
        this.acceptance = new LaterAcceptance(hosts, this, slot);
    }

    int slot() {
        return slot;
    }

    @Override
    public InvocationRequest request() {
        return request;
    }

    @Override
    public Host host() {
        return switch (state) {
            case WAITING -> Host.UNREACHED;
            case SENT -> Host.SENT;
            case ACCEPTED, FOLLOWING, ENDED -> Host.ACCEPTED;
        };
    }

    // --- to a host

    /** Something may have changed: sends it when it waits and its owner can be reached. */
    void route() {
        if (state != State.WAITING || pausing) {
            return;
        }
        if (hosts.options().busFirst() && RequestAppend.isFor(request)) {
            acceptance.ask();
        } else if (hosts.table().reachable(slot) != null && acceptance.mayBeElsewhere()) {
            sendUnlessEnded();
        } else {
            send();
        }
    }

    /** It may have ended already, and only its answer was lost. */
    private void sendUnlessEnded() {
        pausing = true;
        hosts.lookUp(request, found -> {
            pausing = false;
            if (state == State.WAITING && found != null) {
                end(found);
            } else if (state == State.WAITING) {
                send();
            }
        }, () -> {
            if (state == State.WAITING && Objects.equals(hosts.table().owner(slot), sentTo)) {
                pausing = false;
                send(); // who had it knows how it ended
            } else {
                pauseAndRoute();
            }
        });
    }

    private void send() {
        HostPeer owner = hosts.table().reachable(slot);
        long remainingMs = remainingMs(System.nanoTime());
        if (owner == null || remainingMs <= 0) {
            return; // Stays waiting, or is ended by the next look at deadlines.
        }
        if (call != null) {
            hosts.counts().resent();
        }
        state = State.SENT;
        sentTo = hosts.table().owner(slot);
        call = new HostCall(hosts, slot, this);
        call.begin(owner, request.withTimeoutMs(remainingMs));
    }

    // --- what comes of it

    @Override
    public void onAccepted() {
        acceptedByHost = true;
        if (state == State.SENT) {
            accept();
        }
    }

    @Override
    public void onAnswer(InvocationResult result) {
        if (!RecordedResults.isKnown(result.failure())) {
            acceptance.mayHaveBegun();
        }
        if (RoutingFailures.isNotNow(result) && (hosts.isDraining(slot) || acceptance.isPatient())) {
            again(result.failure().cause());
        } else if (RoutingFailures.isTurnedAway(result) && !acceptedByHost) {
            turnedAway(result);
        } else {
            end(result);
        }
    }

    /** The owner does not take it; the global bus has, or may yet. */
    private void turnedAway(InvocationResult result) {
        if (state == State.SENT) {
            waits();
        }
        if (host() == Host.ACCEPTED || acceptance.mayBeTakenDespite(result)) {
            again(result.failure().cause());
        }
    }

    /** Its process lives in another slot, and it has not begun: whoever asked asks there, under another id. */
    @Override
    public void onElsewhere(InvocationResult result) {
        hosts.routes().heard(request.application(), request.processId(), ProcessPlace.slotOf(result.failure()));
        end(result);
    }

    @Override
    public void onBroken(String why) {
        acceptance.mayHaveBegun();
        again(why);
    }

    /** The slot has another owner, or the same under another epoch: what the last one says counts no more. */
    void onOwnerChanged(Owner owner) {
        acceptance.onOwnerChanged();
        if (state == State.SENT || state == State.ACCEPTED) {
            acceptance.mayHaveBegun();
            again(owner == null ? "slot " + slot + " has no owner" : "slot " + slot + " went to host " + owner.host().host());
        } else {
            route();
        }
    }

    private void again(String why) {
        acceptance.heard(why);
        call.supersede();
        if (host() == Host.ACCEPTED) {
            follow();
            return;
        }
        waits();
        pauseAndRoute();
    }

    private void pauseAndRoute() {
        pausing = true;
        hosts.after(backOff.next(), () -> {
            pausing = false;
            route();
        });
    }

    private void waits() {
        if (state != State.WAITING) {
            waitingSinceNs = System.nanoTime();
        }
        state = State.WAITING;
    }

    /** It cannot be lost any more: what it needed to be sent again is let go. */
    private void accept() {
        request = request.withInput(Payload.nullJson());
        listener.onAccepted();
        state = State.ACCEPTED;
        if (!listener.wantsEnd()) {
            done();
        }
    }

    @Override
    public void inTheBus() {
        hosts.counts().overBus();
        boolean isSent = state == State.SENT;
        accept();
        if (!isSent && state == State.ACCEPTED) {
            follow();
        }
    }

    private long remainingMs(long nowNs) {
        return request.timeoutMs() - (nowNs - startedNs) / 1_000_000;
    }

    /** Looks at the clock; called now and then. */
    void look(long nowNs) {
        if (state == State.ENDED) {
            return;
        }
        long remainingMs = remainingMs(nowNs);
        if (state == State.WAITING && remainingMs <= 0) {
            end(acceptance.unreachable("until its deadline"));
        } else if (remainingMs + hosts.options().grace().toMillis() <= 0) {
            end(RoutingFailures.late(request, acceptance.trouble()));
        } else if (request.durable() && host() != Host.ACCEPTED) {
            acceptance.look(nowNs, nowNs - startedNs, nowNs - waitingSinceNs);
        }
    }

    // --- its record, and its end

    private void follow() {
        if (!listener.wantsEnd()) {
            done();
            return;
        }
        state = State.FOLLOWING;
        record = new FollowedRecord(hosts, request, this::end);
        record.look();
    }

    /** The frontend closes: nobody is left to tell. */
    void abandon() {
        end(RoutingFailures.stopping(request, host() == Host.ACCEPTED));
    }

    @Override
    public void end(InvocationResult result) {
        if (state != State.ENDED) {
            done();
            listener.onEnd(result);
        }
    }

    private void done() {
        state = State.ENDED;
        if (call != null) {
            call.letGo();
        }
        if (record != null) {
            record.close();
        }
        hosts.remove(this);
    }
}
