package dev.sand.hostagent.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.MemoryBus;
import dev.sand.globalbus.SqliteBus;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.journal.JournalAdapter.Unfinished;
import dev.sand.workflow.Execution.Published;
import dev.sand.workflow.Execution.Signal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BusJournalTest {
    private static final BusJournal.Options OPTIONS = new BusJournal.Options(2, 1 << 20, 200_000, Duration.ofMillis(1));
    private static final BusJournal.Options LINGERING = new BusJournal.Options(2, 1 << 20, 200_000, Duration.ofDays(1));

    private final FakeSegments segments = new FakeSegments();
    private final MemoryBus bus = new MemoryBus();
    private BusJournal journal = new BusJournal(bus, segments, OPTIONS);

    @AfterEach
    void close() {
        journal.close();
    }

    @Test
    void whatWasAcceptedAndNotEndedIsFoundAgainWithItsSignalsInOrder() {
        journal.append("app", "e1", 0, accepted("app", "e1"), null);
        journal.append("app", "e2", 0, accepted("app", "e2"), null);
        journal.append("other", "e3", 0, accepted("other", "e3"), null);
        journal.append("app", "e1", 1, started(), null);
        journal.append("app", "e2", 1, started(), null);
        journal.append("app", "e1", 2, succeeded("Root", json("1")), null);
        append("app", "e2", 2, new Backup.Ended(Status.SUCCEEDED));
        journal.append("app", "e1", 3, new Backup.Advanced(new Signal.TimerFired("Wait", 9)), null);
        restart();
        List<Unfinished> unfinished = journal.recover();
        assertThat(unfinished).extracting(each -> each.request().executionId()).containsExactly("e1", "e3");
        assertThat(unfinished.getFirst().request()).usingRecursiveComparison()
                .isEqualTo(((Backup.Accepted) accepted("app", "e1")).request());
        assertThat(unfinished.getFirst().signals()).usingRecursiveFieldByFieldElementComparator().containsExactly(
                new Signal.Started(json("0"), 3), new Signal.TaskSucceeded("Root", json("1"), List.of(), 4),
                new Signal.TimerFired("Wait", 9));
        append("app", "e1", 4, new Backup.Ended(Status.FAILED));
        restart();
        assertThat(journal.recover()).extracting(each -> each.request().executionId()).containsExactly("e3");
    }

    @Test
    void anExecutionThatPassesUnawaitedWhileItsRecordsWaitIsNotWritten() {
        journal.close();
        journal = new BusJournal(bus, segments, LINGERING);
        journal.append("app", "short", 0, accepted("app", "short"), null);
        journal.append("app", "short", 1, started(), null);
        journal.append("app", "short", 2, new Backup.Ended(Status.SUCCEEDED), null);
        journal.append("app", "long", 0, accepted("app", "long"), null);
        assertThat(append("app", "awaited", 0, accepted("app", "awaited"))).isEmpty();
        await().until(() -> journal.backlog() == 0);
        journal.append("app", "awaited", 1, new Backup.Ended(Status.SUCCEEDED), null);
        journal.close();
        assertThat(records()).as("long, and both of awaited").isEqualTo(3);
        restart();
        assertThat(journal.recover()).extracting(each -> each.request().executionId()).containsExactly("long");
    }

    @Test
    void largeValuesAreStoredByValueAndComeBackByReference() {
        byte[] large = "x".repeat(100_000).getBytes(StandardCharsets.UTF_8);
        Payload input = segments.put("app", "e1", new Payload("a/b", large, null));
        Payload output = segments.put("app", "e1", new Payload("c/d", large, null));
        append("app", "e1", 0, new Backup.Accepted(request("app", "e1", input)));
        append("app", "e1", 1, new Backup.Advanced(new Signal.TaskSucceeded("Root", json("1"),
                List.of(new Published("next", output)), 1)));
        segments.objects.clear();
        restart();
        Unfinished found = journal.recover().getFirst();
        assertThat(found.request().input().contentType()).isEqualTo("a/b");
        assertThat(segments.read("app", found.request().input().reference())).isEqualTo(large);
        Payload published = ((Signal.TaskSucceeded) found.signals().getFirst()).published().getFirst().payload();
        assertThat(published.contentType()).isEqualTo("c/d");
        assertThat(segments.read("app", published.reference())).isEqualTo(large);
    }

    @Test
    void aValueOverTheBoundIsRefusedWithBothSizes() {
        Payload huge = new Payload("a/b", null, new Payload.Reference("o", 300_000));
        Failure failure = append("app", "e1", 0, new Backup.Accepted(request("app", "e1", huge))).orElseThrow();
        assertThat(failure.error()).isEqualTo(Errors.TOO_LARGE);
        assertThat(failure.details()).containsEntry("limit", 200_000L).containsEntry("actual", 300_000L);
    }

    @Test
    void aReferenceThatIsGoneFailsThatRecordAlone() {
        Payload gone = new Payload("a/b", null, new Payload.Reference("gone", 100_000));
        assertThat(append("app", "e1", 0, new Backup.Accepted(request("app", "e1", gone))).orElseThrow().cause()).contains("gone");
        assertThat(append("app", "e2", 0, accepted("app", "e2"))).isEmpty();
    }

    @Test
    void aFullBacklogRefusesAtOnceButNeverAnEnd() {
        ConcurrentLinkedQueue<Runnable> held = new ConcurrentLinkedQueue<>();
        MemoryBus slow = new MemoryBus(Long.MAX_VALUE, Integer.MAX_VALUE, held::add);
        BusJournal behind = new BusJournal(slow, segments, OPTIONS);
        Failure[] refused = new Failure[1];
        for (int i = 0; refused[0] == null; i++) {
            behind.append("app", "e" + i, 0, accepted("app", "e" + i), failure -> refused[0] = failure);
        }
        assertThat(refused[0].error()).isEqualTo(Errors.OVERLOADED);
        assertThat(refused[0].retryable()).isTrue();
        CompletableFuture<Failure> ended = new CompletableFuture<>();
        behind.append("app", "e0", 1, new Backup.Ended(Status.SUCCEEDED), ended::complete);
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
        BusJournal behind = new BusJournal(full, segments, OPTIONS);
        behind.append("app", "e1", 0, accepted("app", "e1"), null);
        await().until(() -> behind.backlog() == 0);
        full.full = true;
        CompletableFuture<Failure> second = new CompletableFuture<>();
        behind.append("app", "e2", 0, accepted("app", "e2"), second::complete);
        assertThat(second.join().cause()).contains("no room");
        assertThat(second.join().retryable()).isTrue();
        behind.append("app", "e1", 1, new Backup.Ended(Status.SUCCEEDED), null);
        await().until(() -> full.refused >= 2);
        full.full = false;
        await().until(() -> behind.backlog() == 0);
        behind.close();
        assertThat(new BusJournal(bus, segments, OPTIONS).recover()).isEmpty();
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
        assertThat(journal.recover()).hasSize(1);
        append("app", open, 1, new Backup.Ended(Status.SUCCEEDED));
        assertThat(bus.beginOffset("journal.app", 0)).isEqualTo(bus.endOffset("journal.app", 0));
    }

    @Test
    void aNewerRecordStopsItsPartitionAndNoOther() {
        String here = inPartition(0, "a");
        String there = inPartition(1, "b");
        append("app", here, 0, accepted("app", here));
        append("app", there, 0, accepted("app", there));
        bus.append("journal.app", 0, "{\"schema\":99,\"mystery\":true}".getBytes(StandardCharsets.UTF_8), ignore());
        restart();
        assertThat(journal.recover()).extracting(each -> each.request().executionId()).containsExactly(there);
        Failure failure = append("app", inPartition(0, "c"), 0, accepted("app", "c")).orElseThrow();
        assertThat(failure.cause()).contains("99").contains("partition 0");
        assertThat(append("app", inPartition(1, "d"), 0, accepted("app", "d"))).isEmpty();
    }

    @Test
    void theJournalOutlivesTheProcessOnTheEmbeddedBus(@TempDir Path directory) {
        SqliteBus first = new SqliteBus(directory.resolve("bus.db"), SqliteBus.Options.DEFAULT);
        try (BusJournal writing = new BusJournal(first, segments, BusJournal.Options.DEFAULT)) {
            CompletableFuture<Failure> durable = new CompletableFuture<>();
            writing.append("app", "e1", 0, accepted("app", "e1"), durable::complete);
            assertThat(durable.join()).isNull();
            writing.append("app", "e1", 1, started(), null);
        }
        first.close();
        SqliteBus second = new SqliteBus(directory.resolve("bus.db"), SqliteBus.Options.DEFAULT);
        try (BusJournal reading = new BusJournal(second, segments, BusJournal.Options.DEFAULT)) {
            assertThat(reading.recover()).hasSize(1).first().extracting(Unfinished::signals).asList().hasSize(1);
            reading.deleteApplication("app");
            assertThat(reading.recover()).isEmpty();
        }
        second.close();
    }

    @Test
    void aClosedJournalSaysSo() {
        journal.close();
        assertThat(append("app", "e", 0, accepted("app", "e")).orElseThrow().cause()).contains("closed");
    }

    private Optional<Failure> append(String application, String id, long sequence, Backup backup) {
        CompletableFuture<Optional<Failure>> answer = new CompletableFuture<>();
        journal.append(application, id, sequence, backup, failure -> answer.complete(Optional.ofNullable(failure)));
        return answer.join();
    }

    private void restart() {
        journal.close();
        journal = new BusJournal(bus, segments, OPTIONS);
    }

    private int records() {
        return bus.read("journal.app", 0, 0, 100).size() + bus.read("journal.app", 1, 0, 100).size();
    }

    private static String inPartition(int partition, String name) {
        String id = name;
        while (JournalTopics.partition(id, 2) != partition) {
            id += "'";
        }
        return id;
    }

    private static Backup accepted(String application, String id) {
        return new Backup.Accepted(request(application, id, json("0")));
    }

    private static InvocationRequest request(String application, String id, Payload input) {
        return new InvocationRequest(id, application, 1, "g", input, 1000, true, null);
    }

    private static Backup started() {
        return new Backup.Advanced(new Signal.Started(json("0"), 3));
    }

    private static Backup succeeded(String step, Payload output) {
        return new Backup.Advanced(new Signal.TaskSucceeded(step, output, List.of(), 4));
    }

    private static Payload json(String text) {
        return Payload.json(text.getBytes(StandardCharsets.UTF_8));
    }

    private static GlobalBus.AppendListener ignore() {
        return new GlobalBus.AppendListener() {
            @Override
            public void onAppended(long offset) {}

            @Override
            public void onFailed(BusException failure) {
                throw failure;
            }
        };
    }

    /** A bus whose disk is full while a test says so. */
    private static final class FullBus implements GlobalBus {
        private final GlobalBus bus;
        volatile boolean full;
        volatile int refused;

        FullBus(GlobalBus bus) {
            this.bus = bus;
        }

        @Override
        public void append(String topic, int partition, byte[] value, AppendListener listener) {
            if (full) {
                refused++;
                listener.onFailed(new BusException(BusException.Kind.FULL, "no room", null));
            } else {
                bus.append(topic, partition, value, listener);
            }
        }

        @Override
        public void createTopic(String topic, int partitions) {
            bus.createTopic(topic, partitions);
        }

        @Override
        public int partitions(String topic) {
            return bus.partitions(topic);
        }

        @Override
        public List<String> topics() {
            return bus.topics();
        }

        @Override
        public List<BusRecord> read(String topic, int partition, long offset, int max) {
            return bus.read(topic, partition, offset, max);
        }

        @Override
        public long endOffset(String topic, int partition) {
            return bus.endOffset(topic, partition);
        }

        @Override
        public long beginOffset(String topic, int partition) {
            return bus.beginOffset(topic, partition);
        }

        @Override
        public void trim(String topic, int partition, long offset) {
            bus.trim(topic, partition, offset);
        }

        @Override
        public void deleteTopic(String topic) {
            bus.deleteTopic(topic);
        }

        @Override
        public long backlogBytes() {
            return bus.backlogBytes();
        }

        @Override
        public void close() {}
    }
}
