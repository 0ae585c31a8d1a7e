package dev.sand.globalbus;

import static dev.sand.globalbus.GlobalBusContract.listener;
import static org.awaitility.Awaitility.await;

import dev.sand.globalbus.GlobalBus.BusRecord;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A bus whose records are in the log alone, for the database waits longer than a test takes. */
abstract class AheadLogFixture {
    static final List<String> FILES = List.of("bus.db", "bus.db-wal", "bus.db-ahead", "bus.db-ahead2");

    @TempDir
    Path directory;
    SqliteBus bus;

    @BeforeEach
    void open() {
        bus = open(directory, 0, Duration.ofMinutes(5));
    }

    @AfterEach
    void close() {
        bus.close();
    }

    /** A bus whose logs are open: the first record of each run goes into the database, with the number from which the logs count. */
    static SqliteBus open(Path directory, long maxPages, Duration inLog) {
        SqliteBus opened = only(directory, maxPages, inLog);
        opened.createTopic("opening", 1);
        CompletableFuture<Long> first = new CompletableFuture<>();
        opened.append("opening", 0, new byte[1], listener(first));
        first.join();
        opened.createTopic("t", 2);
        return opened;
    }

    static SqliteBus open(Path directory) {
        return only(directory, 0, Duration.ofMinutes(5));
    }

    static SqliteBus only(Path directory, long maxPages, Duration inLog) {
        return new SqliteBus(directory.resolve("bus.db"), new SqliteBus.Options(64 << 20, 1 << 20, Duration.ofMinutes(5), inLog, maxPages));
    }

    CompletableFuture<Long> written(int partition, String text) {
        CompletableFuture<Long> offset = new CompletableFuture<>();
        bus.appendWritten("t", partition, text.getBytes(StandardCharsets.UTF_8), listener(offset));
        return offset;
    }

    static List<String> texts(GlobalBus bus, int partition) {
        return bus.read("t", partition, 0, 1000).stream().map(BusRecord::value).map(value -> new String(value, StandardCharsets.UTF_8)).toList();
    }

    /** It has done what opening and making a topic leave to it. */
    static void writerRests() {
        await().until(() -> Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().equals("global-bus"))
                .allMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING));
    }

    int rows() throws SQLException {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("bus.db"));
                Statement statement = other.createStatement(); ResultSet row = statement.executeQuery("SELECT count(*) FROM record WHERE position >> 40 > 1")) {
            return row.getInt(1);
        }
    }

    /** As a kill would leave it. */
    Path killed() {
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
}
