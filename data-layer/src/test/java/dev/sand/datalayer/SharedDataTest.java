package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sand.datalayer.SharedData.Value;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.Payload;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SharedDataTest {
    private static final Duration AGE = Duration.ofSeconds(1);
    private final AtomicLong nowNs = new AtomicLong(-5);
    private final AtomicInteger reads = new AtomicInteger();
    private final ForwardingStore store = new ForwardingStore() {
        @Override
        public Optional<Versioned> get(String table, String scope, String key) {
            reads.incrementAndGet();
            return super.get(table, scope, key);
        }
    };
    private final RecordedLargeValues large = new RecordedLargeValues();
    private final SharedData data = new SharedData(store, large, new SharedData.Options(1 << 20, 10_000, 25_000, AGE), Room.ENDLESS, nowNs::get);

    @Test
    void aWriteIsInTheStoreAndReadFromMemory() {
        assertThat(data.get("app", "k")).isEqualTo(Value.NONE);
        assertThat(put("k", "\"a\"")).isEqualTo(1);
        int before = reads.get();
        assertThat(text(data.get("app", "k"))).isEqualTo("\"a\"");
        assertThat(data.cached("app", "k")).isPresent();
        assertThat(reads.get()).as("reads of the store").isEqualTo(before);
        SharedData afterRestart = new SharedData(store, large, SharedData.Options.DEFAULT);
        assertThat(afterRestart.cached("app", "k")).isEmpty();
        assertThat(text(afterRestart.get("app", "k"))).isEqualTo("\"a\"");
        assertThat(afterRestart.cached("app", "k")).isPresent();
    }

    @Test
    void whatAnotherHostWroteIsSeenSoon() {
        SharedData other = new SharedData(store, large, SharedData.Options.DEFAULT);
        put("k", "1");
        other.put("app", "k", json("2"), GlobalStore.ANY);
        nowNs.addAndGet(AGE.toNanos() - 1);
        assertThat(text(data.get("app", "k"))).as("at most so old").isEqualTo("1");
        nowNs.addAndGet(1);
        assertThat(data.cached("app", "k")).isEmpty();
        assertThat(text(data.get("app", "k"))).isEqualTo("2");
        other.delete("app", "k", GlobalStore.ANY);
        nowNs.addAndGet(AGE.toNanos());
        assertThat(data.get("app", "k")).isEqualTo(Value.NONE);
    }

    @Test
    void whatNobodyWroteIsAskedForItsVersionOnly() {
        put("k", "1");
        nowNs.addAndGet(AGE.toNanos());
        int before = reads.get();
        assertThat(text(data.get("app", "k"))).isEqualTo("1");
        assertThat(reads.get()).isEqualTo(before);
        assertThat(data.cached("app", "k")).as("and is good for as long again").isPresent();
    }

    @Test
    void contentTypesAndBytesAreKept() {
        byte[] bytes = {0, -1, 1, 0};
        data.put("app", "k", new Payload("application/x-npy", bytes, null), GlobalStore.ANY);
        Payload read = new SharedData(store, large, SharedData.Options.DEFAULT).get("app", "k").payload();
        assertThat(read.contentType()).isEqualTo("application/x-npy");
        assertThat(read.bytes()).isEqualTo(bytes);
    }

    @Test
    void aConditionalWriteSaysWhatIsThere() {
        assertThat(data.put("app", "k", json("1"), GlobalStore.ABSENT)).isEqualTo(1);
        StoreException conflict = catchThrowableOfType(StoreException.class, () -> data.put("app", "k", json("2"), 0));
        assertThat(conflict.kind()).isEqualTo(Kind.CONFLICT);
        assertThat(conflict.actualVersion()).isEqualTo(1);
        assertThat(text(data.get("app", "k"))).isEqualTo("1");
        assertThat(data.put("app", "k", json("3"), 1)).isEqualTo(2);
        assertThat(catchThrowableOfType(StoreException.class, () -> data.delete("app", "k", 1)).kind()).isEqualTo(Kind.CONFLICT);
        assertThat(data.delete("app", "k", 2)).isTrue();
        assertThat(data.delete("app", "k", GlobalStore.ANY)).isFalse();
        assertThat(data.get("app", "k")).isEqualTo(Value.NONE);
        assertThat(put("k", "4")).as("a version never comes twice").isGreaterThan(2);
    }

    @Test
    void aCounterIsANumberAndANumberACounter() {
        put("n", "40");
        assertThat(data.add("app", "n", 2)).isEqualTo(42);
        assertThat(text(data.get("app", "n"))).isEqualTo("42");
        assertThat(data.get("app", "n").payload().contentType()).isEqualTo(Payload.JSON);
        assertThat(data.add("app", "fresh", -1)).isEqualTo(-1);
        put("s", "\"x\"");
        assertThat(catchThrowableOfType(StoreException.class, () -> data.add("app", "s", 1)).kind()).isEqualTo(Kind.BAD_VALUE);
        for (String number : List.of("-0", "007", "1.5", "12345678901234567890", "-", "{}")) {
            put("odd", number);
            assertThat(text(new SharedData(store, large, SharedData.Options.DEFAULT).get("app", "odd"))).isEqualTo(number);
        }
        CompletableFuture.allOf(IntStream.range(0, 8).mapToObj(i -> CompletableFuture.runAsync(() -> {
            for (int j = 0; j < 100; j++) {
                data.add("app", "n", 1);
                data.get("app", "n");
            }
        })).toArray(CompletableFuture[]::new)).join();
        assertThat(text(data.get("app", "n"))).isEqualTo("842");
    }

    @Test
    void memoryIsBoundedAndTheLeastRecentlyUsedGoesFirst() {
        for (int i = 0; i < 8; i++) {
            put("k" + i, "\"" + "x".repeat(1000) + "\"");
        }
        data.get("app", "k0");
        put("k8", "\"" + "x".repeat(1000) + "\"");
        assertThat(data.cached("app", "k0")).as("used lately").isPresent();
        assertThat(data.cached("app", "k1")).as("used least").isEmpty();
        assertThat(data.get("app", "k1").payload().bytes()).hasSize(1002);
        for (int i = 0; i < 10; i++) {
            data.put("app" + i, "k", json("\"" + "x".repeat(4000) + "\""), GlobalStore.ANY);
        }
        assertThat(data.cachedBytes()).isLessThanOrEqualTo(25_000);
        assertThat(data.cached("app9", "k")).isPresent();
        assertThat(data.cached("app0", "k")).isEmpty();
    }

    @Test
    void anApplicationSeesOnlyItsOwnWhateverItsKeysAreCalled() {
        data.put("victim", "k", json("\"secret\""), GlobalStore.ANY);
        List<String> tricks = List.of("../victim/k", "victim/k", "victim\0k", "\0victim\0k", "k\0", "%", "_", "k%", "..", ".",
                "/../victim/k", "..\\victim\\k", "victim\u2215k", "\u202Ek", "K", "\uFF4B", "k\u0301", "' OR 1=1 --", "*", "?");
        for (String trick : tricks) {
            assertThat(data.get("evil", trick)).as(trick).isEqualTo(Value.NONE);
            assertThat(data.delete("evil", trick, GlobalStore.ANY)).isFalse();
            data.put("evil", trick, json("\"mine\""), GlobalStore.ABSENT);
        }
        assertThat(data.list("evil", "", null, 1000).keys()).containsExactlyInAnyOrderElementsOf(tricks);
        assertThat(data.list("evil", "victim", null, 1000).keys()).allMatch(tricks::contains);
        data.deleteApplication("evil");
        assertThat(text(data.get("victim", "k"))).isEqualTo("\"secret\"");
        assertThat(data.list("victim", "", null, 1000).keys()).containsExactly("k");
        assertThat(data.list("evil", "", null, 1000).keys()).isEmpty();
    }

    @Test
    void keysAreListedInPages() {
        for (String key : List.of("a/1", "a/2", "a/3", "b")) {
            put(key, "1");
        }
        assertThat(data.list("app", "a/", null, 2)).isEqualTo(new SharedData.Keys(List.of("a/1", "a/2"), true));
        assertThat(data.list("app", "a/", "a/2", 2)).isEqualTo(new SharedData.Keys(List.of("a/3"), false));
        assertThat(data.list("app", "z", null, 2)).isEqualTo(new SharedData.Keys(List.of(), false));
    }

    @Test
    void aValueOverTheLimitIsRefusedWithBothSizes() {
        StoreException refused = catchThrowableOfType(StoreException.class,
                () -> data.put("app", "k", Payload.json(new byte[(1 << 20) + 1]), GlobalStore.ANY));
        assertThat(refused).hasMessageContaining("1048577").hasMessageContaining("1048576");
    }

    @Test
    void aLargeValueIsStoredWholeAndItsObjectIsHeldWhileMemoryHasIt() {
        SharedData roomy = new SharedData(store, large, SharedData.Options.DEFAULT);
        byte[] bytes = "y".repeat(100_000).getBytes(StandardCharsets.UTF_8);
        Payload.Reference object = large.putRetained("app", "x/y", bytes);
        large.forget("app", object);
        roomy.put("app", "k", new Payload("x/y", null, object), GlobalStore.ANY);
        assertThat(large.held).isEqualTo(Map.of(object.object(), 1));
        assertThat(roomy.get("app", "k").payload().reference()).isEqualTo(object);
        roomy.put("app", "k", json("1"), GlobalStore.ANY);
        assertThat(large.held).as("nothing names it any more").isEmpty();
        roomy.put("app", "k", new Payload("x/y", null, object), GlobalStore.ANY);
        SharedData afterRestart = new SharedData(store, large, SharedData.Options.DEFAULT);
        Payload.Reference made = afterRestart.get("app", "k").payload().reference();
        assertThat(large.read("app", made)).isEqualTo(bytes);
        afterRestart.delete("app", "k", GlobalStore.ANY);
        assertThat(large.held).doesNotContainKey(made.object());
    }

    @Test
    void aLargeValueThatWasPutAsBytesIsReadByReference() {
        SharedData roomy = new SharedData(store, large, SharedData.Options.DEFAULT);
        roomy.put("app", "k", json("1"), GlobalStore.ANY);
        byte[] bytes = "y".repeat(2 << 20).getBytes(StandardCharsets.UTF_8);
        roomy.put("app", "k", new Payload("x/y", bytes, null), GlobalStore.ANY);
        assertThat(roomy.cached("app", "k").map(Value::payload)).as("no frame has room for it").isNotPresent();
        Value read = roomy.get("app", "k");
        assertThat(read.payload().bytes()).isNull();
        assertThat(roomy.bytes("app", read)).isEqualTo(bytes);
        assertThat(roomy.cached("app", "k")).hasValue(read);
    }

    private static final class RecordedLargeValues implements LargeValues {
        final Map<String, byte[]> objects = new HashMap<>();
        final Map<String, Integer> held = new HashMap<>();

        @Override
        public byte[] read(String application, Payload.Reference reference) {
            return objects.get(reference.object());
        }

        @Override
        public void retain(String application, Payload.Reference reference) {
            held.merge(reference.object(), 1, Integer::sum);
        }

        @Override
        public void forget(String application, Payload.Reference reference) {
            held.computeIfPresent(reference.object(), (object, count) -> count == 1 ? null : count - 1);
        }

        @Override
        public Payload.Reference putRetained(String application, String contentType, byte[] bytes) {
            String object = "o" + objects.size();
            objects.put(object, bytes);
            held.put(object, 1);
            return new Payload.Reference(object, bytes.length);
        }
    }

    private long put(String key, String json) {
        return data.put("app", key, json(json), GlobalStore.ANY);
    }

    private static Payload json(String text) {
        return Payload.json(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(Value value) {
        return new String(value.payload().bytes(), StandardCharsets.UTF_8);
    }
}
