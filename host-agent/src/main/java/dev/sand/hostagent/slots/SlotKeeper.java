package dev.sand.hostagent.slots;

import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.LogFields;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.Membership.SlotListener;
import dev.sand.hostagent.core.Action.Await;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.journal.JournalAdapter;
import dev.sand.hostagent.journal.JournalAdapter.Entry;
import dev.sand.hostagent.journal.JournalAdapter.Left;
import dev.sand.hostagent.journal.JournalAdapter.Unfinished;
import dev.sand.hostagent.journal.RecordAdapter;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes slots as they are given to this host, and gives them up (SAND 4.2.1, DESIGN, decision 6):
 *
 * <pre>
 * given    → the shards hold its requests; its journals are claimed, read and given to the shards; then it is ready
 * ready    → every second: journals made since are taken too
 * released → the shards end its executions here, what they gave is written, and only then it is another's
 * lost     → at once nothing of it counts any more
 * </pre>
 * Slots are taken beside each other, a few at once, off the shards. A host that restarts takes its own slots in the same way.
 */
public final class SlotKeeper implements SlotListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SlotKeeper.class);
    private static final int AT_ONCE = 4;
    private static final Duration FLUSH = Duration.ofSeconds(3);
    private static final long STUCK_NS = 10_000_000_000L;
    private static final long RETRY_NS = 500_000_000L;
    private static final long REFRESH_MS = 1000;

    /** Told of slots once all that is older has been given to the shards; may block. */
    public interface ReadyListener {
        ReadyListener NONE = new ReadyListener() {
            @Override
            public void onReady(int slot, long epoch) {}

            @Override
            public void onGone(int slot, long epoch) {}
        };

        void onReady(int slot, long epoch);

        /** Told before the slot is given up, and again once it is: it may have been said to be ready in between. */
        void onGone(int slot, long epoch);
    }

    /** How often a slot became this host's, was given up in order, and was lost at once. */
    public record Counts(long acquired, long released, long lost) {}

    private final SlotTable table;
    private final Shards shards;
    private final JournalAdapter journal;
    private final RecordAdapter records;
    private final Unbegun unbegun;
    private final ReadyListener listener;
    private final Consumer<Throwable> broken;
    private final ReentrantLock[] turns;
    private final Semaphore room = new Semaphore(AT_ONCE);
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("slot-", 0).factory());
    private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().name("slots-clock").daemon().factory());
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger recovered = new AtomicInteger();
    private final AtomicLong acquired = new AtomicLong();
    private final AtomicLong released = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    /** By slot: the epoch under which it is ready, 0: none; changed in the slot's turn. */
    private final long[] ready;
    private final AtomicIntegerArray wanted;
    private volatile long stuckNs = System.nanoTime() - STUCK_NS;
    private volatile boolean closed;

    /** @param broken told when this host can take part no more: the process is to end */
    public SlotKeeper(SlotTable table, Shards shards, JournalAdapter journal, RecordAdapter records, ReadyListener listener,
            Consumer<Throwable> broken) {
        this.table = table;
        this.shards = shards;
        this.journal = journal;
        this.records = records;
        this.unbegun = new Unbegun(journal);
        this.listener = listener;
        this.broken = broken;
        this.turns = new ReentrantLock[table.slots()];
        this.ready = new long[table.slots()];
        for (int slot = 0; slot < turns.length; slot++) {
            turns[slot] = new ReentrantLock();
        }
        this.wanted = new AtomicIntegerArray(table.slots());
        journal.onUnclaimed(this::refreshSoon);
        clock.scheduleWithFixedDelay(this::refreshAll, REFRESH_MS, REFRESH_MS, TimeUnit.MILLISECONDS);
    }

    // --- from the membership

    @Override
    public void onAcquired(int slot, long epoch) {
        table.give(slot, epoch);
        acquired.incrementAndGet();
        underWay.incrementAndGet();
        shards.submitAll(new Input.SlotAcquired(slot, epoch)).thenRunAsync(() -> take(slot, epoch), threads)
                .whenComplete((done, failure) -> {
                    underWay.decrementAndGet();
                    if (failure != null) {
                        LOG.atError().addKeyValue(LogFields.SLOT, slot).addKeyValue(LogFields.EPOCH, epoch).setCause(failure)
                                .log("slot {} cannot be taken", slot);
                    }
                });
    }

    @Override
    public void onReleased(int slot, long epoch) {
        listener.onGone(slot, epoch);
        try {
            shards.submitAll(new Input.SlotLost(slot, epoch)).get(FLUSH.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.atWarn().addKeyValue(LogFields.SLOT, slot).addKeyValue(LogFields.EPOCH, epoch)
                    .log("slot {} is given up with a shard that did not take notice: {}", slot, e.toString());
        }
        flush(slot, epoch);
        table.lose(slot);
        listener.onGone(slot, epoch); // a look at its journals, once a second, may have come before the loss
        released.incrementAndGet();
    }

    /** One slot after the other is released: a bus that takes nothing is waited for once. */
    private void flush(int slot, long epoch) {
        long startNs = System.nanoTime();
        journal.leave(slot, epoch, startNs - stuckNs < STUCK_NS ? Duration.ZERO : FLUSH);
        if (System.nanoTime() - startNs >= FLUSH.toNanos()) {
            LOG.atWarn().addKeyValue(LogFields.SLOT, slot).addKeyValue(LogFields.EPOCH, epoch)
                    .log("slot {} is given up with records that the global bus did not take", slot);
            stuckNs = System.nanoTime();
        }
    }

    @Override
    public void onLost(int slot, long epoch) {
        table.lose(slot);
        lost.incrementAndGet();
        shards.submitAll(new Input.SlotLost(slot, epoch));
        threads.execute(() -> {
            listener.onGone(slot, epoch);
            journal.leave(slot, epoch, Duration.ZERO);
        });
    }

    @Override
    public void onBroken(BusException cause) {
        broken.accept(cause);
    }

    // --- taking

    private void take(int slot, long epoch) {
        turns[slot].lock();
        try {
            if (!table.act(slot, epoch)) {
                return;
            }
            ready[slot] = 0;
            int count = takeJournals(slot, epoch);
            if (count < 0) {
                return;
            }
            shards.submitAll(new Input.SlotReady(slot, epoch));
            ready[slot] = epoch;
            recovered.addAndGet(count);
            if (count > 0) {
                LOG.atInfo().addKeyValue(LogFields.SLOT, slot).addKeyValue(LogFields.EPOCH, epoch)
                        .log("slot {} is ours under epoch {}: {} executions go on", slot, epoch, count);
            }
            listener.onReady(slot, epoch);
        } finally {
            turns[slot].unlock();
        }
    }

    /** @return executions given to the shards; -1: the slot is another's again */
    private int takeJournals(int slot, long epoch) {
        while (table.isGiven(slot, epoch) && !closed) {
            room.acquireUninterruptibly();
            try {
                return give(slot, epoch, journal.take(slot, epoch, () -> table.holds(slot, epoch) && !closed));
            } catch (RuntimeException e) {
                if (table.isGiven(slot, epoch) && !closed) {
                    LOG.atWarn().addKeyValue(LogFields.SLOT, slot).addKeyValue(LogFields.EPOCH, epoch)
                            .log("slot {} cannot be taken yet, tried again soon: {}", slot, e.toString());
                }
            } finally {
                room.release();
            }
            LockSupport.parkNanos(RETRY_NS);
        }
        return -1;
    }

    /** What has a record of its end lacks only the mark in the journal: run again, it could end in another way. */
    private int give(int slot, long epoch, Left left) {
        int given = 0;
        left.processes().forEach(process -> shards.submit(process.application(), new Input.Taken(slot, epoch, process)));
        for (Unfinished execution : left.executions()) {
            if (!table.isGiven(slot, epoch)) {
                return -1; // a look at each record takes its time
            }
            InvocationRequest request = execution.request();
            if (execution.isNothing()) {
                if (!unbegun.mark(execution, slot, epoch, () -> table.isGiven(slot, epoch) && !closed)) {
                    return -1;
                }
            } else if (hasEnded(slot, epoch, request)) {
                Entry mark = new Entry(request.application(), request.executionId(), slot, epoch, execution.next(),
                        new Backup.Ended(Status.SUCCEEDED), Await.NO, request.process() == null ? null : request.processId(), null);
                shards.submit(request.application(), new Input.Taken(slot, epoch,
                        new Input.AlreadyEnded(request.executionId(), () -> journal.append(mark, null))));
            } else {
                shards.submit(request.application(), new Input.Taken(slot, epoch, execution.recover(System.nanoTime())));
                given++;
            }
        }
        return given;
    }

    private boolean hasEnded(int slot, long epoch, InvocationRequest request) {
        while (true) {
            try {
                return records.endedOrFenced(request, epoch);
            } catch (RuntimeException e) {
                if (!table.isGiven(slot, epoch) || closed) {
                    return false;
                }
                LOG.atWarn().addKeyValue(LogFields.APPLICATION, request.application())
                        .addKeyValue(LogFields.EXECUTION_ID, request.executionId()).addKeyValue(LogFields.SLOT, slot)
                        .addKeyValue(LogFields.EPOCH, epoch)
                        .log("the record of {} cannot be read, tried again soon: {}", request.executionId(), e.toString());
                LockSupport.parkNanos(RETRY_NS);
            }
        }
    }

    private void refreshAll() {
        for (int slot = 0; slot < turns.length; slot++) {
            if (table.epoch(slot) != 0) {
                refreshSoon(slot);
            }
        }
    }

    private void refreshSoon(int slot) {
        if (!closed && wanted.compareAndSet(slot, 0, 1)) {
            threads.execute(() -> refresh(slot));
        }
    }

    /** Journals made since the slot was taken; a first use may wait for it. */
    private void refresh(int slot) {
        turns[slot].lock();
        try {
            wanted.set(slot, 0);
            long epoch = table.epoch(slot);
            // One that was given again just now is taken first, in a turn of its own.
            if (epoch != 0 && ready[slot] == epoch && !closed) {
                takeJournals(slot, epoch);
                listener.onReady(slot, epoch);
            }
        } finally {
            turns[slot].unlock();
        }
    }

    /** Blocks until what was given so far is taken, or for so long. @return executions that go on */
    public int await(Duration atMost) {
        long end = System.nanoTime() + atMost.toNanos();
        while (underWay.get() > 0 && System.nanoTime() < end) {
            LockSupport.parkNanos(1_000_000);
        }
        return recovered.get();
    }

    public Counts counts() {
        return new Counts(acquired.get(), released.get(), lost.get());
    }

    @Override
    public void close() {
        closed = true;
        clock.shutdownNow();
        threads.shutdown();
    }
}
