package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class SavedEventsTest {
    private static final byte[] ONE = "{\"n\": 1}".getBytes(StandardCharsets.UTF_8);
    private static final byte[] TWO = "{\"n\": 2}".getBytes(StandardCharsets.UTF_8);
    private final MemoryStore store = new MemoryStore();
    private final SavedEvents events = new SavedEvents(store);

    @Test
    void each_grain_of_each_application_has_its_own() {
        events.save("shop", "order", "late", ONE, GlobalStore.ANY);
        events.save("shop", "order", "empty", ONE, GlobalStore.ANY);
        events.save("shop", "order-2", "other", ONE, GlobalStore.ANY);
        events.save("acme--shop", "order", "theirs", ONE, GlobalStore.ANY);
        assertThat(events.names("shop", "order")).containsExactly("empty", "late");
        assertThat(events.names("shop", "orde")).isEmpty();
        assertThat(events.get("shop", "order", "theirs")).isEmpty();
        SavedEvents.deleteApplication(store, "shop");
        assertThat(events.names("shop", "order")).isEmpty();
        assertThat(events.names("acme--shop", "order")).containsExactly("theirs");
    }

    @Test
    void who_was_overtaken_neither_saves_nor_deletes() {
        long first = events.save("shop", "order", "late", ONE, GlobalStore.ABSENT).orElseThrow();
        long second = events.save("shop", "order", "late", TWO, first).orElseThrow();
        assertThatThrownBy(() -> events.save("shop", "order", "late", ONE, first)).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> events.delete("shop", "order", "late", first)).isInstanceOf(StoreException.class);
        assertThat(events.get("shop", "order", "late").orElseThrow().value()).isEqualTo(TWO);
        assertThat(events.delete("shop", "order", "late", second)).isTrue();
        assertThat(events.delete("shop", "order", "late", GlobalStore.ANY)).isFalse();
    }

    @Test
    void there_is_a_bound_of_an_applications_events_and_those_that_are_there_can_be_edited() {
        for (int i = 0; i < SavedEvents.MOST; i++) {
            assertThat(events.save("shop", "g" + i % 7, "e" + i, ONE, GlobalStore.ANY)).isPresent();
        }
        assertThat(events.save("shop", "order", "late", ONE, GlobalStore.ANY)).isEmpty();
        assertThat(events.save("shop", "g0", "e0", TWO, GlobalStore.ANY)).isPresent();
        assertThat(events.save("other", "order", "late", ONE, GlobalStore.ANY)).isPresent();
    }
}
