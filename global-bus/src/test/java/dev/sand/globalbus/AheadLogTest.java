package dev.sand.globalbus;

import static dev.sand.globalbus.GlobalBusContract.listener;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.globalbus.GlobalBus.BusRecord;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records that are in the log alone, for the database waits for others of them: longer than a test takes. */
class AheadLogTest {
    @TempDir
    Path directory;
    private SqliteBus bus;

    @BeforeEach
    void open() {
        bus = open(directory, 0);
        bus.createTopic("t", 2);
    }

    @AfterEach
    void close() {
        bus.close();
    }

    private static SqliteBus open(Path directory, long maxPages) {
        return open(directory, maxPages, Duration.ofMinutes(5));
    }

    private static SqliteBus open(Path directory, long maxPages, Duration linger) {
        return new SqliteBus(directory.resolve("bus.db"), new SqliteBus.Options(64 << 20, 1 << 20, linger, maxPages));
    }

    private CompletableFuture<Long> written(int partition, String text) {
        CompletableFuture<Long> offset = new CompletableFuture<>();
        bus.appendWritten("t", partition, text.getBytes(StandardCharsets.UTF_8), listener(offset));
        return offset;
    }

    private static List<String> texts(GlobalBus bus, int partition) {
        return bus.read("t", partition, 0, 1000).stream().map(BusRecord::value).map(value -> new String(value, StandardCharsets.UTF_8)).toList();
    }

