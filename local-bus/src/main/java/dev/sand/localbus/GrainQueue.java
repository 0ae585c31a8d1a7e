package dev.sand.localbus;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;

/**
 * The events that wait for one grain: first in, first out, bounded in depth and in bytes. Nothing is dropped: an event that
 * does not fit is refused with the limit and what it would have come to. Owned by one thread; entries are told apart by
 * identity.
 *
 * <p>An event that had its place before, because its attempt was lost or it comes from the journal, is readmitted as the
 * last one and never refused: it was accepted already. So {@code size} is at most the depth and what ran at once.
 */
public final class GrainQueue<E extends GrainQueue.Entry> {
    /** What a queue needs to know of an event. */
    public interface Entry {
        /** Bytes it holds while it waits; does not change meanwhile. */
        long bytes();
    }

    /** @param limit which one ("queue depth", "queue bytes"); @param allowed its value; @param actual with the refused event */
    public record Refusal(String limit, long allowed, long actual) {}

    private final int maxDepth;
    private final long maxBytes;
    private final LinkedHashSet<E> waiting = new LinkedHashSet<>();
    private long bytes;
    private int reserved;
    private long reservedBytes;

    public GrainQueue(int maxDepth, long maxBytes) {
        this.maxDepth = maxDepth;
        this.maxBytes = maxBytes;
    }

    /** @return null when it was put in the queue, else why not */
    public Refusal offer(E event) {
        Refusal refusal = check(event.bytes());
        if (refusal == null) {
            add(event);
        }
        return refusal;
    }

    /** Keeps a place for an event that may still be refused elsewhere. @return as {@link #offer} */
    public Refusal reserve(long eventBytes) {
        Refusal refusal = check(eventBytes);
        if (refusal == null) {
            reserved++;
            reservedBytes += eventBytes;
        }
        return refusal;
    }

    /** Gives a reserved place back: right before the event takes it, or when it never will. */
    public void release(long eventBytes) {
        if (reserved == 0) {
            throw new IllegalStateException("released a place that was not reserved");
        }
        reserved--;
        reservedBytes -= eventBytes;
    }

    /** An accepted event comes (back) in, last. */
    public void readmit(E event) {
        add(event);
    }

    private Refusal check(long eventBytes) {
        if (depth() >= maxDepth) {
            return new Refusal("queue depth", maxDepth, depth() + 1L);
        }
        long after = bytes + reservedBytes + eventBytes;
        return after > maxBytes ? new Refusal("queue bytes", maxBytes, after) : null;
    }

    private void add(E event) {
        if (!waiting.add(event)) {
            throw new IllegalStateException("already in the queue: " + event);
        }
        bytes += event.bytes();
    }

    /** The next one to hand out, or null. */
    public E poll() {
        return waiting.isEmpty() ? null : removed(waiting.removeFirst());
    }

    /** Breaks the order: for a simulation that shows that somebody notices. */
    public E pollLast() {
        return waiting.isEmpty() ? null : removed(waiting.removeLast());
    }

    public E peek() {
        return waiting.isEmpty() ? null : waiting.getFirst();
    }

    /** Takes an event out that is not to run any more. @return whether it was there */
    public boolean remove(E event) {
        if (!waiting.remove(event)) {
            return false;
        }
        bytes -= event.bytes();
        return true;
    }

    private E removed(E event) {
        bytes -= event.bytes();
        return event;
    }

    /** In the order in which they will be handed out. */
    public Collection<E> waiting() {
        return Collections.unmodifiableCollection(waiting);
    }

    public boolean isEmpty() {
        return waiting.isEmpty();
    }

    public int size() {
        return waiting.size();
    }

    /** Places taken, reserved ones too. */
    public int depth() {
        return waiting.size() + reserved;
    }

    public long bytes() {
        return bytes;
    }

    public int reserved() {
        return reserved;
    }
}
