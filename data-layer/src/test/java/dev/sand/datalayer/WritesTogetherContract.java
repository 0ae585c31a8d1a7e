package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.datalayer.GlobalStore.Entry;
import dev.sand.datalayer.GlobalStore.Lent;
import dev.sand.datalayer.GlobalStore.Step;
import dev.sand.datalayer.GlobalStore.Write;
import dev.sand.datalayer.StoreException.Kind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/** What every global store does with writes that go together: all of them or none, in their order, and under what epochs and versions allow. */
abstract class WritesTogetherContract extends StoreFixture {
    @Test
    void writesCanGoTogether() {
        put("gone", "x");
        store.writeAll(List.of(new Write("t", "app", "a", bytes("1")), new Write("t", "other", "b", bytes("2")),
                new Write("t", "app", "gone", null)));
        assertThat(get("app", "a")).isEqualTo("1");
        assertThat(get("other", "b")).isEqualTo("2");
        assertThat(store.get("t", "app", "gone")).isEmpty();
    }

    /** Over what is there: nothing, something small, large, of an epoch, or gone again. */
    @Test
    void whatIsWrittenTogetherIsThereUnlessAHigherEpochWroteIt() {
        Random random = new Random(7);
        int[] sizes = {0, 10, 65_535, 70_000};
        byte[][] values = new byte[3][];
        long[] epochs = new long[3];
        long[] versions = new long[3];
        for (int step = 0; step < 150; step++) {
            List<Write> together = new ArrayList<>();
            for (int key = 0; key < 3; key++) {
                byte[] value = random.nextInt(5) == 0 ? null : drawn(3 * step + key, sizes[random.nextInt(sizes.length)]);
                long epoch = value == null ? 0 : random.nextInt(4);
                together.add(new Write("t", "app", "k" + key, value, epoch));
                if (value == null) {
                    epochs[key] = 0;
                    values[key] = null;
                } else if (epoch == 0 || epoch >= epochs[key]) {
                    epochs[key] = Math.max(epochs[key], epoch);
                    values[key] = value;
                }
            }
            store.writeAll(together);
            for (int key = 0; key < 3; key++) {
                var found = store.get("t", "app", "k" + key);
                assertThat(found.map(GlobalStore.Versioned::value).orElse(null)).as("step %d", step).isEqualTo(values[key]);
                long version = found.map(GlobalStore.Versioned::version).orElse(versions[key]);
                assertThat(version).as("step %d", step).isGreaterThanOrEqualTo(versions[key]);
                if (together.get(key).value() != null && together.get(key).value() == values[key]) {
                    assertThat(version).as("a write in step %d", step).isGreaterThan(versions[key]);
                }
                versions[key] = version;
            }
        }
    }

    @Test
    void aKeyMayBeWrittenMoreThanOnceInOneGo() {
        byte[] large = drawn(1, 70_000);
        byte[] other = drawn(2, 70_000);
        store.writeAll(List.of(new Write("t", "app", "k", bytes("first")), new Write("t", "app", "k", large), new Write("t", "app", "k", other),
                new Write("t", "app", "l", large), new Write("t", "app", "l", bytes("last")),
                new Write("t", "app", "m", large), new Write("t", "app", "m", null)));
        assertThat(store.get("t", "app", "k").orElseThrow().value()).isEqualTo(other);
        assertThat(store.version("t", "app", "k")).isEqualTo(3);
        assertThat(get("app", "l")).isEqualTo("last");
        assertThat(store.get("t", "app", "m")).isEmpty();
    }

    @Test
    void whatIsLentGoesOverWhatIsThere() {
        store.putFenced("t", "app", "small", bytes("fenced"), 5);
        store.put("t", "app", "large", drawn(1, 80_000), GlobalStore.ANY);
        byte[] value = drawn(2, 70_000);
        CRC32 crc = new CRC32();
        crc.update(value);
        ByteBuffer memory = ByteBuffer.allocateDirect(value.length).put(value).flip();
        store.writeAll(List.of(new Lent("t", "app", "small", memory), new Lent("t", "app", "large", memory, (int) crc.getValue()),
                new Lent("t", "app", "new", memory, (int) crc.getValue())), List.of());
        for (String key : List.of("small", "large", "new")) {
            assertThat(store.get("t", "app", key).orElseThrow().value()).as(key).isEqualTo(value);
        }
        assertThat(store.putFenced("t", "app", "small", bytes("late"), 4)).as("the fence stays").isFalse();
    }

