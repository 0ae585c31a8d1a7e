package dev.sand.frontend.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.AccessTables;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.TableOperation;
import dev.sand.datalayer.TableStore;
import dev.sand.event.Payload;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class QuotasTest {
    private final MemoryStore store = new MemoryStore();
    private final Quotas quotas = new Quotas(() -> 0);

    private void are(String row) {
        new TableStore(store).transact(AccessTables.APPLICATION, "quotas", List.of(new TableOperation(TableOperation.What.PUT, "default",
                Payload.json(row.getBytes(StandardCharsets.UTF_8)), null, null)));
        quotas.are(new AccessTables(store).quotas());
    }

    @Test
    void without_a_row_or_a_limit_there_is_room() {
        assertThat(quotas.applications("default", 1_000_000, 1)).isNull();
        are("{\"schema\": 1, \"requestsPerSecond\": 5}");
        assertThat(quotas.applications("default", 1_000_000, 1)).isNull();
    }

    @Test
    void the_last_place_is_given_and_no_more() {
        are("{\"schema\": 1, \"applications\": 2}");
        assertThat(quotas.applications("default", 1, 1)).isNull();
        assertThat(quotas.applications("default", 2, 1)).satisfies(full -> {
            assertThat(full.status()).isEqualTo(429);
            assertThat(full.name()).isEqualTo("quota-exceeded");
            assertThat(full.extensions()).containsEntry("limit", 2).containsEntry("actual", 3);
            assertThat(full.retryable()).isTrue();
            assertThat(full.retryAfterSeconds()).isEqualTo(60);
            assertThat(full.toJson(null)).asString().contains("\"retryAfterMs\":60000");
        });
        are("{\"schema\": 1}");
        assertThat(quotas.applications("default", 2, 1)).isNull();
    }

    @Test
    void each_tenant_has_its_own() {
        are("{\"schema\": 1, \"applications\": 2}");
        assertThat(quotas.applications("acme", 1_000_000, 1)).isNull();
    }
}
