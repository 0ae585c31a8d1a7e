package dev.sand.hostagent.triggers;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads of the triggers: one that owns their state, and some that may block for bus and store and report back to it. */
final class Crew implements AutoCloseable {
    private static final int MOST_BLOCKING = 64;
    private static final Logger LOG = LoggerFactory.getLogger(Crew.class);
    private final ScheduledThreadPoolExecutor owner;
    private final ExecutorService blocking = Executors.newVirtualThreadPerTaskExecutor();
    /** What was asked and has not come to its end. */
    private final Set<CompletableFuture<Void>> underWay = ConcurrentHashMap.newKeySet();
    private final Semaphore room = new Semaphore(MOST_BLOCKING);

    Crew() {
        owner = new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name("triggers").factory());
        owner.setRemoveOnCancelPolicy(true);
        owner.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** On the owner's thread. */
    void own(Runnable step) {
        after(Duration.ZERO, step);
    }

    void after(Duration delay, Runnable step) {
        try {
            owner.schedule(() -> guarded(step), delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closed) {
            LOG.trace("after the end: {}", step);
        }
    }

    private static void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            LOG.error("a step of the triggers failed; what it was about is tried again with the next refresh", e);
        }
    }

    /** Off the owner's thread; the result, or why there is none, comes back to it. */
    <T> void ask(Callable<T> work, BiConsumer<T, Exception> then) {
        CompletableFuture<Void> asked = new CompletableFuture<>();
        underWay.add(asked);
        try {
            blocking.execute(() -> {
                T result = null;
                Exception failure = null;
                try {
                    room.acquire();
                    try {
                        result = work.call();
                    } finally {
                        room.release();
                    }
                } catch (InterruptedException closing) {
                    Thread.currentThread().interrupt();
                    return;
                } catch (Exception e) {
                    failure = e;
                }
                underWay.remove(asked);
                asked.complete(null);
                T given = result;
                Exception why = failure;
                own(() -> then.accept(given, why));
            });
        } catch (RejectedExecutionException closed) {
            underWay.remove(asked);
            LOG.trace("after the end: {}", work);
        }
    }

    /** Completes when what is under way now has come to its end. */
    CompletableFuture<Void> quiet() {
        return CompletableFuture.allOf(underWay.toArray(CompletableFuture[]::new));
    }

    /** Nothing runs after it returns. */
    @Override
    public void close() {
        owner.shutdownNow();
        blocking.shutdownNow();
        try {
            owner.awaitTermination(5, TimeUnit.SECONDS);
            blocking.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
