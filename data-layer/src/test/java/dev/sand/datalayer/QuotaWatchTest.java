package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.TableOperation.What;
import dev.sand.event.Payload;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is told of tenants, look by look. */
class QuotaWatchTest {
    private final List<Map<String, AccessTables.QuotaRow>> quotas = new ArrayList<>();
    private final List<Set<String>> suspended = new ArrayList<>();
    private final MemoryStore store = new MemoryStore();
    private final TableStore tables = new TableStore(store);
    private final QuotaWatch watch = new QuotaWatch(new AccessTables(store), quotas::add, suspended::add);

    private void put(String partition, String key, String row) {
        tables.transact(AccessTables.APPLICATION, partition,
                List.of(new TableOperation(What.PUT, key, Payload.json(row.getBytes(StandardCharsets.UTF_8)), null, null)));
    }

    private void tenant(String name, String state) {
        put("tenants", name, "{\"schema\":1,\"title\":\"\",\"state\":\"" + state + "\"}");
        tables.transact(AccessTables.APPLICATION, "access", List.of(new TableOperation(What.ADD, "epoch", null, 1L, null)));
    }

    @Test
    void whoIsSuspendedIsToldWithTheNextLookAndSoIsWhoIsActiveAgain() {
        watch.look();
        tenant("acme", "active");
        tenant("red", "suspended");
        put("quotas", "acme", "{\"schema\":1,\"instances\":3}");
        watch.look();
        assertThat(quotas.getLast()).containsOnlyKeys("acme");
        tenant("red", "active");
        tenant("default", "suspended");
        watch.look();
        assertThat(suspended).as("default is whose the platform is").containsExactly(Set.of(), Set.of("red"), Set.of());
    }

    @Test
    void tenantsAreReadWhereSomethingHasChangedAndNowAndThen() {
        tenant("red", "suspended");
        for (int look = 0; look < QuotaWatch.MOST_LOOKS; look++) {
            watch.look();
        }
        assertThat(quotas).hasSize(QuotaWatch.MOST_LOOKS);
        assertThat(suspended).hasSize(1);
        put("tenants", "red", "{\"schema\":1,\"state\":\"active\"}"); // and whoever changed it ended before it was counted
        watch.look();
        assertThat(suspended).containsExactly(Set.of("red"), Set.of());
    }

    @Test
    void whatIsNotUnderstoodBeginsNothing() {
        tenant("red", "resting");
        put("tenants", "blue", "{\"schema\":2,\"state\":\"active\"}");
        watch.look();
        assertThat(suspended).containsExactly(Set.of("red", "blue"));
    }
}
