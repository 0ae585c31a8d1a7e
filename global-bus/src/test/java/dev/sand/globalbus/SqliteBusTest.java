package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.globalbus.BusException.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteBusTest extends GlobalBusContract {
    @TempDir
    Path directory;

    @Override
    GlobalBus open() {
        return open(0);
    }

    private GlobalBus open(long maxPages) {
        return new SqliteBus(directory.resolve("bus.db"),
                new SqliteBus.Options(BACKLOG_BYTES, RECORD_BYTES, Duration.ofMillis(2), Duration.ofMillis(20), maxPages));
    }

    @Test
    void everythingIsThereAfterItWasOpenedAgain() {
        bus.createTopic("t", 2);
        for (int i = 0; i < 20; i++) {
            append("t", i % 2, "r" + i);
        }
        bus.trim("t", 0, 3);
        bus.close();
        bus = open();
        assertThat(bus.partitions("t")).isEqualTo(2);
        assertThat(bus.beginOffset("t", 0)).isEqualTo(3);
        assertThat(texts(bus.read("t", 0, 0, 2))).containsExactly("r6", "r8");
        assertThat(append("t", 1, "next")).isEqualTo(10);
    }

    @Test
    void offsetsGoOnWhenAllWasTrimmedAndTheFileIsOpenedAgain() throws Exception {
        bus.createTopic("t", 2);
        for (int i = 0; i < 5; i++) {
            append("t", 0, "r" + i);
        }
        bus.trim("t", 0, 5);
        await().until(() -> rows() == 0);
        bus.close();
        bus = open();
        assertThat(List.of(bus.beginOffset("t", 0), bus.endOffset("t", 0), bus.endOffset("t", 1))).containsExactly(5L, 5L, 0L);
        assertThat(append("t", 0, "r5")).isEqualTo(5);
        assertThat(append("t", 0, "r6")).isEqualTo(6);
        bus.close();
        bus = open();
        assertThat(append("t", 0, "r7")).isEqualTo(7);
        assertThat(texts(bus.read("t", 0, 0, 10))).containsExactly("r5", "r6", "r7");
    }

    /** One of the first schema says where its partitions end, whatever records are left of them. */
    @Test
    void aFileOfTheSchemaBeforeIsGoneOnWith() throws Exception {
        bus.createTopic("t", 1);
        append("t", 0, "r0");
        bus.close();
        execute("UPDATE partition SET next = 40");
        execute("PRAGMA user_version=1");
        bus = open();
        assertThat(append("t", 0, "next")).isEqualTo(40);
    }

    @Test
    void closeWritesWhatWasAccepted() {
        bus.createTopic("t", 1);
        List<CompletableFuture<Long>> offsets = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            CompletableFuture<Long> offset = new CompletableFuture<>();
            bus.appendInBackground("t", 0, bytes("r" + i), listener(offset));
            offsets.add(offset);
        }
        bus.close();
        assertThat(offsets).allMatch(CompletableFuture::isDone);
        bus = open();
        assertThat(bus.read("t", 0, 0, 1000)).hasSize(500);
    }

    @Test
    void trimmedRecordsLeaveTheFileAlsoWhenTheRemovalWasInterrupted() throws Exception {
        bus.createTopic("t", 1);
        for (int i = 0; i < 1200; i++) {
            bus.appendInBackground("t", 0, bytes("r" + i), listener(new CompletableFuture<>()));
        }
        append("t", 0, "last");
        bus.trim("t", 0, 1200);
        await().until(() -> rows() == 1);
        bus.close();
        execute("UPDATE partition SET first = 0, next = 3000; INSERT INTO record(position, value) SELECT (1 << 40) + 1300, 'orphan'");
        execute("UPDATE partition SET first = 2000");
        bus = open();
        await().until(() -> rows() == 0);
    }

    @Test
    void aFullDiskFailsWithTheCauseAndWorksAgainOnceThereIsRoom() {
        bus.createTopic("t", 1);
        bus.close();
        bus = open(600);
        int written = 0;
        BusException refused = null;
        while (refused == null) {
            try {
                append("t", 0, "x".repeat(100_000));
                written++;
            } catch (CompletionException e) {
                refused = (BusException) e.getCause();
            }
        }
        assertThat(refused.kind()).isEqualTo(Kind.FULL);
        assertThat(refused).hasMessageContaining("bus.db").hasRootCauseInstanceOf(SQLException.class);
        assertThat(bus.endOffset("t", 0)).isEqualTo(written);
        assertThat(failure("t", 0, 100_000)).hasMessageContaining("no room").extracting(BusException::kind).isEqualTo(Kind.FULL);
        assertThat(bus.read("t", 0, 0, 1000)).hasSize(written);
        bus.trim("t", 0, written / 2);
        await().until(() -> tryAppend() == null);
        assertThat(bus.endOffset("t", 0)).as("failed appends took no offset").isEqualTo(written + 1);
    }

    @Test
    void aFileFromBeforeRecordsHadTimesIsGoneOnWith() throws Exception {
        bus.createTopic("t", 1);
        append("t", 0, "old");
        bus.close();
        execute("ALTER TABLE record DROP COLUMN at");
        bus = open();
        append("t", 0, "new");
        assertThat(texts(bus.read("t", 0, 0, 10))).containsExactly("old", "new");
        assertThat(bus.read("t", 0, 0, 1).getFirst().atMs()).as("not known").isZero();
        assertThat(bus.read("t", 0, 1, 1).getFirst().atMs()).isPositive();
    }

    @Test
    void aFileOfANewerPlatformIsRefused() throws Exception {
        bus.close();
        execute("PRAGMA user_version=99");
        assertThatThrownBy(this::open).isInstanceOf(BusException.class).hasMessageContaining("99");
    }

    private Throwable tryAppend() {
        CompletableFuture<Long> offset = new CompletableFuture<>();
        bus.append("t", 0, new byte[100_000], listener(offset));
        return offset.handle((o, e) -> e).join();
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("bus.db"));
                var statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    private int rows() throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("bus.db"));
                var statement = connection.createStatement();
                var row = statement.executeQuery("SELECT count(*) FROM record")) {
            return row.getInt(1);
        }
    }
}
