package dev.sand.hostagent.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.sand.event.BusRecords;
import dev.sand.event.Failure;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.event.ProcessPlace;
import dev.sand.event.Slots;
import dev.sand.globalbus.BusException;
import dev.sand.hostagent.core.Action.Await;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.core.Input.RecoverProcess;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.journal.JournalAdapter.Entry;
import dev.sand.hostagent.journal.JournalAdapter.Left;
import dev.sand.hostagent.journal.JournalAdapter.Unfinished;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessChange;
import dev.sand.hostagent.process.StateWrite;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Changes of processes in the journal: all of them, in their order, until an image has them. */
class ProcessJournalTest extends BusJournalFixture {
    private final List<Long> durable = new CopyOnWriteArrayList<>();

    private static ProcessChange change(long base, long number, Change change) {
        return new ProcessChange("p", 5, base, number, change);
    }

    private static Change.Arrived message(Payload payload) {
        return new Change.Arrived("e9/g", 0, "q", "k", payload);
    }

    private void give(ProcessChange change, String executionId, long sequence, Backup backup) {
        journal.append(new Entry("app", executionId, Slots.of("p", 2), epoch, sequence, backup, Await.YES, "p", change), failure -> {
            assertThat(failure).isNull();
            durable.add(change.number());
        });
    }

    private void give(long base, long number, Change made) {
        ProcessChange change = change(base, number, made);
        give(change, change.journalId(), number, new Backup.Changed());
    }

    private void end(long base) {
        end(base, 99);
    }

    /** @param to the last change that whoever ends it had */
    private void end(long base, long to) {
        journal.append(new Entry("app", ProcessChange.journalId("p", 5, base), Slots.of("p", 2), epoch, to + 1,
                new Backup.Ended(Status.SUCCEEDED), Await.NO, "p", null), null);
    }

    private Left left() {
        return journal.take(Slots.of("p", 2), epoch, () -> true);
    }

    private void durable(int count) {
        await().until(() -> durable.size() == count);
    }

    private List<Long> numbers(RecoverProcess process) {
        return process.changes().stream().map(ProcessChange::number).toList();
    }

    @Test
    void whatAProcessIsIsFoundAgainWithWhatMadeIt() {
        give(0, 1, new Change.Made(1, 0, 0));
        give(0, 2, message(json("1")));
        give(change(0, 3, new Change.Done(List.of(new StateWrite("a", json("2")), new StateWrite("b", null)), List.of(2L), List.of())),
                "e1", 1, succeeded("g", json("3")));
        durable(3);
        restart();
        Left left = left();
        assertThat(left.executions()).as("its beginning was not backed up").isEmpty();
        RecoverProcess process = left.processes().getFirst();
        assertThat(process.application() + process.process() + process.createdMs() + process.bases()).isEqualTo("appp5[0]");
        assertThat(numbers(process)).containsExactly(1L, 2L, 3L);
        assertThat(process.changes().get(1).change()).usingRecursiveComparison().isEqualTo(message(json("1")));
        assertThat(((Change.Done) process.changes().get(2).change()).writes()).extracting(StateWrite::key).containsExactly("a", "b");
        assertThat(process.unsent()).isEmpty();
    }

    @Test
    void anEndInTheEmbeddedBusIsThereWhenItIsGivenWithItsLargeValuesBehindIt() {
        journal.close();
        journal = journal(new EmbeddedBus(bus), OPTIONS);
        give(0, 1, new Change.Made(1, 0, 0));
        durable(1);
        Payload large = new Payload(Payload.OCTETS, "x".repeat(5000).getBytes(StandardCharsets.UTF_8), null);
        List<Thread> tellers = new CopyOnWriteArrayList<>();
        do { // the journal's thread may be at it just then, or have been held up a moment ago
            int sequence = tellers.size() + 1;
            journal.append(new Entry("app", "e1", Slots.of("p", 2), epoch, sequence, succeeded("g", json("3")), Await.IN_BUS, "p",
                    change(0, sequence + 1, new Change.Done(List.of(new StateWrite("a", large)), List.of(), List.of()))),
                    failure -> tellers.add(Thread.currentThread()));
            await().until(() -> tellers.size() == sequence);
        } while (tellers.getLast() != Thread.currentThread() && tellers.size() < 1_000);
        assertThat(tellers.getLast()).isEqualTo(Thread.currentThread());
        assertThat(bus.read("journal.app", Slots.of("p", 2), 0, 100)).extracting(record -> BusRecords.schema(record.value())).contains(8);
        restart();
        Change.Done done = (Change.Done) left().processes().getFirst().changes().getLast().change();
        assertThat(done.writes()).usingRecursiveFieldByFieldElementComparator().containsExactly(new StateWrite("a", large));
    }

