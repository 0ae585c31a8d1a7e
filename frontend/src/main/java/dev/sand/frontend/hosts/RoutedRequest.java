package dev.sand.frontend.hosts;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.RequestRecord;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.Membership.Owner;
import dev.sand.hostlink.HostPeer;
import java.time.Duration;

/**
 * One request, kept by its frontend until it cannot be lost any more: sent to the owner of its slot, and again under the same
 * id when that host is gone, the slot is another's, or the host says so. On the links' event loop.
 *
 * <pre>
 * waiting ─ owner reachable ───────────▶ sent ─ accepted ─▶ accepted ─ broken, owner changed ─▶ following (its record)
 *    ▲  │                                 │ broken, owner changed, moved                            │
 *    │  └ durable, no owner for a while ──┼─▶ appending ─ in the global bus ─▶ following            │
 *    └────────── after a pause ◀──────────┘      └ failed: waiting                                  │
 * any ─ end (under no older epoch than known) or deadline ─▶ ended ◀────────── record has its end ──┘
 * </pre>
 */
final class RoutedRequest {
    private enum State { WAITING, SENT, ACCEPTED, APPENDING, FOLLOWING, ENDED }

    private final RemoteHosts hosts;
    private final InvocationListener listener;
    private final long startedNs;
    private final int slot;
    private InvocationRequest request;
    private State state = State.WAITING;
    private int attempt;
    /** Some host has it, or the global bus may: whoever hears that it failed must know that it may have run. */
    private boolean mayBeElsewhere;
    /**
     * A host had it, or the bus was asked to take it, and did not say what became of it: a refusal that comes later is not the
     * whole truth.
     */
    private boolean unanswered;
    private long backOffNs;
    private long refusedNs;
    private boolean pausing;
    private boolean accepted;
    private String trouble;
    private Runnable forget = () -> { };

    RoutedRequest(RemoteHosts hosts, InvocationRequest request, InvocationListener listener, int slot, long nowNs) {
        this.hosts = hosts;
        this.request = request;
        this.listener = listener;
        this.slot = slot;
        this.startedNs = nowNs;
        this.backOffNs = hosts.options().backOff().toNanos();
    }

    int slot() {
        return slot;
    }

    private long remainingMs(long nowNs) {
        return request.timeoutMs() - (nowNs - startedNs) / 1_000_000;
    }

    /** Something may have changed: sends it when it waits and its owner can be reached. */
    void route() {
        if (state != State.WAITING || pausing) {
            return;
        }
        if (hosts.options().busFirst() && goesOverBus()) {
            append();
            return;
        }
        HostPeer owner = hosts.table().reachable(slot);
        if (owner == null) {
            return;
        }
        if (mayBeElsewhere) {
            // It may have ended already, and only its answer was lost.
            pausing = true;
            hosts.lookUp(request, found -> {
                pausing = false;
                if (state != State.WAITING) {
                    return;
                }
                if (found != null) {
                    end(found);
                } else {
                    send();
                }
            });
            return;
        }
        send();
    }

    private void send() {
        HostPeer owner = hosts.table().reachable(slot);
        long remainingMs = remainingMs(System.nanoTime());
        if (owner == null || remainingMs <= 0) {
            return; // Stays waiting, or is ended by the next look at deadlines.
        }
        state = State.SENT;
        mayBeElsewhere = true;
        int mine = ++attempt;
        if (mine > 1) {
            hosts.counts().resent();
        }
        InvocationRequest again = request.withTimeoutMs(remainingMs);
        forget = owner.invoke(again, new HostPeer.Answers() {
            @Override
            public void onAccepted(int ofSlot, long epoch) {
                if (mine == attempt && state == State.SENT && counts(epoch)) {
                    accept();
                }
            }

            @Override
            public void onEnd(int ofSlot, long epoch, InvocationResult result) {
                if (mine != attempt) {
                    hosts.counts().refused(); // it was sent elsewhere meanwhile
                } else if (state == State.SENT || state == State.ACCEPTED) {
                    answered(epoch, result);
                }
            }

            @Override
            public void onBroken(String why) {
                if (mine == attempt && (state == State.SENT || state == State.ACCEPTED)) {
                    unanswered = true;
                    again(why);
                }
            }
        });
        if (state == State.ENDED) {
            forget.run();
        }
    }

    /** A host that cannot take it at this moment, and has not begun: it may be about to stop, or to be back. */
    private boolean isPatient() {
        long nowNs = System.nanoTime();
        refusedNs = refusedNs == 0 ? nowNs : refusedNs;
        return nowNs - refusedNs < hosts.options().patience().toNanos();
    }

    private boolean counts(long epoch) {
        if (epoch < hosts.table().epoch(slot)) {
            hosts.counts().refused();
            return false;
        }
        hosts.table().heard(slot, epoch);
        return true;
    }

    private void answered(long epoch, InvocationResult result) {
        Failure failure = result.failure();
        unanswered |= failure != null && !RecordedResults.isKnown(failure);
        if (failure != null && failure.error().equals(Errors.MOVED)) {
            unanswered = true; // it may have begun there
            again(failure.cause());
        } else if (!counts(epoch)) {
            unanswered = true;
            again("the answer came from a host that does not own slot " + slot + " any more");
        } else if (RoutingFailures.isNotNow(result) && (hosts.isDraining(slot) || isPatient())) {
            again(failure.cause());
        } else if (unanswered && RoutingFailures.isRefusal(result)) {
            end(failed(Failure.mayHaveRun(failure.error(), failure.cause())));
        } else {
            end(result);
        }
    }

