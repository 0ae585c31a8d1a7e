package dev.sand.hostagent.journal;

import dev.sand.globalbus.GlobalBus;
import dev.sand.hostagent.core.Action.Await;
import dev.sand.hostagent.journal.JournalQueue.Given;
import dev.sand.hostagent.process.Change;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Who does the journal's work: its thread, or a shard in its place, one at a time. A shard does with the end of a function that has changed
 * its process, for which that one's caller and next function wait: to wake the thread and to be woken by it takes longer than to write a
 * record to a file. Only what is quickly done, where the bus is one that never blocks; and once a file system
 * has held a shard up, the thread has all of it for a while.
 */
final class JournalTurn {
    /** What a shard writes at once: an end, and what has come before it. */
    private static final int MOST_RECORDS = 16;
    private static final long MOST_BYTES = 160 << 10;
    private static final long SLOW_NS = 5_000_000L;
    /** For so many times as long as a shard was held up, none is; a collection of garbage or a busy machine may have been it, too. */
    private static final int REST = 20;
    private static final long MOST_REST_NS = 1_000_000_000L;

    private final GlobalBus bus;
    private final JournalQueue queue;
    private final JournalPartitions partitions;
    private final BooleanSupplier nothingElse;
    private final Consumer<List<Given>> order;
    private final LongSupplier nanoClock;
    private final ReentrantLock working = new ReentrantLock();
    private long bytes;
    private volatile long notBeforeNs;

    /** @param nothingElse whether the thread has nothing to do but to take records; @param order given these, in turn */
    JournalTurn(GlobalBus bus, JournalQueue queue, JournalPartitions partitions, BooleanSupplier nothingElse,
                Consumer<List<Given>> order, LongSupplier nanoClock) {
        this.bus = bus;
        this.queue = queue;
        this.partitions = partitions;
        this.nothingElse = nothingElse;
        this.order = order;
        this.nanoClock = nanoClock;
        this.notBeforeNs = nanoClock.getAsLong();
    }

    /** The journal's thread's. @param work gives the bus records */
    void take(Runnable work) {
        working.lock();
        try {
            Runnable write = bus.gather();
            work.run();
            write.run();
        } finally {
            working.unlock();
        }
    }

    /** A shard's. */
    void give(Given given) {
        boolean isQuick = bus.isEmbedded() && given.entry().await() == Await.IN_BUS && given.entry().change() != null
                && given.entry().change().change() instanceof Change.Done && given.bytes() <= MOST_BYTES
                && nanoClock.getAsLong() - notBeforeNs >= 0;
        queue.add(given, isQuick);
        if (isQuick && !isTaken()) {
            queue.wake();
        }
    }

    private boolean isTaken() {
        if (working.isHeldByCurrentThread() || !working.tryLock()) {
            return false;
        }
        try {
            bytes = 0;
            int count = nothingElse.getAsBoolean() ? queue.count(MOST_RECORDS, this::isQuick) : -1;
            if (count < 0) {
                return false;
            }
            Runnable write = bus.gather();
            long beganNs = nanoClock.getAsLong();
            order.accept(queue.take(count));
            write.run();
            long endedNs = nanoClock.getAsLong();
            if (endedNs - beganNs > SLOW_NS) {
                notBeforeNs = endedNs + Math.min(REST * (endedNs - beganNs), MOST_REST_NS);
            }
            return true;
        } finally {
            working.unlock();
        }
    }

    private boolean isQuick(Given given) {
        bytes += given.bytes();
        return bytes <= MOST_BYTES && partitions.isKnown(given.entry().application(), given.entry().slot());
    }
}
