package dev.sand.hostagent.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationResult.Status;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.MemoryBus;
import dev.sand.hostagent.core.Action.Backup;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the journal does with records for which the bus, or it itself, has no room. */
@Tag("slow")
class BusJournalRoomTest extends BusJournalFixture {
    @Test
    void aFullBacklogRefusesAtOnceButNeverAnEnd() {
        ConcurrentLinkedQueue<Runnable> held = new ConcurrentLinkedQueue<>();
        MemoryBus slow = new MemoryBus(Long.MAX_VALUE, Integer.MAX_VALUE, held::add);
        BusJournal behind = journal(slow, OPTIONS);
        Failure[] refused = new Failure[1];
        for (int i = 0; refused[0] == null; i++) {
            give(behind, "app", "e" + i, 0, accepted("app", "e" + i), failure -> refused[0] = failure);
        }
        assertThat(refused[0].error()).isEqualTo(Errors.UNAVAILABLE);
        assertThat(refused[0].retryable()).isTrue();
        CompletableFuture<Failure> ended = new CompletableFuture<>();
        give(behind, "app", "e0", 1, new Backup.Ended(Status.SUCCEEDED), ended::complete);
        await().until(() -> {
            while (!held.isEmpty()) {
                held.remove().run();
            }
            return behind.backlog() == 0;
        });
        assertThat(ended.join()).isNull();
        behind.close();
    }

    @Test
    void anEndThatTheBusHasNoRoomForIsTriedAgain() {
        FullBus full = new FullBus(bus);
        BusJournal behind = journal(full, OPTIONS);
        give(behind, "app", "e1", 0, accepted("app", "e1"), null);
        await().until(() -> behind.backlog() == 0);
        full.full = true;
        CompletableFuture<Failure> second = new CompletableFuture<>();
        give(behind, "app", "e2", 0, accepted("app", "e2"), second::complete);
        assertThat(second.join().cause()).contains("no room");
        assertThat(second.join().retryable()).isTrue();
        give(behind, "app", "e1", 1, new Backup.Ended(Status.SUCCEEDED), null);
        await().until(() -> full.refused >= 2);
        full.full = false;
        await().until(() -> behind.backlog() == 0);
        behind.close();
        assertThat(recover(journal(bus, OPTIONS), epoch)).isEmpty();
    }

    /** Behind a gap it would count for nobody, and a beginning behind it would be taken for all that there is. */
    @Test
    void whatComesBehindARecordThatTheBusDidNotTakeWaitsForIt() {
        FullBus full = new FullBus(bus);
        try (BusJournal behind = journal(full, OPTIONS)) {
            String id = inPartition(0, "e1");
            give(behind, "app", inPartition(0, "other"), 0, accepted("app", inPartition(0, "other")), null);
            await().until(() -> behind.backlog() == 0);
            full.full = true;
            give(behind, "app", id, 0, accepted("app", id), null);
            await().until(() -> full.refused > 0);
            full.full = false;
            give(behind, "app", id, 1, started(), null);
            give(behind, "app", id, 2, succeeded("Root", json("1")), null);
            await().until(() -> behind.backlog() == 0);
            assertThat(kinds(0)).containsExactly("processing", "processing", "finished", "finished");
        }
    }

    /** It would be found open for ever, and keep its partition from being trimmed. */
    @Test
    void aBeginningThatFailedIsNotSentAgainBehindItsEnd() {
        LateBus late = new LateBus(bus);
        try (BusJournal behind = journal(late, OPTIONS)) {
            String id = inPartition(0, "e1");
            give(behind, "app", inPartition(0, "other"), 0, accepted("app", inPartition(0, "other")), null);
            await().until(() -> behind.backlog() == 0);
            late.holds = true;
            give(behind, "app", id, 0, accepted("app", id), null);
            await().until(() -> late.held.size() == 1);
            give(behind, "app", id, 1, new Backup.Ended(Status.SUCCEEDED), null);
            await().until(() -> late.held.size() == 2);
            late.holds = false;
            late.held.remove().listener().onFailed(new BusException(BusException.Kind.AWAY, "no answer", null));
            late.held.remove().append(bus);
            await().until(() -> behind.backlog() == 0);
            assertThat(kinds(0)).containsExactly("processing", "ended");
        }
        assertThat(recover(journal(bus, OPTIONS), epoch)).hasSize(1);
    }

    @Test
    void anAcceptanceDoesNotWaitForAClaimThatTheBusHasNoRoomFor() {
        FullBus full = new FullBus(bus);
        BusJournal journal = journal(full, OPTIONS);
        full.createTopic("journal.app", 2);
        full.full = true;
        CompletableFuture<Failure> first = new CompletableFuture<>();
        give(journal, "app", "e1", 0, accepted("app", "e1"), first::complete);
        assertThat(first.join().cause()).contains("no room");
        assertThat(first.join().error()).isEqualTo(Errors.UNAVAILABLE);
        assertThat(first.join().retryable()).isTrue();
        give(journal, "app", "e2", 0, accepted("app", "e2"), null);
        full.full = false;
        await().until(() -> journal.backlog() == 0);
        journal.close();
        assertThat(recover(journal(bus, OPTIONS), epoch)).as("what nobody waited for, and nothing that was refused")
                .extracting(each -> each.request().executionId()).containsExactly("e2");
    }
}
