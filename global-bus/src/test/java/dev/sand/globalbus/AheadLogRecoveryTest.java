package dev.sand.globalbus;

import static dev.sand.globalbus.GlobalBusContract.listener;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** What the next run makes of a log that a kill or a loss of power has left. */
class AheadLogRecoveryTest extends AheadLogFixture {
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
        Path earlier = Stream.of("bus.db-ahead", "bus.db-ahead2").map(copy::resolve).min(Comparator.comparingLong(AheadLogRecoveryTest::firstNumber)).orElseThrow();
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
}
