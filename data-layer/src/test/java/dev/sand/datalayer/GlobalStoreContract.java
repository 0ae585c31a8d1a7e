package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sand.datalayer.GlobalStore.Entry;
import dev.sand.datalayer.GlobalStore.Step;
import dev.sand.datalayer.GlobalStore.Write;
import dev.sand.datalayer.StoreException.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What every global store does; each implementation runs it, and the part of it that is about writes which go together. */
abstract class GlobalStoreContract extends WritesTogetherContract {
    @Test
    void aWriteIsReadBackWithItsVersion() {
        assertThat(store.get("t", "app", "k")).isEmpty();
        assertThat(put("k", "a")).isEqualTo(1);
        assertThat(put("k", "b")).isEqualTo(2);
        assertThat(store.get("t", "app", "k").orElseThrow().version()).isEqualTo(2);
        assertThat(get("app", "k")).isEqualTo("b");
        assertThat(store.version("t", "app", "k")).isEqualTo(2);
        assertThat(store.version("t", "app", "none")).isZero();
    }

    /** As small ones, each way of writing and of reading. */
    @Test
    void valuesOfAnySizeAreReadBackAndReplaced() {
        int[] sizes = {0, 1, 65_535, 65_536, 300_000, 5, 70_000, 0, 512 << 10};
        for (int i = 0; i < sizes.length; i++) {
            byte[] value = drawn(i, sizes[i]);
            assertThat(store.put("t", "app", "k", value, i)).isEqualTo(i + 1);
            assertThat(store.get("t", "app", "k").orElseThrow().value()).isEqualTo(value);
            assertThat(store.scan("t", "app", "", null, 10).getFirst().value()).isEqualTo(value);
            assertThat(store.bytes("t", "app")).isEqualTo(sizes[i]);
        }
        store.writeAll(List.of(new Write("t", "app", "k", null), new Write("t", "app", "l", drawn(1, 200_000)),
                new Write("t", "app", "m", drawn(2, 100_000), 7), new Write("t", "app", "n", drawn(3, 10))));
        assertThat(store.putFenced("t", "app", "m", drawn(4, 100_000), 6)).isFalse();
        assertThat(store.putFenced("t", "app", "m", drawn(5, 150_000), 8)).isTrue();
        store.transact("t", "app", List.of(Step.put("n", drawn(6, 80_000), GlobalStore.ANY), Step.delete("l", GlobalStore.ANY)));
        conflict(() -> store.transact("t", "app", List.of(Step.put("n", drawn(7, 90_000), 99))));
        conflict(() -> store.put("t", "app", "m", drawn(8, 90_000), GlobalStore.ABSENT));
        assertThat(store.getAll("t", "app", List.of("k", "l", "m", "n"))).extracting(Entry::key).containsExactlyInAnyOrder("m", "n");
        assertThat(store.scanDescending("t", "app", "", null, 10)).extracting(Entry::value)
                .containsExactly(drawn(6, 80_000), drawn(5, 150_000));
        assertThat(store.bytes("t", "app")).isEqualTo(230_000);
        store.deleteBefore("t", "app", "n");
        assertThat(store.bytes("t", "app")).isEqualTo(80_000);
        store.deleteScope("t", "app");
        assertThat(store.bytes("t", "app")).isZero();
        assertThat(store.get("t", "app", "n")).isEmpty();
    }

