package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sand.datalayer.StoreException.Kind;
import java.nio.file.Path;
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