    /** It cannot be lost any more: what it needed to be sent again is let go. */
    private void accept() {
        if (!accepted) {
            accepted = true;
            request = request.withInput(Payload.nullJson());
            listener.onAccepted();
        }
        if (state == State.SENT) {
            state = State.ACCEPTED;
        }
        if (!listener.wantsEnd()) {
            forget.run();
            done();
        }
    }

    private void again(String why) {
        trouble = why;
        forget.run();
        forget = () -> { };
        attempt++;
        if (accepted) {
            follow();
            return;
        }
        state = State.WAITING;
        pause();
    }

    private void pause() {
        pausing = true;
        hosts.after(Duration.ofNanos(backOffNs), () -> {
            pausing = false;
            route();
        });
        backOffNs = Math.min(backOffNs * 2, hosts.options().slowestBackOff().toNanos());
    }

    /** The slot has another owner, or the same under another epoch: what the last one says counts no more. */
    void onOwnerChanged(Owner owner) {
        if (state == State.SENT || state == State.ACCEPTED) {
            unanswered = true;
            again(owner == null ? "slot " + slot + " has no owner" : "slot " + slot + " went to host " + owner.host().host());
        } else {
            route();
        }
    }

    /** Looks at the clock; called now and then. */
    void look(long nowNs) {
        if (state == State.ENDED) {
            return;
        }
        long remainingMs = remainingMs(nowNs);
        long waitedNs = nowNs - startedNs;
        boolean untaken = state == State.WAITING || state == State.APPENDING;
        if (untaken && remainingMs <= 0) {
            end(unreachable("until its deadline"));
        } else if (untaken && request.durable() && waitedNs > hosts.options().accept().toNanos()) {
            end(unreachable("within " + hosts.options().accept().toMillis() + " ms"));
        } else if (remainingMs + hosts.options().grace().toMillis() <= 0) {
            forget.run();
            end(RoutingFailures.late(request, trouble));
        } else if (state == State.WAITING && goesOverBus() && waitedNs > hosts.options().overBus().toNanos()
                && hosts.table().reachable(slot) == null) {
            append();
        }
    }

    /** Nobody waits for more than its acceptance, and it fits. What is to be redriven has a record of its end: it would be skipped. */
    private boolean goesOverBus() {
        return request.durable() && request.redrive() == null && request.input().size() <= RequestRecord.INPUT_BYTES;
    }

    private void append() {
        state = State.APPENDING;
        hosts.append(request, slot, failure -> {
            if (state != State.APPENDING) {
                return;
            }
            boolean tooMany = failure != null && failure.kind() == BusException.Kind.TOO_MANY;
            if (tooMany || failure != null && failure.kind() == BusException.Kind.FULL) {
                end(failed(refusal(tooMany ? Errors.OVERLOADED : Errors.UNAVAILABLE, failure.getMessage())));
                return;
            }
            if (failure != null) {
                // A bus that does not answer may have it all the same, and who owns the slot next begins it.
                mayBeElsewhere |= failure.kind() != BusException.Kind.UNKNOWN_TOPIC;
                unanswered |= failure.kind() != BusException.Kind.UNKNOWN_TOPIC;
                trouble = "the global bus does not take it either: " + failure.getMessage();
                state = State.WAITING;
                pause();
                return;
            }
            hosts.counts().overBus();
            state = State.FOLLOWING;
            accept();
            if (state == State.FOLLOWING) {
                lookForEnd();
            }
        });
    }

    private void follow() {
        if (!listener.wantsEnd()) {
            done();
            return;
        }
        state = State.FOLLOWING;
        lookForEnd();
    }

    private void lookForEnd() {
        hosts.lookUp(request, found -> {
            if (state != State.FOLLOWING) {
                return;
            }
            if (found != null) {
                end(found);
                return;
            }
            hosts.after(Duration.ofNanos(backOffNs), () -> {
                if (state == State.FOLLOWING) {
                    lookForEnd();
                }
            });
            backOffNs = Math.min(backOffNs * 2, hosts.options().slowestBackOff().toNanos());
        });
    }

    private InvocationResult unreachable(String until) {
        mayBeElsewhere |= state == State.APPENDING;
        return failed(refusal(Errors.UNAVAILABLE, RoutingFailures.unreachable(request, slot, hosts.table().owner(slot),
                until, trouble)));
    }

    private Failure refusal(String error, String cause) {
        return mayBeElsewhere ? Failure.mayHaveRun(error, cause) : Failure.platform(error, cause, true);
    }

    private InvocationResult failed(Failure failure) {
        return RoutingFailures.of(request, failure);
    }

    /** The frontend closes: nobody is left to tell. */
    void abandon() {
        end(RoutingFailures.stopping(request, accepted));
    }

    private void end(InvocationResult result) {
        if (state != State.ENDED) {
            done();
            listener.onEnd(result);
        }
    }

    private void done() {
        state = State.ENDED;
        hosts.remove(this);
    }
}
