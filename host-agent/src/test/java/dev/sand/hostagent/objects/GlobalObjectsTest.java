package dev.sand.hostagent.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.SqliteStore;
import dev.sand.hostagent.objects.GlobalObjects.DamagedException;
import dev.sand.hostagent.objects.GlobalObjects.Stored;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values as they come back: by a hash where hosts of other versions read them, by a sum where no one else does. */
class GlobalObjectsTest {
    private static final String APP = "shop";
    private static final String NAME = "execution/value";
    private final byte[] value = new byte[1_300_000];

    @TempDir
    private Path folder;

    GlobalObjectsTest() {
        new Random(1).nextBytes(value);
    }

    private interface Check {
        void of(GlobalStore store, GlobalObjects objects) throws IOException;
    }

    private void inBoth(Check check) throws IOException {
        try (SqliteStore alone = new SqliteStore(folder.resolve("store.db")); MemoryStore shared = new MemoryStore()) {
            check.of(alone, new GlobalObjects(alone));
            check.of(shared, new GlobalObjects(shared));
        }
    }

    private byte[] read(GlobalObjects objects) throws IOException {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        objects.read(APP, NAME, read);
        return read.toByteArray();
    }

    private void rewrite(GlobalStore store, String key, Consumer<byte[]> change) {
        byte[] bytes = store.get("objects", APP, key).orElseThrow().value().clone();
        change.accept(bytes);
        store.put("objects", APP, key, bytes, GlobalStore.ANY);
    }

    private String description(GlobalStore store) {
        return new String(store.get("objects", APP, NAME + "/d").orElseThrow().value(), StandardCharsets.UTF_8);
    }

    @Test
    void whatNobodyHasDescribedIsHashedOnlyWhereHostsOfOtherVersionsMayReadIt() throws IOException {
        inBoth((store, objects) -> {
            objects.put(APP, NAME, value.length, to -> to.write(value));
            assertThat(read(objects)).isEqualTo(value);
            assertThat(description(store)).contains(store.isOfOneProgram() ? "\"schema\":2" : "\"schema\":1")
                    .contains(store.isOfOneProgram() ? "crc32c" : "sha256");
        });
    }

    @Test
    void aValueThatIsNotWhatWasStoredIsNotGiven() throws IOException {
        inBoth((store, objects) -> {
            objects.put(APP, NAME, value.length, to -> to.write(value));
            rewrite(store, NAME + "/p000001", bytes -> bytes[5]++);
            assertThatThrownBy(() -> read(objects)).isInstanceOf(DamagedException.class);
        });
    }

    @Test
    void aFlagIsMetByItsValueHoweverThatWasStored() throws IOException {
        Stored flag = GlobalObjects.describe(NAME, value.length, to -> to.write(value));
        inBoth((store, objects) -> {
            objects.put(APP, NAME, value.length, to -> to.write(value));
            assertThat(objects.matches(APP, flag)).isTrue();
            objects.put(APP, flag, to -> to.write(value));
            assertThat(description(store)).contains("\"schema\":1");
            assertThat(objects.matches(APP, flag)).isTrue();
        });
    }

    @Test
    void aFlagIsNotMetByAnotherValueOfItsSize() throws IOException {
        Stored flag = GlobalObjects.describe(NAME, value.length, to -> to.write(value));
        value[7]++;
        inBoth((store, objects) -> {
            objects.put(APP, NAME, value.length, to -> to.write(value));
            assertThat(objects.matches(APP, flag)).isFalse();
        });
    }

    @Test
    void aValueOfAnotherSizeThanWasSaidIsNone() throws IOException {
        inBoth((store, objects) -> {
            assertThatThrownBy(() -> objects.put(APP, NAME, value.length + 1, to -> to.write(value))).hasMessageContaining("changed");
            assertThatThrownBy(() -> read(objects)).isInstanceOf(DamagedException.class);
        });
    }
}
