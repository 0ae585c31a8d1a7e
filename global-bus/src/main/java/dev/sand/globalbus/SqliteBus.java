package dev.sand.globalbus;

import dev.sand.globalbus.BusCommand.Wait;
import dev.sand.globalbus.BusException.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The embedded global bus: one SQLite file, one writer thread with group commit, reads from connections of their own
 * (DESIGN, decision 7). A record is acknowledged when it is on the disk, or in a file, for who asks for that: in a log beside the
 * database ({@link AheadLog}), which has what is not trimmed by then a second later.
 */
public final class SqliteBus implements GlobalBus {
    private static final int READERS = 3;
    /** A read ends after this many bytes, with at least one record. */
    private static final long READ_BYTES = 16L << 20;

    /**
     * @param maxBacklogBytes accepted and not yet durable; beyond it, appends fail with FULL
     * @param maxRecordBytes one record
     * @param linger how long records that nobody waits for may wait for others
     * @param inLog how long a record may be in the log beside the database alone: most are trimmed meanwhile
     * @param maxPages of 16 KiB, of the file; 0: as much as the disk has
     */
    public record Options(long maxBacklogBytes, int maxRecordBytes, Duration linger, Duration inLog, long maxPages) {
        public static final Options DEFAULT = new Options(256L << 20, 32 << 20, Duration.ofMillis(2), Duration.ofSeconds(1), 0);
    }

