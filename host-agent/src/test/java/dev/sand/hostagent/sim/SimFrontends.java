package dev.sand.hostagent.sim;

import static dev.sand.hostagent.sim.Dice.MS;

import dev.sand.event.Errors;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.InvocationResult;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.Input;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Frontends of the simulated cluster: each knows owners a little late, keeps its requests, and sends them again. */
final class SimFrontends implements SimMembership.SimMembershipListener {
    private static final long GRACE_NS = 100 * MS;

    /** One request, as its client sees it. */
    static final class Call {
        final int frontend;
        final InvocationRequest request;
        final int slot;
        final long deadlineNs;
        String sentTo;
        long sentEpoch;
        int tries;
        boolean accepted;
        /** Answered: with the result, or for a durable one with a 202. */
        boolean done;
        /** As its client was told that it ended; null: it was not. */
        Status answer;
        /** When a host last took it, however late. */
        long deliveredNs;

        Call(int frontend, InvocationRequest request, int slots, long nowNs) {
            this.frontend = frontend;
            this.request = request;
            this.slot = Slots.of(request.executionId(), slots);
            this.deadlineNs = nowNs + request.timeoutMs() * MS;
        }
    }

    /** One time that it was sent. */
    record Try(Call call, int number) implements InvocationListener {
        @Override
        public void onAccepted() {
            throw new IllegalStateException("the simulated host answers over its link");
        }

        @Override
        public void onEnd(InvocationResult result) {
            throw new IllegalStateException("the simulated host answers over its link");
        }
    }

    private final ClusterSimulation cluster;
    private final Dice dice;
    private final Set<Protocol> protocol;
    private final SimMembership.Claim[][] views;
    private final List<Call> calls = new ArrayList<>();
    private int unanswered;

    SimFrontends(ClusterSimulation cluster, Dice dice, int frontends, int slots) {
        this.cluster = cluster;
        this.dice = dice;
        this.protocol = cluster.protocol();
        this.views = new SimMembership.Claim[frontends][slots];
    }

    boolean allAnswered() {
        return unanswered == 0;
    }

    /** @return what its client has of it */
    Call request(InvocationRequest request) {
        Call call = new Call(dice.below(views.length), request, views[0].length, cluster.nowNs());
        calls.add(call);
        unanswered++;
        cluster.schedule().at(call.deadlineNs + GRACE_NS, () -> answered(call));
        send(call);
        return call;
    }

    /** As its frontend knows; null: nobody is known to be. */
    ClusterHost owner(Call call) {
        SimMembership.Claim owner = views[call.frontend][call.slot];
        return owner == null ? null : cluster.host(owner.host());
    }

    private void answered(Call call) {
        if (!call.done) {
            call.done = true;
            unanswered--;
        }
    }

    private boolean isOver(Call call) {
        return call.done || cluster.nowNs() >= call.deadlineNs;
    }

    private void send(Call call) {
        if (isOver(call)) {
            return;
        }
        InvocationRecord ended = call.tries > 0 ? cluster.store().ended(call.request.executionId()) : null;
        if (ended != null) {
            call.answer = ended.status();
            answered(call);
            return;
        }
        SimMembership.Claim owner = views[call.frontend][call.slot];
        ClusterHost host = owner(call);
        if (call.accepted || host == null || !host.isAlive()) {
            sendLater(call); // it is in the global bus, and its record will say how it ended; or nobody can be asked
            return;
        }
        call.tries++;
        call.sentTo = owner.host();
        call.sentEpoch = owner.epoch();
        InvocationRequest r = call.request;
        long remainingMs = (call.deadlineNs - cluster.nowNs() + MS - 1) / MS;
        String id = call.tries > 1 && !protocol.contains(Protocol.RESENT_UNDER_THE_SAME_ID)
                ? r.executionId() + "again" + call.tries : r.executionId();
        InvocationRequest again = new InvocationRequest(id, r.application(), r.version(), r.target(), r.input(), remainingMs,
                r.durable(), null);
        Try listener = new Try(call, call.tries);
        cluster.checks().sent(r.executionId(), id);
        host.link().in(() -> deliver(host, again, listener));
        if (dice.fault(3)) {
            host.link().in(() -> deliver(host, again, listener));
        }
    }

    private void deliver(ClusterHost host, InvocationRequest request, Try to) {
        to.call().deliveredNs = cluster.nowNs();
        host.on(new Input.Invoke(request, to));
    }

    private void sendLater(Call call) {
        cluster.schedule().after(dice.between(10 * MS, 50 * MS), () -> send(call));
    }

    // --- what is heard

    @Override
    public void onOwner(int slot, SimMembership.Claim claim) {
        for (int i = 0; i < views.length; i++) {
            int frontend = i;
            long lateNs = dice.fault(5) ? dice.between(20 * MS, 400 * MS) : dice.between(MS, 20 * MS);
            cluster.schedule().after(lateNs, () -> {
                SimMembership.Claim known = views[frontend][slot];
                if (known == null || known.epoch() < claim.epoch()) {
                    views[frontend][slot] = claim;
                    again(slot, frontend, claim);
                }
            });
        }
    }

    private void again(int slot, int frontend, SimMembership.Claim claim) {
        for (Call call : calls) {
            if (call.slot == slot && call.frontend == frontend && !call.done && call.tries > 0 && call.sentEpoch < claim.epoch()) {
                sendLater(call);
            }
        }
    }

    /** Connections to it break. */
    void onHostDied(String host) {
        for (Call call : calls) {
            if (!call.done && host.equals(call.sentTo)) {
                sendLater(call);
            }
        }
    }

    private boolean isStale(Call call, int slot, long epoch) {
        SimMembership.Claim known = views[call.frontend][call.slot];
        return slot >= 0 && known != null && epoch < known.epoch() && protocol.contains(Protocol.FRONTEND_FENCES);
    }

    void onAccepted(Try to, int slot, long epoch) {
        Call call = to.call();
        if (call.done || isStale(call, slot, epoch)) {
            return;
        }
        cluster.checks().accepted(call, views[call.frontend][call.slot], epoch);
        call.accepted = true;
        if (call.request.durable()) {
            cluster.store().promised(call.request.executionId());
            answered(call);
        }
    }

    void onEnd(Try to, InvocationResult result, int slot, long epoch) {
        Call call = to.call();
        if (call.done) {
            return;
        }
        boolean moved = result.failure() != null && result.failure().error().equals(Errors.MOVED);
        if (moved || isStale(call, slot, epoch)) {
            sendLater(call);
            return;
        }
        cluster.checks().answered(call, views[call.frontend][call.slot], result, slot, epoch);
        call.answer = result.status();
        answered(call);
    }
}
