package dev.sand.globalbus;

import dev.sand.globalbus.BusCommand.Append;
import dev.sand.globalbus.BusException.Kind;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings records into the bus and tells their listeners: those for the file alone through a log beside it ({@link Unsettled}), others in
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
        if (!log(appends)) {
            transact(appends, appends.stream().anyMatch(Append::isForDisk));
        }
    }

    /** Where the file is waited for, and nothing more, or nothing and a transaction is due anyway. @return false: nothing has happened */
    boolean log(List<Append> appends) {
        boolean forDisk = later.hasFailed();
        boolean forLog = !unsettled.isEmpty(); // or a transaction would take all that the log has, with everybody waiting
        for (Append append : appends) {
            forDisk |= append.isForDisk() || append.partition().deleted;
            forLog |= append.isUrgent();
        }
        if (!forLog || forDisk || !unsettled.take(appends)) {
            return false;
        }
        for (Append append : appends) {
            tell(append, null);
        }
        return true;
    }

    boolean isSettled() {
        return unsettled.isEmpty();
    }

    long untilDueNs() {
        return unsettled.untilDueNs();
    }

    /** What is in a log is brought to the database while others go into the other log. */
    void settleAside() {
        List<Append> records = unsettled.leave();
        if (records.isEmpty()) {
            settle();
            return;
        }
        boolean forDisk = later.hasFailed();
        BusException failure;
        working.unlock();
        try {
            failure = transactions.attempt("write " + records.size() + " records", forDisk,
                    () -> BusDatabase.transaction(transactions.connection, () -> insertLogged(records)));
        } finally {
            working.lock();
        }
        if (failure != null) {
            unsettled.later();
            return;
        }
        synced(forDisk);
        Set<Partition> touched = new LinkedHashSet<>();
        for (Append append : records) {
            append.partition().end = append.offset + 1;
            touched.add(append.partition());
            release(append);
        }
        unsettled.left();
        touched.forEach(onAppended);
    }

    private void synced(boolean forDisk) {
        if (forDisk) {
            later.done();
        } else {
            later.soon();
        }
    }

    /** What somebody was told of is in the database, too. @return null, or why it is not */
    BusException settle() {
        return unsettled.isEmpty() ? null : transact(List.of(), false);
    }

    /** @param appends of which nobody was told yet; behind those of whom somebody was */
    private BusException transact(List<Append> appends, boolean waits) {
        Set<Partition> touched = new LinkedHashSet<>();
        boolean forDisk = waits || later.hasFailed();
        List<Append> logged = unsettled.records();
        BusException failure = transactions.attempt("write " + (logged.size() + appends.size()) + " records", forDisk,
                () -> BusDatabase.transaction(transactions.connection, () -> insertAll(logged, appends, touched)));
        if (failure == null) {
            synced(forDisk);
            for (Partition partition : touched) {
                partition.end = partition.next;
                partition.told = partition.next;
            }
            logged.forEach(this::release);
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
    private void insertAll(List<Append> logged, List<Append> appends, Set<Partition> touched) throws SQLException {
        long atMs = System.currentTimeMillis();
        try (PreparedStatement insert = transactions.connection.prepareStatement(INSERT)) {
            for (Append append : logged) {
                if (touched.add(append.partition())) {
                    append.partition().next = append.partition().told; // of all that somebody was told of
                }
                insert(insert, append);
            }
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

    private void insertLogged(List<Append> logged) throws SQLException {
        try (PreparedStatement insert = transactions.connection.prepareStatement(INSERT)) {
            for (Append append : logged) {
                insert(insert, append);
            }
        }
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

    @Override
    public void close() {
        later.close();
        unsettled.close();
    }
}
