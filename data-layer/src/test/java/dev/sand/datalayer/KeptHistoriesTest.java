package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.event.InvocationResult.Status;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What is kept beside records. */
class KeptHistoriesTest extends InvocationStoreFixture {
    private static final byte[] SOME = {1, 2, 3};

    private void stored(Status status, Supplier<byte[]> history) {
        CompletableFuture<StoreException> told = new CompletableFuture<>();
        invocations.record(record("app", 1, status, "g"), 1, told::complete, history);
        assertThat(told.join()).isNull();
    }

    @Test
    void aRecordWithoutAHistoryLeavesWhatIsKept() {
        stored(Status.RUNNING, () -> SOME);
        stored(Status.SUCCEEDED, null);
        assertThat(invocations.history("app", id(1))).contains(SOME);
    }

    @Test
    void oneThatBecameTooMuchToKeepIsKeptNoMore() {
        stored(Status.RUNNING, () -> SOME);
        stored(Status.SUCCEEDED, () -> null);
        assertThat(invocations.history("app", id(1))).as("that of a time when it ran would show another end").isEmpty();
    }

    @Test
    void oneThatCouldNotBeStoredIsNotLostForALaterRecordAlone() {
        store.held = true;
        store.full.set(true);
        CompletableFuture<StoreException> told = new CompletableFuture<>();
        invocations.record(record("app", 1, Status.SUCCEEDED, "g"), 1, told::complete, () -> SOME);
        await().until(() -> store.waiting > 0);
        invocations.record(record("app", 1, Status.SUCCEEDED, "g"), 1, null, null); // figures that came late
        assertThat(invocations.history("app", id(1))).contains(SOME);
        store.open.countDown();
        assertThat(told.join()).isNotNull();
        store.full.set(false);
        await().until(() -> invocations.backlog() == 0);
        assertThat(invocations.history("app", id(1))).contains(SOME);
    }
}
