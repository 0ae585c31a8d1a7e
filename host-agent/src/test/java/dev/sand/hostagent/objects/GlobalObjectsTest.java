package dev.sand.hostagent.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.SqliteStore;
import dev.sand.event.Payload;
import dev.sand.hostagent.objects.GlobalObjects.DamagedException;
import dev.sand.hostagent.objects.GlobalObjects.Stored;
import dev.sand.hostagent.segments.MemfdSegments;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
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

    /** One of more pieces than a write has, another of one, and each piece where the memory ends. */
    @Test
    void aValueInMemoryIsStoredFromThere() throws IOException {
        try (SqliteStore store = new SqliteStore(folder.resolve("store.db"))) {
            GlobalObjects objects = new GlobalObjects(store);
            for (int size : new int[] {70_000, 4 << 20, (9 << 20) + 5}) {
                byte[] bytes = new byte[size];
                new Random(size).nextBytes(bytes);
                objects.put(APP, NAME, ByteBuffer.allocateDirect(size + 8192).alignedSlice(4096).slice(0, size).put(bytes).flip());
                assertThat(read(objects)).isEqualTo(bytes);
                assertThat(description(store)).contains("\"schema\":3").contains("crc32\":\"");
                assertThat(store.keys("objects", APP, NAME, null, 100)).hasSize(1 + Math.ceilDiv(size, 4 << 20));
                assertThat(objects.matches(APP, GlobalObjects.describe(NAME, size, to -> to.write(bytes)))).isTrue();
                rewrite(store, NAME + "/p000000", piece -> piece[9]++);
                assertThatThrownBy(() -> read(objects)).isInstanceOf(DamagedException.class);
            }
        }
    }

    /** Where hosts of other versions read it, in their pieces. */
    @Test
    void whatIsCopiedOfAHostsMemoryIsTheSameInBoth() throws IOException {
        inBoth((store, objects) -> {
            try (MemfdSegments segments = new MemfdSegments(MemfdSegments.Options.DEFAULT);
                    ObjectCopies copies = new ObjectCopies(objects, segments)) {
                Payload here = segments.put(APP, "e", new Payload(Payload.OCTETS, value, null));
                Payload there = copies.toGlobal(APP, "e", "1.1.0", here);
                assertThat(copies.bytes(APP, there.reference())).isEqualTo(value);
                assertThat(store.keys("objects", APP, there.reference().object(), null, 100)).hasSize(store.isOfOneProgram() ? 2 : 4);
            }
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
