package dev.sand.globalbus;

import dev.sand.globalbus.BusCommand.Append;
import dev.sand.globalbus.BusException.Kind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that writes the bus's file; in its place, whoever gathers records writes them to the log beside it by itself. It takes all that waits in the backlog, writes it in one transaction (group
 * commit) and then tells the listeners: nobody hears of a record that is not there. It is on the disk when somebody in the batch
 * waits for that; else {@link LaterSync} brings it there. Where somebody waits for the file alone, the batch goes into a log beside it
 * and is in a later transaction ({@link Unsettled}). A transaction that fails, fails
 * for all in it of whom nobody was told, with the cause, and leaves the file as it was; the next one is tried afresh.
 */
final class BusWriter implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(BusWriter.class);
    /** Trims come with nearly every record, and each costs a write: nobody waits for them. */
    private static final long TRIM_AFTER_NS = 50_000_000L;

    private final Backlog<BusCommand> backlog;
    private final BusDatabase database;
    private final Connection connection;
    private final BusTopics topics;
    private final Consumer<Partition> onAppended;
    /** Not done yet; of each partition the last counts. */
    private final Map<Partition, Long> trims = new LinkedHashMap<>();
    private long trimsSinceNs;
    private final LaterSync later;
    private final Unsettled unsettled;
    private boolean waitsForDisk = true;
    /** Held by who works: this thread, or who gathers. */
    private final ReentrantLock working = new ReentrantLock();

    BusWriter(Backlog<BusCommand> backlog, BusDatabase database, Connection connection, BusTopics topics,
            Consumer<Partition> onAppended) {
        this.backlog = backlog;
        this.database = database;
        this.connection = connection;
        this.topics = topics;
        this.later = new LaterSync(database.writeAheadLog());
        this.unsettled = new Unsettled(database.aheadLog(), topics, backlog.lingerNs());
        this.onAppended = onAppended;
    }

    @Override
    public void run() {
        boolean open = true;
        for (long waitNs = 0; open; ) {
            backlog.await(waitNs);
            working.lock();
            try {
                open = work(backlog.take());
                waitNs = untilWork();
            } finally {
                working.unlock();
            }
        }
    }

    /** @return false: it is closed */
    private boolean work(List<BusCommand> batch) {
        List<Append> appends = new ArrayList<>(batch.size());
        for (BusCommand command : batch) {
            switch (command) {
                case Append append -> appends.add(append);
                case BusCommand.Trim trim -> note(trim);
                case BusCommand.Create _, BusCommand.Delete _, BusCommand.Settle _, BusCommand.Close _ -> {
                    write(appends);
                    appends.clear();
                    BusException unsettled = settle();
                    trim();
                    if (command instanceof BusCommand.Close close) {
                        end(close);
                        return false;
                    }
                    control(command, unsettled);
                }
            }
        }
        write(appends);
        boolean trims = untilTrims() <= 0;
        if (trims || unsettled.untilDueNs() <= 0) {
            settle();
        }
        if (trims) {
            trim();
        }
        if (topics.hasLeftovers()) {
            attempt("remove trimmed records", false, topics::removeLeftovers);
        }
        return true;
    }

    private void note(BusCommand.Trim trim) {
        trimsSinceNs = trims.isEmpty() ? System.nanoTime() : trimsSinceNs;
        trims.merge(trim.partition(), trim.offset(), Math::max);
    }

    /** Of a thread that has added something: what waits for the file alone it writes itself, unless the writer is at work, which looks again. */
    void writeGathered() {
        if (!backlog.isUrgent()) {
            backlog.wakeForAny();
            return;
        }
        if (!working.tryLock()) {
            return;
        }
        boolean isSooner;
        try {
            boolean hadTrims = !trims.isEmpty();
            boolean hadRecords = !unsettled.isEmpty();
            List<Append> appends = new ArrayList<>();
            for (BusCommand command : backlog.takeWhile(BusWriter::isForFileAlone)) {
                if (command instanceof Append append) {
                    appends.add(append);
                } else if (command instanceof BusCommand.Trim trim) {
                    note(trim);
                }
            }
            write(appends);
            isSooner = !hadTrims && !trims.isEmpty() || !hadRecords && !unsettled.isEmpty();
        } finally {
            working.unlock();
        }
        if (!backlog.isEmpty()) {
            backlog.wake(true);
        } else if (isSooner) {
            backlog.ask(); // it waits too long
        }
    }

    private static boolean isForFileAlone(BusCommand command) {
        return command instanceof BusCommand.Trim || command instanceof Append append && !append.isForDisk();
    }

    private void write(List<Append> appends) {
        if (appends.isEmpty()) {
            return;
        }
        boolean forDisk = false;
        boolean forFile = false;
        for (Append append : appends) {
            forDisk |= append.isForDisk() || append.partition().deleted;
            forFile |= append.isUrgent();
        }
        if (forFile && !forDisk && !later.hasFailed() && unsettled.take(appends)) {
            for (Append append : appends) {
                tell(append, null);
            }
        } else {
            transact(appends, forDisk);
        }
    }

    /** What somebody was told of is in the database, too. @return null, or why it is not */
    private BusException settle() {
        return unsettled.isEmpty() ? null : transact(List.of(), false);
    }

    /** @param appends of which nobody was told yet; behind those of whom somebody was */
    private BusException transact(List<Append> appends, boolean waits) {
        Set<Partition> touched = new LinkedHashSet<>();
        boolean forDisk = waits || later.hasFailed();
        BusException failure = attempt("write " + (unsettled.records().size() + appends.size()) + " records", forDisk,
                () -> BusDatabase.transaction(connection, () -> insertAll(appends, touched)));
        if (failure == null) {
            if (forDisk) {
                later.done();
            } else {
                later.soon();
            }
            for (Partition partition : touched) {
                partition.end = partition.next;
                partition.told = partition.next;
            }
            unsettled.records().forEach(append -> release(append));
            unsettled.settled();
        } else {
            touched.forEach(partition -> partition.next = partition.told);
            unsettled.later();
        }
        for (Append append : appends) {
            release(append);
            tell(append, failure);
        }
        if (failure == null) {
            touched.forEach(onAppended);
        }
        return failure;
    }

    private void release(Append append) {
        if (append.listener != null) { // or it is of an earlier run's backlog
            backlog.release(append.size());
        }
    }

    /**
     * A partition's end is where its last record is ({@link BusTopics}): a row that said so would be another page to write, a quarter
     * of what a record costs. Statements are made for each transaction: the driver closes one that fails, and a full disk must not
     * be the end.
     */
    private void insertAll(List<Append> appends, Set<Partition> touched) throws SQLException {
        long atMs = System.currentTimeMillis();
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO record(position, value, at) VALUES(?, ?, ?)")) {
            for (Append append : unsettled.records()) {
                insert(insert, append, touched);
            }
            for (Append append : appends) {
                Partition partition = append.partition();
                if (touched.add(partition)) {
                    partition.next = partition.told;
                }
                append.offset = partition.next++;
                append.atMs = atMs;
                insert(insert, append, touched);
            }
        }
    }

    private static void insert(PreparedStatement insert, Append append, Set<Partition> touched) throws SQLException {
        Partition partition = append.partition();
        if (partition.deleted) {
            return;
        }
        if (touched.add(partition)) {
            partition.next = partition.told; // of all that somebody was told of
        }
        insert.setLong(1, partition.position(append.offset));
        insert.setBytes(2, append.value);
        insert.setLong(3, append.atMs);
        insert.executeUpdate();
    }

    /** Nanoseconds for which there is nothing to do but what comes. */
    private long untilWork() {
        if (topics.hasLeftovers()) {
            return 0;
        }
        return Math.min(untilTrims(), unsettled.untilDueNs());
    }

    private long untilTrims() {
        return trims.isEmpty() ? Long.MAX_VALUE : trimsSinceNs + TRIM_AFTER_NS - System.nanoTime();
    }

    private void trim() {
        trims.forEach((partition, offset) -> attempt("trim " + partition.topic, false,
                () -> topics.trim(partition, offset)));
        trims.clear();
    }

    private void control(BusCommand command, BusException unsettled) {
        switch (command) {
            case BusCommand.Create create -> answer(create.done(), attempt("create topic " + create.topic(), true,
                    () -> topics.create(create.topic(), create.partitions())));
            case BusCommand.Delete delete -> answer(delete.done(), attempt("delete topic " + delete.topic(), true,
                    () -> topics.delete(delete.topic())));
            case BusCommand.Settle settle -> answer(settle.done(), unsettled);
            case Append _, BusCommand.Trim _, BusCommand.Close _ -> throw new IllegalStateException("not a control command: " + command);
        }
    }

    /** @return null, or why nothing of the transaction happened */
    private BusException attempt(String what, boolean forDisk, BusDatabase.Work transaction) {
        try {
            if (forDisk != waitsForDisk) {
                BusDatabase.waitForDisk(connection, forDisk);
                waitsForDisk = forDisk;
            }
            transaction.run();
            return null;
        } catch (SQLException | RuntimeException e) { // whatever it was, somebody waits for an answer
            BusException failure = database.failure("cannot " + what, e);
            LOG.warn("global bus: {}", failure.getMessage());
            if (failure.kind() == Kind.FULL) {
                trimsSinceNs -= TRIM_AFTER_NS;
                giveRoomBack();
            }
            return failure;
        }
    }

    /** So that trims can go on where appends cannot. */
    private void giveRoomBack() {
        try {
            BusDatabase.checkpoint(connection);
        } catch (SQLException e) {
            LOG.warn("global bus: no checkpoint: {}", e.getMessage());
        }
    }

    private void tell(Append append, BusException failure) {
        BusException reason = failure == null && append.partition().deleted
                ? new BusException(Kind.UNKNOWN_TOPIC, "topic " + append.partition().topic + " has been deleted", null)
                : failure;
        try {
            if (reason == null) {
                append.listener.onAppended(append.offset);
            } else {
                append.listener.onFailed(reason);
            }
        } catch (RuntimeException e) {
            LOG.error("global bus: a listener failed on {}", append.partition().topic, e);
        }
    }

    private static void answer(CompletableFuture<Void> done, BusException failure) {
        if (failure == null) {
            done.complete(null);
        } else {
            done.completeExceptionally(failure);
        }
    }

    private void end(BusCommand.Close close) {
        later.close();
        unsettled.close();
        try {
            connection.close();
            close.done().complete(null);
        } catch (SQLException e) {
            close.done().completeExceptionally(database.failure("cannot close", e));
        }
    }
}
