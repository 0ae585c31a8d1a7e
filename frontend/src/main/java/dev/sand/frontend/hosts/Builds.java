package dev.sand.frontend.hosts;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.BuildException;
import dev.sand.event.HostAgentPort.BuildRequest;
import dev.sand.event.HostAgentPort.BuildResult;
import dev.sand.frontend.hosts.HostTable.Known;
import dev.sand.hostlink.HostLinks;
import dev.sand.hostlink.LinkException;
import java.util.Comparator;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Which host builds an application: the least busy one, the one in this process before all others. On the links' event loop. */
final class Builds {
    private final HostTable table;
    private final HostLinks links;
    private final RoutingOptions options;
    private final String localHost;
    private final BooleanSupplier closed;

    /** @param localHost the id of the host in this process, or null; @param closed nobody waits any more */
    Builds(HostTable table, HostLinks links, RoutingOptions options, String localHost, BooleanSupplier closed) {
        this.table = table;
        this.links = links;
        this.options = options;
        this.localHost = localHost;
        this.closed = closed;
    }

    CompletableFuture<BuildResult> build(BuildRequest request, Consumer<String> progress) {
        CompletableFuture<BuildResult> result = new CompletableFuture<>();
        long untilNs = System.nanoTime() + options.build().toNanos();
        links.execute(() -> build(request, progress, new TreeSet<>(), "none is known", untilNs, result));
        return result;
    }

    /** A build has no effect but its result, so that it may be tried on one host after the other. */
    private void build(BuildRequest request, Consumer<String> progress, Set<String> tried, String trouble, long untilNs,
                       CompletableFuture<BuildResult> result) {
        Known builder = table.hosts().stream()
                .filter(host -> host.live() && !host.card().draining() && host.peer().isUp() && !tried.contains(host.card().host()))
                .min(Comparator.comparing((Known host) -> !host.card().host().equals(localHost))
                        .thenComparing(host -> host.card().busy())).orElse(null);
        if (builder == null && System.nanoTime() < untilNs && !closed.getAsBoolean()) {
            // A connection that broke is made again soon.
            links.after(options.slowestBackOff(), () -> build(request, progress, new TreeSet<>(), trouble, untilNs, result));
            return;
        }
        if (builder == null) {
            result.completeExceptionally(new BuildException(Failure.platform(Errors.UNAVAILABLE,
                    "no host can build application " + request.application() + " now: " + trouble, true)));
            return;
        }
        tried.add(builder.card().host());
        builder.peer().build(request, progress).whenComplete((built, thrown) -> links.execute(() -> {
            Throwable cause = thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
            if (cause == null) {
                result.complete(built);
            } else if (cause instanceof LinkException) {
                progress.accept("host " + builder.card().host() + " did not build it (" + cause.getMessage() + "); trying another");
                build(request, progress, tried, cause.getMessage(), untilNs, result);
            } else {
                result.completeExceptionally(cause);
            }
        }));
    }
}
