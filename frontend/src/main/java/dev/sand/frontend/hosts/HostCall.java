package dev.sand.frontend.hosts;

import dev.sand.event.Errors;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.ProcessPlace;
import dev.sand.hostlink.HostPeer;

/** One sending of a request to the owner of its slot: what comes of it is passed on until it is let go. On the links' event loop. */
final class HostCall implements HostPeer.Answers {
    interface Caller {
        /** Under no older epoch than is known of the slot. */
        void onAccepted();

        /** Its end, or why there is none; under no older epoch either. */
        void onAnswer(InvocationResult result);

        /** The process that it is to run in lives in another slot, which the failure names: it has not begun. */
        void onElsewhere(InvocationResult result);

        /** Nothing that counts came of it, and it may have begun: its connection broke, or the slot is another's. */
        void onBroken(String why);
    }

    private final RemoteHosts hosts;
    private final int slot;
    private final Caller caller;
    private Runnable forget = () -> { };
    private boolean answered;
    private boolean letGo;
    private boolean superseded;

    HostCall(RemoteHosts hosts, int slot, Caller caller) {
        this.hosts = hosts;
        this.slot = slot;
        this.caller = caller;
    }

    void begin(HostPeer owner, InvocationRequest request) {
        Runnable running = owner.invoke(request, this);
        if (letGo && !answered) {
            running.run();
        } else {
            forget = running;
        }
    }

    /** The request is to be sent elsewhere, or again: what comes of this sending counts no more. */
    void supersede() {
        superseded = true;
        letGo();
    }

    /** Nobody wants to hear more of it; the execution goes on. */
    void letGo() {
        if (!letGo && !answered) {
            forget.run();
        }
        letGo = true;
    }

    private boolean counts(long epoch) {
        if (epoch < hosts.table().epoch(slot)) {
            hosts.counts().refused();
            return false;
        }
        hosts.table().heard(slot, epoch);
        return true;
    }

    @Override
    public void onAccepted(int ofSlot, long epoch) {
        if (!letGo && counts(epoch)) {
            caller.onAccepted();
        }
    }

    @Override
    public void onEnd(int ofSlot, long epoch, InvocationResult result) {
        answered = true;
        if (superseded) {
            hosts.counts().refused();
        } else if (!letGo) {
            onAnswer(epoch, result);
        }
    }

    private void onAnswer(long epoch, InvocationResult result) {
        if (ProcessPlace.slotOf(result.failure()) >= 0) {
            caller.onElsewhere(result);
        } else if (result.failure() != null && result.failure().error().equals(Errors.MOVED)) {
            caller.onBroken(result.failure().cause());
        } else if (counts(epoch)) {
            caller.onAnswer(result);
        } else {
            caller.onBroken("the answer came from a host that does not own slot " + slot + " any more");
        }
    }

    @Override
    public void onBroken(String why) {
        answered = true;
        if (!letGo) {
            caller.onBroken(why);
        }
    }
}