    @Test
    void messagesThatPassedAreFoundWithTheEndThatHasThem() {
        journal.close();
        journal = journal(new EmbeddedBus(bus), OPTIONS);
        give(0, 1, new Change.Made(1, 0, 0));
        List<Change.Passed> passed = List.of(new Change.Passed(2, "e0/g", 0), new Change.Passed(3, "e0/g", 1));
        give(change(0, 3, new Change.Done(List.of(), List.of(), List.of(), passed)), "e1", 1, succeeded("g", json("3")));
        give(0, 4, message(json("1")));
        durable(3);
        restart();
        RecoverProcess process = left().processes().getFirst();
        assertThat(numbers(process)).containsExactly(1L, 3L, 4L);
        assertThat(process.changes().get(1).first()).isEqualTo(2);
        assertThat(((Change.Done) process.changes().get(1).change()).passed()).isEqualTo(passed);
    }

    @Test
    void anEndBehindAGapCountsNotThoughItHasMessagesThatPassed() {
        give(0, 1, new Change.Made(1, 0, 0));
        List<Change.Passed> passed = List.of(new Change.Passed(3, "e0/g", 0), new Change.Passed(4, "e0/g", 1));
        give(change(0, 4, new Change.Done(List.of(), List.of(), List.of(), passed)), "e1", 1, succeeded("g", json("3")));
        durable(2);
        restart();
        assertThat(numbers(left().processes().getFirst())).containsExactly(1L);
    }

    @Test
    void sendsOfAnEndThatIsDurableAreFoundWhileTheExecutionIsOpen() {
        Change.Outgoing send = new Change.Outgoing("e1/g", 0, "p", "q", "k", json("4"));
        String e1 = inPartition(Slots.of("p", 2), "e1");
        give(0, 1, new Change.Made(1, 0, 0));
        append("app", e1, 0, accepted("app", e1));
        give(change(0, 2, new Change.Done(List.of(), List.of(), List.of(send))), e1, 1, succeeded("g", json("3")));
        durable(2);
        restart();
        assertThat(left().processes().getFirst().unsent().get(e1)).usingRecursiveFieldByFieldElementComparator().containsExactly(send);
        append("app", e1, 2, new Backup.Ended(Status.SUCCEEDED));
        restart();
        assertThat(left().processes().getFirst().unsent()).isEmpty();
    }

    /** Its process is made, and it has ended with a change of that number. */
    private String ended(long number) {
        String e1 = inPartition(Slots.of("p", 2), "e1");
        give(0, 1, new Change.Made(1, 0, 0));
        append("app", e1, 0, accepted("app", e1));
        give(change(0, number, new Change.Done(List.of(), List.of(), List.of())), e1, 1, succeeded("g", json("3")));
        durable(2);
        return e1;
    }

    private Unfinished unfinished() {
        restart();
        return left().executions().getFirst();
    }

    @Test
    void whatEndedBehindAChangeThatIsMissingHasNotEnded() {
        ended(3);
        Unfinished found = unfinished();
        assertThat(found.signals()).isEmpty();
        assertThat(found.next()).isEqualTo(1);
    }

    @Test
    void whetherAnEndCountsIsTheImagesToTellWhileTheChangeIsThere() {
        ended(2);
        Unfinished found = unfinished();
        assertThat(found.signals()).hasSize(1);
        assertThat(found.changed()).isEqualTo(new Input.Changed(5, 0, 2, 1));
    }

    @Test
    void anEndThatAnImageHasCounts() {
        ended(2);
        end(0, 2);
        Unfinished found = unfinished();
        assertThat(found.signals()).hasSize(1);
        assertThat(found.changed()).isNull();
    }

    /** The bus took the change before it later, and has been trimmed since: the journal begins between the two. */
    @Test
    void soDoesOneBeforeWhichSomethingIsThereNoMore() {
        ended(3);
        end(0, 3);
        Unfinished found = unfinished();
        assertThat(found.signals()).hasSize(1);
        assertThat(found.changed()).isNull();
    }

    @Test
    void whatLiesBehindAnImageCountsThoughTheJournalHasSomethingOfAnEarlierOneStill() {
        give(0, 1, new Change.Made(1, 0, 0));
        give(0, 2, message(json("1")));
        give(2, 3, message(json("2")));
        give(3, 4, message(json("3")));
        durable(4);
        end(2, 3);
        restart();
        assertThat(numbers(left().processes().getFirst())).containsExactly(4L);
    }

