package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sand.datalayer.StoredSecrets.Listed;
import dev.sand.datalayer.StoredSecrets.Opened;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class StoredSecretsTest {
    private static final String VALUE = "correct horse battery staple";
    private static final byte[] ONE = "the first of the operator's keys, long enough".getBytes(StandardCharsets.UTF_8);
    private static final byte[] TWO = "the second of the operator's keys, long enough".getBytes(StandardCharsets.UTF_8);
    private final MemoryStore store = new MemoryStore();
    private final StoredSecrets secrets = with(ONE);

    private StoredSecrets with(byte[]... files) {
        return new StoredSecrets(store, SecretsKey.of(List.of(files)));
    }

    @Test
    void a_value_comes_back_for_whoever_has_the_key_and_is_not_in_the_store() {
        assertThat(secrets.set("shop", "KEY", VALUE, 7)).isEmpty();
        assertThat(secrets.open("shop")).isEqualTo(new Opened(Map.of("KEY", VALUE), Map.of()));
        assertThat(secrets.list("shop")).containsExactly(new Listed("KEY", 7));
        assertThat(new String(row("shop", "KEY"), StandardCharsets.UTF_8)).doesNotContain(VALUE);
        byte[] before = row("shop", "KEY");
        secrets.set("shop", "KEY", VALUE, 7);
        assertThat(row("shop", "KEY")).as("another nonce").isNotEqualTo(before);
    }

    private byte[] row(String application, String name) {
        return store.get("secrets", application, name).orElseThrow().value();
    }

    @Test
    void a_row_that_was_moved_or_changed_does_not_open() {
        secrets.set("shop", "KEY", VALUE, 7);
        byte[] row = row("shop", "KEY");
        store.put("secrets", "other", "KEY", row, GlobalStore.ANY);
        store.put("secrets", "shop", "OTHER", row, GlobalStore.ANY);
        assertThat(secrets.open("other").values()).isEmpty();
        assertThat(secrets.open("other").unopened().get("KEY")).contains("set it again");
        assertThat(secrets.open("shop").values()).containsOnlyKeys("KEY");
        String text = new String(row, StandardCharsets.UTF_8);
        int at = text.indexOf("\"box\":\"") + 30;
        char other = text.charAt(at) == 'A' ? 'B' : 'A';
        store.put("secrets", "shop", "KEY", (text.substring(0, at) + other + text.substring(at + 1)).getBytes(StandardCharsets.UTF_8),
                GlobalStore.ANY);
        assertThat(secrets.open("shop").values()).isEmpty();
    }

    @Test
    void an_older_key_opens_what_it_closed_and_closes_nothing() {
        secrets.set("shop", "OLD", VALUE, 7);
        StoredSecrets both = with(TWO, ONE);
        both.set("shop", "NEW", VALUE, 8);
        assertThat(both.open("shop").values()).containsOnlyKeys("OLD", "NEW");
        assertThat(secrets.open("shop").values()).containsOnlyKeys("OLD");
        assertThat(with(TWO).open("shop").values()).containsOnlyKeys("NEW");
        assertThat(with(TWO).open("shop").unopened().get("OLD")).contains("--secrets-key");
    }

    @Test
    void without_a_key_names_are_told_and_nothing_opens() {
        secrets.set("shop", "KEY", VALUE, 7);
        StoredSecrets none = new StoredSecrets(store, null);
        assertThat(none.hasKey()).isFalse();
        assertThat(none.list("shop")).hasSize(1);
        assertThat(none.open("shop").unopened().get("KEY")).contains("no key");
        assertThat(none.delete("shop", "KEY")).isTrue();
        assertThat(none.delete("shop", "KEY")).isFalse();
    }

    @Test
    void each_change_can_be_seen_and_an_application_goes_with_all_of_its_own() {
        long[] seen = new long[4];
        seen[0] = secrets.changes();
        secrets.set("shop", "KEY", VALUE, 7);
        secrets.set("other", "KEY", VALUE, 7);
        seen[1] = secrets.changes();
        secrets.delete("other", "KEY");
        seen[2] = secrets.changes();
        secrets.set("other", "KEY", VALUE, 7);
        StoredSecrets.deleteApplication(store, "shop");
        seen[3] = secrets.changes();
        assertThat(seen).doesNotHaveDuplicates();
        assertThat(secrets.list("shop")).isEmpty();
        assertThat(secrets.list("other")).hasSize(1);
    }

    @Test
    void an_application_has_so_many_and_so_much_of_them() {
        secrets.set("small", "KEY", "12345678", 1);
        for (int i = 0; i < StoredSecrets.MOST; i++) {
            store.put("secrets", "shop", "KEY" + i, row("small", "KEY"), GlobalStore.ANY);
        }
        assertThat(secrets.set("shop", "ONE_MORE", VALUE, 1)).hasValueSatisfying(refused -> {
            assertThat(refused.what()).isEqualTo("secrets");
            assertThat(refused.actual()).isEqualTo(StoredSecrets.MOST + 1);
        });
        assertThat(secrets.set("shop", "KEY7", VALUE, 1)).as("one that is there").isEmpty();
        String large = "x".repeat(StoredSecrets.VALUE_BYTES);
        Stream.of("A", "B", "C").forEach(name -> assertThat(secrets.set("large", name, large, 1)).isEmpty());
        assertThat(secrets.set("large", "D", large, 1)).hasValueSatisfying(refused -> assertThat(refused.what()).contains("bytes"));
        assertThat(secrets.set("large", "A", large, 2)).isEmpty();
    }

    @Test
    void a_key_is_long_enough_and_white_space_around_it_is_not_its_own() {
        assertThatIllegalArgumentException().isThrownBy(() -> SecretsKey.of(List.of("short".getBytes(StandardCharsets.UTF_8))))
                .withMessageContaining("32 to 4096");
        byte[] spaced = ("  " + new String(ONE, StandardCharsets.UTF_8) + "\n").getBytes(StandardCharsets.UTF_8);
        secrets.set("shop", "KEY", VALUE, 7);
        assertThat(with(spaced).open("shop").values()).containsOnlyKeys("KEY");
        assertThat(SecretsKey.of(List.of(ONE))).hasToString("key for secrets (masked)");
    }
}
