package dev.sand.frontend.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.AccessTables;
import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.StoreException;
import dev.sand.datalayer.TableOperation;
import dev.sand.datalayer.TableOperation.What;
import dev.sand.datalayer.TableStore;
import dev.sand.event.Payload;
import dev.sand.frontend.http.Entrance;
import dev.sand.frontend.http.Scope;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is remembered of keys, under a clock of its own: never longer than it holds. */
class AccessRingTest {
    private static final String MANAGEMENT = "0sand-management";
    private final KeyText key = KeyText.draw(new SecureRandom());
    private final MemoryStore memory = new MemoryStore();
    private final TableStore tables = new TableStore(memory);
    private boolean away;
    private boolean rowsAway;
    private Duration slow = Duration.ZERO;
    private int asked;
    private long nowNs = 1;
    private final AccessRing ring = new AccessRing(new AccessTables(watched()), () -> 1_000_000 + nowNs / 1_000_000, () -> nowNs);

    /** The same, which can be away, and counts. */
    private GlobalStore watched() {
        return (GlobalStore) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {GlobalStore.class}, (proxy, method, given) -> {
            asked++;
            after(slow);
            if (away || rowsAway && Arrays.toString(given).contains("keys/")) {
                throw new StoreException(StoreException.Kind.AWAY, "it is away", 0, null);
            }
            try {
                return method.invoke(memory, given);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }

    private void row(KeyText of, String scopes, String rest) {
        String row = "{\"schema\":1,\"hash\":\"" + of.hashInHex() + "\",\"tenant\":\"default\",\"scopes\":[" + scopes + "],\"expiresMs\":null,"
                + "\"revokedMs\":null" + rest + "}";
        tables.transact(MANAGEMENT, "keys/" + of.id().charAt(0),
                List.of(new TableOperation(What.PUT, of.id(), Payload.json(row.getBytes(StandardCharsets.UTF_8)), null, null)));
    }

    private void count() {
        tables.transact(MANAGEMENT, "access", List.of(new TableOperation(What.ADD, "epoch", null, 1L, null)));
    }

    private void after(Duration time) {
        nowNs += time.toNanos();
    }

    private int status(KeyText shown) {
        Entrance known = ring.known(shown);
        Entrance entrance = known != null ? known : ring.look(shown);
        return entrance.refusal() == null ? 200 : entrance.refusal().status();
    }

    private static KeyText withAnotherSecret(KeyText of) {
        while (true) {
            KeyText drawn = KeyText.draw(new SecureRandom());
            if (!drawn.text().equals(of.text())) {
                return new KeyText(of.id(), drawn.text());
            }
        }
    }

    @Test
    void a_known_key_costs_no_read() {
        row(key, "\"read\",\"invoke\"", "");
        assertThat(ring.known(key)).isNull();
        Entrance entrance = ring.look(key);
        assertThat(entrance.caller().scopes()).containsExactlyInAnyOrder(Scope.READ, Scope.INVOKE);
        assertThat(entrance.caller().name()).isEqualTo("key:" + key.id());
        int before = asked;
        for (int i = 0; i < 100; i++) {
            assertThat(ring.known(key).caller()).isEqualTo(entrance.caller());
        }
        assertThat(asked).isEqualTo(before);
        after(Duration.ofMillis(900));
        ring.refresh();
        after(Duration.ofMillis(900));
        assertThat(ring.known(key)).isNotNull();
    }

    @Test
    void nobody_else_hears_what_a_row_says() {
        row(key, "\"read\"", ",\"revokedMs\":5");
        Entrance wrong = ring.look(withAnotherSecret(key));
        Entrance unknown = ring.look(KeyText.draw(new SecureRandom()));
        assertThat(wrong.refusal()).isEqualTo(unknown.refusal());
        assertThat(ring.look(key).refusal().detail()).contains("revoked");
    }

    @Test
    void a_change_counts_once_the_epoch_is_a_second_old() {
        row(key, "\"read\"", "");
        assertThat(status(key)).isEqualTo(200);
        row(key, "\"read\"", ",\"revokedMs\":5");
        count();
        assertThat(status(key)).as("what was read less than a second ago").isEqualTo(200);
        after(AccessRing.MOST_AGE.plusMillis(1));
        assertThat(status(key)).isEqualTo(401);
    }

    @Test
    void where_it_is_revoked_it_counts_at_once_even_if_the_store_goes_away() {
        row(key, "\"read\"", "");
        assertThat(status(key)).isEqualTo(200);
        row(key, "\"read\"", ",\"revokedMs\":5");
        count();
        away = true;
        ring.forget();
        assertThat(status(key)).isEqualTo(503);
        away = false;
        ring.refresh();
        assertThat(status(key)).isEqualTo(401);
    }

    @Test
    void a_change_that_was_not_counted_is_seen_in_two_minutes() {
        row(key, "\"read\"", "");
        assertThat(status(key)).isEqualTo(200);
        row(key, "\"read\"", ",\"revokedMs\":5");
        after(AccessRing.MOST_ROW_AGE);
        assertThat(status(key)).isEqualTo(401);
    }

    @Test
    void it_expires_in_memory_too() {
        row(key, "\"read\"", ",\"expiresMs\":1000500");
        assertThat(status(key)).isEqualTo(200);
        after(Duration.ofMillis(501));
        assertThat(ring.known(key).refusal().detail()).contains("expired");
    }

    @Test
    void while_the_store_is_away_known_keys_count_for_a_while() {
        row(key, "\"read\"", "");
        assertThat(status(key)).isEqualTo(200);
        away = true;
        after(Duration.ofSeconds(2));
        assertThat(status(key)).isEqualTo(200);
        int before = asked;
        assertThat(ring.known(key)).as("from memory").isNotNull();
        assertThat(status(KeyText.draw(new SecureRandom()))).isEqualTo(503);
        assertThat(asked).isEqualTo(before);
        after(AccessRing.GRACE);
        assertThat(status(key)).isEqualTo(503);
        away = false;
        assertThat(status(key)).isEqualTo(200);
    }

    @Test
    void a_store_that_has_come_back_is_asked_before_a_key_is_taken() {
        row(key, "\"read\"", "");
        assertThat(status(key)).isEqualTo(200);
        away = true;
        after(Duration.ofSeconds(2));
        assertThat(status(key)).isEqualTo(200);
        away = false;
        row(key, "\"read\"", ",\"revokedMs\":5");
        count();
        after(Duration.ofMinutes(1));
        assertThat(status(key)).isEqualTo(401);
    }

    @Test
    void a_slow_store_is_no_reason_to_refuse() {
        row(key, "\"read\"", "");
        slow = Duration.ofMillis(1500);
        assertThat(status(key)).isEqualTo(200);
        after(Duration.ofSeconds(20));
        assertThat(status(key)).isEqualTo(200);
        row(key, "\"read\"", ",\"revokedMs\":5");
        count();
        after(Duration.ofSeconds(20));
        assertThat(status(key)).isEqualTo(401);
    }

    @Test
    void a_row_that_cannot_be_read_again_counts_as_it_was() {
        row(key, "\"read\"", "");
        assertThat(status(key)).isEqualTo(200);
        after(AccessRing.MOST_ROW_AGE);
        rowsAway = true;
        assertThat(status(key)).isEqualTo(200);
        after(AccessRing.GRACE);
        assertThat(status(key)).isEqualTo(503);
    }

    @Test
    void an_unknown_key_is_looked_for_once_a_second() {
        assertThat(status(key)).isEqualTo(401);
        int before = asked;
        assertThat(status(key)).isEqualTo(401);
        assertThat(asked).isEqualTo(before);
        row(key, "\"read\"", "");
        after(Duration.ofSeconds(1));
        assertThat(status(key)).isEqualTo(200);
    }

    @Test
    void rows_that_are_not_understood_and_tenants_that_are_not_there_open_nothing() {
        row(key, "\"read\"", ",\"schema\":2");
        assertThat(status(key)).isEqualTo(401);
        KeyText another = KeyText.draw(new SecureRandom());
        row(another, "\"read\"", ",\"tenant\":\"acme\"");
        assertThat(status(another)).isEqualTo(401);
        KeyText greedy = KeyText.draw(new SecureRandom());
        row(greedy, "\"operator\",\"none\"", "");
        assertThat(ring.look(greedy).caller().scopes()).isEmpty();
    }

    @Test
    void when_it_was_used_is_noted() {
        row(key, "\"read\"", "");
        assertThat(status(key)).isEqualTo(200);
        ring.note();
        Payload noted = tables.transact(MANAGEMENT, "key-use", List.of(new TableOperation(What.GET, key.id(), null, null, null))).getFirst().value();
        assertThat(new String(noted.bytes(), StandardCharsets.UTF_8)).isEqualTo("{\"schema\":1,\"usedMs\":1000000}");
        int before = asked;
        ring.note();
        assertThat(asked).isEqualTo(before);
    }

    @Test
    void half_a_key_is_none() {
        assertThat(KeyText.parse(key.text())).isEqualTo(key);
        assertThat(key.text()).matches("sand_[0-9a-z]{12}[0-9A-Za-z]{49}");
        for (int i = 0; i < key.text().length(); i++) {
            String changed = key.text().substring(0, i) + (key.text().charAt(i) == 'a' ? 'b' : 'a') + key.text().substring(i + 1);
            assertThat(KeyText.parse(changed)).isNull();
            assertThat(KeyText.parse(key.text().substring(0, i))).isNull();
        }
        assertThat(key.toString()).doesNotContain(key.text());
    }
}
