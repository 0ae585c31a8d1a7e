package dev.sand.frontend.hosts;

import dev.sand.event.HostAgentPort.HostPlace;
import dev.sand.event.HostAgentPort.HostStatus;
import dev.sand.event.QueuedEvents;
import dev.sand.event.RecentEnds;
import dev.sand.frontend.hosts.HostTable.Known;
import dev.sand.hostlink.HostLink;
import dev.sand.hostlink.HostPeer;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** What a host says of itself, or why it says nothing. */
final class Statuses {
    private Statuses() {}

    /** @param question what it is asked, of all its sandboxes or of some */
    static CompletableFuture<HostStatus> of(Known host, List<Integer> slots, Function<HostPeer, CompletableFuture<HostStatus>> question) {
        String id = host.card().host();
        HostPlace place = new HostPlace(host.card().address(), new TreeSet<>(host.card().labels()), host.card().busy(),
                slots);
        if (!host.peer().isUp() && host.peer() instanceof HostLink link) {
            return CompletableFuture.completedFuture(silent(host, place, link.trouble()));
        }
        return question.apply(host.peer()).handle((status, thrown) -> thrown != null ? silent(host, place, thrown.getMessage())
                : new HostStatus(id, status.sandboxKind(), status.draining(), status.sandboxes(), place, null));
    }

    static CompletableFuture<RecentEnds> recentEnds(Known host, long sinceMs) {
        String id = host.card().host();
        if (!host.peer().isUp() && host.peer() instanceof HostLink link) {
            return CompletableFuture.completedFuture(RecentEnds.silent(id, link.trouble()));
        }
        return host.peer().recentEnds(sinceMs).exceptionally(thrown -> RecentEnds.silent(id, thrown.getMessage()));
    }

    static CompletableFuture<QueuedEvents> queued(Known host, QueuedEvents.Look look) {
        String id = host.card().host();
        if (!host.peer().isUp() && host.peer() instanceof HostLink link) {
            return CompletableFuture.completedFuture(QueuedEvents.silent(id, link.trouble()));
        }
        return host.peer().queued(look).exceptionally(thrown -> QueuedEvents.silent(id, thrown.getMessage()));
    }

    private static HostStatus silent(Known host, HostPlace place, String why) {
        return new HostStatus(host.card().host(), null, host.card().draining(), List.of(), place, why);
    }
}
