package dev.sand.frontend.hosts;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.ProcessException;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessView;
import dev.sand.frontend.hosts.HostTable.Known;
import dev.sand.hostlink.HostLinks;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Processes that are moved by hand: which slot of which host is next, and what follows the move. */
final class ProcessMoves {
    private final RemoteHosts hosts;
    private final HostTable table;
    private final HostLinks links;

    ProcessMoves(RemoteHosts hosts, HostTable table, HostLinks links) {
        this.hosts = hosts;
        this.table = table;
        this.links = links;
    }

    /** @param host null: the least busy one, of the others */
    CompletableFuture<ProcessView> move(String application, int version, String process, String host) {
        ProcessCommand describe = new ProcessCommand(application, version, process, ProcessCommand.Kind.DESCRIBE);
        return hosts.process(describe).thenCompose(view -> {
            CompletableFuture<Integer> chosen = new CompletableFuture<>();
            links.execute(() -> {
                try {
                    chosen.complete(slot(view, host));
                } catch (ProcessException e) {
                    chosen.completeExceptionally(e);
                }
            });
            return chosen.thenCompose(slot -> slot < 0 ? CompletableFuture.completedFuture(view)
                    : hosts.process(ProcessCommand.migrate(application, version, process, slot)).thenCompose(moved -> bring(describe)));
        });
    }

    /** There is nothing that waits for it to be addressed. */
    private CompletableFuture<ProcessView> bring(ProcessCommand describe) {
        return hosts.process(describe.as(ProcessCommand.Kind.SWAP_IN)).exceptionallyCompose(thrown -> {
            Throwable cause = thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
            boolean isThere = cause instanceof ProcessException refused && refused.failure().error().equals(Errors.CONFLICT);
            return isThere ? hosts.process(describe) : CompletableFuture.failedFuture(cause);
        });
    }

    /** On the loop. @return -1: it is there already */
    private int slot(ProcessView view, String asked) {
        int lives = view.slot() != null ? view.slot() : table.slot(view.process());
        String from = table.owner(lives) == null ? view.host() : table.owner(lives).host().host();
        List<Known> live = table.hosts().stream().filter(Known::live).toList();
        if (asked != null && live.stream().noneMatch(known -> known.card().host().equals(asked))) {
            throw refused(Errors.BAD_REQUEST, "there is no host " + asked + ": the hosts are "
                    + String.join(", ", live.stream().map(known -> known.card().host()).sorted().toList()), Map.of());
        }
        if (from.equals(asked)) {
            return -1;
        }
        if (live.stream().allMatch(known -> known.card().host().equals(from))) {
            throw alone(view);
        }
        String to = live.stream().filter(known -> asked == null ? !known.card().host().equals(from) : known.card().host().equals(asked))
                .filter(known -> !known.card().draining() && !table.slotsOf(known.card().host()).isEmpty())
                .min(Comparator.comparingDouble((Known known) -> known.card().busy()).thenComparing(known -> known.card().host()))
                .map(known -> known.card().host()).orElseThrow(() -> refused(Errors.CONFLICT, "process " + view.process() + " is "
                        + view.status() + ": it cannot be migrated, for " + (asked == null ? "every other host" : "host " + asked)
                        + " is draining, or has no slots yet", Map.of("state", view.status())));
        List<Integer> slots = table.slotsOf(to);
        int home = table.slot(view.process());
        return slots.contains(home) ? home : slots.get(Math.floorMod(view.process().hashCode(), slots.size()));
    }

    static ProcessException alone(ProcessView view) {
        return refused(Errors.CONFLICT, "process " + view.process() + " is " + view.status() + ": it cannot be migrated, for there is no"
                + " other host than " + view.host(), Map.of("state", view.status()));
    }

    private static ProcessException refused(String error, String cause, Map<String, Object> details) {
        return new ProcessException(new Failure(error, cause, Failure.Source.CALLER, false, null, details));
    }
}
