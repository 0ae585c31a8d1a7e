package dev.sand.frontend.hosts;

import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import java.util.function.Consumer;

/** The record of a request that was accepted and that no host is asked for any more: looked at until it has its end. */
final class FollowedRecord {
    private final RemoteHosts hosts;
    private final InvocationRequest request;
    private final BackOff backOff;
    private final Consumer<InvocationResult> onEnd;
    private boolean closed;

    FollowedRecord(RemoteHosts hosts, InvocationRequest request, Consumer<InvocationResult> onEnd) {
        this.hosts = hosts;
        this.request = request;
        this.backOff = new BackOff(hosts.options());
        this.onEnd = onEnd;
    }

    void look() {
        if (closed) {
            return;
        }
        hosts.lookUp(request, found -> {
            if (!closed && found != null) {
                onEnd.accept(found);
            } else {
                again();
            }
        }, this::again);
    }

    private void again() {
        if (!closed) {
            hosts.after(backOff.next(), this::look);
        }
    }

    void close() {
        closed = true;
    }
}
