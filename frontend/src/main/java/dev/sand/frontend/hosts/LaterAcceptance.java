package dev.sand.frontend.hosts;

import dev.sand.event.Errors;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.frontend.hosts.Acceptance.Host;
import dev.sand.frontend.hosts.Acceptance.Verdict;
import dev.sand.globalbus.BusException;

/**
 * How a {@link RoutedRequest} that is accepted for later comes to be accepted, or refused: it goes over the global bus too when no
 * host has taken it for a while ({@link RequestAppend}), and {@link Acceptance} says what both together mean. On the links' loop.
 */
final class LaterAcceptance {
    /** The request that this is about. */
    interface Kept {
        InvocationRequest request();

        /** Where it stands there; REFUSED is known here. */
        Host host();

        void inTheBus();

        void end(InvocationResult result);
    }

    private final RemoteHosts hosts;
    private final RequestAppend append;
    private final Kept kept;
    private final int slot;
    /** What was heard last, or null. */
    private String heard;
    private long refusedNs;
    /** A host had it and did not say what became of it: a refusal that comes later is not the whole truth. */
    private boolean mayHaveBegun;
    /** What the slot's owner says, as long as the global bus may still take it; or null. */
    private InvocationResult refusal;

    LaterAcceptance(RemoteHosts hosts, Kept kept, int slot) {
        this.hosts = hosts;
        this.kept = kept;
        this.slot = slot;
        this.append = new RequestAppend(hosts);
    }

    void mayHaveBegun() {
        mayHaveBegun = true;
    }

    boolean mayBeElsewhere() {
        return mayHaveBegun || append.mayBeThere();
    }

    /** A host that cannot take it at this moment, and has not begun: it may be about to stop, or to be back. */
    boolean isPatient() {
        long nowNs = System.nanoTime();
        refusedNs = refusedNs == 0 ? nowNs : refusedNs;
        return nowNs - refusedNs < hosts.options().patience().toNanos();
    }

    void heard(String why) {
        heard = why;
    }

    /** What the last owner said is not the word of this one. */
    void onOwnerChanged() {
        refusal = null;
    }

    /** The owner does not take it. @return whether it may be taken all the same: it is to be asked again; else it has ended */
    boolean mayBeTakenDespite(InvocationResult result) {
        refusal = result;
        boolean waits = verdict(false) == Verdict.WAIT;
        decide(false);
        return waits;
    }

    /** Over the global bus, now. */
    void ask() {
        if (append.mayAsk(System.nanoTime())) {
            append.ask(kept.request(), slot, this::onAppend);
        }
    }

    private void onAppend() {
        if (kept.host() != Host.ACCEPTED) {
            decide(false);
        }
    }

    /** Of one that nobody has accepted for so long. @param unreachedNs since when no host has it, when none has */
    void look(long nowNs, long waitedNs, long unreachedNs) {
        RoutingOptions options = hosts.options();
        boolean isWaiting = kept.host() != Host.SENT;
        boolean overBus = RequestAppend.isFor(kept.request());
        boolean unreached = isWaiting && (options.busFirst() || hosts.table().reachable(slot) == null);
        long unacceptedNs = (unreached ? options.overBus() : options.unaccepted()).toNanos();
        // What one host alone can take is not given up because that had it for long.
        if ((overBus ? waitedNs : unreachedNs) > options.accept().toNanos() && (overBus || isWaiting)) {
            decide(true);
        } else if (overBus && waitedNs > unacceptedNs && append.mayAsk(nowNs)) {
            ask();
        }
    }

    private Verdict verdict(boolean timeIsUp) {
        Host host = refusal != null && kept.host() == Host.UNREACHED ? Host.REFUSED : kept.host();
        return Acceptance.of(host, append.state(), mayHaveBegun, timeIsUp);
    }

    private void decide(boolean timeIsUp) {
        switch (verdict(timeIsUp)) {
            case ACCEPTED -> kept.inTheBus();
            case REFUSED -> kept.end(untaken(false));
            case UNSURE -> kept.end(untaken(true));
            case WAIT -> { }
        }
    }

    /** As the owner said it, else the bus, else by how long neither did. */
    private InvocationResult untaken(boolean unsure) {
        InvocationRequest request = kept.request();
        BusException failure = append.failure();
        long waitedMs = hosts.options().accept().toMillis();
        if (kept.host() == Host.SENT) {
            return RoutingFailures.untaken(request, Errors.UNAVAILABLE, RoutingFailures.silent(request, slot, hosts.table().owner(slot),
                    waitedMs, trouble()), true);
        } else if (refusal != null) {
            return RoutingFailures.turnedAway(request, refusal, unsure);
        } else if (failure != null && failure.kind() == BusException.Kind.TOO_MANY) {
            return RoutingFailures.untaken(request, Errors.OVERLOADED, failure.getMessage(), unsure);
        } else if (failure != null && failure.kind() == BusException.Kind.FULL) {
            return RoutingFailures.untaken(request, Errors.UNAVAILABLE, failure.getMessage(), unsure);
        }
        return unreachable("within " + waitedMs + " ms");
    }

    InvocationResult unreachable(String until) {
        return RoutingFailures.untaken(kept.request(), Errors.UNAVAILABLE, RoutingFailures.unreachable(kept.request(), slot,
                hosts.table().owner(slot), until, trouble()), mayBeElsewhere());
    }

    /** For whoever asks why. */
    String trouble() {
        BusException failure = append.failure();
        return failure == null ? heard : "the global bus does not take it either: " + failure.getMessage();
    }
}
