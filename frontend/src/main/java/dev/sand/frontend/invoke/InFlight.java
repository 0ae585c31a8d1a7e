package dev.sand.frontend.invoke;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

/**
 * The requests that wait for an answer: bounded in number, and looked at now and then. A request that takes longer than a
 * moment has its connection watched for a hang-up; one that outlives its deadline by far is answered without its host agent.
 */
final class InFlight implements AutoCloseable {
    private static final long LOOK_MS = 200;
    /** What a host agent may be late with its answer; it is the one that ends executions at their deadline. */
    private static final long GRACE_NS = Duration.ofSeconds(5).toNanos();
    private final Set<Invocation> waiting = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();
    private final int most;
    private final BiConsumer<Invocation, Runnable> watch;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("frontend-timer").factory());

    /** @param watch watches the invocation's connection, and runs the second argument when the client hangs up */
    InFlight(int most, BiConsumer<Invocation, Runnable> watch) {
        this.most = most;
        this.watch = watch;
        timer.scheduleWithFixedDelay(this::look, LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
    }

    /** @return false when there are too many already */
    boolean enter() {
        if (count.incrementAndGet() <= most) {
            return true;
        }
        count.decrementAndGet();
        return false;
    }

    void leave() {
        count.decrementAndGet();
    }

    int count() {
        return count.get();
    }

    int most() {
        return most;
    }

    void add(Invocation invocation) {
        waiting.add(invocation);
        if (invocation.settings.waitMs() >= 0) {
            timer.schedule(invocation::onWaited, invocation.settings.waitMs(), TimeUnit.MILLISECONDS);
        }
    }

    void remove(Invocation invocation) {
        waiting.remove(invocation);
    }

    private void look() {
        long nowNs = System.nanoTime();
        for (Invocation invocation : waiting) {
            long ageNs = nowNs - invocation.startedNs;
            if (ageNs > invocation.request().timeoutMs() * 1_000_000 + GRACE_NS) {
                invocation.onSilent();
            } else if (ageNs > LOOK_MS * 1_000_000 && invocation.startWatching()) {
                watch.accept(invocation, invocation::onHungUp);
            }
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
