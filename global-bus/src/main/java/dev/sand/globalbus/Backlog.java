package dev.sand.globalbus;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * What was given to the bus and is not yet durable: many producers, one consumer (the writer thread, or who does its work meanwhile,
 * one at a time), bounded in bytes. A
 * background append does not wake a writer that lingers, so that a busy shard pays no wake-up for it.
 */
final class Backlog<E extends Backlog.Entry> {
    /** One thing to do for the consumer. */
    interface Entry {
        /** Whether somebody waits for it. */
        boolean isUrgent();

        /** Bytes of its value. */
        int size();
    }

    /** What a queued command costs besides its value. */
    static final int ENVELOPE_BYTES = 64;
    private static final int MAX_BATCH_COMMANDS = 4096;
    private static final long MAX_BATCH_BYTES = 8L << 20;

    /** The consumer: BUSY takes what is there when it comes back; LINGERING wakes for urgent commands; IDLE for any. */
    private enum Consumer { BUSY, LINGERING, IDLE }

    private final ConcurrentLinkedQueue<E> queue = new ConcurrentLinkedQueue<>();
    private final AtomicLong bytes = new AtomicLong();
    private final long maxBytes;
    private final long lingerNs;
    private volatile Thread thread;
    private volatile Consumer consumer = Consumer.BUSY;
    private volatile boolean urgent;
    private volatile boolean asked;
    /** Whose additions wake nobody: it does so itself. */
    private volatile Thread gatherer;

    Backlog(long maxBytes, long lingerNs) {
        this.maxBytes = maxBytes;
        this.lingerNs = lingerNs;
    }

    void consumedBy(Thread writer) {
        thread = writer;
    }

    long lingerNs() {
        return lingerNs;
    }

    long bytes() {
        return bytes.get();
    }

    /** @return false when the bytes do not fit */
    boolean reserve(int size) {
        long wanted = size + ENVELOPE_BYTES;
        while (true) {
            long now = bytes.get();
            if (now + wanted > maxBytes) {
                return false;
            }
            if (bytes.compareAndSet(now, now + wanted)) {
                return true;
            }
        }
    }

    void release(int size) {
        bytes.addAndGet(-(size + ENVELOPE_BYTES));
    }

    void add(E command) {
        queue.add(command);
        if (command.isUrgent()) {
            urgent = true;
        }
        if (Thread.currentThread() != gatherer) {
            wake(command.isUrgent());
        }
    }

    /** @param adding null: nobody does */
    void gatheredBy(Thread adding) {
        gatherer = adding;
    }

    /** For what was added. */
    void wake(boolean isUrgent) {
        if (isUrgent ? consumer != Consumer.BUSY : consumer == Consumer.IDLE) {
            LockSupport.unpark(thread);
        }
    }

    /** For what the gatherer has added, if it has. */
    void wakeForAny() {
        if (!queue.isEmpty()) {
            wake(urgent);
        }
    }

    boolean isUrgent() {
        return urgent;
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /** The consumer's time to wait is another one by now. */
    void ask() {
        asked = true;
        LockSupport.unpark(thread);
    }

    /** Called by the writer alone. */
    List<E> next(long atMostNs) {
        await(atMostNs);
        return take();
    }

    /** Called by the writer alone. Waits for commands, at most so long; lingers while none of them is urgent. */
    void await(long atMostNs) {
        consumer = Consumer.IDLE;
        long began = System.nanoTime();
        for (long left = atMostNs; queue.isEmpty() && !asked && left > 0; left = atMostNs - (System.nanoTime() - began)) {
            LockSupport.parkNanos(this, left);
        }
        if (!queue.isEmpty()) {
            linger();
        }
        consumer = Consumer.BUSY;
        asked = false;
    }

    /** The writer's, and of who works in its place. */
    List<E> take() {
        urgent = false;
        List<E> batch = new ArrayList<>();
        long size = 0;
        while (batch.size() < MAX_BATCH_COMMANDS && size < MAX_BATCH_BYTES) {
            E command = queue.poll();
            if (command == null) {
                return batch;
            }
            size += command.size();
            batch.add(command);
        }
        urgent = true; // the rest has waited long enough
        return batch;
    }

    /** As {@link #take}, up to the first that is not such. */
    List<E> takeWhile(Predicate<E> such) {
        urgent = false;
        List<E> batch = new ArrayList<>();
        long size = 0;
        for (E next = queue.peek(); next != null && batch.size() < MAX_BATCH_COMMANDS && size < MAX_BATCH_BYTES && such.test(next);
                next = queue.peek()) {
            size += next.size();
            batch.add(queue.poll());
        }
        if (!queue.isEmpty()) {
            urgent = true;
        }
        return batch;
    }

    /** What waits first, or null. The consumer's. */
    E peek() {
        return queue.peek();
    }

    /** The same, taken. The consumer's; once it has ended, anyone's. */
    E poll() {
        return queue.poll();
    }

    private void linger() {
        long end = System.nanoTime() + lingerNs;
        consumer = Consumer.LINGERING;
        long left = lingerNs;
        while (!urgent && left > 0 && bytes.get() < MAX_BATCH_BYTES) {
            LockSupport.parkNanos(this, left);
            left = end - System.nanoTime();
        }
    }
}
