package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.event.Payload;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class StoredBytesTest {
    private static final long SECOND_NS = 1_000_000_000;

    private final MemoryStore store = new MemoryStore();
    private final List<String> applications = new ArrayList<>(List.of("shop", "till", "acme--shop"));
    private final AtomicLong nowNs = new AtomicLong();
    private final StoredBytes stored = new StoredBytes(store, () -> applications, nowNs::get);
    private final SharedData data = new SharedData(store, LargeValues.NONE, SharedData.Options.DEFAULT, stored);

    private static Payload of(int bytes) {
        return new Payload("application/octet-stream", new byte[bytes], null);
    }

    private void put(String application, String key, int bytes) {
        data.put(application, key, of(bytes), GlobalStore.ANY);
    }

    private static void isOver(ThrowingCallable write, long limit) {
        assertThatThrownBy(write).isInstanceOfSatisfying(StoreException.class, over -> {
            assertThat(over.kind()).isEqualTo(StoreException.Kind.OVER_QUOTA);
            assertThat(over.limit()).isEqualTo(limit);
            assertThat(over.actual()).isGreaterThan(limit);
        });
    }

    @Test
    void withoutALimitThereIsRoom() {
        put("shop", "a", 10_000);
        stored.limit(Map.of("acme", 5L));
        put("shop", "b", 10_000);
        isOver(() -> put("acme--shop", "b", 10_000), 5);
    }

    @Test
    void allThatATenantsApplicationsStoreCountsTogether() {
        stored.limit(Map.of("default", 5_000L));
        put("shop", "a", 1_500);
        data.tables().transact("till", "p", List.of(new TableOperation(TableOperation.What.PUT, "k", of(1_500), null, null)));
        data.putObject("till", "o", of(1_500), GlobalStore.ANY);
        assertThat(stored.lately("default")).isBetween(4_500L, 5_000L);
        isOver(() -> put("shop", "b", 1_000), 5_000);
        isOver(() -> data.putObject("shop", "o", of(1_000), GlobalStore.ANY), 5_000);
        isOver(() -> data.tables().transact("shop", "p", List.of(new TableOperation(TableOperation.What.PUT, "k", of(1_000), null, null))), 5_000);
        assertThat(data.get("shop", "b").payload()).as("nothing was written").isNull();
        assertThat(data.objects().info("shop", "o")).isEmpty();
    }

    @Test
    void whatIsDeletedMakesRoom() {
        stored.limit(Map.of("default", 5_000L));
        put("shop", "a", 4_000);
        isOver(() -> put("shop", "b", 4_000), 5_000);
        data.delete("shop", "a", GlobalStore.ANY);
        nowNs.addAndGet(2 * SECOND_NS);
        put("shop", "b", 4_000);
    }

    /** Each time that one is written its bytes are added; whoever is over the limit by that alone is counted once more. */
    @Test
    void theSameKeyOverAndOverDoesNotAddUp() {
        stored.limit(Map.of("default", 5_000L));
        for (int i = 0; i < 50; i++) {
            put("shop", "a", 2_000);
            nowNs.addAndGet(SECOND_NS);
        }
    }

    @Test
    void whatOthersWriteIsSeenAfterAWhile() {
        stored.limit(Map.of("default", 5_000L));
        put("shop", "a", 100);
        new SharedData(store, LargeValues.NONE, SharedData.Options.DEFAULT).put("till", "b", of(4_950), GlobalStore.ANY);
        put("shop", "c", 100);
        nowNs.addAndGet(10 * SECOND_NS);
        isOver(() -> put("shop", "d", 100), 5_000);
    }

    @Test
    void thePlatformsOwnApplicationsHaveNoLimit() {
        stored.limit(Map.of("default", 0L));
        put("0sand-management", "a", 1_000);
        isOver(() -> put("shop", "a", 1), 0);
    }
}
