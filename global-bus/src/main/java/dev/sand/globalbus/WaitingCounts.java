package dev.sand.globalbus;

import dev.sand.globalbus.BusException.Kind;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many records wait in a partition that is trimmed as they are worked off, for whoever bounds it before sending. A count is
 * up to a fifth of a second old, and has what was sent from here since: the bound is kept to about what others send in that time.
 */
public final class WaitingCounts {
    private static final long COUNT_AGE_NS = 200_000_000;
    private static final int MOST_REMEMBERED = 10_000;

    private record Waiting(CompletableFuture<AtomicLong> records, long askedNs) {
        boolean isFresh(long nowNs) {
            return !records.isDone() || !records.isCompletedExceptionally() && nowNs - askedNs <= COUNT_AGE_NS;
        }
    }

    private final GlobalBus bus;
    private final Map<String, Waiting> waiting = new ConcurrentHashMap<>();

    public WaitingCounts(GlobalBus bus) {
        this.bus = bus;
    }

    /**
     * Records in the partition that are not worked off, with one that is about to be sent; blocks a moment now and then. Who comes
     * while the bus has been asked in vain for longer than {@code patience} is told at once: one question is under way, not many.
     *
     * @throws BusException AWAY when the bus does not say in time
     */
    public long withOneMore(String topic, int partition, Duration patience) {
        long nowNs = System.nanoTime();
        if (waiting.size() > MOST_REMEMBERED) {
            waiting.values().removeIf(known -> known.records.isDone());
        }
        Waiting known = waiting.compute(topic + "/" + partition,
                (name, before) -> before != null && before.isFresh(nowNs) ? before : new Waiting(ask(topic, partition), nowNs));
        try {
            long leftNs = patience.toNanos() - (System.nanoTime() - known.askedNs);
            return known.records.get(Math.max(0, leftNs), TimeUnit.NANOSECONDS).incrementAndGet();
        } catch (TimeoutException e) {
            throw new BusException(Kind.AWAY, "the global bus does not answer: it was asked how much waits in " + topic + "-" + partition
                    + " and has not said for " + patience.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof BusException failure ? failure
                    : new BusException(Kind.BROKEN, "cannot count what waits in " + topic + "-" + partition, e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BusException(Kind.BROKEN, "interrupted while counting what waits in " + topic + "-" + partition, e);
        }
    }

    /** On a thread of its own: the bus's own patience may be longer than the caller's. */
    private CompletableFuture<AtomicLong> ask(String topic, int partition) {
        return CompletableFuture.supplyAsync(
                () -> new AtomicLong(bus.endOffset(topic, partition) - bus.beginOffset(topic, partition)),
                question -> Thread.ofVirtual().name("waiting-counts").start(question));
    }
}