    @Test
    void anEndThatItsNextOwnerDidNotHaveDoesNot() {
        ended(2);
        end(0, 0);
        assertThat(unfinished().signals()).isEmpty();
    }

    @Test
    void anExecutionThatPassesIsWrittenWhenItChangedItsProcess() {
        journal.close();
        journal = journal(bus, LINGERING);
        give(0, 1, new Change.Made(1, 0, 0));
        String e1 = inPartition(Slots.of("p", 2), "e1");
        journal.append(new Entry("app", e1, Slots.of("p", 2), epoch, 0, accepted("app", e1), Await.NO, "p", null), null);
        give(change(0, 2, new Change.Done(List.of(new StateWrite("a", json("2"))), List.of(), List.of())), e1, 1, succeeded("g", json("3")));
        journal.append(new Entry("app", e1, Slots.of("p", 2), epoch, 2, new Backup.Ended(Status.SUCCEEDED), Await.NO, "p", null), null);
        durable(2);
        restart();
        assertThat(numbers(left().processes().getFirst())).containsExactly(1L, 2L);
    }

    private String finishedWithALargeInput(boolean ofGrain, List<Failure> told) {
        journal.close();
        journal = journal(bus, LINGERING);
        give(0, 1, new Change.Made(1, 0, 0));
        String e1 = inPartition(Slots.of("p", 2), "e1");
        Payload input = segments.put("app", e1, new Payload(Payload.OCTETS, new byte[100_000], null));
        journal.append(new Entry("app", e1, Slots.of("p", 2), epoch, 0, new Backup.Accepted(request("app", e1, input), ofGrain), Await.IF_WRITTEN,
                "p", null), told::add);
        give(change(0, 2, new Change.Done(List.of(new StateWrite("a", json("2"))), List.of(), List.of())), e1, 1, succeeded("g", json("3")));
        durable(2);
        restart();
        return e1;
    }

    @Test
    void theInputOfAGrainThatHasEndedIsNotWritten() {
        List<Failure> told = new CopyOnWriteArrayList<>();
        finishedWithALargeInput(true, told);
        Unfinished found = left().executions().getFirst();
        assertThat(found.request().input()).isEqualTo(new Payload(Payload.OCTETS, new byte[100_000], null).notKept());
        assertThat(found.signals()).hasSize(1);
        assertThat(found.isNothing()).isFalse();
        assertThat(told).as("whoever asked keeps its own").isEmpty();
    }

    @Test
    void thatOfAWorkflowIs() {
        List<Failure> told = new CopyOnWriteArrayList<>();
        finishedWithALargeInput(false, told);
        Payload input = left().executions().getFirst().request().input();
        assertThat(input.isNotKept()).isFalse();
        assertThat(input.size()).isEqualTo(100_000);
        assertThat(told).hasSize(1);
    }

    @Test
    void withoutItsInputAndItsEndItIsNothing() {
        String e1 = inPartition(Slots.of("p", 2), "e1");
        give(0, 1, new Change.Made(1, 0, 0));
        append("app", e1, 0, new Backup.Accepted(request("app", e1, new Payload(Payload.OCTETS, new byte[100_000], null).notKept()), true));
        give(change(0, 3, new Change.Done(List.of(), List.of(), List.of())), e1, 1, succeeded("g", json("3")));
        durable(2);
        assertThat(unfinished().isNothing()).as("its end lies behind a change that is missing").isTrue();
    }

    @Test
    void acceptedAgainWithItsInputItIsWhatWasAccepted() {
        String e1 = inPartition(Slots.of("p", 2), "e1");
        Payload input = new Payload(Payload.OCTETS, new byte[1_000], null);
        give(0, 1, new Change.Made(1, 0, 0));
        append("app", e1, 0, new Backup.Accepted(request("app", e1, input.notKept()), true));
        give(change(0, 3, new Change.Done(List.of(), List.of(), List.of())), e1, 1, succeeded("g", json("3")));
        append("app", e1, 0, new Backup.Accepted(request("app", e1, input), true));
        durable(2);
        assertThat(unfinished().isNothing()).as("whoever asked was told that it cannot be lost").isFalse();
        assertThat(unfinished().request().input().bytes()).hasSize(1_000);
    }

