package dev.sand.hostagent.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.GlobalStore.Entry;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.StoreException;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.MemoryBus;
import dev.sand.hostagent.core.Action.Await;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.journal.JournalAdapter.Unfinished;
import dev.sand.hostagent.objects.GlobalObjects;
import dev.sand.hostagent.objects.GlobalObjects.Stored;
import dev.sand.hostagent.objects.ObjectCopies;
import dev.sand.workflow.Execution.Signal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a slot's new owner makes of what the last one left (SAND 4.2.1, 4.3). */
@Tag("slow")
class TakeOverTest {
    private static final byte[] VALUE = "v".repeat(2_000_000).getBytes(StandardCharsets.UTF_8);

    private long busMs = 5_000_000;
    private final MemoryBus bus = new MemoryBus(() -> busMs);
    private final MemoryStore store = new MemoryStore();
    private final FakeSegments segments = new FakeSegments();
    private final ObjectCopies copies = new ObjectCopies(new GlobalObjects(store), segments);
    private final List<BusJournal> journals = new ArrayList<>();

    @AfterEach
    void close() {
        journals.forEach(BusJournal::close);
        copies.close();
    }

    private BusJournal owner(String host) {
        return owner(host, bus);
    }

    private BusJournal owner(String host, GlobalBus on) {
        return owner(host, on, copies);
    }

    private BusJournal owner(String host, GlobalBus on, ObjectCopies values) {
        BusJournal journal = new BusJournal(on, values, host, new BusJournal.Options(1, 1 << 20, 100_000, Duration.ofMillis(1)));
        journals.add(journal);
        return journal;
    }

    private static List<Unfinished> take(BusJournal journal, long epoch) {
        return journal.take(0, epoch, () -> true).executions();
    }

    /** @return the failure, or null */
    private static Failure give(BusJournal journal, long epoch, long number, Backup backup) {
        CompletableFuture<Optional<Failure>> answer = new CompletableFuture<>();
        journal.append(new JournalAdapter.Entry("app", "e1", 0, epoch, number, backup, Await.YES),
                failure -> answer.complete(Optional.ofNullable(failure)));
        return answer.join().orElse(null);
    }

    private static Backup accepted() {
        return new Backup.Accepted(new InvocationRequest("e1", "app", 1, "main", json("0"), 1000, true, null));
    }

    private static Backup finished(String step) {
        return new Backup.Finished(new Signal.TaskSucceeded(step, json("1"), List.of(), 4), List.of());
    }