    @Test
    void newKeysCanBeAddedTogetherAndNoneBehindOneThatIsThere() {
        store.addAll(List.of(new Write("t", "app", "a", bytes("1")), new Write("u", "other", "b", bytes("2"))));
        assertThat(get("app", "a")).isEqualTo("1");
        assertThat(store.get("u", "other", "b")).hasValueSatisfying(found -> assertThat(found.value()).isEqualTo(bytes("2")));
        conflict(() -> store.addAll(List.of(new Write("t", "app", "a", bytes("3")), new Write("u", "other", "c", bytes("4")))));
        assertThat(get("app", "a")).isEqualTo("1");
        assertThat(store.get("u", "other", "c")).isEmpty();
        store.delete("t", "app", "a", GlobalStore.ANY);
        store.addAll(List.of(new Write("t", "app", "a", bytes("5"))));
        assertThat(get("app", "a")).isEqualTo("5");
    }

    @Test
    void whatALowerEpochWritesChangesNothing() {
        assertThat(store.putFenced("t", "app", "k", bytes("first"), 5)).isTrue();
        assertThat(store.putFenced("t", "app", "k", bytes("late"), 4)).isFalse();
        assertThat(store.putFenced("t", "app", "k", bytes("same"), 5)).isTrue();
        store.writeAll(List.of(new Write("t", "app", "k", bytes("late"), 3), new Write("t", "app", "l", bytes("new"), 3)));
        assertThat(get("app", "k")).isEqualTo("same");
        assertThat(get("app", "l")).isEqualTo("new");
        store.writeAll(List.of(new Write("t", "app", "k", bytes("next"), 6)));
        assertThat(get("app", "k")).isEqualTo("next");
        assertThat(put("k", "plain")).isEqualTo(4);
        assertThat(store.putFenced("t", "app", "k", bytes("late"), 5)).as("a plain write leaves the fence").isFalse();
        store.delete("t", "app", "k", GlobalStore.ANY);
        assertThat(store.putFenced("t", "app", "k", bytes("anew"), 1)).as("deletion takes it away").isTrue();
        put("plain", "v");
        assertThat(store.putFenced("t", "app", "plain", bytes("fenced"), 1)).isTrue();
    }

    @Test
    void aFenceCanBeSetWhereNobodyHasWrittenMeanwhile() {
        assertThat(store.putFenced("t", "app", "k", bytes("runs"), 2, GlobalStore.ABSENT)).isTrue();
        long version = store.version("t", "app", "k");
        store.putFenced("t", "app", "k", bytes("ended"), 2);
        assertThatThrownBy(() -> store.putFenced("t", "app", "k", bytes("runs"), 3, version))
                .isInstanceOf(StoreException.class).extracting(e -> ((StoreException) e).kind()).isEqualTo(StoreException.Kind.CONFLICT);
        assertThat(get("app", "k")).isEqualTo("ended");
        assertThat(store.putFenced("t", "app", "k", bytes("again"), 3, store.version("t", "app", "k"))).isTrue();
        assertThat(store.putFenced("t", "app", "k", bytes("late"), 2, GlobalStore.ABSENT)).as("by epoch first").isFalse();
        assertThat(get("app", "k")).isEqualTo("again");
    }

    @Test
    void ofManyEpochsTheHighestStays() {
        IntStream.rangeClosed(1, 16).parallel().forEach(i -> store.putFenced("t", "app", "k", bytes("e" + i), i));
        assertThat(get("app", "k")).isEqualTo("e16");
    }