    @Test
    void whatTheBusDoesNotTakeIsGivenAgainAndNothingIsLeftOut() {
        AtomicInteger refusals = new AtomicInteger(3);
        journal.close();
        journal = journal(new BusOver(bus) {
            @Override
            public void append(String topic, int partition, byte[] value, AppendListener listener) {
                if (!new String(value, StandardCharsets.UTF_8).contains("claim") && refusals.getAndDecrement() > 0) {
                    listener.onFailed(new BusException(BusException.Kind.FULL, "no room", null));
                } else {
                    super.append(topic, partition, value, listener);
                }
            }
        }, OPTIONS);
        give(0, 1, new Change.Made(1, 0, 0));
        for (int i = 2; i <= 6; i++) {
            give(0, i, message(json("" + i)));
        }
        durable(6);
        restart();
        assertThat(numbers(left().processes().getFirst())).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
    }

    @Tag("slow")
    @Test
    void largeValuesOutliveTheHostAndGoOnceAnImageHasThem() {
        byte[] large = "x".repeat(100_000).getBytes(StandardCharsets.UTF_8);
        Payload value = segments.put("app", "e1", new Payload("a/b", large, null));
        give(0, 1, new Change.Made(1, 0, 0));
        give(0, 2, message(value));
        give(0, 3, message(json("3")));
        durable(3);
        assertThat(durable).as("the copy of the second held up the third").containsExactly(1L, 2L, 3L);
        segments.objects.clear();
        restart();
        RecoverProcess process = left().processes().getFirst();
        Payload found = process.changes().get(1).change().values().getFirst();
        assertThat(copies.bytes("app", found.reference())).isEqualTo(large);
        give(2, 4, message(json("4")));
        durable(4);
        end(0, 3);
        restart();
        process = left().processes().getFirst();
        assertThat(numbers(process)).containsExactly(4L);
        assertThat(process.bases()).containsExactly(2L);
        await().atMost(Duration.ofSeconds(30)).until(() -> copies.objects().executions("app").isEmpty());
    }

    @Test
    void aPartitionIsTrimmedBelowTheOldestChangeThatNoImageHas() {
        give(0, 1, new Change.Made(1, 0, 0));
        for (int i = 0; i < OpenExecutions.TRIM_RECORDS; i++) {
            pass("e" + i);
        }
        assertThat(bus.beginOffset("journal.app", Slots.of("p", 2))).as("held by the process").isZero();
        end(0);
        for (int i = 0; i < OpenExecutions.TRIM_RECORDS && bus.beginOffset("journal.app", Slots.of("p", 2)) == 0; i++) {
            pass("f" + i); // with one of them the claim is written again, and then it is trimmed
        }
        assertThat(bus.beginOffset("journal.app", Slots.of("p", 2))).isPositive();
    }

    private void pass(String name) {
        String id = inPartition(Slots.of("p", 2), name);
        append("app", id, 0, accepted("app", id));
        append("app", id, 1, new Backup.Ended(Status.SUCCEEDED));
    }

    @Test
    void aFunctionsEndCountsForItsExecutionThoughTheBeginningCameToTheBusLater() {
        PartitionReading reading = new PartitionReading();
        ProcessChange done = change(0, 1, new Change.Done(List.of(new StateWrite("a", json("2"))), List.of(), List.of()));
        reading.take(0, 0, JournalRecord.of(1, "e1", 1, succeeded("g", json("3")), done));
        reading.take(1, 0, JournalRecord.of(1, "e1", 0, accepted("app", "e1"), null));
        assertThat(reading.open().iterator().next().unfinished(0, 0).signals()).hasSize(1);
    }

    @Test
    void aNewOwnersChangesReplaceThoseOfAnEarlierOneFromTheirNumberOn() {
        ProcessReading reading = new ProcessReading();
        reading.take(0, 1, change(0, 1, new Change.Made(1, 0, 0)), "@");
        reading.take(1, 1, change(0, 2, message(json("1"))), "@");
        reading.take(2, 1, change(0, 4, message(json("2"))), "@");
        assertThat(numbers(reading.left("app", id -> false).getFirst())).as("nothing behind a gap").containsExactly(1L, 2L);
        reading.take(3, 2, change(0, 3, message(json("3"))), "@");
        assertThat(numbers(reading.left("app", id -> false).getFirst())).containsExactly(1L, 2L, 3L);
    }

    @Test
    void whatItDidBeforeItWentAwayIsNotWhatItDoesSinceItIsBack() {
        ProcessReading reading = new ProcessReading();
        reading.take(0, 1, change(0, 1, new Change.Made(1, 0, 0)), "@");
        reading.take(1, 1, change(0, 2, new Change.Left(new ProcessPlace(1, 1))), "@");
        assertThat(numbers(reading.left("app", id -> false).getFirst())).as("on its way").containsExactly(1L, 2L);
        reading.take(2, 1, change(7, 8, message(json("1"))), "@");
        assertThat(numbers(reading.left("app", id -> false).getFirst())).containsExactly(8L);
        assertThat(reading.left("app", id -> false).getFirst().bases()).containsExactly(0L, 7L);
    }

