package dev.sand.frontend.hosts;

import dev.sand.event.HostAgentPort.Drain;
import dev.sand.event.LogFields;
import dev.sand.event.ProcessView;
import dev.sand.frontend.hosts.HostTable.Known;
import dev.sand.hostlink.HostLinks;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is asked of, or told to, each host that the membership knows; and the drain of one of them. */
final class EveryHost {
    private static final Logger LOG = LoggerFactory.getLogger(EveryHost.class);
    private static final Duration LOOK = Duration.ofMillis(100);

    private final HostTable table;
    private final HostLinks links;
    private final BooleanSupplier closed;

    EveryHost(HostTable table, HostLinks links, BooleanSupplier closed) {
        this.table = table;
        this.links = links;
        this.closed = closed;
    }

    /** What each host says, in the order of their ids. */
    <T> CompletableFuture<List<T>> ask(Function<Known, CompletableFuture<T>> question) {
        CompletableFuture<List<T>> result = new CompletableFuture<>();
        links.execute(() -> {
            List<CompletableFuture<T>> asked = table.hosts().stream()
                    .sorted(Comparator.comparing(host -> host.card().host())).map(question).toList();
            CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).whenComplete((done, thrown) -> {
                if (thrown == null) {
                    result.complete(asked.stream().map(CompletableFuture::join).toList());
                } else {
                    result.completeExceptionally(OwnerQuestions.cause(thrown));
                }
            });
        });
        return result;
    }

    /** A host that does not answer has them all the same: then the list cannot be told. */
    CompletableFuture<List<ProcessView>> processes(String application) {
        return ask(host -> host.peer().processes(application))
                .thenApply(views -> views.stream().flatMap(List::stream).toList())
                .exceptionallyCompose(thrown -> CompletableFuture.failedFuture(OwnerQuestions.unavailable(thrown)));
    }

    /** Hosts that cannot be told are left out: what they keep in memory ends with them. */
    CompletableFuture<Void> tell(Function<Known, CompletableFuture<Void>> operation) {
        return ask(host -> operation.apply(host).exceptionally(e -> {
            LOG.atWarn().addKeyValue(LogFields.PEER, host.card().host()).log("host {}: {}", host.card().host(), e.getMessage());
            return null;
        })).thenApply(done -> null);
    }

    /** Answered once the host's card says so here: who drains one host after the other is told when none would be left. */
    CompletableFuture<Drain> drain(String host, boolean out) {
        CompletableFuture<Drain> result = new CompletableFuture<>();
        links.execute(() -> {
            Drain refusal = table.refusal(host, out);
            if (refusal != null) {
                result.complete(refusal);
                return;
            }
            table.known(host).peer().drain(host, out).whenCompleteAsync((done, thrown) -> {
                if (thrown != null) {
                    result.completeExceptionally(thrown);
                } else {
                    awaitCard(host, out, result);
                }
            }, links::execute);
        });
        return result;
    }

    private void awaitCard(String host, boolean out, CompletableFuture<Drain> result) {
        if (closed.getAsBoolean() || table.known(host) == null || table.isDraining(host) == out) {
            result.complete(Drain.DONE);
        } else if (!result.isDone()) {
            links.after(LOOK, () -> awaitCard(host, out, result));
        }
    }
}
