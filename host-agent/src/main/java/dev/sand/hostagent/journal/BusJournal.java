package dev.sand.hostagent.journal;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Slots;
import dev.sand.event.Topics;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.GlobalBus;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.journal.JournalQueue.Given;
import dev.sand.hostagent.journal.JournalTaking.Claim;
import dev.sand.hostagent.journal.JournalTaking.Taken;
import dev.sand.hostagent.objects.ObjectCopies;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The journal on the global bus. A thread of its own, or a shard in its place ({@link JournalTurn}), takes what the shards gave, has large
 * values copied to the global data layer (a reference does not outlive this host), encodes, and appends, in the order that
 * {@link RecordOrder} keeps; who brings it into the bus reports to {@link JournalAppends}.
 */
public final class BusJournal implements JournalAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(BusJournal.class);
    private static final int RECORD_BYTES = 300;
    private static final long CLOSE_MS = 5_000;

    /**
     * @param slots partitions of a new journal topic
     * @param maxBacklogBytes given and not yet durable; beyond it, new requests are refused; at twice as much, records are
     * @param maxInlineBytes values of one record that travel in it; when they are more, they become objects
     * @param linger how long a record that nobody awaits may wait here: what a crash of this process can take of a relaxed backup
     */
    public record Options(int slots, long maxBacklogBytes, int maxInlineBytes, Duration linger) {
        public static final Options DEFAULT = new Options(Slots.DEFAULT, 256L << 20, 384 << 10, Duration.ofMillis(10));

        /** The number that the platform's membership has. */
        public Options withSlots(int value) {
            return new Options(value, maxBacklogBytes, maxInlineBytes, linger);
        }
    }

    private final GlobalBus bus;
    private final String host;
    private final Options options;
    private final JournalPartitions partitions;
    private final JournalQueue queue;
    private final ObjectCopies copies;
    private final ValueCopying copying;
    private final BusHealth health = new BusHealth();
    private final SureEnds ends;
    private final JournalAppends appends;
    private final RecordOrder order;
    private final TakingTrouble trouble = new TakingTrouble();
    private final RecoveryByApplication recoveries = new RecoveryByApplication();
    private final Thread thread;
    /** What others have for this thread. */
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final JournalTurn turn;
    private volatile boolean anyStopped;
    private final AtomicLong voided = new AtomicLong();

    /** @param host this host's name, for claims */
    public BusJournal(GlobalBus bus, ObjectCopies copies, String host, Options options) {
        this.bus = bus;
        this.host = host;
        this.options = options;
        this.copies = copies;
        this.copying = new ValueCopying(copies, options.maxInlineBytes());
        this.partitions = new JournalPartitions(bus, options.slots());
        this.queue = new JournalQueue(options.linger().toNanos(), options.slots());
        this.ends = new SureEnds(copies);
        this.appends = new JournalAppends(bus, host, queue, partitions, copies, ends, health, new JournalAppends.Retries() {
            @Override
            public void onFailed(Given given) {
                onThread(() -> order.onFailed(given));
            }

            @Override
            public void onSettled(Given given) {
                onThread(() -> order.onSettled(given));
            }

            @Override
            public void onEndedFirst(Given end) {
                onThread(() -> order.onEndedFirst(end));
            }
        });
        this.order = new RecordOrder(appends, copying, this::onThread, queue::isClosed);
        this.turn = new JournalTurn(bus, queue, partitions, tasks::isEmpty, order::take, System::nanoTime);
        this.thread = new Thread(this::run, "journal");
        queue.consumedBy(thread);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void append(Entry entry, AppendListener listener) {
        Given given = new Given(entry, RECORD_BYTES + ValueCopying.inlineBytes(entry), listener, null, false);
        boolean begins = entry.backup() instanceof Backup.Accepted;
        long limit = begins ? options.maxBacklogBytes() : 2 * options.maxBacklogBytes();
        String away = given.isAcceptance() ? health.away() : null;
        boolean room = queue.bytes() + given.bytes() <= limit || entry.backup() instanceof Backup.Ended;
        if (queue.isClosed()) {
            appends.refuse(given, Failure.platform(Errors.UNAVAILABLE, "the journal is closed", true));
        } else if (!room) {
            appends.refuse(given, behind());
        } else if (away != null) {
            appends.refuse(given, JournalAppends.away(away));
        } else {
            turn.give(given);
        }
    }

    private Failure behind() {
        return new Failure(Errors.UNAVAILABLE, "the journal is " + queue.bytes() + " bytes behind, the limit is "
                + options.maxBacklogBytes() + "; come back later", Failure.Source.PLATFORM, true, null,
                Map.of("limit", options.maxBacklogBytes(), "actual", queue.bytes()));
    }

    @Override
    public String away() {
        return health.away();
    }

    @Override
    public int slots() {
        return options.slots();
    }

    @Override
    public Failure refusal(String application, int slot) {
        if (queue.bytes() > options.maxBacklogBytes()) {
            return behind();
        }
        JournalPartition partition = anyStopped ? partitions.known(application, slot) : null;
        String stopped = partition == null ? null : partition.stopped();
        return stopped == null ? null : Failure.platform(Errors.UNAVAILABLE, stopped, false);
    }

    // --- the journal's thread

    /** As urgent as any thread, and no more: messages do not wait for it, and it would take their functions' processors (BENCHMARKS.md). */
    private void run() {
        try {
            while (!queue.isClosed() || !queue.isEmpty() || order.postpones()) {
                queue.await();
                step();
            }
        } finally {
            queue.close(); // whatever ended this thread: what comes now is refused and not left waiting
        }
    }

    private void step() {
        turn.take(() -> {
            order.take(queue.take());
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
            order.retry();
            appends.giveUp();
        });
    }

    private void onThread(Runnable task) {
        tasks.add(task);
        queue.wake();
    }

    // --- slots

    @Override
    public void onUnclaimed(IntConsumer wanted) {
        appends.onUnclaimed(wanted);
    }

    @Override
    public void fencedBy(Fence by) {
        ends.fencedBy(by);
    }

    @Override
    public Left take(int slot, long epoch, BooleanSupplier current) {
        long beganNs = System.nanoTime();
        JournalTaking taking = new JournalTaking(bus, health, copies, host, epoch, current, trouble);
        taking.patiently(partitions::gone).forEach(appends::forget);
        Map<JournalPartition, CompletableFuture<Claim>> claims = new LinkedHashMap<>();
        for (JournalPartition partition : taking.patiently(() -> partitions.ofSlot(slot))) {
            if (!partition.isClaimed(epoch)) {
                claims.put(partition, taking.claim(partition));
            }
        }
        // All are read before the first counts as taken: should one fail, the next try finds what the others have again.
        Map<JournalPartition, Taken> all = new LinkedHashMap<>();
        claims.forEach((partition, claim) -> {
            try {
                Taken taken = taking.take(partition, claim);
                all.put(partition, taken);
                if (!taken.unfinished().isEmpty()) {
                    recoveries.add(taken.unfinished().getFirst().request().application(), taken.unfinished().size(),
                            System.nanoTime() - beganNs);
                }
            } catch (BusException e) {
                if (!JournalTaking.isGone(e)) {
                    throw e;
                }
                appends.forget(partition.topic);
            }
        });
        all.forEach((partition, taken) -> onTaken(partition, epoch, taken, current));
        return new Left(all.values().stream().flatMap(taken -> taken.unfinished().stream()).toList(),
                all.values().stream().flatMap(taken -> taken.processes().stream()).toList());
    }

    private void onTaken(JournalPartition partition, long epoch, Taken taken, BooleanSupplier current) {
        voided.addAndGet(taken.voided());
        if (taken.stopped() != null) {
            anyStopped = true;
            partition.stop(taken.stopped()).forEach(given ->
                    appends.drop(given, Failure.platform(Errors.UNAVAILABLE, taken.stopped(), false)));
        } else {
            BooleanSupplier sure = () -> current.getAsBoolean() && ends.isOurs(partition.number, epoch);
            partition.taken(epoch, taken.open(), sure, given -> appends.append(partition, given))
                    .forEach(given -> appends.drop(given, JournalAppends.moved(given)));
            taken.ended().forEach(ended -> collect(partition, Topics.applicationOfJournal(partition.topic), ended));
        }
    }

    /** Its values may have outlived the host on which it ended. */
    private void collect(JournalPartition partition, String application, ProcessReading.Ended ended) {
        String id = ended.journalId();
        copies.expect(application, id);
        copies.ended(application, id, () -> partition.onEnded(id, ended.firstOffset()));
    }

    @Override
    public void leave(int slot, long epoch, Duration atMost) {
        long end = System.nanoTime() + atMost.toNanos();
        while (queue.records(slot) > 0 && System.nanoTime() < end) {
            queue.wake();
            LockSupport.parkNanos(1_000_000);
        }
        partitions.knownOfSlot(slot).forEach(partition ->
                partition.leave(epoch).forEach(given -> appends.drop(given, JournalAppends.moved(given))));
    }

    @Override
    public boolean knowsNothingOf(String application, int slot, String executionId) {
        JournalPartition partition = partitions.known(application, slot);
        return partition != null && partition.knowsNothingOf(executionId) && !copies.has(application, executionId);
    }

    @Override
    public void deleteApplication(String application) {
        appends.forget(Topics.journal(application));
        recoveries.forget(application);
    }

    @Override
    public long backlog() {
        return queue.records();
    }

    @Override
    public Refused refused() {
        return new Refused(appends.moved(), voided.get());
    }

    @Override
    public JournalFigures figures() {
        return new JournalFigures(queue.byApplication(), recoveries.read());
    }

    @Override
    public void close() {
        queue.close();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        // What waits for a claim, or for a bus that is away, is not waited for: nobody was promised it.
        for (long quiet = 0; queue.records() > order.waiting() + partitions.waiting() && quiet < CLOSE_MS; quiet++) {
            step();
            LockSupport.parkNanos(1_000_000);
        }
        copying.close();
        if (queue.records() > 0) {
            LOG.warn("{} records are not in the global bus: what they tell of runs again at the next start", queue.records());
        }
    }
}
