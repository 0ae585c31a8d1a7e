package dev.sand.globalbus;

import dev.sand.globalbus.BusCommand.Append;
import dev.sand.globalbus.BusException.Kind;
import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings records into the bus and tells their listeners: through a log beside its file ({@link Unsettled}), or, where that cannot be, in
 * a transaction, behind all that a log has. Of who works for the writer; transactions are the writer's thread's.
 */
final class RecordWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RecordWriter.class);
    private static final String INSERT = "INSERT INTO record(position, value, at) VALUES(?, ?, ?)";

    private final BusTransactions transactions;
    private final Unsettled unsettled;
    private final LaterSync later;
    private final Backlog<BusCommand> backlog;
    private final ReentrantLock working;
    private final Consumer<Partition> onAppended;
    /** Of the last transaction that failed. */
    private BusException lastFailure;

    /** @param working held in every call; @param onAppended told of a partition that readers see more of */
    RecordWriter(BusTransactions transactions, Unsettled unsettled, LaterSync later, Backlog<BusCommand> backlog, ReentrantLock working,
            Consumer<Partition> onAppended) {
        this.transactions = transactions;
        this.unsettled = unsettled;
        this.later = later;
        this.backlog = backlog;
        this.working = working;
        this.onAppended = onAppended;
    }

    void write(List<Append> appends) {
        if (appends.isEmpty()) {
            return;
        }
        if (log(appends) || unsettled.leave() && log(appends)) { // what is leaving is due
            return;
        }
        if (!unsettled.isEmpty() && unsettled.untilAgainNs() > 0) { // all of that would be tried with it
            tell(appends, lastFailure);
            return;
        }
        transact(appends);
    }

    /** @param appends for the file alone, of who is not the writer's thread @return false: nothing has happened */
    boolean log(List<Append> appends) {
        boolean forDisk = false;
        boolean isPossible = true;
        for (Append append : appends) {
            forDisk |= append.isForDisk();
            isPossible &= !append.partition().deleted;
        }
        if (!isPossible || !unsettled.take(appends)) {
            return false;
        }
        boolean isThere = !forDisk || force();
        if (!forDisk) {
            later.soon();
        }
        Set<Partition> touched = new LinkedHashSet<>();
        for (Append append : appends) {
            append.partition().onLogged(append);
            touched.add(append.partition());
        }
        BusException failure = isThere ? null : settle();
        tell(appends, failure == null ? null : new BusException(Kind.AWAY, "may be in the bus, and may be lost: " + failure.getMessage(), failure));
        touched.forEach(onAppended);
        return true;
    }

    private boolean force() {
        boolean wasBroken = unsettled.isBroken();
        try {
            unsettled.force();
            later.done();
            return true;
        } catch (IOException e) {
            if (!wasBroken) {
                later.broken(e);
            }
            return false;
        }
    }

    private void tell(List<Append> appends, BusException failure) {
        for (Append append : appends) {
            backlog.release(append.size());
            tell(append, failure);
        }
    }

    /** What was told of before a trim is on the disk before the trim may be: it may be why. @return whether it is */
    boolean isReadyForTrims() {
        return unsettled.isEmpty() || force() || unsettled.untilAgainNs() == 0 && settle() == null;
    }

    boolean isSettled() {
        return unsettled.isEmpty();
    }

    long untilDueNs() {
        return unsettled.untilDueNs();
    }

    /** Some of what is in a log is brought to the database while others go into the other log. */
    void settleAside() {
        if (unsettled.leaving().isEmpty() && !unsettled.leave()) {
            settle();
            return;
        }
        List<Append> records = unsettled.leaving();
        if (records.isEmpty()) {
            return;
        }
        BusException failure;
        working.unlock();
        try {
            failure = transactions.attempt("write " + records.size() + " records", true,
                    () -> BusDatabase.transaction(transactions.connection, () -> insertLogged(records, records.getLast().batch)));
        } finally {
            working.lock();
        }
        if (failure != null) {
            later(failure);
            return;
        }
        settled(records);
        unsettled.left(records.size());
    }

    private void later(BusException failure) {
        lastFailure = failure;
        unsettled.later();
    }

    private static void settled(List<Append> records) {
        Map<Partition, Long> ends = new HashMap<>();
        records.forEach(append -> ends.put(append.partition(), append.offset + 1));
        ends.forEach(Partition::onSettled);
    }

    /** What somebody was told of is in the database, too. @return null, or why it is not */
    BusException settle() {
        return unsettled.isEmpty() ? null : transact(List.of());
    }

    /** @param appends of which nobody was told yet; behind those of whom somebody was */
    private BusException transact(List<Append> appends) {
        Set<Partition> touched = new LinkedHashSet<>();
        List<Append> logged = unsettled.records();
        BusException failure = transactions.attempt("write " + (logged.size() + appends.size()) + " records", true,
                () -> BusDatabase.transaction(transactions.connection, () -> insertAll(logged, appends, touched)));
        if (failure == null) {
            later.done();
            settled(logged);
            touched.forEach(partition -> partition.onSettled(partition.next));
            unsettled.settled();
        } else {
            touched.forEach(partition -> partition.next = partition.told);
            later(failure);
        }
        tell(appends, failure);
        if (failure == null) {
            touched.forEach(onAppended);
        }
        return failure;
    }

    /**
     * A partition's end is where its last record is ({@link BusTopics}): a row that said so would be another page to write, a quarter
     * of what a record costs. Statements are made for each transaction: the driver closes one that fails, and a full disk must not
     * be the end.
     */
    private void insertAll(List<Append> logged, List<Append> appends, Set<Partition> touched) throws SQLException {
        insertLogged(logged, unsettled.number());
        long atMs = System.currentTimeMillis();
        try (PreparedStatement insert = transactions.connection.prepareStatement(INSERT)) {
            for (Append append : appends) {
                Partition partition = append.partition();
                if (touched.add(partition)) {
                    partition.next = partition.told;
                }
                append.offset = partition.next++;
                append.atMs = atMs;
                insert(insert, append);
            }
        }
    }

    /** @param number of their last batch: the logs are not asked for that one, nor for earlier ones, any more */
    private void insertLogged(List<Append> logged, long number) throws SQLException {
        try (PreparedStatement insert = transactions.connection.prepareStatement(INSERT)) {
            for (Append append : logged) {
                if (append.offset >= append.partition().begin) { // or it was trimmed before it came here
                    insert(insert, append);
                }
            }
        }
        BusDatabase.settled(transactions.connection, number);
    }

    private static void insert(PreparedStatement insert, Append append) throws SQLException {
        Partition partition = append.partition();
        if (partition.deleted) {
            return;
        }
        insert.setLong(1, partition.position(append.offset));
        insert.setBytes(2, append.value);
        insert.setLong(3, append.atMs);
        insert.executeUpdate();
        partition.rowsEnd = append.offset + 1;
    }

    private void tell(Append append, BusException failure) {
        BusException reason = failure == null && append.partition().deleted
                ? new BusException(Kind.UNKNOWN_TOPIC, "topic " + append.partition().topic + " has been deleted", null)
                : failure;
        try {
            append.tell(reason);
        } catch (RuntimeException e) {
            LOG.error("global bus: a listener failed on {}", append.partition().topic, e);
        }
    }

    @Override
    public void close() {
        later.close();
        unsettled.close();
    }
}
