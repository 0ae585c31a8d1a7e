package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sand.datalayer.StoreException.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A store of its own for each test, and how tests speak of it. */
abstract class StoreFixture {
    GlobalStore store;

    abstract GlobalStore open();

    @BeforeEach
    void openStore() {
        store = open();
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    long put(String key, String value) {
        return store.put("t", "app", key, bytes(value), GlobalStore.ANY);
    }

    String get(String scope, String key) {
        return new String(store.get("t", scope, key).orElseThrow().value(), StandardCharsets.UTF_8);
    }

    static long conflict(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        StoreException failure = catchThrowableOfType(StoreException.class, call);
        assertThat(failure.kind()).isEqualTo(Kind.CONFLICT);
        return failure.actualVersion();
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] drawn(int seed, int size) {
        byte[] value = new byte[size];
        new Random(seed).nextBytes(value);
        return value;
    }
}
