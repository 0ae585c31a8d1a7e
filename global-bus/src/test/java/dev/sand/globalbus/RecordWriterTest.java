package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.globalbus.BusCommand.Append;
import dev.sand.globalbus.BusCommand.Wait;
import dev.sand.globalbus.GlobalBus.BusRecord;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which records go into the log and which into a transaction, without the writer's thread. */
class RecordWriterTest {
    @TempDir
    Path directory;
    private final ReentrantLock working = new ReentrantLock();
    private final List<CompletableFuture<Long>> told = new ArrayList<>();
    private final List<Partition> seen = new ArrayList<>();
    private BusDatabase database;
    private Connection connection;
    private BusTopics topics;
    private LaterSync later;
    private volatile boolean diskFails;
    private Partition partition;
    private RecordWriter writer;

    @BeforeEach
    void open() throws Exception {
        database = new BusDatabase(directory.resolve("bus.db"));
        connection = database.openWriter(0);
        topics = new BusTopics(connection);
        topics.create("t", 1);
        while (topics.hasLeftovers()) {
            topics.removeLeftovers();
        }
        partition = topics.all().get("t").getFirst();
        Unsettled unsettled = new Unsettled(database.aheadLogs(), this::force, 0, topics, Duration.ofMinutes(5).toNanos());
        later = new LaterSync(unsettled, () -> { });
        later.start();
        writer = new RecordWriter(new BusTransactions(database, connection), unsettled, later,
                new Backlog<>(1 << 30, 1), working, seen::add);
        working.lock();
        writer.write(one(Wait.FOR_FILE));
        assertThat(partition.end).as("the database knows of the logs by then").isEqualTo(1);
    }

    @AfterEach
    void close() throws Exception {
        working.unlock();
        writer.close();
        connection.close();
    }

    private List<Append> one(Wait wait) {
        return one(wait, new byte[] {1});
    }

    private List<Append> one(Wait wait, byte[] value) {
        CompletableFuture<Long> offset = new CompletableFuture<>();
        told.add(offset);
        return List.of(new Append(partition, value, wait, GlobalBusContract.listener(offset)));
    }

    private void force(FileChannel channel) throws IOException {
        if (diskFails) {
            throw new IOException("of the disk");
        }
        channel.force(false);
    }

