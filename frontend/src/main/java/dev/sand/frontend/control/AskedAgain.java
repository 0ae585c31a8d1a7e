package dev.sand.frontend.control;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.UnsureException;
import dev.sand.frontend.http.Problems;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Asks a host for something, again while it cannot say what came of it: an execution that is being recovered can soon be told. */
final class AskedAgain {
    private static final long PAUSE_MS = 50;

    private AskedAgain() {}

    /**
     * @param question may be asked several times
     * @param what cannot be said when it is not known in time, as a sentence: told with 503
     */
    static <T> T until(long withinMs, String what, Supplier<CompletableFuture<T>> question) throws InterruptedException {
        long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(withinMs);
        String why = "nothing is heard within " + withinMs + " ms";
        do {
            try {
                return question.get().get(untilNs - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof UnsureException unsure)) {
                    throw new IllegalStateException(e.getCause());
                }
                why = unsure.getMessage();
            } catch (TimeoutException e) {
                break;
            }
            Thread.sleep(PAUSE_MS);
        } while (System.nanoTime() - untilNs < 0);
        throw Problems.of(Failure.platform(Errors.UNAVAILABLE, what + ": " + why + ".", true), null).asException();
    }
}
