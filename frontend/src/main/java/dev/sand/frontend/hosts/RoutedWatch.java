package dev.sand.frontend.hosts;

import dev.sand.event.HostAgentPort.ProgressListener;
import dev.sand.event.InvocationResult;
import dev.sand.hostlink.HostPeer;
import java.time.Duration;

/**
 * Follows an execution to wherever its slot is owned. A host that says that it does not run there is believed only when it
 * owns the slot and has owned it for a while: its new owner first has to take it up. On the links' event loop.
 */
final class RoutedWatch {
    private static final Duration TAKEN_UP = Duration.ofSeconds(5);
    private static final Duration AGAIN = Duration.ofMillis(100);

    private final RemoteHosts hosts;
    private final String executionId;
    private final ProgressListener listener;
    private final int slot;
    private Runnable forget = () -> { };
    private long movedNs;
    private boolean moved;
    private boolean watching;
    private boolean ended;

    RoutedWatch(RemoteHosts hosts, String executionId, ProgressListener listener, int slot) {
        this.hosts = hosts;
        this.executionId = executionId;
        this.listener = listener;
        this.slot = slot;
    }

    int slot() {
        return slot;
    }

    void route() {
        HostPeer owner = hosts.table().reachable(slot);
        if (ended || watching || owner == null) {
            return;
        }
        watching = true;
        forget = owner.watch(executionId, new HostPeer.Progress() {
            @Override
            public void onHop(InvocationResult.Hop hop) {
                if (!ended) {
                    listener.onHop(hop);
                }
            }

            @Override
            public void onEnd(long epoch) {
                boolean fresh = moved && System.nanoTime() - movedNs < TAKEN_UP.toNanos();
                if (epoch < hosts.table().epoch(slot) || fresh) {
                    again();
                } else {
                    end();
                }
            }

            @Override
            public void onBroken(String why) {
                onMoved();
            }
        });
        if (ended) {
            forget.run();
        }
    }

    void onMoved() {
        if (!ended) {
            moved = true;
            movedNs = System.nanoTime();
            forget.run();
            again();
        }
    }

    private void again() {
        watching = false;
        hosts.after(AGAIN, this::route);
    }

    private void end() {
        if (!ended) {
            ended = true;
            hosts.remove(this);
            listener.onEnd();
        }
    }

    void close() {
        ended = true;
        hosts.remove(this);
        forget.run();
    }
}
