package dev.sand.hostagent.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.event.Slots;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.MemoryBus;
import dev.sand.globalbus.SqliteBus;
import dev.sand.hostagent.core.Action.Await;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.journal.JournalAdapter.Unfinished;
import dev.sand.workflow.Execution.Published;
import dev.sand.workflow.Execution.Signal;
import dev.sand.datalayer.MemoryStore;
import dev.sand.hostagent.objects.GlobalObjects;
import dev.sand.hostagent.objects.ObjectCopies;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BusJournalTest {
    private static final BusJournal.Options OPTIONS = new BusJournal.Options(2, 1 << 20, 20_000, Duration.ofMillis(1));
    private static final BusJournal.Options LINGERING = new BusJournal.Options(2, 1 << 20, 20_000, Duration.ofDays(1));

    private final FakeSegments segments = new FakeSegments();
    private final MemoryBus bus = new MemoryBus();
    private final MemoryStore store = new MemoryStore();
    private final ObjectCopies copies = new ObjectCopies(new GlobalObjects(store), segments);
    private final ExecutorService keeper = Executors.newSingleThreadExecutor();
    private long epoch;
    private BusJournal journal = journal(bus, OPTIONS);

    private BusJournal journal(GlobalBus on, BusJournal.Options options) {
        epoch++;
        BusJournal made = new BusJournal(on, copies, "h" + epoch, options);
        long own = epoch;
        made.onUnclaimed(slot -> keeper.execute(() -> made.take(slot, own, () -> true)));
        return made;
    }

    /** What a new owner of all slots finds. */
    private static List<Unfinished> recover(BusJournal from, long epoch) {
        List<Unfinished> all = new ArrayList<>();
        for (int slot = 0; slot < 2; slot++) {
            all.addAll(from.take(slot, epoch, () -> true));
        }
        all.sort(Comparator.comparing(each -> each.request().executionId()));
        return all;
    }

    private List<Unfinished> recover() {
        return recover(journal, epoch);
    }

    private void give(BusJournal to, String application, String id, long sequence, Backup backup,
                      JournalAdapter.AppendListener listener) {
        to.append(new JournalAdapter.Entry(application, id, Slots.of(id, 2), epoch, sequence, backup,
                listener == null ? Await.NO : Await.YES), listener);
    }

    @AfterEach
    void close() {
        journal.close();
        keeper.shutdownNow();
    }

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

    private List<String> kinds(int partition) {
        return bus.read("journal.app", partition, 0, 100).stream().map(record -> JournalRecord.decode(record.value()))
                .filter(record -> !record.isClaim()).map(JournalRecord::kind).toList();
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
    void aNewerRecordStopsItsPartitionAndNoOther() {
        String here = inPartition(0, "a");
        String there = inPartition(1, "b");
        append("app", here, 0, accepted("app", here));
        append("app", there, 0, accepted("app", there));
        bus.append("journal.app", 0, "{\"schema\":99,\"mystery\":true}".getBytes(StandardCharsets.UTF_8), ignore());
        restart();
        assertThat(recover()).extracting(each -> each.request().executionId()).containsExactly(there);
        Failure failure = append("app", inPartition(0, "c"), 0, accepted("app", "c")).orElseThrow();
        assertThat(failure.cause()).contains("99").contains("partition 0");
        assertThat(append("app", inPartition(1, "d"), 0, accepted("app", "d"))).isEmpty();
    }

    @Test
    void whatSomebodyElseWroteIsPassedOverAndOursIsFoundAroundIt() {
        String before = inPartition(0, "a");
        append("app", before, 0, accepted("app", before));
        byte[] huge = new byte[1 << 20];
        Arrays.fill(huge, (byte) '{');
        for (byte[] foreign : List.of(new byte[0], new byte[] {0, -1, 7}, text("not ours"), text("[1,2]"), text("{\"order\":7}"), huge,
                JournalRecord.of(9, inPartition(0, "x"), 0, accepted("other", inPartition(0, "x"))).encode())) {
            bus.append("journal.app", 0, foreign, ignore());
        }
        String after = inPartition(0, "b");
        append("app", after, 0, accepted("app", after));
        restart();
        assertThat(recover()).extracting(each -> each.request().executionId()).containsExactly(before, after);
        assertThat(append("app", inPartition(0, "c"), 0, accepted("app", inPartition(0, "c")))).isEmpty();
    }

    @Test
    void whatBeginsAsOursAndIsNotWholeStopsItsPartition() {
        append("app", inPartition(0, "a"), 0, accepted("app", inPartition(0, "a")));
        for (String damaged : List.of("{\"schema\":2,\"epoch\":1,\"kind\":\"processing\"}", "{\"schema\":2,\"epoch\":1}",
                "{\"schema\":2,\"epoch\":1,\"kind\":\"finished\",\"executionId\":\"e\"")) {
            bus.deleteTopic("journal.app");
            bus.createTopic("journal.app", 2);
            bus.append("journal.app", 0, text(damaged), ignore());
            restart();
            assertThat(recover()).isEmpty();
            assertThat(append("app", inPartition(0, "c"), 0, accepted("app", "c")).orElseThrow().cause()).contains("offset 0");
        }
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
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
    void aClosedJournalSaysSo() {
        journal.close();
        assertThat(append("app", "e", 0, accepted("app", "e")).orElseThrow().cause()).contains("closed");
    }

    private Optional<Failure> append(String application, String id, long sequence, Backup backup) {
        CompletableFuture<Optional<Failure>> answer = new CompletableFuture<>();
        give(journal, application, id, sequence, backup, failure -> answer.complete(Optional.ofNullable(failure)));
        return answer.join();
    }

    private void restart() {
        journal.close();
        journal = journal(bus, OPTIONS);
    }

    private int records() {
        return (int) Stream.of(0, 1).flatMap(partition -> bus.read("journal.app", partition, 0, 100).stream())
                .filter(record -> !JournalRecord.decode(record.value()).isClaim()).count();
    }

    private static String inPartition(int partition, String name) {
        String id = name;
        while (Slots.of(id, 2) != partition) {
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
        return new Backup.Finished(new Signal.Started(json("0"), 3), List.of());
    }

    private static Backup succeeded(String step, Payload output) {
        return new Backup.Finished(new Signal.TaskSucceeded(step, output, List.of(), 4), List.of());
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

    /** A bus whose answers a test gives. */
    private static final class LateBus extends BusOver {
        record Held(String topic, int partition, byte[] value, AppendListener listener) {
            void append(GlobalBus to) {
                to.append(topic, partition, value, listener);
            }
        }

        final ConcurrentLinkedQueue<Held> held = new ConcurrentLinkedQueue<>();
        volatile boolean holds;

        LateBus(GlobalBus bus) {
            super(bus);
        }

        @Override
        public void append(String topic, int partition, byte[] value, AppendListener listener) {
            if (holds) {
                held.add(new Held(topic, partition, value, listener));
            } else {
                super.append(topic, partition, value, listener);
            }
        }
    }

    /** A bus whose disk is full while a test says so. */
    private static final class FullBus extends BusOver {
        volatile boolean full;
        volatile int refused;

        FullBus(GlobalBus bus) {
            super(bus);
        }

        @Override
        public void append(String topic, int partition, byte[] value, AppendListener listener) {
            if (full) {
                refused++;
                listener.onFailed(new BusException(BusException.Kind.FULL, "no room", null));
            } else {
                super.append(topic, partition, value, listener);
            }
        }
    }
}
