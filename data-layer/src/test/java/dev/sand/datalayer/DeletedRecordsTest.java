package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Records of executions that outlive their application by a moment: none of the next application of that name. */
class DeletedRecordsTest {
    private final MemoryStore store = new MemoryStore();
    private final InvocationStore invocations = new InvocationStore(store, InvocationStore.Options.DEFAULT);

    @AfterEach
    void close() {
        invocations.close();
    }

    private static InvocationRecord record(String id, int version) {
        return record(id, version, Status.CANCELLED);
    }

    private static InvocationRecord record(String id, int version, Status status) {
        return new InvocationRecord((short) 1, id, "shop", version, "work", status, Payload.nullJson(), null, null, 1, 2, 0, 0,
                List.of());
    }

    @Test
    void nothingOfADeletedVersionIsStoredOnceThatIsAskedFor() {
        invocations.record(record("01JD0Z5W3M8Q6T1R4V7X9YB2C1", 2), null);
        invocations.forget("shop", 2);
        assertThat(invocations.backlog()).as("nothing of it is on its way").isZero();
        invocations.deleteApplication("shop");
        for (int version : new int[] {1, 2, 3}) {
            CompletableFuture<StoreException> told = new CompletableFuture<>();
            invocations.record(record("01JD0Z5W3M8Q6T1R4V7X9YB2C" + (1 + version), version), told::complete);
            assertThat(told.join()).as("whoever waits for it goes on").isNull();
        }
        assertThat(invocations.list("shop", InvocationStore.Filter.ALL, null, 10).records())
                .extracting(InvocationRecord::version).containsExactly(3);
    }

    @Test
    void anExecutionOfADeletedVersionThatAJournalStillHasIsNotBegunAgain() {
        invocations.forget("shop", 2);
        assertThat(invocations.endedOrFenced(record("01JD0Z5W3M8Q6T1R4V7X9YB2C1", 2, Status.RUNNING), 7)).isTrue();
        assertThat(invocations.list("shop", InvocationStore.Filter.ALL, null, 10).records()).isEmpty();
        assertThat(invocations.endedOrFenced(record("01JD0Z5W3M8Q6T1R4V7X9YB2C2", 3, Status.RUNNING), 7)).isFalse();
    }

    @Test
    void theNumberOfTheLastVersionOutlivesTheApplication() {
        Registry registry = new Registry(store);
        assertThat(registry.forget("shop")).isZero();
        store.add("applications", "x", "y", 1);
        assertThat(registry.deleted()).as("asking leaves nothing").isEmpty();
    }
}
