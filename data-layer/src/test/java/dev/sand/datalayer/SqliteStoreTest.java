package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sand.datalayer.StoreException.Kind;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteStoreTest extends GlobalStoreContract {
    @TempDir
    Path directory;

    @Override
    GlobalStore open() {
        return new SqliteStore(directory.resolve("store.db"));
    }

    @Test
    void everythingIsThereAfterItWasOpenedAgain() {
        put("k", "a");
        put("k", "b");
        put("gone", "x");
        store.delete("t", "app", "gone", GlobalStore.ANY);
        store.close();
        store = open();
        assertThat(get("app", "k")).isEqualTo("b");
        assertThat(put("k", "c")).isEqualTo(3);
        assertThat(put("gone", "y")).isGreaterThan(2);
    }

    @Test
    void aFullDiskFailsWithTheCauseAndWorksAgainOnceThereIsRoom() {
        store.close();
        store = new SqliteStore(directory.resolve("store.db"), 300);
        StoreException refused = null;
        int written = 0;
        while (refused == null) {
            try {
                store.put("t", "app", "k" + written, new byte[50_000], GlobalStore.ANY);
                written++;
            } catch (StoreException e) {
                refused = e;
            }
        }
        assertThat(refused.kind()).isEqualTo(Kind.FULL);
        assertThat(refused).hasMessageContaining("store.db");
        assertThat(catchThrowableOfType(StoreException.class, () -> store.put("t", "app", "more", new byte[50_000], -1)).kind())
                .isEqualTo(Kind.FULL);
        assertThat(store.keys("t", "app", "", null, 1000)).hasSize(written);
        for (int i = 0; i < 3; i++) {
            store.delete("t", "app", "k" + i, GlobalStore.ANY);
        }
        assertThat(store.put("t", "app", "after", new byte[50_000], GlobalStore.ANY)).isPositive();
    }

    @Test
    void aFullDiskTakesLargeValuesAgainOnceThereIsRoom() throws Exception {
        store.close();
        store = new SqliteStore(directory.resolve("store.db"), 300);
        int written = 0;
        StoreException refused = null;
        while (refused == null) {
            try {
                store.put("t", "app", "k" + written, new byte[500_000], GlobalStore.ANY);
                written++;
            } catch (StoreException e) {
                refused = e;
            }
        }
        assertThat(refused.kind()).isEqualTo(Kind.FULL);
        assertThat(written).isEqualTo(300 * 16_384 / 503_808);
        assertThat(store.put("t", "app", "small", new byte[100], GlobalStore.ANY)).isPositive();
        store.delete("t", "app", "k3", GlobalStore.ANY);
        assertThat(store.put("t", "app", "after", new byte[500_000], GlobalStore.ANY)).isPositive();
    }

    /** What is deleted, replaced or refused makes room for what comes, now and after a crash. */
    @Test
    void theRoomOfLargeValuesIsUsedAgain() throws Exception {
        Path values = directory.resolve("store.db.values");
        store.put("t", "app", "first", new byte[100_000], GlobalStore.ANY);
        for (int i = 0; i < 100; i++) {
            store.put("t", "app", "k", new byte[400_000 + i], GlobalStore.ANY);
            catchThrowableOfType(StoreException.class, () -> store.put("t", "app", "k", new byte[400_000], GlobalStore.ABSENT));
            store.delete("t", "app", i % 2 == 0 ? "k" : "other", GlobalStore.ANY);
            store.writeAll(List.of(new GlobalStore.Write("t", "app", "f", new byte[300_000], 5 + i),
                    new GlobalStore.Write("t", "app", "f", new byte[300_000], 1)));
            if (i % 25 == 24) {
                store.close();
                store = open();
            }
        }
        assertThat(Files.size(values)).isLessThan(4_000_000);
        assertThat(store.get("t", "app", "first").orElseThrow().value()).isEqualTo(new byte[100_000]);
    }

    /** As deploy/backup.py does it: a shared lock, the database as of one moment, then the file of values. */
    @Test
    void aCopyMadeUnderTheLockHasAllThatItsRowsName() throws Exception {
        store.put("t", "app", "k", filled(1), GlobalStore.ANY);
        try (FileChannel values = FileChannel.open(directory.resolve("store.db.values"), StandardOpenOption.READ)) {
            try (FileLock lock = values.lock(0, Long.MAX_VALUE, true);
                    var connection = java.sql.DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("store.db"));
                    var statement = connection.createStatement()) {
                statement.executeUpdate("backup to '" + directory.resolve("copy.db") + "'");
                for (int i = 2; i < 20; i++) {
                    store.put("t", "app", "k", filled(i), GlobalStore.ANY);
                }
                Files.copy(directory.resolve("store.db.values"), directory.resolve("copy.db.values"));
                assertThat(lock.isShared()).isTrue();
            }
        }
        try (SqliteStore copy = new SqliteStore(directory.resolve("copy.db"))) {
            assertThat(copy.get("t", "app", "k").orElseThrow().value()).isEqualTo(filled(1));
        }
        long held = Files.size(directory.resolve("store.db.values"));
        for (int i = 0; i < 20; i++) {
            store.put("t", "app", "k", filled(i), GlobalStore.ANY);
        }
        assertThat(Files.size(directory.resolve("store.db.values"))).isLessThanOrEqualTo(held + Extents.up(filled(1).length));
    }

    @Test
    void aDamagedValueIsNotGivenOut() throws Exception {
        store.put("t", "app", "k", filled(1), GlobalStore.ANY);
        Files.write(directory.resolve("store.db.values"), new byte[] {7}, StandardOpenOption.WRITE);
        assertThat(catchThrowableOfType(StoreException.class, () -> store.get("t", "app", "k"))).hasMessageContaining("damaged");
        assertThat(catchThrowableOfType(StoreException.class, () -> store.scan("t", "app", "", null, 5))).hasMessageContaining("damaged");
    }

    @Test
    void anInterruptedReaderLeavesTheFileOpenForOthers() {
        store.put("t", "app", "k", filled(1), GlobalStore.ANY);
        Thread.currentThread().interrupt();
        try {
            store.get("t", "app", "k");
        } catch (StoreException e) {
            // may be told that it was interrupted
        }
        Thread.interrupted();
        assertThat(store.get("t", "app", "k").orElseThrow().value()).isEqualTo(filled(1));
    }

    /** As often as there are handles. */
    @Test
    void interruptedWritersLeaveTheFileOpenForOthers() {
        ByteBuffer memory = ByteBuffer.allocateDirect(204_800).alignedSlice(4096).slice(0, 200_000).put(filled(4)).flip();
        for (int i = 0; i < 10; i++) {
            Thread.currentThread().interrupt();
            try {
                store.writeAll(List.of(new GlobalStore.Lent("t", "app", "k", memory)), List.of());
            } catch (StoreException e) {
                assertThat(e).hasMessageContaining("interrupted while waiting"); // its value is there, and no row
            }
            assertThat(Thread.interrupted()).isTrue();
        }
        store.writeAll(List.of(new GlobalStore.Lent("t", "app", "k", memory)), List.of());
        assertThat(store.get("t", "app", "k").orElseThrow().value()).isEqualTo(filled(4));
    }

    /** Over each other's places, in turns, from the heap through the kernel's pages and past those. */
    @Test
    void bothWaysIntoTheFileSeeEachOther() {
        Random random = new Random(5);
        ByteBuffer memory = ByteBuffer.allocateDirect((1 << 20) + 4096).alignedSlice(4096);
        byte[][] last = new byte[4][];
        for (int i = 0; i < 200; i++) {
            byte[] value = new byte[(64 << 10) + random.nextInt(400_000)];
            random.nextBytes(value);
            last[i % 4] = value;
            if (random.nextBoolean()) {
                store.put("t", "app", "k" + i % 4, value, GlobalStore.ANY);
            } else {
                memory.clear().put(value).flip();
                store.writeAll(List.of(new GlobalStore.Lent("t", "app", "k" + i % 4, memory)), List.of());
            }
            int other = random.nextInt(Math.min(i + 1, 4));
            assertThat(store.get("t", "app", "k" + other).orElseThrow().value()).isEqualTo(last[other]);
        }
    }

    @Test
    void aFileOfTheSchemaBeforeIsGoneOnWith() throws Exception {
        store.close();
        Path file = directory.resolve("earlier.db");
        try (var connection = java.sql.DriverManager.getConnection("jdbc:sqlite:" + file); var statement = connection.createStatement()) {
            statement.execute("CREATE TABLE entry(id INTEGER PRIMARY KEY, tbl TEXT NOT NULL, scope BLOB NOT NULL, key BLOB NOT NULL,"
                    + " version INTEGER NOT NULL, value BLOB NOT NULL, epoch INTEGER NOT NULL DEFAULT 0)");
            statement.execute("CREATE UNIQUE INDEX entry_key ON entry(tbl, scope, key)");
            statement.execute("CREATE TABLE floor(tbl TEXT NOT NULL, scope BLOB NOT NULL, version INTEGER NOT NULL,"
                    + " PRIMARY KEY(tbl, scope)) WITHOUT ROWID");
            statement.execute("INSERT INTO entry(tbl, scope, key, version, value) VALUES('t', CAST('app' AS BLOB), CAST('k' AS BLOB), 4,"
                    + " zeroblob(200000))");
            statement.execute("PRAGMA user_version=2");
        }
        store = new SqliteStore(file);
        assertThat(store.get("t", "app", "k").orElseThrow().value()).isEqualTo(new byte[200_000]);
        assertThat(store.put("t", "app", "k", filled(3), 4)).isEqualTo(5);
        assertThat(store.get("t", "app", "k").orElseThrow().value()).isEqualTo(filled(3));
    }

    private static byte[] filled(int with) {
        byte[] value = new byte[200_000];
        Arrays.fill(value, (byte) with);
        return value;
    }

    @Test
    void aFileWithSmallerPagesOfAnEarlierPlatformIsGoneOnWith() throws Exception {
        store.close();
        Path file = directory.resolve("earlier.db");
        try (var connection = java.sql.DriverManager.getConnection("jdbc:sqlite:" + file); var statement = connection.createStatement()) {
            statement.execute("PRAGMA page_size=4096");
            statement.execute("PRAGMA journal_mode=WAL");
        }
        for (int i = 1; i <= 3; i++) {
            store = new SqliteStore(file);
            assertThat(store.put("t", "app", "k", new byte[100_000], GlobalStore.ANY)).isEqualTo(i);
            store.close();
        }
    }

    @Test
    void aFileOfANewerPlatformIsRefused() throws Exception {
        store.close();
        try (var connection = java.sql.DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("store.db"));
                var statement = connection.createStatement()) {
            statement.executeUpdate("PRAGMA user_version=99");
        }
        assertThat(catchThrowableOfType(StoreException.class, this::open)).hasMessageContaining("99");
    }

    @Test
    void aClosedStoreSaysSo() {
        store.close();
        assertThat(catchThrowableOfType(StoreException.class, () -> put("k", "v"))).hasMessageContaining("closed");
    }
}