    private int rows() throws Exception {
        try (Statement statement = connection.createStatement(); ResultSet row = statement.executeQuery("SELECT count(*) FROM record")) {
            return row.getInt(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Wait.class)
    void everythingIsInTheLogFirstAndSeenFromThenOn(Wait wait) throws Exception {
        writer.write(one(wait));
        assertThat(told.get(1)).isCompletedWithValue(1L);
        assertThat(seen).containsExactly(partition, partition);
        assertThat(partition.view(0, 10, 1000).recent()).extracting(BusRecord::offset).containsExactly(1L);
        assertThat(rows()).isEqualTo(1);
        assertThat(writer.settle()).isNull();
        assertThat(rows()).isEqualTo(2);
        assertThat(partition.end).isEqualTo(2);
        assertThat(partition.view(0, 10, 1000).recent()).isEmpty();
    }

    /** The kernel says so once, and then that all is well. */
    @Test
    void whatALogsDiskDoesNotTakeIsInTheDatabaseAndSoIsAllThatComes() throws Exception {
        writer.write(one(Wait.FOR_FILE));
        diskFails = true;
        writer.write(one(Wait.FOR_DISK));
        assertThat(told).allMatch(CompletableFuture::isDone).noneMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(rows()).isEqualTo(3);
        diskFails = false;
        for (Wait wait : Wait.values()) {
            writer.write(one(wait));
        }
        assertThat(rows()).isEqualTo(6);
        later.now(); // the database has all
        assertThat(writer.isReadyForTrims()).isTrue();
    }

    @Test
    void whatIsLeftForLaterIsDueAtOnceWhenTheDiskDoesNotTakeIt() throws Exception {
        diskFails = true;
        writer.write(one(Wait.FOR_FILE));
        assertThatThrownBy(later::now).isInstanceOf(IOException.class);
        diskFails = false;
        assertThatThrownBy(later::now).as("nobody knows what of it is there").isInstanceOf(IOException.class);
        assertThat(writer.untilDueNs()).isZero();
        writer.settleAside();
        assertThat(rows()).isEqualTo(2);
        later.now();
    }

    /** As an interrupt of who writes closes it. */
    @Test
    void aLogThatIsClosedInTheMiddleIsUsedNoMore() throws Exception {
        writer.write(one(Wait.FOR_FILE));
        Thread.currentThread().interrupt();
        writer.write(one(Wait.FOR_FILE));
        assertThat(Thread.interrupted()).isTrue();
        writer.write(one(Wait.FOR_FILE));
        assertThat(told).allMatch(each -> each.isDone() && !each.isCompletedExceptionally());
        assertThat(rows()).isEqualTo(4);
        later.now();
        BusTopics again = new BusTopics(connection);
        try (Unsettled next = new Unsettled(database.aheadLogs(), AheadLog.Sync.DISK, BusDatabase.settled(connection), again, 1)) {
            assertThat(next.isEmpty()).as("the batch may be in the file, and does not count").isTrue();
        }
    }

    @Test
    void whoIsToldThatTheDiskHasItNotIsToldThatItMayBeThere() throws Exception {
        diskFails = true;
        connection.createStatement().execute("CREATE TEMP TRIGGER refuse BEFORE INSERT ON record BEGIN SELECT RAISE(ABORT, 'no'); END");
        writer.write(one(Wait.FOR_DISK));
        assertThatThrownBy(told.get(1)::join).cause().isInstanceOfSatisfying(BusException.class,
                e -> assertThat(e.kind()).isEqualTo(BusException.Kind.AWAY));
        assertThat(writer.isReadyForTrims()).isFalse();
        writer.write(one(Wait.FOR_FILE));
        assertThatThrownBy(told.get(2)::join).as("not with all of that, so soon").cause().isInstanceOfSatisfying(BusException.class,
                e -> assertThat(e.kind()).isEqualTo(BusException.Kind.BROKEN));
        connection.createStatement().execute("DROP TRIGGER refuse");
        assertThat(writer.settle()).isNull();
        assertThat(rows()).isEqualTo(2);
    }

    @Test
    void aTransactionAsideHasWhatTheLogHadAndWhatComesNextIsInTheOtherLog() {
        writer.write(one(Wait.FOR_FILE));
        writer.settleAside();
        assertThat(partition.end).isEqualTo(2);
        assertThat(working.isHeldByCurrentThread()).isTrue();
        writer.write(one(Wait.FOR_FILE));
        assertThat(partition.end).isEqualTo(2);
        assertThat(writer.settle()).isNull();
        assertThat(partition.end).isEqualTo(3);
    }

    @Test
    void whatIsTrimmedBeforeIsNeverARow() throws Exception {
        for (int i = 0; i < 4; i++) {
            writer.write(one(Wait.FOR_FILE));
        }
        topics.trim(Map.of(partition, 3L));
        assertThat(partition.begin).isEqualTo(3);
        writer.settleAside();
        assertThat(partition.end).isEqualTo(5);
        topics.removeLeftovers(); // the first one's
        assertThat(topics.hasLeftovers()).isFalse();
        assertThat(rows()).isEqualTo(2);
        topics.trim(Map.of(partition, 5L));
        topics.removeLeftovers();
        assertThat(rows()).isZero();
        writer.write(one(Wait.FOR_FILE));
        topics.trim(Map.of(partition, 6L));
        assertThat(topics.hasLeftovers()).as("there is no row of it").isFalse();
    }

    @Test
    void aLogThatIsHalfFullIsDueAndOneThatIsFullGivesWayToTheOther() {
        byte[] large = new byte[6 << 20];
        for (int i = 0; i < 3; i++) {
            assertThat(writer.untilDueNs()).isPositive();
            writer.write(one(Wait.FOR_FILE, large));
        }
        assertThat(writer.untilDueNs()).isZero();
        for (int i = 0; i < 5; i++) { // nobody brings anything to the database meanwhile
            writer.write(one(Wait.FOR_FILE, large));
        }
        assertThat(partition.told).isEqualTo(9);
        assertThat(partition.end).isEqualTo(1);
        assertThat(writer.untilDueNs()).isZero();
        writer.settleAside();
        assertThat(partition.end).as("a part of it: whoever waits for the writer is not to wait for all").isEqualTo(2);
        for (int i = 0; i < 4; i++) {
            writer.settleAside();
        }
        assertThat(partition.end).isEqualTo(6);
        writer.write(one(Wait.FOR_FILE, new byte[33 << 20]));
        assertThat(partition.end).as("too large for a log").isEqualTo(10);
        assertThat(told).allMatch(CompletableFuture::isDone);
    }
}
