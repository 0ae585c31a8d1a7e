package dev.sand.hostagent.journal;

import dev.sand.event.RecordBodies;
import dev.sand.hostagent.core.Action.Await;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.journal.JournalAdapter.AppendListener;
import dev.sand.hostagent.journal.JournalAdapter.Entry;
import dev.sand.hostagent.journal.JournalFigures.Backlog;
import dev.sand.hostagent.objects.GlobalObjects.Stored;
import dev.sand.hostagent.process.ProcessChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * Records from the shards to the journal's thread, or to a shard in its place ({@link JournalTurn}). A record that nobody awaits wakes
 * nobody while there is traffic: the thread comes by every few milliseconds, and only after a quiet second does it sleep until it is woken.
 */
final class JournalQueue {
    private static final long QUIET_NS = 1_000_000_000L;
    private static final String OF_PROCESS = "@";

    /**
     * @param values null; or those whose copy begins: then it is a flag beside the record, and counts for nothing
     * @param again the bus did not take it the first time
     */
    record Given(Entry entry, long bytes, AppendListener listener, List<Stored> values, boolean again) {
        boolean awaited() {
            return entry.await().isTold();
        }

        /** A request's own, for which whoever sent it waits. */
        boolean isAcceptance() {
            return awaited() && entry.backup() instanceof Backup.Accepted && entry.change() == null;
        }

        String executionId() {
            return entry.executionId();
        }

        /** Whose records keep their order: a process's with those of what runs in it, or an execution's. */
        String order() {
            return entry.process() == null ? entry.executionId() : OF_PROCESS + entry.application() + "/" + entry.process();
        }

        /** Of a process: none of them is left out, or overtaken by a later one. */
        boolean isOfProcess() {
            return entry.process() != null;
        }

        Backup backup() {
            return entry.backup();
        }

        Given with(Backup other, ProcessChange change) {
            return new Given(new Entry(entry.application(), entry.executionId(), entry.slot(), entry.epoch(), entry.sequence(),
                    other, entry.await(), entry.process(), change), bytes, listener, null, false);
        }

        /** Nobody is told of it. */
        Given untold(Backup other) {
            return new Given(new Entry(entry.application(), entry.executionId(), entry.slot(), entry.epoch(), entry.sequence(),
                    other, Await.NO, entry.process(), entry.change()), bytes, null, null, false);
        }

        Given storing(List<Stored> copied) {
            return new Given(entry, 0, null, copied, false);
        }

        Given sent(boolean onceMore) {
            return new Given(entry, bytes, listener, null, onceMore);
        }

        /** @param isBehind whether large values of a process may be behind its JSON */
        byte[] encode(boolean isBehind) {
            if (isBehind && entry.change() != null) {
                RecordBodies bodies = new RecordBodies();
                return JournalRecord.of(entry.epoch(), entry.executionId(), entry.sequence(), entry.backup(), entry.change().map(bodies::put))
                        .encode(bodies);
            }
            JournalRecord record = values == null
                    ? JournalRecord.of(entry.epoch(), entry.executionId(), entry.sequence(), entry.backup(), entry.change())
                    : JournalRecord.storing(entry.epoch(), entry.executionId(), entry.sequence(), (Backup.Finished) entry.backup(),
                            values);
            return record.encode();
        }
    }

    private final ConcurrentLinkedQueue<Given> queue = new ConcurrentLinkedQueue<>();
    private final AtomicLong records = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLongArray bySlot;
    private final BacklogByApplication byApplication = new BacklogByApplication();
    private final long lingerNs;
    private volatile Thread thread;
    private volatile boolean asleep;
    private volatile boolean urgent;
    private volatile boolean closed;
    private volatile long lastBatchNs = System.nanoTime();

    JournalQueue(long lingerNs, int slots) {
        this.lingerNs = lingerNs;
        this.bySlot = new AtomicLongArray(slots);
    }

    void consumedBy(Thread consumer) {
        thread = consumer;
    }

    /** @param isTaken whoever gives it takes it, too, or wakes the thread */
    void add(Given given, boolean isTaken) {
        records.incrementAndGet();
        bytes.addAndGet(given.bytes());
        bySlot.incrementAndGet(given.entry().slot());
        queue.add(given);
        if (isTaken) {
            return;
        }
        if (given.awaited()) {
            wake();
        } else if (asleep) {
            LockSupport.unpark(thread);
        }
    }

    /** The thread has something to do now. */
    void wake() {
        urgent = true;
        LockSupport.unpark(thread);
    }

    /** The record is durable, or given up. */
    void done(Given given) {
        if (given.values() != null) {
            return;
        }
        bytes.addAndGet(-given.bytes());
        records.decrementAndGet();
        bySlot.decrementAndGet(given.entry().slot());
        byApplication.done(given);
    }

    long records() {
        return records.get();
    }

    long records(int slot) {
        return bySlot.get(slot);
    }

    long bytes() {
        return bytes.get();
    }

    Map<String, Backlog> byApplication() {
        return byApplication.read();
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

    /** For the journal's thread: until something is to be taken, or a while. */
    void await() {
        long end = System.nanoTime() + lingerNs;
        for (long left = lingerNs; left > 0 && !urgent && !closed; left = end - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
        }
        if (queue.isEmpty() && System.nanoTime() - lastBatchNs > QUIET_NS && !closed && !urgent) {
            asleep = true;
            if (queue.isEmpty() && !closed && !urgent) {
                LockSupport.parkNanos(this, QUIET_NS);
            }
            asleep = false;
        }
        urgent = false;
    }

    /** What has come; often nothing. One thread at a time. */
    List<Given> take() {
        return take(Integer.MAX_VALUE);
    }

    List<Given> take(int most) {
        List<Given> batch = new ArrayList<>();
        for (Given given = most > 0 ? queue.poll() : null; given != null; given = batch.size() < most ? queue.poll() : null) {
            byApplication.taken(given);
            batch.add(given);
        }
        if (!batch.isEmpty()) {
            lastBatchNs = System.nanoTime();
        }
        return batch;
    }

    /** How many there are that {@link #take} would give. One thread at a time. @return -1: more than so many, or one that is not such */
    int count(int most, Predicate<Given> such) {
        int count = 0;
        for (Given given : queue) {
            if (++count > most || !such.test(given)) {
                return -1;
            }
        }
        return count;
    }
}
