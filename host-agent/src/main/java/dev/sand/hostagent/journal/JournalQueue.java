package dev.sand.hostagent.journal;

import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.journal.JournalAdapter.AppendListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Records from the shards to the journal's thread. A record that nobody awaits wakes nobody while there is traffic: the
 * thread comes by every few milliseconds, and only after a quiet second does it sleep until it is woken.
 */
final class JournalQueue {
    private static final long QUIET_NS = 1_000_000_000L;

    record Given(String application, String executionId, long sequence, Backup backup, long bytes, AppendListener listener) {}

    private final ConcurrentLinkedQueue<Given> queue = new ConcurrentLinkedQueue<>();
    private final AtomicLong records = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final long lingerNs;
    private volatile Thread thread;
    private volatile boolean asleep;
    private volatile boolean urgent;
    private volatile boolean closed;
    private long lastBatchNs = System.nanoTime();

    JournalQueue(long lingerNs) {
        this.lingerNs = lingerNs;
    }

    void consumedBy(Thread consumer) {
        thread = consumer;
    }

    void add(Given given) {
        records.incrementAndGet();
        bytes.addAndGet(given.bytes());
        queue.add(given);
        if (given.listener() != null) {
            urgent = true;
            LockSupport.unpark(thread);
        } else if (asleep) {
            LockSupport.unpark(thread);
        }
    }

    /** The record is durable, or given up. */
    void done(Given given) {
        bytes.addAndGet(-given.bytes());
        records.decrementAndGet();
    }

    long records() {
        return records.get();
    }

    long bytes() {
        return bytes.get();
    }

    void close() {
        closed = true;
        LockSupport.unpark(thread);
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    boolean isClosed() {
        return closed;
    }

    /** For the journal's thread: what has come, after a while; often nothing. */
    List<Given> next() {
        long end = System.nanoTime() + lingerNs;
        for (long left = lingerNs; left > 0 && !urgent && !closed; left = end - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
        }
        if (queue.isEmpty() && System.nanoTime() - lastBatchNs > QUIET_NS && !closed) {
            asleep = true;
            if (queue.isEmpty() && !closed) {
                LockSupport.parkNanos(this, QUIET_NS);
            }
            asleep = false;
        }
        urgent = false;
        List<Given> batch = new ArrayList<>();
        for (Given given = queue.poll(); given != null; given = queue.poll()) {
            batch.add(given);
        }
        if (!batch.isEmpty()) {
            lastBatchNs = System.nanoTime();
        }
        return batch;
    }
}
