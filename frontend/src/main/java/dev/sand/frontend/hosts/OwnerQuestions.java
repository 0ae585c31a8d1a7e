package dev.sand.frontend.hosts;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.ProcessException;
import dev.sand.event.ProcessPlace;
import dev.sand.event.ProcessView;
import dev.sand.hostlink.HostLinks;
import dev.sand.hostlink.HostPeer;
import dev.sand.hostlink.LinkException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntSupplier;

/** What is asked of whoever owns a slot: one that says it does not, or not yet, is asked again, or the next one, for a while. */
final class OwnerQuestions {
    private final HostTable table;
    private final ProcessRoutes routes;
    private final HostLinks links;
    private final RoutingOptions options;
    private final BooleanSupplier closed;

    /** @param closed on the loop: nobody is asked again */
    OwnerQuestions(HostTable table, ProcessRoutes routes, HostLinks links, RoutingOptions options, BooleanSupplier closed) {
        this.table = table;
        this.routes = routes;
        this.links = links;
        this.options = options;
        this.closed = closed;
    }

    /** Until it answers, or has been looked for long enough. @param question asked on the loop */
    <T> CompletableFuture<T> ofExecution(String executionId, Function<HostPeer, CompletableFuture<T>> question) {
        int slot = table.slot(executionId);
        return ask("execution " + executionId, () -> slot, question);
    }

    /** @param question asked on the loop, again while who is asked is not the owner, or not yet */
    CompletableFuture<ProcessView> ofProcess(String application, String process,
                                             Function<HostPeer, CompletableFuture<HostPeer.ProcessOutcome>> question) {
        IntSupplier slot = () -> routes.slotOf(application, process);
        return ask("process " + process, slot, owner -> question.apply(owner).thenCompose(outcome -> {
            if (!isNotOwners(outcome)) {
                return CompletableFuture.completedFuture(outcome);
            }
            int elsewhere = ProcessPlace.slotOf(outcome.failure());
            if (elsewhere >= 0) {
                routes.heard(application, process, elsewhere);
            }
            return CompletableFuture.failedFuture(new ProcessException(outcome.failure()));
        }))
                .exceptionallyCompose(thrown -> CompletableFuture.failedFuture(refusal(thrown)))
                .thenCompose(outcome -> outcome.failure() == null ? CompletableFuture.completedFuture(outcome.view())
                        : CompletableFuture.failedFuture(new ProcessException(outcome.failure())));
    }

    private static boolean isNotOwners(HostPeer.ProcessOutcome outcome) {
        return outcome.failure() != null && outcome.failure().retryable()
                && (outcome.failure().error().equals(Errors.MOVED) || outcome.failure().error().equals(Errors.UNAVAILABLE));
    }

    private static ProcessException refusal(Throwable thrown) {
        return cause(thrown) instanceof ProcessException refused && !refused.failure().error().equals(Errors.MOVED) ? refused
                : unavailable(thrown);
    }

    /** @param thrown by a future */
    static ProcessException unavailable(Throwable thrown) {
        return new ProcessException(Failure.platform(Errors.UNAVAILABLE, cause(thrown).getMessage(), true));
    }

    static Throwable cause(Throwable thrown) {
        return thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
    }

    /** @param slot may be another one each time */
    private <T> CompletableFuture<T> ask(String what, IntSupplier slot, Function<HostPeer, CompletableFuture<T>> question) {
        CompletableFuture<T> result = new CompletableFuture<>();
        links.execute(() -> ask(what, slot, question, null, result));
        return result;
    }

    /** @param untilNs who has it is looked for; null: nobody has refused yet, and how long an owner itself takes is not counted */
    private <T> void ask(String what, IntSupplier slot, Function<HostPeer, CompletableFuture<T>> question, Long untilNs,
                         CompletableFuture<T> result) {
        int at = slot.getAsInt();
        HostPeer owner = table.reachable(at);
        CompletableFuture<T> asked = owner == null
                ? CompletableFuture.failedFuture(new LinkException("the owner of " + what + " cannot be reached"))
                : question.apply(owner);
        asked.whenComplete((answer, thrown) -> {
            long nowNs = System.nanoTime();
            Long endsNs = untilNs != null ? untilNs : Long.valueOf(nowNs + options.cancel().toNanos());
            if (thrown == null) {
                result.complete(answer);
            } else if (nowNs - endsNs < 0 && !closed.getAsBoolean()) {
                Duration pause = slot.getAsInt() == at ? options.slowestBackOff() : Duration.ZERO; // it was told where else
                links.after(pause, () -> ask(what, slot, question, endsNs, result));
            } else {
                result.completeExceptionally(thrown);
            }
        });
    }
}