    /** Of what many write and delete at once, each reads what somebody wrote under that key. */
    @Test
    void aReaderOfAValueThatIsReplacedHasOneOfThose() {
        List<CompletableFuture<Void>> writers = IntStream.range(0, 4).mapToObj(writer -> CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 40; i++) {
                byte[] value = new byte[100_000 + 50_000 * (i % 3)];
                Arrays.fill(value, (byte) writer);
                store.put("t", "app", "k" + writer, value, GlobalStore.ANY);
                if (i % 5 == 4) {
                    store.delete("t", "app", "k" + writer, GlobalStore.ANY);
                }
            }
        })).toList();
        while (!writers.stream().allMatch(CompletableFuture::isDone)) {
            for (Entry found : store.scan("t", "app", "k", null, 10)) {
                assertOf(found.key(), found.value());
            }
            store.get("t", "app", "k1").ifPresent(found -> assertOf("k1", found.value()));
        }
        writers.forEach(CompletableFuture::join);
    }

    private static void assertOf(String key, byte[] value) {
        byte wanted = (byte) (key.charAt(1) - '0');
        assertThat(value.length).isIn(100_000, 150_000, 200_000);
        for (byte each : value) {
            if (each != wanted) {
                throw new AssertionError(key + " has a byte of k" + each);
            }
        }
    }

    @Test
    void aConditionalWriteSucceedsOnlyAtItsVersion() {
        assertThat(store.put("t", "app", "k", bytes("a"), GlobalStore.ABSENT)).isEqualTo(1);
        assertThat(conflict(() -> store.put("t", "app", "k", bytes("b"), GlobalStore.ABSENT))).isEqualTo(1);
        assertThat(conflict(() -> store.put("t", "app", "k", bytes("b"), 7))).isEqualTo(1);
        assertThat(store.put("t", "app", "k", bytes("b"), 1)).isEqualTo(2);
        assertThat(conflict(() -> store.delete("t", "app", "k", 1))).isEqualTo(2);
        assertThat(store.delete("t", "app", "k", 2)).isTrue();
        assertThat(conflict(() -> store.put("t", "app", "k", bytes("c"), 2))).isZero();
        assertThat(store.delete("t", "app", "k", GlobalStore.ANY)).isFalse();
    }

    @Test
    void noVersionComesTwiceAlsoAcrossADeletion() {
        put("k", "a");
        long before = put("k", "b");
        store.delete("t", "app", "k", GlobalStore.ANY);
        long after = put("k", "c");
        assertThat(after).isGreaterThan(before + 1);
        store.deleteScope("t", "app");
        assertThat(put("k", "d")).isGreaterThan(after + 1);
        assertThat(store.keepLast("t", "app", 1)).isEmpty();
        put("l", "e");
        long last = store.get("t", "app", "k").orElseThrow().version();
        assertThat(store.keepLast("t", "app", 1)).containsExactly("k");
        assertThat(put("k", "f")).isGreaterThan(last + 1);
    }

    @Test
    void allThatBeginsSoIsDeletedAndNothingElse() {
        for (String key : List.of("e/1", "e/2", "e", "e0", "f/1")) {
            store.put("t", "app", key, drawn(1, 100_000), GlobalStore.ANY);
        }
        put("e/3", "small");
        put("e/3", "smaller");
        store.put("t", "other", "e/1", bytes("other"), GlobalStore.ANY);
        store.deleteAll("t", "app", "e/");
        store.deleteAll("t", "app", "none/");
        assertThat(store.keys("t", "app", "", null, 10)).containsExactly("e", "e0", "f/1");
        assertThat(store.bytes("t", "app")).isEqualTo(300_000);
        assertThat(get("other", "e/1")).isEqualTo("other");
        assertThat(put("e/3", "again")).as("a key never has the same version twice").isGreaterThan(2);
    }

    @Test
    void scansGoInByteOrderWithPrefixAndPage() {
        Stream.of("b/1", "a", "b/3", "b", "c", "b/2", "é", "\uD83D\uDE00", "\uFFFD").forEach(key -> put(key, key));
        assertThat(keys(store.scan("t", "app", "b/", null, 10))).containsExactly("b/1", "b/2", "b/3");
        assertThat(keys(store.scan("t", "app", "b/", "b/1", 1))).containsExactly("b/2");
        assertThat(keys(store.scan("t", "app", "", "c", 10))).containsExactly("é", "\uFFFD", "\uD83D\uDE00");
        assertThat(keys(store.scanDescending("t", "app", "b", null, 2))).containsExactly("b/3", "b/2");
        assertThat(keys(store.scanDescending("t", "app", "b", "b/2", 10))).containsExactly("b/1", "b");
        assertThat(store.keys("t", "app", "b/", "b/2", 10)).containsExactly("b/3");
        assertThat(store.scan("t", "app", "", null, 0)).isEmpty();
    }

    @Test
    void tablesAndScopesAreApartWhateverTheNames() {
        List<String> names = List.of("a", "a\0", "a\0b", "\0a", "a/", "a/..", "../a", "a%", "%", "a_", "A", "á", "a\u0301", "'",
                "\"", ";--", "*", "a ", " ", "\uD83D\uDE00");
        for (String scope : names) {
            for (String key : names) {
                store.put("t", scope, key, bytes(scope + "|" + key), GlobalStore.ABSENT);
            }
        }
        for (String scope : names) {
            assertThat(store.scan("t", scope, "", null, 1000)).hasSize(names.size());
            for (String key : names) {
                assertThat(get(scope, key)).isEqualTo(scope + "|" + key);
                assertThat(store.get("u", scope, key)).isEmpty();
                assertThat(store.scan("t", scope, key, null, 1000)).allMatch(entry -> entry.key().startsWith(key))
                        .allMatch(entry -> new String(entry.value(), StandardCharsets.UTF_8).startsWith(scope + "|"));
            }
        }
        store.deleteScope("t", "%");
        assertThat(store.scan("t", "a", "", null, 1000)).hasSize(names.size());
    }

    @Test
    void aNameThatIsNoTextOrTooLongIsRefused() {
        for (String bad : List.of("", "\uD83D", "a\uDE00", "x".repeat(1025))) {
            StoreException failure = catchThrowableOfType(StoreException.class, () -> put(bad, "v"));
            assertThat(failure.kind()).isEqualTo(Kind.BAD_VALUE);
        }
    }

    @Test
    void aCounterAddsAtomically() {
        assertThat(store.add("t", "app", "n", 5)).isEqualTo(5);
        assertThat(store.add("t", "app", "n", -7)).isEqualTo(-2);
        CompletableFuture.allOf(IntStream.range(0, 8).mapToObj(i -> CompletableFuture.runAsync(() -> {
            for (int j = 0; j < 50; j++) {
                store.add("t", "app", "n", 1);
            }
        })).toArray(CompletableFuture[]::new)).join();
        assertThat(get("app", "n")).isEqualTo("398");
        put("text", "twelve");
        assertThatThrownBy(() -> store.add("t", "app", "text", 1)).isInstanceOf(StoreException.class)
                .hasMessageContaining("no counter");
        put("n", "" + Long.MAX_VALUE);
        assertThatThrownBy(() -> store.add("t", "app", "n", 1)).hasMessageContaining("overflow");
    }

    @Test
    void ofManyWritersAtOneVersionOneWins() {
        put("k", "a");
        long won = IntStream.range(0, 16).parallel().filter(i -> {
            try {
                store.put("t", "app", "k", bytes("w" + i), 1);
                return true;
            } catch (StoreException e) {
                return false;
            }
        }).count();
        assertThat(won).isEqualTo(1);
    }

    @Test
    void largeValuesAreKeptWhole() {
        byte[] large = new byte[3_500_000];
        new Random(1).nextBytes(large);
        long version = store.put("t", "app", "large", large, GlobalStore.ABSENT);
        assertThat(store.get("t", "app", "large").orElseThrow().value()).isEqualTo(large);
        assertThat(conflict(() -> store.put("t", "app", "large", large, GlobalStore.ABSENT))).isEqualTo(version);
        large[3_000_000]++;
        store.put("t", "app", "large", large, version);
        put("small", "s");
        assertThat(store.scan("t", "app", "", null, 10)).extracting(entry -> entry.value().length)
                .containsExactly(3_500_000, 1);
        assertThat(store.scan("t", "app", "large", null, 1).getFirst().value()).isEqualTo(large);
        assertThat(store.keys("t", "app", "", null, 10)).containsExactly("large", "small");
        store.writeAll(List.of(new Write("t", "app", "large", bytes("now small"))));
        assertThat(get("app", "large")).isEqualTo("now small");
        store.delete("t", "app", "large", GlobalStore.ANY);
        assertThat(store.get("t", "app", "large")).isEmpty();
    }

    @Test
    void aScopesBytesAreThoseOfItsValues() {
        assertThat(store.bytes("t", "app")).isZero();
        put("a", "12345");
        put("b", "");
        store.put("t", "app", "large", new byte[1_500_000], GlobalStore.ANY);
        store.put("t", "other", "a", new byte[7], GlobalStore.ANY);
        store.put("u", "app", "a", new byte[7], GlobalStore.ANY);
        assertThat(store.bytes("t", "app")).isEqualTo(1_500_005);
        put("a", "1");
        store.delete("t", "app", "large", GlobalStore.ANY);
        assertThat(store.bytes("t", "app")).isEqualTo(1);
    }

    @Test
    void anEmptyValueIsAValue() {
        store.put("t", "app", "empty", new byte[0], GlobalStore.ABSENT);
        assertThat(store.get("t", "app", "empty").orElseThrow().value()).isEmpty();
    }

    @Test
    void keepLastDeletesTheFirstInOrder() {
        for (int i = 0; i < 10; i++) {
            put("k" + i, "v");
        }
        put("k9", "again");
        assertThat(store.keepLast("t", "app", 3)).containsExactlyInAnyOrder("k0", "k1", "k2", "k3", "k4", "k5", "k6");
        assertThat(store.keys("t", "app", "", null, 100)).containsExactly("k7", "k8", "k9");
    }

    static List<String> keys(List<Entry> entries) {
        return entries.stream().map(Entry::key).toList();
    }
}