    private static Payload json(String text) {
        return Payload.json(text.getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> steps(Unfinished found) {
        return found.signals().stream().map(signal -> ((Signal.TaskSucceeded) signal).step()).toList();
    }

    /** As an owner that does not know that it is none any more. */
    private void late(long epoch, long number, Backup backup) {
        write(JournalRecord.of(epoch, "e1", number, backup, null));
    }

    private void write(JournalRecord record) {
        write("journal.app", record);
    }

    private void write(String topic, JournalRecord record) {
        bus.append(topic, 0, record.encode(), new GlobalBus.AppendListener() {
            @Override
            public void onAppended(long offset) {}

            @Override
            public void onFailed(BusException failure) {
                throw failure;
            }
        });
    }

    private BusJournal firstOwner() {
        bus.createTopic("journal.app", 1);
        BusJournal first = owner("h1");
        assertThat(take(first, 1)).isEmpty();
        assertThat(give(first, 1, 0, accepted())).isNull();
        assertThat(give(first, 1, 1, finished("A"))).isNull();
        return first;
    }

    @Test
    void whatAPausedOwnerWritesAfterTheClaimIsVoid() {
        firstOwner();
        BusJournal second = owner("h2");
        assertThat(steps(take(second, 2).getFirst())).containsExactly("A");
        late(1, 2, finished("late"));
        late(1, 3, new Backup.Ended(Status.FAILED));
        assertThat(give(second, 2, 2, finished("B"))).isNull();
        BusJournal third = owner("h3");
        Unfinished found = take(third, 3).getFirst();
        assertThat(steps(found)).containsExactly("A", "B");
        assertThat(found.next()).isEqualTo(3);
        assertThat(third.refused()).isEqualTo(new JournalAdapter.Refused(0, 2));
    }

    @Test
    void anOwnerThatLeftIsToldThatTheSlotMoved() {
        BusJournal first = firstOwner();
        first.leave(0, 1, Duration.ofSeconds(10));
        assertThat(give(first, 1, 2, finished("B")).error()).isEqualTo(Errors.MOVED);
        assertThat(first.refused()).isEqualTo(new JournalAdapter.Refused(1, 0));
        assertThat(steps(take(owner("h2"), 2).getFirst())).containsExactly("A");
    }

    @Test
    void recordsCountInTheOrderOfTheirNumbersUpToTheFirstThatIsMissing() {
        firstOwner();
        late(1, 3, finished("C")); // sent again after its successor
        late(1, 2, finished("B"));
        late(1, 2, finished("B"));
        late(1, 5, finished("E"));
        Unfinished found = take(owner("h2"), 2).getFirst();
        assertThat(steps(found)).containsExactly("A", "B", "C");
        assertThat(found.next()).isEqualTo(4);
    }

    @Test
    void aHigherEpochReplacesWhatLowerOnesSaidFromItsNumberOnAndAttemptsAreKept() {
        firstOwner();
        late(1, 3, finished("C"));
        BusJournal second = owner("h2");
        assertThat(take(second, 2).getFirst().next()).isEqualTo(2);
        assertThat(give(second, 2, 2, new Backup.Resumed(Map.of("B", 2)))).isNull();
        BusJournal third = owner("h3"); // the recovering host died too
        Unfinished found = take(third, 3).getFirst();
        assertThat(steps(found)).containsExactly("A");
        assertThat(found.next()).isEqualTo(3);
        assertThat(found.attempts()).containsExactlyEntriesOf(Map.of("B", 2));
    }

    /** By the bus's clock: what the hosts' own say, in the signals, is an hour off. */
    @Test
    void theNewOwnerKnowsHowOldAnExecutionIsAndWhatItGotToKnow() {
        firstOwner();
        busMs += 4_000;
        late(1, 2, finished("B"));
        busMs += 3_000;
        long beforeNs = System.nanoTime();
        Unfinished found = take(owner("h2"), 2).getFirst();
        long tookMs = (System.nanoTime() - beforeNs) / 1_000_000;
        Input.Recover recover = found.recover(System.nanoTime() + 1_000_000_000);
        assertThat(recover.elapsedMs()).isBetween(8_000L, 8_001 + tookMs);
        assertThat(recover.agesMs().get(0)).isEqualTo(recover.elapsedMs());
        assertThat(recover.agesMs().get(1)).isEqualTo(recover.elapsedMs() - 4_000);
    }

    @Test
    void aThirdOwnerCountsFromTheAcceptanceToo() {
        firstOwner();
        busMs += 4_000;
        take(owner("h2"), 2);
        busMs += 3_000;
        assertThat(take(owner("h3"), 3).getFirst().recover(System.nanoTime()).elapsedMs()).isGreaterThanOrEqualTo(7_000);
    }

    // --- recoveries that fail, and owners that are none any more

    @Test
    void aJournalThatCannotBeReadTakesNothingFromTheOthersOfItsSlot() {
        firstOwner();
        bus.createTopic("journal.other", 1);
        write("journal.other", JournalRecord.of(1, "e2", 0, new Backup.Accepted(
                new InvocationRequest("e2", "other", 1, "main", json("0"), 1000, true, null)), null));
        Set<String> read = new HashSet<>();
        BusJournal second = owner("h2", new BusOver(bus) {
            @Override
            public List<BusRecord> read(String topic, int partition, long offset, int max) {
                if (read.add(topic) && read.size() == 2) {
                    throw new BusException(BusException.Kind.BROKEN, "the disk could not be read", null);
                }
                return super.read(topic, partition, offset, max);
            }
        });
        assertThatThrownBy(() -> take(second, 2)).hasMessageContaining("disk");
        assertThat(take(second, 2)).extracting(each -> each.request().executionId()).containsExactlyInAnyOrder("e1", "e2");
    }

    /** Its claim, written again so that more can be trimmed, comes behind the new owner's: what lies below is the new owner's. */
    @Test
    void anOwnerThatIsNoneAnyMoreTrimsNothing() {
        bus.createTopic("journal.app", 1);
        AtomicBoolean acts = new AtomicBoolean(true);
        BusJournal first = owner("h1");
        assertThat(first.take(0, 1, acts::get).executions()).isEmpty();
        BusJournal second = owner("h2");
        take(second, 2);
        acts.set(false);
        assertThat(give(second, 2, 0, accepted())).isNull();
        for (int i = 0; i <= 2 * OpenExecutions.TRIM_RECORDS; i++) {
            first.append(new JournalAdapter.Entry("app", "late" + i, 0, 1, 1, new Backup.Ended(Status.SUCCEEDED), Await.NO), null);
        }
        await().until(() -> first.backlog() == 0);
        assertThat(bus.beginOffset("journal.app", 0)).isZero();
        assertThat(take(owner("h3"), 3)).extracting(each -> each.request().executionId()).containsExactly("e1");
    }

    /** Begun and never confirmed, for a number before it is missing: it ran all the same. */
    @Test
    void attemptsBehindAMissingNumberAreKept() {
        firstOwner();
        late(1, 3, new Backup.Resumed(Map.of("B", 2)));
        Unfinished found = take(owner("h2"), 2).getFirst();
        assertThat(steps(found)).containsExactly("A");
        assertThat(found.next()).isEqualTo(2);
        assertThat(found.attempts()).containsExactlyEntriesOf(Map.of("B", 2));
    }

    // --- storing

    /** The host died between the flag and its finished. @return the flag's metadata */
    private Stored diesWhileStoring() {
        firstOwner();
        Payload large = segments.put("app", "e1", new Payload("a/b", VALUE, null));
        Stored stored = copies.describe("app", "e1", "x", large);
        Payload named = new Payload("a/b", null, new Payload.Reference(stored.name(), stored.size()));
        write(JournalRecord.storing(1, "e1", 2,
                new Backup.Finished(new Signal.TaskSucceeded("B", named, List.of(), 5), List.of()), List.of(stored)));
        return stored;
    }

    private void copy(Stored stored) throws Exception {
        copies.objects().put("app", stored, to -> to.write(VALUE));
    }

    @Test
    void aStoredCopyThatIsWholeCountsAsFinishedForThoseAfterToo() throws Exception {
        copy(diesWhileStoring());
        Unfinished found = take(owner("h2"), 2).getFirst();
        assertThat(steps(found)).containsExactly("A", "B");
        assertThat(found.next()).isEqualTo(3);
        Payload output = ((Signal.TaskSucceeded) found.signals().getLast()).output();
        assertThat(copies.bytes("app", output.reference())).isEqualTo(VALUE);
        assertThat(steps(take(owner("h3"), 3).getFirst())).containsExactly("A", "B");
    }

    @Test
    void aCopyThatIsMissingMakesTheEventRunAgain() {
        diesWhileStoring();
        assertThat(steps(take(owner("h2"), 2).getFirst())).containsExactly("A");
    }

    @Test
    void aCopyOfWhichAPieceIsMissingMakesTheEventRunAgain() throws Exception {
        copy(diesWhileStoring());
        Entry piece = pieces().get(1);
        store.delete("objects", "app", piece.key(), GlobalStore.ANY);
        assertThat(steps(take(owner("h2"), 2).getFirst())).containsExactly("A");
    }

    @Test
    void aCopyWithOtherBytesMakesTheEventRunAgain() throws Exception {
        copy(diesWhileStoring());
        Entry piece = pieces().get(1);
        byte[] other = piece.value().clone();
        other[7]++;
        store.put("objects", "app", piece.key(), other, GlobalStore.ANY);
        assertThat(steps(take(owner("h2"), 2).getFirst())).containsExactly("A");
    }

    private List<Entry> pieces() {
        return store.scan("objects", "app", "", null, 100).stream().filter(entry -> entry.key().contains("/p")).toList();
    }

    @Test
    void aLargeOutputIsFlaggedCopiedAndFinishedAndGoesWithItsExecution() {
        BusJournal first = firstOwner();
        Payload large = segments.put("app", "e1", new Payload("a/b", VALUE, null));
        assertThat(give(first, 1, 2, new Backup.Finished(new Signal.TaskSucceeded("B", large, List.of(), 5), List.of()))).isNull();
        List<String> kinds = bus.read("journal.app", 0, 0, 100).stream().map(each -> JournalRecord.decode(each.value()).kind()).toList();
        assertThat(kinds).containsExactly("claim", "processing", "finished", "storing", "finished");
        assertThat(pieces()).isNotEmpty();
        BusJournal second = owner("h2");
        assertThat(take(second, 2)).hasSize(1);
        assertThat(give(second, 2, 3, new Backup.Ended(Status.SUCCEEDED))).isNull();
        await().atMost(Duration.ofSeconds(60)).until(() -> pieces().isEmpty());
    }

    /** @return the owner's journal; its values would stay for a day */
    private BusJournal endsWithALargeOutput() {
        BusJournal first = firstOwner();
        Payload large = segments.put("app", "e1", new Payload("a/b", VALUE, null));
        assertThat(give(first, 1, 2, new Backup.Finished(new Signal.TaskSucceeded("B", large, List.of(), 5), List.of()))).isNull();
        assertThat(give(first, 1, 3, new Backup.Ended(Status.SUCCEEDED))).isNull();
        assertThat(pieces()).isNotEmpty();
        return first;
    }

    @Test
    void valuesThatAHostLeftBehindAfterTheEndGoWithTheNextOwner() {
        endsWithALargeOutput();
        ObjectCopies values = new ObjectCopies(new GlobalObjects(store), segments, Duration.ZERO);
        assertThat(take(owner("h2", bus, values), 2)).isEmpty();
        await().until(() -> pieces().isEmpty());
        values.close();
    }

    @Test
    void theRecordsOfAnExecutionStayUntilItsValuesAreGone() {
        BusJournal first = endsWithALargeOutput();
        for (int i = 0; i <= 2 * OpenExecutions.TRIM_RECORDS; i++) {
            first.append(new JournalAdapter.Entry("app", "other" + i, 0, 1, 1, new Backup.Ended(Status.SUCCEEDED), Await.NO), null);
        }
        await().until(() -> first.backlog() == 0);
        assertThat(bus.beginOffset("journal.app", 0)).isLessThanOrEqualTo(1);
    }

    @Test
    void valuesThatAnotherHostCopiedGoWithTheirExecutionToo() throws Exception {
        ObjectCopies values = new ObjectCopies(new GlobalObjects(store), segments, Duration.ZERO);
        bus.createTopic("journal.app", 1);
        BusJournal first = owner("h1", bus, values);
        take(first, 1);
        assertThat(give(first, 1, 0, accepted())).isNull();
        Stored stored = GlobalObjects.describe(GlobalObjects.name("e1", "returned"), VALUE.length, to -> to.write(VALUE));
        copy(stored);
        Payload returned = new Payload("a/b", null, new Payload.Reference(stored.name(), stored.size()));
        assertThat(give(first, 1, 1, new Backup.Finished(new Signal.TaskSucceeded("B", returned, List.of(), 5), List.of()))).isNull();
        assertThat(give(first, 1, 2, new Backup.Ended(Status.SUCCEEDED))).isNull();
        await().until(() -> pieces().isEmpty());
        values.close();
    }

    @Test
    void valuesGoOnceTheStoreCanBeReachedAgain() throws Exception {
        AtomicBoolean away = new AtomicBoolean(true);
        ObjectCopies values = new ObjectCopies(new GlobalObjects(store) {
            @Override
            public void deleteExecution(String application, String executionId) {
                if (away.getAndSet(false)) {
                    throw new StoreException(StoreException.Kind.AWAY, "no answer", 0, null);
                }
                super.deleteExecution(application, executionId);
            }
        }, segments, Duration.ZERO);
        values.expect("app", "e1");
        Stored stored = GlobalObjects.describe(GlobalObjects.name("e1", "x"), VALUE.length, to -> to.write(VALUE));
        copy(stored);
        CompletableFuture<Void> gone = new CompletableFuture<>();
        assertThat(values.ended("app", "e1", () -> gone.complete(null))).isTrue();
        gone.join();
        assertThat(pieces()).isEmpty();
        values.close();
    }

    @Test
    void aRedrivesValuesAreNotPutWhileThoseOfItsEndAreBeingDeleted() throws Exception {
        CompletableFuture<Void> deletes = new CompletableFuture<>();
        CompletableFuture<Void> goesOn = new CompletableFuture<>();
        ObjectCopies values = new ObjectCopies(new GlobalObjects(store) {
            @Override
            public void deleteExecution(String application, String executionId) {
                deletes.complete(null);
                goesOn.join();
                super.deleteExecution(application, executionId);
            }
        }, segments, Duration.ZERO);
        values.expect("app", "e1");
        assertThat(values.ended("app", "e1", () -> {})).isTrue();
        deletes.join();
        CompletableFuture<Payload> put = CompletableFuture.supplyAsync(() -> values.toGlobal("app", "e1", "o", Payload.json(VALUE)));
        await().until(() -> values.has("app", "e1"));
        goesOn.complete(null);
        assertThat(values.bytes("app", put.join().reference())).isEqualTo(VALUE);
        values.close();
    }
}