    private final Options options;
    private final BusDatabase database;
    private final BusTopics topics;
    private final Backlog<BusCommand> backlog;
    private final LaterSync later;
    private final Thread writer;
    private final BusWriter writing;
    private final ExecutorService tailing = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("global-bus-tail").factory());
    private final EmbeddedTails tails = new EmbeddedTails(new EmbeddedTail.Source() {
        @Override
        public List<BusRecord> read(String topic, int partition, long offset, int max) {
            return SqliteBus.this.read(topic, partition, offset, max);
        }

        @Override
        public Object identity(String topic, int partition) {
            return find(topic, partition);
        }
    }, tailing);
    private final ArrayBlockingQueue<Connection> readers = new ArrayBlockingQueue<>(READERS + 1);
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Opens the file, or makes it. @throws BusException when that cannot be done */
    public SqliteBus(Path file, Options options) {
        this.options = options;
        this.database = new BusDatabase(file);
        this.backlog = new Backlog<>(options.maxBacklogBytes(), options.linger().toNanos());
        Connection connection = database.openWriter(options.maxPages());
        try {
            this.topics = new BusTopics(connection);
            for (int i = 0; i < READERS; i++) {
                readers.add(database.openReader());
            }
            Unsettled unsettled = new Unsettled(database.aheadLogs(), AheadLog.Sync.DISK, BusDatabase.settled(connection), topics,
                    options.inLog().toNanos());
            this.later = new LaterSync(unsettled, backlog::ask);
            this.writing = new BusWriter(backlog, new BusTransactions(database, connection), topics, unsettled, later,
                    partition -> tails.onAppended(partition.topic, partition.number));
            this.writer = new Thread(writing, "global-bus");
        } catch (SQLException | BusException e) {
            readers.add(connection);
            readers.forEach(database::closeAnyway);
            throw e instanceof BusException told ? told : database.failure("cannot open", e);
        }
        later.start();
        backlog.consumedBy(writer);
        writer.setDaemon(true);
        writer.start();
    }

    @Override
    public void createTopic(String topic, int partitions) {
        if (partitions < 1) {
            throw new IllegalArgumentException("a topic has at least one partition: " + topic);
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        submit(new BusCommand.Create(topic, partitions, done), done);
    }

    @Override
    public void deleteTopic(String topic) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        submit(new BusCommand.Delete(topic, done), done);
    }

    private void submit(BusCommand command, CompletableFuture<Void> done) {
        if (closed.get()) {
            throw isClosed();
        }
        backlog.add(command);
        backlog.wake(true); // whoever gathers waits, too
        try {
            done.join();
        } catch (CompletionException e) {
            throw (BusException) e.getCause();
        }
    }

    @Override
    public int partitions(String topic) {
        return topics.all().getOrDefault(topic, List.of()).size();
    }

    @Override
    public List<String> topics() {
        return List.copyOf(topics.all().keySet());
    }

    @Override
    public void append(String topic, int partition, byte[] value, AppendListener listener) {
        append(topic, partition, value, Wait.FOR_DISK, listener);
    }

    @Override
    public void appendWritten(String topic, int partition, byte[] value, AppendListener listener) {
        append(topic, partition, value, Wait.FOR_FILE, listener);
    }

    @Override
    public void sync() {
        try {
            later.now();
        } catch (IOException e) {
            throw database.failure("cannot bring to the disk", e);
        }
    }

    @Override
    public void appendInBackground(String topic, int partition, byte[] value, AppendListener listener) {
        append(topic, partition, value, Wait.NOT, listener);
    }

    @Override
    public boolean isEmbedded() {
        return true;
    }

    @Override
    public Runnable gather() {
        backlog.gatheredBy(Thread.currentThread());
        return writing::writeGathered;
    }

    private void append(String topic, int number, byte[] value, Wait wait, AppendListener listener) {
        Partition partition;
        try {
            partition = partition(topic, number);
        } catch (BusException e) {
            listener.onFailed(e);
            return;
        }
        if (closed.get()) {
            listener.onFailed(isClosed());
        } else if (value.length > options.maxRecordBytes()) {
            listener.onFailed(new BusException(Kind.TOO_LARGE, "a record of " + value.length + " bytes for " + topic
                    + " is over the limit of " + options.maxRecordBytes(), null));
        } else if (!backlog.reserve(value.length)) {
            listener.onFailed(new BusException(Kind.FULL, "the global bus's backlog is full: " + backlog.bytes() + " of "
                    + options.maxBacklogBytes() + " bytes wait for the disk", null));
        } else {
            backlog.add(new BusCommand.Append(partition, value, wait, listener));
        }
    }

    @Override
    public List<BusRecord> read(String topic, int number, long offset, int max) {
        Partition partition = partition(topic, number);
        long from = Math.max(offset, partition.begin);
        Partition.View view = partition.view(from, max, READ_BYTES);
        if (max <= 0 || from >= view.end()) {
            return view.recent();
        }
        Connection connection = takeReader();
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT position, value, at FROM record WHERE position >= ? AND position < ? ORDER BY position LIMIT ?")) {
            select.setLong(1, partition.position(from));
            select.setLong(2, partition.position(view.end()));
            select.setInt(3, max);
            List<BusRecord> records = new ArrayList<>();
            long bytes = 0;
            try (ResultSet rows = select.executeQuery()) {
                while (bytes < READ_BYTES && rows.next()) {
                    byte[] value = rows.getBytes(2);
                    bytes += value.length;
                    records.add(new BusRecord(rows.getLong(1) - partition.position(0), value, rows.getLong(3)));
                }
            }
            if (bytes < READ_BYTES && records.size() < max) { // all that the database has
                records.addAll(view.recent().subList(0, Math.min(view.recent().size(), max - records.size())));
            }
            return records;
        } catch (SQLException e) {
            throw database.failure("cannot read " + topic, e);
        } finally {
            readers.add(connection);
        }
    }

    @Override
    public long endOffset(String topic, int partition) {
        return partition(topic, partition).told;
    }

    @Override
    public long beginOffset(String topic, int partition) {
        return partition(topic, partition).begin;
    }

    @Override
    public Tail tail(String topic, int partition, long offset, TailListener listener) {
        if (closed.get()) {
            throw isClosed();
        }
        return tails.open(topic, partition, offset, listener);
    }

    @Override
    public void trim(String topic, int partition, long offset) {
        backlog.add(new BusCommand.Trim(partition(topic, partition), offset));
    }

    @Override
    public long backlogBytes() {
        return backlog.bytes();
    }

    /** Writes what was accepted, then ends. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        tails.close();
        for (int i = 0; i < READERS; i++) {
            try {
                takeReader().close();
            } catch (SQLException e) {
                throw database.failure("cannot close", e);
            }
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        backlog.add(new BusCommand.Close(done));
        backlog.wake(true);
        done.join();
        tailing.shutdown();
    }

    private Partition partition(String topic, int number) {
        Partition partition = find(topic, number);
        if (partition == null) {
            throw new BusException(Kind.UNKNOWN_TOPIC, "no partition " + number + " of topic " + topic + ", which has "
                    + partitions(topic), null);
        }
        return partition;
    }

    private Partition find(String topic, int number) {
        List<Partition> partitions = topics.all().getOrDefault(topic, List.of());
        return number < 0 || number >= partitions.size() ? null : partitions.get(number);
    }

    private Connection takeReader() {
        try {
            return readers.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BusException(Kind.BROKEN, "interrupted while waiting for a connection", e);
        }
    }

    private static BusException isClosed() {
        return new BusException(Kind.CLOSED, "the global bus is closed", null);
    }
}