    /** It has done what opening and making a topic leave to it. */
    private static void writerRests() {
        await().until(() -> Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().equals("global-bus"))
                .allMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING));
    }

    private int rows() throws SQLException {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("bus.db"));
                Statement statement = other.createStatement(); ResultSet row = statement.executeQuery("SELECT count(*) FROM record")) {
            return row.getInt(1);
        }
    }

    /** As a kill would leave it. */
    private Path killed() {
        try {
            Path copy = Files.createTempDirectory(directory, "copy");
            for (String name : new String[] {"bus.db", "bus.db-wal", "bus.db-ahead", "bus.db-ahead2"}) {
                Files.copy(directory.resolve(name), copy.resolve(name));
            }
            return copy;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whoWaitsForTheFileDoesNotWaitForTheDatabaseAndAKillLosesNothing() throws Exception {
        written(0, "before").join();
        CompletableFuture<Long> background = new CompletableFuture<>();
        bus.appendInBackground("t", 1, "background".getBytes(StandardCharsets.UTF_8), listener(background));
        assertThat(written(0, "first").join()).isEqualTo(1);
        assertThat(background).as("what lies before it is there too").isCompletedWithValue(0L);
        assertThat(rows()).as("in the log alone").isZero();
        try (SqliteBus next = open(killed(), 0)) {
            assertThat(texts(next, 0)).containsExactly("before", "first");
            assertThat(texts(next, 1)).containsExactly("background");
            assertThat(next.read("t", 0, 1, 1).getFirst().atMs()).isPositive();
            CompletableFuture<Long> offset = new CompletableFuture<>();
            next.append("t", 0, new byte[1], listener(offset));
            assertThat(offset.join()).isEqualTo(2);
        }
        assertThat(texts(bus, 0)).as("the first run has gone on").containsExactly("before", "first");
    }

    @Test
    void whoReadsSeesWhatSomebodyWasToldOf() {
        for (int i = 0; i < 200; i++) {
            assertThat(written(0, "r" + i).join()).isEqualTo(i);
            assertThat(bus.endOffset("t", 0)).isEqualTo(i + 1);
            assertThat(bus.read("t", 0, i, 10)).hasSize(1);
        }
    }

    /** The log is not for a machine that loses its power: what is to be on the disk is in the database first. */
    @Test
    void whoWantsItOnTheDiskHasItInTheDatabase() throws Exception {
        writerRests();
        written(0, "a").join();
        assertThat(rows()).isZero();
        bus.sync();
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void whoGathersWritesItselfWhatIsForTheFileAlone() {
        writerRests();
        Runnable write = bus.gather();
        List<Thread> tellers = new ArrayList<>();
        CompletableFuture<Long> background = new CompletableFuture<>();
        bus.appendInBackground("t", 0, new byte[1], listener(background));
        CompletableFuture<Long> first = written(0, "first");
        first.thenRun(() -> tellers.add(Thread.currentThread()));
        assertThat(first).as("nobody was woken for it").isNotDone();
        write.run();
        assertThat(background).isCompletedWithValue(0L);
        assertThat(first).isCompletedWithValue(1L);
        assertThat(tellers).containsExactly(Thread.currentThread());
        assertThat(bus.endOffset("t", 0)).isEqualTo(2);
    }

    @Test
    void whoHasGatheredWakesTheWriterAgain() {
        bus.gather().run();
        assertThat(written(0, "first").join()).isZero();
        writerRests(); // it told of that before it was through
        Runnable write = bus.gather();
        CompletableFuture<Long> second = written(0, "second");
        write.run();
        assertThat(second).isCompletedWithValue(1L);
        assertThat(written(0, "third").join()).isEqualTo(2);
    }

    /** What comes while a transaction is under way goes into the other log. */
    @Test
    void whoGathersDoesNotWaitForATransactionUnderWay() throws Exception {
        bus.close();
        bus = open(directory, 0, Duration.ofMillis(1));
        writerRests();
        Path copy;
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("bus.db"));
                Statement statement = other.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            for (int i = 0; i < 30; i++) {
                Runnable write = bus.gather();
                CompletableFuture<Long> each = written(0, "r" + i);
                await().atMost(Duration.ofSeconds(5)).pollInterval(Duration.ofMillis(1)).until(() -> {
                    write.run();
                    return each.isDone();
                });
                assertThat(each).isCompletedWithValue((long) i);
            }
            copy = killed();
            statement.execute("ROLLBACK");
        }
        List<String> all = IntStream.range(0, 30).mapToObj(i -> "r" + i).toList();
        assertThat(texts(bus, 0)).isEqualTo(all);
        try (SqliteBus next = open(copy, 0)) {
            assertThat(texts(next, 0)).isEqualTo(all);
            CompletableFuture<Long> offset = new CompletableFuture<>();
            next.appendWritten("t", 0, new byte[1], listener(offset));
            assertThat(offset.join()).isEqualTo(30);
        }
    }

    @Test
    void whatIsTooMuchForTheLogTheWriterTakes() {
        Runnable write = bus.gather();
        CompletableFuture<Long> large = written(0, "y".repeat(900_000));
        CompletableFuture<Long> small = written(0, "small");
        write.run();
        assertThat(List.of(large.join(), small.join())).containsExactly(0L, 1L);
        write = bus.gather();
        CompletableFuture<Long> next = written(0, "next");
        write.run();
        assertThat(next.join()).isEqualTo(2);
    }

    @Test
    void whatItDoesNotWriteItselfTheWriterDoes() {
        Runnable write = bus.gather();
        bus.createTopic("other", 1);
        CompletableFuture<Long> forDisk = new CompletableFuture<>();
        CompletableFuture<Long> first = written(0, "first");
        bus.append("t", 0, new byte[1], listener(forDisk));
        CompletableFuture<Long> last = written(0, "last");
        write.run();
        assertThat(List.of(first.join(), forDisk.join(), last.join())).containsExactly(0L, 1L, 2L);
        assertThat(texts(bus, 0)).hasSize(3);
    }

    @Test
    void aBatchThatIsNotWholeEndsTheLog() throws Exception {
        written(0, "whole").join();
        written(0, "torn").join();
        Path copy = killed();
        Path log = copy.resolve("bus.db-ahead");
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
            file.seek(file.length() - 2);
            file.write('x');
        }
        try (SqliteBus next = open(copy, 0)) {
            assertThat(texts(next, 0)).containsExactly("whole");
        }
    }

    /** Its files may be of different moments then, and what was written last is not promised. */
    @Test
    void nothingIsTakenFromALogOfAnEarlierRunOfTheMachine() throws Exception {
        written(0, "lost").join();
        Path copy = killed();
        Path log = copy.resolve("bus.db-ahead");
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
            file.write("another".getBytes(StandardCharsets.UTF_8));
        }
        try (SqliteBus next = open(copy, 0)) {
            assertThat(texts(next, 0)).isEmpty();
        }
    }

    @Test
    void whatWasTrimmedOrDeletedDoesNotComeBack() throws Exception {
        written(0, "old").join();
        assertThat(bus.read("t", 0, 0, 1)).hasSize(1);
        bus.trim("t", 0, 1);
        bus.createTopic("other", 1); // behind it
        assertThat(bus.beginOffset("t", 0)).isEqualTo(1);
        try (SqliteBus next = open(killed(), 0)) {
            assertThat(next.endOffset("t", 0)).isEqualTo(1);
            assertThat(texts(next, 0)).isEmpty();
        }
        bus.deleteTopic("t");
        try (SqliteBus next = open(killed(), 0)) {
            assertThat(next.topics()).containsExactly("other");
        }
    }

    @Test
    void aFullDatabaseLosesNothingThatSomebodyWasToldOf() {
        bus.close();
        bus = open(directory, 60);
        BusException refused = null;
        long full = 0;
        while (refused == null) {
            CompletableFuture<Long> offset = new CompletableFuture<>();
            bus.append("t", 0, new byte[10_000], listener(offset));
            refused = (BusException) offset.handle((at, e) -> e).join();
            full += refused == null ? 1 : 0;
        }
        assertThat(refused.kind()).isEqualTo(BusException.Kind.FULL);
        String large = "x".repeat(20_000);
        assertThat(written(0, large).join()).as("the log has room").isEqualTo(full);
        assertThatThrownBy(() -> bus.endOffset("t", 0)).as("and no reader misses it").isInstanceOf(BusException.class);
        bus.close();
        bus = open(directory, 60);
        CompletableFuture<Long> next = new CompletableFuture<>();
        bus.append("t", 0, new byte[10_000], listener(next));
        assertThatThrownBy(next::join).as("it is first").isInstanceOf(CompletionException.class);
        bus.trim("t", 0, full);
        await().ignoreExceptions().until(() -> texts(bus, 0).equals(List.of(large)));
        assertThat(written(0, "next").join()).isEqualTo(full + 1);
    }

    @Test
    void moreThanTheLogHasRoomForGoesItsWay() throws Exception {
        for (int i = 0; i < 100; i++) {
            written(i % 2, ("" + i % 10).repeat(100_000)).join();
        }
        assertThat(Files.size(directory.resolve("bus.db-ahead"))).isBetween(100_000L, 5L << 20);
        assertThat(bus.endOffset("t", 0) + bus.endOffset("t", 1)).isEqualTo(100);
        assertThat(written(0, "y".repeat(900_000)).join()).isEqualTo(50);
        assertThat(bus.endOffset("t", 0)).isEqualTo(51);
    }

    @Test
    void nobodyElseMayReadIt() throws Exception {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("bus.db-ahead")))).isEqualTo("rw-------");
    }
}
