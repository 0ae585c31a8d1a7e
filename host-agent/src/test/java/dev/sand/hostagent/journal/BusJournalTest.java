package dev.sand.hostagent.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.event.Failure;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.SqliteBus;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.journal.JournalAdapter.Unfinished;
import dev.sand.workflow.Execution.Published;
import dev.sand.workflow.Execution.Signal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BusJournalTest extends BusJournalFixture {
    @Test
    void whatWasAcceptedAndNotEndedIsFoundAgainWithItsSignalsInOrder() {
        give(journal, "app", "e1", 0, accepted("app", "e1"), null);
        give(journal, "app", "e2", 0, accepted("app", "e2"), null);
        append("other", "e3", 0, accepted("other", "e3")); // awaited: else what waits for its claim may go at the stop
        give(journal, "app", "e1", 1, started(), null);
        give(journal, "app", "e2", 1, started(), null);
        give(journal, "app", "e1", 2, succeeded("Root", json("1")), null);
        append("app", "e2", 2, new Backup.Ended(Status.SUCCEEDED));
        give(journal, "app", "e1", 3, new Backup.Finished(new Signal.TimerFired("Wait", 9), List.of()), null);
        restart();
        List<Unfinished> unfinished = recover();
        assertThat(unfinished).extracting(each -> each.request().executionId()).containsExactly("e1", "e3");
        assertThat(journal.figures().recoveries()).containsOnlyKeys("app", "other");
        assertThat(journal.figures().recoveries().get("app").executions()).isEqualTo(1);
        assertThat(journal.figures().recoveries().get("app").durations().count()).isEqualTo(1);
        assertThat(unfinished.getFirst().request()).usingRecursiveComparison()
                .isEqualTo(((Backup.Accepted) accepted("app", "e1")).request());
        assertThat(unfinished.getFirst().signals()).usingRecursiveFieldByFieldElementComparator().containsExactly(
                new Signal.Started(json("0"), 3), new Signal.TaskSucceeded("Root", json("1"), List.of(), 4),
                new Signal.TimerFired("Wait", 9));
        append("app", "e1", 4, new Backup.Ended(Status.FAILED));
        restart();
        assertThat(recover()).extracting(each -> each.request().executionId()).containsExactly("e3");
    }

    @Test
    void whatIsFoundAgainStandsInTheOrderInWhichItBeganWhateverItsIds() {
        List<String> ids = Stream.of("e7", "e2", "e9", "e1").map(name -> inPartition(1, name)).toList();
        ids.forEach(id -> append("app", id, 0, accepted("app", id)));
        restart();
        assertThat(journal.take(1, epoch, () -> true).executions()).extracting(each -> each.request().executionId())
                .containsExactlyElementsOf(ids);
    }

    @Test
    void whatIsNotDurableYetAndWhatWasTakenOverIsMeasuredByApplication() {
        List<GlobalBus.AppendListener> waiting = new CopyOnWriteArrayList<>();
        BusOver slow = new BusOver(bus) {
            @Override
            public void append(String topic, int partition, byte[] value, AppendListener listener) {
                if (new String(value, StandardCharsets.UTF_8).contains("claim")) {
                    super.append(topic, partition, value, listener);
                } else {
                    waiting.add(listener);
                }
            }
        };
        journal.close();
        journal = journal(slow, OPTIONS);
        assertThat(journal.figures()).isEqualTo(JournalFigures.NONE);
        give(journal, "app", "e1", 0, accepted("app", "e1"), null);
        give(journal, "app", "e1", 1, started(), null);
        give(journal, "other", "e3", 0, accepted("other", "e3"), null);
        await().until(() -> waiting.size() == 3);
        assertThat(journal.figures().backlog().get("app").records()).isEqualTo(2);
        assertThat(journal.figures().backlog().get("app").bytes()).isPositive();
        assertThat(journal.figures().backlog().get("other").records()).isEqualTo(1);
        waiting.forEach(listener -> listener.onAppended(1));
        assertThat(journal.figures().backlog()).isEmpty();
        assertThat(journal.figures().recoveries()).as("nothing was open").isEmpty();
    }

    @Test
    void anExecutionThatPassesUnawaitedWhileItsRecordsWaitIsNotWritten() {
        journal.close();
        journal = journal(bus, LINGERING);
        give(journal, "app", "short", 0, accepted("app", "short"), null);
        give(journal, "app", "short", 1, started(), null);
        give(journal, "app", "short", 2, new Backup.Ended(Status.SUCCEEDED), null);
        give(journal, "app", "long", 0, accepted("app", "long"), null);
        assertThat(append("app", "awaited", 0, accepted("app", "awaited"))).isEmpty();
        await().until(() -> journal.backlog() == 0);
        give(journal, "app", "awaited", 1, new Backup.Ended(Status.SUCCEEDED), null);
        journal.close();
        assertThat(records()).as("long, and both of awaited").isEqualTo(3);
        restart();
        assertThat(recover()).extracting(each -> each.request().executionId()).containsExactly("long");
    }

    @Test
    void largeValuesAreCopiedToTheGlobalDataLayerAndOutliveTheHost() {
        byte[] large = "x".repeat(100_000).getBytes(StandardCharsets.UTF_8);
        Payload input = segments.put("app", "e1", new Payload("a/b", large, null));
        Payload output = segments.put("app", "e1", new Payload("c/d", large, null));
        append("app", "e1", 0, new Backup.Accepted(request("app", "e1", input)));
        append("app", "e1", 1, new Backup.Finished(new Signal.TaskSucceeded("Root", json("1"),
                List.of(new Published("next", output)), 1), List.of()));
        segments.objects.clear();
        restart();
        Unfinished found = recover().getFirst();
        assertThat(found.request().input().contentType()).isEqualTo("a/b");
        assertThat(copies.bytes("app", found.request().input().reference())).isEqualTo(large);
        Payload published = ((Signal.TaskSucceeded) found.signals().getFirst()).published().getFirst().payload();
        assertThat(published.contentType()).isEqualTo("c/d");
        assertThat(copies.bytes("app", published.reference())).isEqualTo(large);
    }

    @Test
    void aReferenceThatIsGoneFailsThatRecordAlone() {
        Payload gone = new Payload("a/b", null, new Payload.Reference("gone", 100_000));
        assertThat(append("app", "e1", 0, new Backup.Accepted(request("app", "e1", gone))).orElseThrow().cause()).contains("gone");
        assertThat(append("app", "e2", 0, accepted("app", "e2"))).isEmpty();
    }

    @Test
    void aPartitionIsTrimmedBelowTheOldestOpenExecution() {
        String open = inPartition(0, "open");
        append("app", open, 0, accepted("app", open));
        for (int i = 0; i < OpenExecutions.TRIM_RECORDS; i++) {
            String id = inPartition(0, "e" + i);
            append("app", id, 0, accepted("app", id));
            append("app", id, 1, new Backup.Ended(Status.SUCCEEDED));
        }
        assertThat(bus.beginOffset("journal.app", 0)).as("held by the open one").isZero();
        restart();
        assertThat(recover()).hasSize(1);
        append("app", open, 1, new Backup.Ended(Status.SUCCEEDED));
        assertThat(bus.endOffset("journal.app", 0) - bus.beginOffset("journal.app", 0)).as("the claim, and what came behind it")
                .isEqualTo(2);
    }

    @Test
    void theJournalOutlivesTheProcessOnTheEmbeddedBus(@TempDir Path directory) {
        SqliteBus first = new SqliteBus(directory.resolve("bus.db"), SqliteBus.Options.DEFAULT);
        try (BusJournal writing = journal(first, OPTIONS)) {
            CompletableFuture<Failure> durable = new CompletableFuture<>();
            give(writing, "app", "e1", 0, accepted("app", "e1"), durable::complete);
            assertThat(durable.join()).isNull();
            give(writing, "app", "e1", 1, started(), null);
        }
        first.close();
        SqliteBus second = new SqliteBus(directory.resolve("bus.db"), SqliteBus.Options.DEFAULT);
        try (BusJournal reading = journal(second, OPTIONS)) {
            assertThat(recover(reading, epoch)).hasSize(1).first().extracting(Unfinished::signals).asList().hasSize(1);
            second.deleteTopic("journal.app");
            reading.deleteApplication("app");
            assertThat(recover(reading, epoch)).isEmpty();
        }
        second.close();
    }

    @Test
    void anEndInAJournalThatIsDeletedIsWaitedForByNobody() {
        append("app", "e1", 0, accepted("app", "e1"));
        bus.deleteTopic("journal.app");
        journal.deleteApplication("app");
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        give(journal, "app", "e1", 1, new Backup.Ended(Status.FAILED), failure -> told.complete(failure == null));
        await().untilAsserted(() -> assertThat(told).as("there is nobody who could read it").isCompletedWithValue(true));
    }

    @Test
    void aClosedJournalSaysSo() {
        journal.close();
        assertThat(append("app", "e", 0, accepted("app", "e")).orElseThrow().cause()).contains("closed");
    }
}