    @Test
    void aTransactionDoesAllOfItsStepsOrNone() {
        long a = put("a", "1");
        long gone = put("gone", "x");
        List<Long> versions = store.transact("t", "app", List.of(Step.check("a", a), Step.check("none", GlobalStore.ABSENT),
                Step.put("b", bytes("2"), GlobalStore.ABSENT), Step.delete("gone", gone), Step.put("a2", bytes("3"), GlobalStore.ANY)));
        assertThat(versions).hasSize(5).element(0).isEqualTo(0L);
        assertThat(store.get("t", "app", "b").orElseThrow().version()).isEqualTo(versions.get(2));
        assertThat(store.getAll("t", "app", List.of("a", "b", "gone", "none"))).extracting(Entry::key).containsExactlyInAnyOrder("a", "b");
        for (Step wrong : List.of(Step.check("a", a + 1), Step.check("b", GlobalStore.ABSENT), Step.check("none", 5),
                Step.put("a", bytes("x"), GlobalStore.ABSENT), Step.delete("a", 77))) {
            conflict(() -> store.transact("t", "app", List.of(Step.put("c", bytes("4"), GlobalStore.ANY), wrong)));
            assertThat(store.get("t", "app", "c")).as("nothing of it, for %s", wrong).isEmpty();
        }
        assertThat(get("app", "a")).isEqualTo("1");
    }

    @Test
    void sumsOverTransactionsAreAlwaysWhole() {
        put("left", "100");
        put("right", "0");
        List<CompletableFuture<Void>> moving = IntStream.range(0, 4).mapToObj(i -> CompletableFuture.runAsync(() -> {
            for (int done = 0; done < 10;) {
                List<Entry> both = store.getAll("t", "app", List.of("left", "right"));
                assertThat(both.stream().mapToInt(WritesTogetherContract::number).sum()).isEqualTo(100);
                try {
                    store.transact("t", "app", both.stream().map(entry -> Step.put(entry.key(),
                            bytes("" + (number(entry) + (entry.key().equals("left") ? -1 : 1))), entry.version())).toList());
                    done++;
                } catch (StoreException e) {
                    assertThat(e.kind()).isEqualTo(Kind.CONFLICT);
                }
            }
        })).toList();
        moving.forEach(CompletableFuture::join);
        assertThat(get("app", "left")).isEqualTo("60");
        assertThat(get("app", "right")).isEqualTo("40");
    }

    /** On the border of a page, or not, and in the heap. */
    @Test
    void valuesAreWrittenFromTheMemoryWhereTheyAre() {
        int[] sizes = {0, 3, 65_536, 200_001, 1 << 20, (1 << 20) + 1};
        for (int i = 0; i < sizes.length; i++) {
            byte[] value = drawn(i, sizes[i]);
            ByteBuffer page = ByteBuffer.allocateDirect(sizes[i] + 8192).alignedSlice(4096).slice(0, sizes[i]).put(value).flip();
            ByteBuffer beside = ByteBuffer.allocateDirect(sizes[i] + 1).put((byte) 7).put(value).position(1);
            ByteBuffer heap = ByteBuffer.wrap(Arrays.copyOfRange(value, 0, sizes[i] + 9)).limit(sizes[i]);
            store.writeAll(List.of(new Lent("t", "app", "page", page), new Lent("t", "app", "beside", beside), new Lent("t", "app", "heap", heap)),
                    List.of(new Write("t", "app", "behind", bytes("b" + i)), new Write("t", "app", "gone", null)));
            for (String key : List.of("page", "beside", "heap")) {
                assertThat(store.get("t", "app", key).orElseThrow().value()).as(key + " of " + sizes[i]).isEqualTo(value);
            }
            assertThat(get("app", "behind")).isEqualTo("b" + i);
            assertThat(List.of(page.remaining(), beside.remaining(), heap.remaining())).as("given back as they came").containsOnly(sizes[i]);
        }
    }

    private static int number(Entry entry) {
        return Integer.parseInt(new String(entry.value(), StandardCharsets.UTF_8));
    }
}