    /** It would be open for ever, and run again at each next owner. */
    @Test
    void aBeginningThatTheBusDidNotTakeIsNotGivenBehindItsEnd() {
        LateBus late = new LateBus(bus);
        journal.close();
        journal = journal(late, OPTIONS);
        give(0, 1, new Change.Made(1, 0, 0));
        durable(1);
        late.holds = true;
        String e1 = inPartition(Slots.of("p", 2), "e1");
        journal.append(new Entry("app", e1, Slots.of("p", 2), epoch, 0, accepted("app", e1), Await.NO, "p", null), null);
        await().until(() -> late.held.size() == 1);
        journal.append(new Entry("app", e1, Slots.of("p", 2), epoch, 1, new Backup.Ended(Status.SUCCEEDED), Await.NO, "p", null), null);
        await().until(() -> late.held.size() == 2);
        late.holds = false;
        late.held.poll().listener().onFailed(new BusException(BusException.Kind.FULL, "no room", null));
        late.held.poll().append(bus);
        give(0, 2, message(json("1")));
        durable(2);
        restart();
        Left left = left();
        assertThat(left.executions()).isEmpty();
        assertThat(numbers(left.processes().getFirst())).containsExactly(1L, 2L);
    }

    /** It would be there again. */
    @Test
    void ofAKilledProcessNothingIsFoundThoughTheEndOfAnEarlierImageIsMissing() {
        give(0, 1, new Change.Made(1, 0, 0));
        give(0, 2, message(json("1")));
        give(2, 3, new Change.Killed(null));
        durable(3);
        end(2, 3);
        restart();
        RecoverProcess process = left().processes().getFirst();
        assertThat(numbers(process)).isEmpty();
        assertThat(process.bases()).as("to be ended").containsExactly(0L);
    }

    /** Its image was deleted before the next one was made, which may have one by now. */
    @Test
    void aKilledOneWhoseEndWasLostIsKnownToBeFollowedByTheNextOfItsName() {
        give(0, 1, new Change.Made(1, 0, 0));
        give(0, 2, new Change.Killed(null));
        ProcessChange next = new ProcessChange("p", 6, 0, 1, new Change.Made(1, 0, 0));
        give(next, next.journalId(), 1, new Backup.Changed());
        durable(3);
        restart();
        assertThat(left().processes()).extracting(RecoverProcess::createdMs, RecoverProcess::followed)
                .containsExactly(tuple(5L, true), tuple(6L, false));
        journal.append(new Entry("app", next.journalId(), Slots.of("p", 2), epoch, 2, new Backup.Ended(Status.SUCCEEDED), Await.NO, "p",
                null), null);
        restart();
        assertThat(left().processes()).as("an image has all of the next one").extracting(RecoverProcess::createdMs, RecoverProcess::followed)
                .containsExactly(tuple(5L, true));
    }

    /** Nobody was told of it, and the next of its name was made in its place. */
    @Test
    void ofOneWithoutABeginningThatIsFollowedNothingCounts() {
        String e1 = inPartition(Slots.of("p", 2), "e1");
        give(change(0, 2, new Change.Done(List.of(), List.of(), List.of())), e1, 1, succeeded("g", json("3")));
        ProcessChange next = new ProcessChange("p", 6, 0, 1, new Change.Made(1, 0, 0));
        give(next, next.journalId(), 1, new Backup.Changed());
        durable(2);
        restart();
        RecoverProcess process = left().processes().getFirst();
        assertThat(process.followed()).isTrue();
        assertThat(numbers(process)).isEmpty();
        assertThat(process.bases()).as("to be ended").containsExactly(0L);
    }

    @Test
    void soAreThoseOfOneWhoseBeginningTheBusRefused() {
        Change.Outgoing send = new Change.Outgoing("e1/g", 0, "p", "q", "k", json("4"));
        String e1 = inPartition(Slots.of("p", 2), "e1");
        give(0, 1, new Change.Made(1, 0, 0));
        give(change(0, 2, new Change.Done(List.of(), List.of(), List.of(send))), e1, 1, succeeded("g", json("3")));
        durable(2);
        restart();
        assertThat(left().processes().getFirst().unsent().get(e1)).usingRecursiveFieldByFieldElementComparator().containsExactly(send);
        append("app", e1, 2, new Backup.Ended(Status.SUCCEEDED));
        restart();
        assertThat(left().processes().getFirst().unsent()).isEmpty();
    }
}
