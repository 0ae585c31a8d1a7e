package dev.sand.globalbus;

import static dev.sand.globalbus.GlobalBusContract.listener;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.globalbus.GlobalBus.BusRecord;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records that are in the log alone, for the database waits longer than a test takes. */
class AheadLogTest {
    private static final List<String> FILES = List.of("bus.db", "bus.db-wal", "bus.db-ahead", "bus.db-ahead2");

    @TempDir
    Path directory;
    private SqliteBus bus;

    @BeforeEach
    void open() {
        bus = open(directory, 0, Duration.ofMinutes(5));
    }

    @AfterEach
    void close() {
        bus.close();
    }

    /** A bus whose logs are open: the first record of each run goes into the database, with the number from which the logs count. */
    private static SqliteBus open(Path directory, long maxPages, Duration inLog) {
        SqliteBus opened = only(directory, maxPages, inLog);
        opened.createTopic("opening", 1);
        CompletableFuture<Long> first = new CompletableFuture<>();
        opened.append("opening", 0, new byte[1], listener(first));
        first.join();
        opened.createTopic("t", 2);
        return opened;
    }

    private static SqliteBus open(Path directory) {
        return only(directory, 0, Duration.ofMinutes(5));
    }

    private static SqliteBus only(Path directory, long maxPages, Duration inLog) {
        return new SqliteBus(directory.resolve("bus.db"), new SqliteBus.Options(64 << 20, 1 << 20, Duration.ofMinutes(5), inLog, maxPages));
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
                Statement statement = other.createStatement(); ResultSet row = statement.executeQuery("SELECT count(*) FROM record WHERE position >> 40 > 1")) {
            return row.getInt(1);
        }
    }

    /** As a kill would leave it. */
    private Path killed() {
        try {
            Path copy = Files.createTempDirectory(directory, "copy");
            for (String name : FILES) {
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
        try (SqliteBus next = open(killed())) {
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

    @Test
    void whatIsForTheDiskIsInTheLogToo() throws Exception {
        CompletableFuture<Long> offset = new CompletableFuture<>();
        bus.append("t", 0, "a".getBytes(StandardCharsets.UTF_8), listener(offset));
        assertThat(offset.join()).isZero();
        assertThat(rows()).isZero();
        bus.sync();
        assertThat(rows()).isZero();
        try (SqliteBus next = open(killed())) {
            assertThat(texts(next, 0)).containsExactly("a");
        }
    }

    @Test
    void whatIsTrimmedInItIsNeverInTheDatabase() throws Exception {
        for (int i = 0; i < 10; i++) {
            written(0, "r" + i).join();
        }
        bus.trim("t", 0, 8);
        bus.createTopic("other", 1); // behind it, and with all in the database
        assertThat(rows()).isEqualTo(2);
        assertThat(texts(bus, 0)).containsExactly("r8", "r9");
        assertThat(written(0, "r10").join()).isEqualTo(10);
        bus.trim("t", 0, 11);
        bus.createTopic("another", 1);
        await().until(() -> rows() == 0);
        try (SqliteBus next = open(killed())) {
            assertThat(next.endOffset("t", 0)).isEqualTo(11);
            assertThat(next.beginOffset("t", 0)).isEqualTo(11);
        }
    }

    @Test
    void tailsSeeWhatIsInTheLogAlone() throws Exception {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        try (GlobalBus.Tail _ = bus.tail("t", 0, 0, records -> records.forEach(record -> seen.add(new String(record.value(), StandardCharsets.UTF_8))))) {
            written(0, "a").join();
            await().until(() -> seen.equals(List.of("a")));
            bus.createTopic("other", 1);
            written(0, "b").join();
            written(0, "c").join();
            await().until(() -> seen.equals(List.of("a", "b", "c")));
            assertThat(rows()).isEqualTo(1);
        }
        assertThat(texts(bus, 0)).as("some of the database, some of the log").containsExactly("a", "b", "c");
        assertThat(bus.read("t", 0, 0, 2)).extracting(BusRecord::offset).containsExactly(0L, 1L);
        assertThat(bus.read("t", 0, 2, 2)).extracting(BusRecord::offset).containsExactly(2L);
        assertThat(bus.read("t", 0, 3, 2)).isEmpty();
        assertThat(bus.read("t", 0, 0, Integer.MAX_VALUE)).hasSize(3);
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

    /** What comes while a transaction is under way goes into the other log. @return as a kill would leave it then: r0 and r1 in one log, more in the other */
    private Path killedDuringATransaction() throws Exception {
        bus.close();
        bus = open(directory, 0, Duration.ofMillis(1));
        writerRests();
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
            Path copy = killed();
            statement.execute("ROLLBACK");
            return copy;
        }
    }

    private static List<String> first(int count) {
        return IntStream.range(0, count).mapToObj(i -> "r" + i).toList();
    }

    @Test
    void whoGathersDoesNotWaitForATransactionUnderWay() throws Exception {
        Path copy = killedDuringATransaction();
        assertThat(texts(bus, 0)).isEqualTo(first(30));
        try (SqliteBus next = open(copy)) {
            assertThat(texts(next, 0)).isEqualTo(first(30));
            CompletableFuture<Long> offset = new CompletableFuture<>();
            next.appendWritten("t", 0, new byte[1], listener(offset));
            assertThat(offset.join()).isEqualTo(30);
        }
    }

    /** Each file may have any of its pages then: what lies behind something that is missing is of no use, and does not come back later. */
    @Test
    void nothingCountsBehindWhatALossOfPowerHasTaken() throws Exception {
        Path copy = killedDuringATransaction();
        Path earlier = Stream.of("bus.db-ahead", "bus.db-ahead2").map(copy::resolve).min(Comparator.comparingLong(AheadLogTest::firstNumber)).orElseThrow();
        List<Long> batches = batches(earlier);
        assertThat(batches.size()).as("some are in the other log").isBetween(1, 29);
        try (RandomAccessFile file = new RandomAccessFile(earlier.toFile(), "rw")) {
            file.seek(batches.getLast());
            file.write(new byte[16]);
        }
        int whole = batches.size() - 1;
        try (SqliteBus next = open(copy)) {
            assertThat(texts(next, 0)).isEqualTo(first(whole));
            CompletableFuture<Long> offset = new CompletableFuture<>();
            next.append("t", 0, "instead".getBytes(StandardCharsets.UTF_8), listener(offset));
            assertThat(offset.join()).isEqualTo(whole);
        }
        try (SqliteBus again = open(copy)) {
            List<String> all = new ArrayList<>(first(whole));
            all.add("instead");
            assertThat(texts(again, 0)).isEqualTo(all);
        }
    }

    private static long firstNumber(Path log) {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            file.seek(64);
            return file.readLong();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Where those that are numbered one by one begin. */
    private static List<Long> batches(Path log) throws IOException {
        List<Long> found = new ArrayList<>();
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            long number = firstNumber(log);
            for (long at = 64; at + 16 <= file.length(); number++) {
                file.seek(at);
                if (file.readLong() != number) {
                    break;
                }
                found.add(at);
                at += 16 + file.readInt();
            }
        }
        return found;
    }

    /** It may have the last that somebody was told of. */
    @Test
    void aLogThatIsThereAndCannotBeReadIsNotPassedOver() throws Exception {
        written(0, "a").join();
        Path copy = killed();
        Files.move(copy.resolve("bus.db-ahead"), copy.resolve("away"));
        Files.createDirectory(copy.resolve("bus.db-ahead"));
        assertThatThrownBy(() -> open(copy)).isInstanceOf(BusException.class).hasMessageContaining("bus.db-ahead");
        Files.delete(copy.resolve("bus.db-ahead"));
        Files.writeString(copy.resolve("bus.db-ahead"), "sand-ahead-99" + "x".repeat(100));
        assertThatThrownBy(() -> open(copy)).isInstanceOf(BusException.class).hasMessageContaining("nobody knows");
        Files.move(copy.resolve("away"), copy.resolve("bus.db-ahead"), StandardCopyOption.REPLACE_EXISTING);
        try (SqliteBus next = open(copy)) {
            assertThat(texts(next, 0)).containsExactly("a");
        }
    }

    @Test
    void readersSeeEachRecordOnceAndInOrderWhateverIsOnItsWayToTheDatabase() throws Exception {
        bus.close();
        bus = open(directory, 0, Duration.ofMillis(1));
        List<Long> tailed = Collections.synchronizedList(new ArrayList<>());
        int count = 3000;
        try (GlobalBus.Tail _ = bus.tail("t", 0, 0, records -> records.forEach(record -> tailed.add(record.offset())))) {
            Thread writes = Thread.ofPlatform().start(() -> {
                for (int i = 0; i < count; i++) {
                    bus.appendWritten("t", 0, new byte[2000], listener(new CompletableFuture<>()));
                    if (i % 100 == 99) {
                        written(1, "all of those are there").join();
                    }
                    if (i % 500 == 499) {
                        bus.trim("t", 0, i - 400);
                    }
                }
            });
            for (long next = 0; next < count; ) {
                for (BusRecord record : bus.read("t", 0, next, 70)) {
                    assertThat(record.offset() == next || bus.beginOffset("t", 0) >= record.offset()).as("%s behind %s", record.offset(), next).isTrue();
                    next = record.offset() + 1;
                }
            }
            writes.join();
            await().until(() -> !tailed.isEmpty() && tailed.getLast() == count - 1);
        }
        assertThat(tailed).isSorted().doesNotHaveDuplicates();
    }

    /** What a platform of before has left behind when it was killed. */
    @Test
    void aLogOfBeforeIsReadInTheSameRunOfTheMachine() throws Exception {
        written(0, "new").join();
        Path copy = killed();
        ByteBuffer log = ByteBuffer.allocate(64 + 2 * (16 + 20 + 3));
        log.put(Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip().getBytes(StandardCharsets.US_ASCII)).position(64);
        for (int offset = 0; offset < 2; offset++) {
            ByteBuffer content = ByteBuffer.allocate(23).putLong(2L << 40 | offset).putLong(77).putInt(3).put(("be" + offset).getBytes(StandardCharsets.UTF_8));
            CRC32C sum = new CRC32C();
            sum.update(ByteBuffer.allocate(8).putLong(5).flip());
            sum.update(content.flip());
            log.putLong(5).putInt(23).putInt((int) sum.getValue()).put(content.flip());
        }
        Files.write(copy.resolve("bus.db-ahead"), log.array());
        Path later = Files.createDirectory(directory.resolve("later"));
        for (String name : FILES) {
            Files.copy(copy.resolve(name), later.resolve(name));
        }
        try (SqliteBus next = open(copy)) {
            assertThat(texts(next, 0)).containsExactly("be0", "be1");
            assertThat(next.read("t", 0, 0, 1).getFirst().atMs()).isEqualTo(77);
        }
        try (SqliteBus next = open(copy)) {
            assertThat(texts(next, 0)).containsExactly("be0", "be1");
        }
        try (RandomAccessFile file = new RandomAccessFile(later.resolve("bus.db-ahead").toFile(), "rw")) {
            file.write("abcdef0".getBytes(StandardCharsets.UTF_8));
        }
        try (SqliteBus next = open(later)) {
            assertThat(texts(next, 0)).as("in another run it is worth nothing").isEmpty();
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
        try (SqliteBus next = open(copy)) {
            assertThat(texts(next, 0)).containsExactly("whole");
        }
    }

    @Test
    void whatWasTrimmedOrDeletedDoesNotComeBack() throws Exception {
        written(0, "old").join();
        assertThat(bus.read("t", 0, 0, 1)).hasSize(1);
        bus.trim("t", 0, 1);
        bus.createTopic("other", 1); // behind it
        assertThat(bus.beginOffset("t", 0)).isEqualTo(1);
        try (SqliteBus next = open(killed())) {
            assertThat(next.endOffset("t", 0)).isEqualTo(1);
            assertThat(texts(next, 0)).isEmpty();
        }
        bus.deleteTopic("t");
        try (SqliteBus next = open(killed())) {
            assertThat(next.topics()).containsExactly("opening", "other");
        }
    }

    @Test
    void aFullDatabaseLosesNothingThatSomebodyWasToldOf() {
        bus.close();
        bus = open(directory, 60, Duration.ofMillis(1));
        BusException refused = null;
        long full = 0;
        while (refused == null) {
            CompletableFuture<Long> offset = new CompletableFuture<>();
            bus.append("t", 0, new byte[10_000], listener(offset));
            refused = (BusException) offset.handle((at, e) -> e).join();
            full += refused == null ? 1 : 0;
        }
        assertThat(refused.kind()).isEqualTo(BusException.Kind.FULL);
        assertThat(bus.endOffset("t", 0)).as("and no reader misses any").isEqualTo(full);
        assertThat(bus.read("t", 0, 0, 100_000)).hasSize((int) full);
        bus.close();
        bus = only(directory, 60, Duration.ofMillis(1));
        assertThat(bus.read("t", 0, 0, 100_000)).hasSize((int) full);
        CompletableFuture<Long> next = new CompletableFuture<>();
        bus.append("t", 0, new byte[10_000], listener(next));
        assertThatThrownBy(next::join).as("they are first").isInstanceOf(CompletionException.class);
        bus.trim("t", 0, full - 1);
        long end = full;
        await().ignoreExceptions().until(() -> written(0, "next").get() == end);
        assertThat(bus.read("t", 0, 0, 10)).extracting(BusRecord::offset).containsExactly(end - 1, end);
    }

    @Test
    void moreThanTheLogHasRoomForGoesItsWay() throws Exception {
        for (int i = 0; i < 400; i++) {
            written(i % 2, ("" + i % 10).repeat(100_000)).join();
        }
        assertThat(Files.size(directory.resolve("bus.db-ahead"))).isBetween(100_000L, 33L << 20);
        assertThat(bus.endOffset("t", 0) + bus.endOffset("t", 1)).isEqualTo(400);
        assertThat(written(0, "y".repeat(900_000)).join()).isEqualTo(200);
        try (SqliteBus next = open(killed())) {
            assertThat(next.endOffset("t", 1)).isEqualTo(200);
            assertThat(new String(next.read("t", 1, 199, 1).getFirst().value(), StandardCharsets.US_ASCII).equals("9".repeat(100_000))).isTrue();
            assertThat(next.read("t", 0, 200, 1).getFirst().value().length).isEqualTo(900_000);
        }
    }

    @Test
    void nobodyElseMayReadIt() throws Exception {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("bus.db-ahead")))).isEqualTo("rw-------");
    }
}
