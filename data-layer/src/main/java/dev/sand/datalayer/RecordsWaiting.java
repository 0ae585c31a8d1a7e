package dev.sand.datalayer;

import dev.sand.datalayer.InvocationStore.StoredListener;
import dev.sand.event.DeletedVersions;
import dev.sand.event.InvocationRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Records on their way to the store: one an execution, the latest; bounded. Those being written are still visible. What a
 * failed write leaves goes back, behind a pause, and is tried again; whoever awaited it has been told.
 */
final class RecordsWaiting {
    private static final long PAUSE_AFTER_FAILURE_NS = 500_000_000L;
    /** Between two writes: one that is awaited goes at once after a while of quiet, and with its likes when there are many. */
    private static final long PACE_NS = 10_000_000L;

    private record Name(String application, String executionId) {}

    /** @param history what is kept beside the record, made when it is written; or null */
    record Given(InvocationRecord record, long epoch, List<StoredListener> listeners, Supplier<byte[]> history) {
        /** To be written again, though whoever awaited it was told; a later record alone does not replace what is kept beside. */
        Given again(Given later) {
            return later == null ? new Given(record, epoch, new ArrayList<>(1), history)
                    : later.history != null || later.epoch < epoch ? later
                    : new Given(later.record, later.epoch, later.listeners, history);
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final int maxWaiting;
    private final long lingerNs;
    private Map<Name, Given> waiting = new LinkedHashMap<>();
    private Map<Name, Given> writing = Map.of();
    private DeletedVersions deleted = DeletedVersions.NONE;
    /** Somebody wants to hear of one. */
    private boolean awaited;
    /** Somebody does nothing else before. */
    private boolean hurried;
    private long takenNs = System.nanoTime() - PACE_NS;
    private boolean closed;
    private boolean failed;
    private long outputBytes;
    private long givenUpTo;
    private long storedUpTo;
    private long writingUpTo;

    RecordsWaiting(int maxWaiting, long lingerNs) {
        this.maxWaiting = maxWaiting;
        this.lingerNs = lingerNs;
    }

    /** One of a lower epoch than the one that waits changes nothing. @return false when there is no room for another execution's record */
    boolean add(InvocationRecord record, long epoch, StoredListener listener, Supplier<byte[]> history) {
        Name name = new Name(record.application(), record.executionId());
        lock.lock();
        try {
            Given earlier = waiting.get(name);
            if (closed || earlier == null && waiting.size() + writing.size() >= maxWaiting) {
                return false;
            }
            List<StoredListener> listeners = earlier == null ? new ArrayList<>(1) : earlier.listeners();
            if (listener != null) {
                listeners.add(listener);
            }
            if (earlier == null || earlier.epoch() <= epoch) {
                outputBytes += outputBytes(record) - (earlier == null ? 0 : outputBytes(earlier.record()));
                waiting.put(name, new Given(record, epoch, listeners, history == null && earlier != null ? earlier.history() : history));
            }
            givenUpTo++;
            boolean first = waiting.size() == 1 && earlier == null;
            boolean firstAwaited = listener != null && !awaited;
            awaited |= listener != null;
            if (first || firstAwaited) {
                changed.signalAll();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Nothing of a deleted application is given to the writing thread from now on; whoever awaits it is told as if it were stored. */
    void forget(String application, int upTo) {
        lock.lock();
        try {
            deleted = deleted.with(application, upTo);
        } finally {
            lock.unlock();
        }
    }

    boolean isDeleted(InvocationRecord record) {
        lock.lock();
        try {
            return deleted.covers(record.application(), record.version());
        } finally {
            lock.unlock();
        }
    }

    /** Of outputs over the inline limit, in records not yet stored. */
    long outputBytes() {
        lock.lock();
        try {
            return outputBytes;
        } finally {
            lock.unlock();
        }
    }

    private static long outputBytes(InvocationRecord record) {
        return LargeOutputs.isLarge(record.output()) ? record.output().size() : 0;
    }

    InvocationRecord get(String application, String executionId) {
        Given given = given(application, executionId);
        return given == null ? null : given.record();
    }

    /** What is to be kept beside the record, or null. */
    Supplier<byte[]> history(String application, String executionId) {
        Name name = new Name(application, executionId);
        lock.lock();
        try {
            Given given = waiting.get(name);
            Given earlier = writing.get(name);
            return given != null && given.history() != null ? given.history() : earlier == null ? null : earlier.history();
        } finally {
            lock.unlock();
        }
    }

    /** Whether an end waits that counts under that epoch. One of a lower epoch may be refused when it is written, for ever. */
    boolean hasEnd(String application, String executionId, long epoch, int redrives) {
        Given given = given(application, executionId);
        return given != null && given.epoch() >= epoch && InvocationStore.hasEnd(given.record(), redrives);
    }

    private Given given(String application, String executionId) {
        Name name = new Name(application, executionId);
        lock.lock();
        try {
            return waiting.getOrDefault(name, writing.get(name));
        } finally {
            lock.unlock();
        }
    }

    int size() {
        lock.lock();
        try {
            return waiting.size() + writing.size();
        } finally {
            lock.unlock();
        }
    }

    /** For the writing thread: waits, lingers, and takes all there is, to be given back by {@link #stored}; null at the end. */
    List<Given> next() {
        lock.lock();
        try {
            while (waiting.isEmpty() && !closed) {
                changed.awaitUninterruptibly();
            }
            long sinceNs = System.nanoTime();
            for (long left = left(sinceNs); left > 0 && !closed; left = left(sinceNs)) {
                changed.awaitNanos(left);
            }
            takenNs = System.nanoTime();
            writing = waiting;
            waiting = new LinkedHashMap<>();
            writingUpTo = givenUpTo;
            awaited = false;
            hurried = false;
            return writing.isEmpty() ? null : writing.values().stream().filter(given -> !isDeleted(given.record())).toList();
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts the writer", e);
        } finally {
            lock.unlock();
        }
    }

    /** @return how much longer what waits is to wait for others */
    private long left(long sinceNs) {
        long nowNs = System.nanoTime();
        if (failed) {
            return sinceNs + PAUSE_AFTER_FAILURE_NS - nowNs;
        }
        return hurried ? 0 : (awaited ? Math.min(takenNs + PACE_NS, sinceNs + lingerNs) : sinceNs + lingerNs) - nowNs;
    }

    /** For the writing thread: how the batch went. */
    void stored(StoreException failure) {
        List<Given> told;
        lock.lock();
        try {
            told = List.copyOf(writing.values());
            failed = failure != null;
            if (failed && !closed) {
                writing.forEach((name, given) -> waiting.compute(name, (same, later) -> given.again(later)));
            }
            outputBytes = waiting.values().stream().mapToLong(given -> outputBytes(given.record())).sum();
            writing = Map.of();
            storedUpTo = writingUpTo;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        told.forEach(given -> given.listeners().forEach(listener -> listener.onStored(failure)));
        told.forEach(given -> given.listeners().forEach(StoredListener::onAllTold));
    }

    /** Blocks until what was given before has been written, or tried. */
    void awaitStored() {
        lock.lock();
        try {
            long wanted = givenUpTo;
            while (storedUpTo < wanted) {
                hurried = true;
                changed.signalAll();
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
