package dev.sand.hostagent.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.MemoryStore;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.hostagent.core.Action.Await;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.journal.JournalAdapter.Entry;
import dev.sand.hostagent.journal.JournalAdapter.Standing;
import dev.sand.hostagent.journal.JournalQueue.Given;
import dev.sand.hostagent.objects.GlobalObjects;
import dev.sand.hostagent.objects.ObjectCopies;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SureEndsTest {
    private final ObjectCopies copies = new ObjectCopies(new GlobalObjects(new MemoryStore()), new FakeSegments(), Duration.ZERO);
    private final SureEnds ends = new SureEnds(copies);
    private final CompletableFuture<Void> gone = new CompletableFuture<>();
    private final Payload value = copies.toGlobal("app", "e1", "o", Payload.json(new byte[10]));
    private volatile Standing standing = Standing.UNKNOWN;

    @AfterEach
    void close() {
        copies.close();
    }

    private void release() {
        ends.fencedBy((slot, epoch) -> slot == 3 && epoch == 7 ? standing : Standing.LOST);
        ends.release(new Given(new Entry("app", "e1", 3, 7, 2, new Backup.Ended(Status.SUCCEEDED), Await.NO), 0, null, null, false),
                () -> gone.complete(null));
    }

    private byte[] stored() {
        return copies.bytes("app", value.reference());
    }

    @Test
    void theValuesOfAnExecutionThatEndedWhileNobodyWasHeardStayUntilItIsSureThatItsEndCounts() {
        release();
        assertThat(gone).isNotDone();
        assertThat(stored()).hasSize(10);
        standing = Standing.OURS;
        await().until(gone::isDone);
        assertThat(copies.has("app", "e1")).isFalse();
    }

    @Test
    void theyStayWhenItDoesNot() {
        release();
        standing = Standing.LOST;
        await().until(() -> !copies.has("app", "e1"));
        assertThat(stored()).as("the new owner's").hasSize(10);
        assertThat(gone).isNotDone();
    }
}
