package dev.sand.frontend.hosts;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.ProcessException;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessView;
import dev.sand.frontend.hosts.HostTable.Known;
import dev.sand.hostlink.HostPeer;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Processes that are moved by hand: which slot of which host is next, and what follows the move. */
final class ProcessMoves {
    /** One that is not where it was to be, for its new slot is another host's by then, is moved again. */
    private static final int MOST_TRIES = 4;
    private static final long AGAIN_MS = 200;

    private final RemoteHosts hosts;
    private final HostTable table;

    ProcessMoves(RemoteHosts hosts, HostTable table) {
        this.hosts = hosts;
        this.table = table;
    }

    /** @param host null: the least busy one, of the others */
    CompletableFuture<ProcessView> move(String application, int version, String process, String host) {
        return move(application, version, process, host, MOST_TRIES);
    }

    private CompletableFuture<ProcessView> move(String application, int version, String process, String host, int tries) {
        ProcessCommand describe = new ProcessCommand(application, version, process, ProcessCommand.Kind.DESCRIBE);
        return hosts.process(describe).thenCompose(view -> {
            Target target = new Target(view, host);
            return hosts.owners().ofProcess(application, process, owner -> {
                try {
                    int slot = target.choose();
                    return slot < 0 ? CompletableFuture.completedFuture(new HostPeer.ProcessOutcome(view, null))
                            : owner.process(ProcessCommand.migrate(application, version, process, slot));
                } catch (ProcessException e) {
                    return CompletableFuture.completedFuture(new HostPeer.ProcessOutcome(null, e.failure()));
                }
            }).thenCompose(moved -> target.attempts == 1 && moved == view ? CompletableFuture.completedFuture(view) : bring(describe))
                    .thenCompose(now -> {
                        if (!target.isMissedBy(now)) {
                            return CompletableFuture.completedFuture(now);
                        }
                        return tries == 1 ? CompletableFuture.failedFuture(missed(now, target.chosen))
                                : CompletableFuture.supplyAsync(() -> move(application, version, process, host, tries - 1),
                                        CompletableFuture.delayedExecutor(AGAIN_MS, TimeUnit.MILLISECONDS)).thenCompose(Function.identity());
                    });
        });
    }

    private static ProcessException missed(ProcessView view, String wanted) {
        return new ProcessException(Failure.platform(Errors.UNAVAILABLE, "process " + view.process() + " is on host " + view.host()
                + ": the slot that it was moved to is not host " + wanted + "'s any more", true));
    }

    /** Chosen anew whenever it is asked again: who had the slot may have died meanwhile, and another have it. */
    private final class Target {
        private final ProcessView view;
        private final String asked;
        private String chosen;
        private String from;
        int attempts;

        Target(ProcessView view, String asked) {
            this.view = view;
            this.asked = asked;
        }

        /** On the loop. @return -1: it is there already */
        int choose() {
            attempts++;
            String host = asked == null && chosen != null && isLive(chosen) ? chosen : asked; // it may have gone there the first time
            from = from == null ? owner(view) : from;
            int slot = slot(view, host);
            chosen = slot < 0 ? host : table.owner(slot).host().host();
            return slot;
        }

        /** Whether it is elsewhere than it was to be; when no host was named, where it was before. */
        boolean isMissedBy(ProcessView now) {
            return asked != null ? !asked.equals(now.host()) : now.host().equals(from);
        }
    }

    private boolean isLive(String host) {
        return table.hosts().stream().anyMatch(known -> known.live() && known.card().host().equals(host));
    }

    /** There is nothing that waits for it to be addressed. */
    private CompletableFuture<ProcessView> bring(ProcessCommand describe) {
        return hosts.process(describe.as(ProcessCommand.Kind.SWAP_IN)).exceptionallyCompose(thrown -> {
            Throwable cause = OwnerQuestions.cause(thrown);
            boolean isThere = cause instanceof ProcessException refused && refused.failure().error().equals(Errors.CONFLICT);
            return isThere ? hosts.process(describe) : CompletableFuture.failedFuture(cause);
        });
    }

    /** On the loop. @return -1: it is there already */
    private int slot(ProcessView view, String asked) {
        String from = owner(view);
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

    /** The host that it is on, as far as is known. */
    private String owner(ProcessView view) {
        int lives = hosts.routes().slotOf(view.application(), view.process());
        return table.owner(lives) == null ? view.host() : table.owner(lives).host().host();
    }

    static ProcessException alone(ProcessView view) {
        return refused(Errors.CONFLICT, "process " + view.process() + " is " + view.status() + ": it cannot be migrated, for there is no"
                + " other host than " + view.host(), Map.of("state", view.status()));
    }

    private static ProcessException refused(String error, String cause, Map<String, Object> details) {
        return new ProcessException(new Failure(error, cause, Failure.Source.CALLER, false, null, details));
    }
}
