package dev.sand.frontend.hosts;

import dev.sand.event.InvocationRequest;
import dev.sand.event.RequestRecord;
import dev.sand.frontend.hosts.Acceptance.Append;
import dev.sand.globalbus.BusException;

/**
 * The copy of a request that is accepted for later, on its way into the global bus; asked for once at a time, and again after a
 * pause when the bus did not answer. On the links' event loop.
 */
final class RequestAppend {
    private final RemoteHosts hosts;
    private Append state = Append.NOT_ASKED;
    /** The bus was asked before and did not answer. */
    private boolean mayBeThere;
    private long againNs;
    private BusException failure;

    RequestAppend(RemoteHosts hosts) {
        this.hosts = hosts;
    }

    /**
     * Nobody waits for more than its acceptance, and it fits. What is to be redriven has a record of its end: it would be skipped. What is
     * to run in a cloud process is accepted where that lives, and nowhere else: it may move before its copy is read, and whoever was told
     * so by its host asks in the new slot, where a copy that was left behind would run beside.
     */
    static boolean isFor(InvocationRequest request) {
        return request.durable() && request.redrive() == null && request.process() == null && request.input().size() <= RequestRecord.INPUT_BYTES;
    }

    Append state() {
        return state == Append.REFUSED && mayBeThere ? Append.UNSURE : state;
    }

    /** Whoever is told no more must know that it may run all the same. */
    boolean mayBeThere() {
        return mayBeThere || state == Append.ASKED || state == Append.TAKEN;
    }

    /** Why it is not known to be there; null: nothing went wrong. */
    BusException failure() {
        return failure;
    }

    boolean mayAsk(long nowNs) {
        boolean isOpen = state == Append.NOT_ASKED || state == Append.UNSURE;
        return isOpen && (againNs == 0 || nowNs - againNs >= 0);
    }

    /** @param onOutcome told on the loop when the state is another */
    void ask(InvocationRequest request, int slot, Runnable onOutcome) {
        state = Append.ASKED;
        hosts.append(request, slot, failed -> {
            failure = failed;
            state = failed == null ? Append.TAKEN : switch (failed.kind()) {
                case FULL, TOO_MANY -> Append.REFUSED;
                case UNKNOWN_TOPIC -> mayBeThere ? Append.UNSURE : Append.NOT_ASKED;
                // It may have it all the same, and who owns the slot next begins it.
                case AWAY, TOO_LARGE, CONFLICT, CLOSED, BROKEN -> Append.UNSURE;
            };
            mayBeThere |= state == Append.UNSURE;
            againNs = System.nanoTime() + hosts.options().slowestBackOff().toNanos();
            onOutcome.run();
        });
    }
}
