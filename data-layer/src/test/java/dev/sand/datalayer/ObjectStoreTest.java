package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sand.datalayer.ObjectStore.Info;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.Digests;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("slow")
@ParameterizedClass
@MethodSource("dev.sand.datalayer.StoreKind#tested")
class ObjectStoreTest {
    private static final int PIECE = ObjectManifest.PIECE_BYTES;

    @Parameter
    StoreKind kind;

    private GlobalStore store;
    private ObjectStore objects;

    @BeforeEach
    void open() {
        store = kind.open();
        objects = new ObjectStore(store, "objects", 8L * PIECE);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void anObjectIsReadBackWholeAndInRanges() throws IOException {
        byte[] bytes = random(3 * PIECE + 1000);
        long version = objects.put("app", "k", "image/png", out -> {
            out.write(bytes, 0, 700_000);
            out.write(bytes[700_000]);
            out.write(bytes, 700_001, bytes.length - 700_001);
        }, GlobalStore.ABSENT);
        Info info = objects.info("app", "k").orElseThrow();
        assertThat(info).isEqualTo(new Info(version, "image/png", bytes.length,
                HexFormat.of().formatHex(Digests.sha256(bytes))));
        assertThat(whole("k", version)).isEqualTo(bytes);
        assertThat(read("k", PIECE - 5, PIECE + 10)).hasValue(Arrays.copyOfRange(bytes, PIECE - 5, 2 * PIECE + 5));
        assertThat(read("k", bytes.length - 3, 100)).hasValue(Arrays.copyOfRange(bytes, bytes.length - 3, bytes.length));
        assertThat(read("k", bytes.length + 3L, 100)).hasValue(new byte[0]);
        assertThat(read("other", 0, 1)).isEmpty();
        assertThat(objects.read("other", "k", 0, 1, GlobalStore.ANY)).isEmpty();
    }

    @Test
    void writesAndCutsDoWhatTheyDoToAnArray() {
        Random random = new Random(42);
        byte[] model = new byte[0];
        for (int i = 0; i < 40; i++) {
            int most = 3 * PIECE;
            if (model.length > 0 && random.nextInt(4) == 0) {
                int size = random.nextInt(most);
                objects.resize("app", "k", size, GlobalStore.ANY);
                model = Arrays.copyOf(model, size);
            } else {
                int offset = random.nextInt(Math.min(most, model.length + PIECE + 1));
                byte[] bytes = random(random.nextInt(random.nextBoolean() ? 100 : PIECE + PIECE / 2) + 1, random);
                objects.write("app", "k", "application/octet-stream", offset, bytes, GlobalStore.ANY);
                model = Arrays.copyOf(model, Math.max(model.length, offset + bytes.length));
                System.arraycopy(bytes, 0, model, offset, bytes.length);
            }
            assertThat(objects.info("app", "k").orElseThrow().size()).isEqualTo(model.length);
            assertThat(read("k", 0, Integer.MAX_VALUE)).as("after step %d", i).hasValue(model);
        }
        int pieces = (model.length + PIECE - 1) / PIECE;
        assertThat(store.keys("objects-pieces", "app", "", null, 1000)).as("replaced pieces are gone").hasSizeLessThanOrEqualTo(pieces);
        objects.delete("app", "k", GlobalStore.ANY);
        assertThat(store.keys("objects-pieces", "app", "", null, 1000)).isEmpty();
    }

    @Test
    void writesOnConditionSucceedOnlyAtTheirVersion() throws IOException {
        long first = put("k", bytes(10, 1), GlobalStore.ABSENT);
        assertThat(conflict(() -> put("k", bytes(10, 2), GlobalStore.ABSENT))).isEqualTo(first);
        long second = objects.write("app", "k", "x", 5, bytes(2, 3), first);
        assertThat(conflict(() -> objects.write("app", "k", "x", 5, bytes(2, 4), first))).isEqualTo(second);
        assertThat(conflict(() -> objects.resize("app", "k", 1, first))).isEqualTo(second);
        assertThat(conflict(() -> objects.read("app", "k", 0, 1, first))).isEqualTo(second);
        assertThat(conflict(() -> objects.delete("app", "k", first))).isEqualTo(second);
        assertThat(read("k", 0, 10)).hasValue(new byte[] {1, 1, 1, 1, 1, 3, 3, 1, 1, 1});
        assertThat(objects.info("app", "k").orElseThrow().sha256()).as("unknown once it was written in part").isNull();
        assertThat(objects.delete("app", "k", second)).isTrue();
        assertThat(objects.delete("app", "k", GlobalStore.ANY)).isFalse();
        assertThat(store.keys("objects-pieces", "app", "", null, 10)).isEmpty();
    }

    @Test
    void whatIsOverTheLimitIsRefusedAndLeavesNothing() {
        assertThatThrownBy(() -> put("k", new byte[8 * PIECE + 1], GlobalStore.ANY)).hasMessageContaining("more than " + 8L * PIECE);
        assertThatThrownBy(() -> objects.write("app", "k", "x", 8L * PIECE, new byte[1], GlobalStore.ANY)).hasMessageContaining("limit");
        assertThatThrownBy(() -> objects.put("app", "k", "x", out -> {
            out.write(new byte[6 * PIECE]);
            throw new IOException("the source broke");
        }, GlobalStore.ANY)).isInstanceOf(IOException.class);
        assertThat(objects.info("app", "k")).isEmpty();
        assertThat(store.keys("objects-pieces", "app", "", null, 100)).isEmpty();
    }

    @Test
    void aDamagedPieceIsNoticed() throws IOException {
        put("k", random(PIECE + 5), GlobalStore.ANY);
        String piece = store.keys("objects-pieces", "app", "", null, 1).getFirst();
        store.put("objects-pieces", "app", piece, new byte[5], GlobalStore.ANY);
        StoreException failure = catchThrowableOfType(StoreException.class, () -> read("k", 0, 2 * PIECE));
        assertThat(failure.kind()).isEqualTo(Kind.BROKEN);
    }

    @Test
    void writersOfDifferentPartsKeepEachOthers() {
        objects.write("app", "k", "x", 0, new byte[1], GlobalStore.ANY);
        List<CompletableFuture<Void>> writing = new ArrayList<>();
        for (int writer = 1; writer <= 4; writer++) {
            int mine = writer;
            writing.add(CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 5; i++) {
                    objects.write("app", "k", "x", 1000L * mine + i * 10L, bytes(10, mine), GlobalStore.ANY);
                }
            }));
        }
        writing.forEach(CompletableFuture::join);
        byte[] all = read("k", 0, 10_000).orElseThrow();
        for (int writer = 1; writer <= 4; writer++) {
            assertThat(Arrays.copyOfRange(all, 1000 * writer, 1000 * writer + 50)).containsOnly(writer);
        }
    }

    @Test
    void aPartIsWrittenThoughTheObjectIsReplacedWhileItIsRead() {
        objects.write("app", "k", "x", 0, bytes(10, 1), GlobalStore.ANY);
        byte[] others = bytes(10, 2);
        ObjectStore slow = new ObjectStore(new ForwardingStore(store) {
            private boolean late;

            @Override
            public Optional<Versioned> get(String table, String scope, String key) {
                if (table.equals("objects-pieces") && !late) {
                    late = true;
                    objects.write("app", "k", "x", 20, others, GlobalStore.ANY);
                }
                return super.get(table, scope, key);
            }
        }, "objects", 8L * PIECE);
        slow.write("app", "k", "x", 40, bytes(10, 3), GlobalStore.ANY);
        byte[] all = read("k", 0, 100).orElseThrow();
        assertThat(List.of(all[0], all[20], all[40])).containsExactly((byte) 1, (byte) 2, (byte) 3);
    }

    @Test
    void aReaderSeesEachWriteWhole() throws IOException {
        int size = 2 * PIECE;
        put("k", bytes(size, 0), GlobalStore.ANY);
        CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> {
            for (int i = 1; i < 10; i++) {
                objects.write("app", "k", "x", 0, bytes(size, i), GlobalStore.ANY);
            }
        });
        do {
            byte[] read = read("k", 0, size).orElseThrow();
            assertThat(read).hasSize(size).containsOnly(read[0]);
        } while (!writing.isDone());
        writing.join();
    }

    @Test
    void theScopesObjectsGoTogether() throws IOException {
        put("a", random(PIECE), GlobalStore.ANY);
        put("b", random(10), GlobalStore.ANY);
        assertThat(objects.keys("app", "", null, 10)).containsExactly("a", "b");
        objects.deleteScope("app");
        assertThat(objects.keys("app", "", null, 10)).isEmpty();
        assertThat(store.keys("objects-pieces", "app", "", null, 10)).isEmpty();
    }

    private long put(String key, byte[] bytes, long expected) throws IOException {
        return objects.put("app", key, "application/octet-stream", out -> out.write(bytes), expected);
    }

    private Optional<byte[]> read(String key, long offset, int length) {
        return objects.read("app", key, offset, length, GlobalStore.ANY).map(ObjectStore.Range::bytes);
    }

    private byte[] whole(String key, long version) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        objects.transfer("app", key, version, out);
        return out.toByteArray();
    }

    private static long conflict(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        StoreException failure = catchThrowableOfType(StoreException.class, call);
        assertThat(failure.kind()).isEqualTo(Kind.CONFLICT);
        return failure.actualVersion();
    }

    private static byte[] bytes(int size, int value) {
        byte[] bytes = new byte[size];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    private static byte[] random(int size) {
        return random(size, new Random(size));
    }

    private static byte[] random(int size, Random random) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return bytes;
    }
}
