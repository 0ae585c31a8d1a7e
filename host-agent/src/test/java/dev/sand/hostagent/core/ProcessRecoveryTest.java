package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static dev.sand.hostagent.core.CoreFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessMessage;
import dev.sand.event.ProcessPlace;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessChange;
import dev.sand.hostagent.process.ProcessImage;
import dev.sand.hostagent.process.StateWrite;
import dev.sand.workflow.Execution.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What of cloud processes is in the journal when, and what a new owner makes of it. */
class ProcessRecoveryTest extends ProcessFixture {
    private static final ProcessSpec SPEC = new ProcessSpec(4, 1_000, 10_000, 64L << 20, 256L << 20, 1_000, 600_000, Map.of(
            "sum", new ProcessSpec.Function(ProcessSpec.Trigger.MULTI_SOURCE, 2, 0, false),
            "atomic", new ProcessSpec.Function(ProcessSpec.Trigger.STANDARD, 1, 0, true)));

    ProcessRecoveryTest() {
        super(shop());
    }

    private static CoreFixture shop() {
        return new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST)).with(grain("sum", 10, 100, Isolation.REQUEST))
                .with(grain("atomic", 10, 100, Isolation.REQUEST)).warm();
    }

    private static boolean responds(List<Action> actions) {
        return actions.stream().anyMatch(Action.Respond.class::isInstance);
    }

    /** The bus takes what it was given. */
    private List<Action> take(Action.Journal record) {
        return on(new Input.ChangeJournaled(record.carried(), null));
    }

    private List<Action.Journal> changes() {
        return journal.stream().filter(record -> record.carried() != null).toList();
    }

    /** Another host, or this one begun anew, has what the journal has. */
    private void restart() {
        Map<String, List<ProcessChange>> byProcess = new java.util.LinkedHashMap<>();
        changes().forEach(record -> byProcess.computeIfAbsent(record.carried().change().process(), added -> new ArrayList<>())
                .add(record.carried().change()));
        shop = shop();
        byProcess.forEach((process, changes) -> on(new Input.RecoverProcess(APP.application(), process, changes.getFirst().createdMs(),
                changes, List.of(0L), Map.of())));
        journal.clear();
    }

    @Test
    void whatAFunctionWroteIsSeenAndAnsweredOnceItIsDurable() {
        Running writes = running("p");
        shop.takesChanges = false;
        assertThat(responds(finish(writes, write("a", "1")))).isFalse();
        Action.Journal record = changes().getLast();
        assertThat(record.backup()).isInstanceOf(Backup.Finished.class);
        assertThat(record.carried().change().change()).isInstanceOfSatisfying(Change.Done.class, done ->
                assertThat(done.writes()).extracting(StateWrite::key).containsExactly("a"));
        Running reads = running("p");
        assertThat(state(reads, "a")).isNull();
        assertThat(responds(take(record))).isTrue();
        assertThat(state(reads, "a")).isEqualTo("1");
    }

    @Test
    void changesTakeEffectInTheirOrderWhateverTheBusTellsFirst() {
        Running first = running("p");
        Running second = running("p");
        shop.takesChanges = false;
        finish(first, write("a", "1"));
        finish(second, write("a", "2"));
        assertThat(responds(take(changes().get(2)))).isFalse();
        assertThat(take(changes().get(1)).stream().filter(Action.Respond.class::isInstance)).hasSize(2);
        assertThat(state(running("p"), "a")).isEqualTo("2");
    }

    @Test
    void aFunctionThatDoesNothingToItsProcessWaitsForNothing() {
        Running reads = running("p");
        shop.takesChanges = false;
        assertThat(responds(finish(reads))).isTrue();
    }

    @Test
    void aMessageIsThereAtOnceAndItsSendersEndWaitsForTheJournal() {
        Running reader = running("q");
        Running sender = running("p");
        shop.takesChanges = false;
        ask(sender, send(0, "q", "1"));
        assertThat(told.getLast()).isEqualTo(new Answer.Done());
        assertThat(received(reader)).isEqualTo("1");
        assertThat(responds(finish(sender))).isFalse();
        assertThat(responds(take(changes().getLast()))).isTrue();
    }

    @Test
    void aNewOwnerHasStateAndUnreadMessagesAndKnowsWhatItTook() {
        Running sender = running("p");
        running("q");
        call(sender, send(0, "q", "1"));
        call(sender, send(1, "q", "2"));
        finish(sender, write("a", "7"));
        Running reader = running("q");
        assertThat(received(reader)).isEqualTo("1");
        finish(reader);
        String eventId = sender.eventId();
        restart();
        assertThat(state(running("p"), "a")).isEqualTo("7");
        Running again = running("q");
        assertThat(received(again)).as("the first was read for good").isEqualTo("2");
        assertThat(received(again)).isNull();
        assertThat(eventId).isNotNull();
    }

    @Test
    void whatAFunctionReceivedThatDidNotEndIsThereAgain() {
        running("q");
        Running sender = running("p");
        call(sender, send(0, "q", "1"));
        assertThat(received(running("q"))).isEqualTo("1");
        finish(sender);
        restart();
        assertThat(received(running("q"))).isEqualTo("1");
    }

    @Test
    void messagesThatMadeAnInvocationAreGoneWithItsRequest() {
        running("q");
        call(running("p"), new ProcessCall.Send(0, "q", "invoke:g:x", json("5"), 0));
        Action.Journal fired = changes().getLast();
        assertThat(fired.backup()).isInstanceOfSatisfying(Backup.Accepted.class, accepted ->
                assertThat(text(accepted.request().input())).isEqualTo("5"));
        assertThat(fired.carried().change().change()).isInstanceOf(Change.Fired.class);
        restart();
        assertThat(changes()).as("it is not made again").isEmpty();
    }

    /** A request that is refused is not run, and its messages are gone. */
    @Test
    void theRequestThatMessagesMadeIsInOneRecordWithThemOfAStrictApplicationToo() {
        shop = new CoreFixture().strict().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST));
        command("q", Kind.CREATE);
        on(new Input.ApplicationLoaded(APP, shop.version(), null));
        shop.takesChanges = false;
        bring("invoke:g:x", "5");
        Action.Journal fired = changes().getLast();
        assertThat(fired.carried().change().change()).isInstanceOf(Change.Fired.class);
        assertThat(recordsOf(fired.executionId())).isEqualTo(1);
        RunningExecution made = shop.core().context().executions.get(fired.executionId());
        assertThat(made.isRunning()).as("global bus first").isFalse();
        changes().stream().filter(record -> record.carried().change().number() > 1).forEach(this::take);
        assertThat(made.isRunning()).isTrue();
        assertThat(recordsOf(fired.executionId())).isEqualTo(1);
    }

    @Test
    void whoStopsThatRequestIsToldOnceItsRecordIsStored() {
        shop = new CoreFixture().strict().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST));
        command("q", Kind.CREATE);
        on(new Input.ApplicationLoaded(APP, shop.version(), null));
        shop.takesChanges = false;
        bring("invoke:g:x", "5");
        String id = changes().getLast().executionId();
        on(new Input.Cancel(id, null, "nobody wants it", listener(new ArrayList<>())));
        assertThat(shop.of(Action.AnswerCancel.class)).as("its messages make it again where it has no end").isEmpty();
        on(new Input.Recorded(id, null));
        assertThat(shop.only(Action.AnswerCancel.class).byThis()).isTrue();
    }

    private long recordsOf(String executionId) {
        return journal.stream().filter(record -> record.executionId().equals(executionId)).count();
    }

    /** To q, by another host. */
    private void bring(String key, String body) {
        on(new Input.Deliver(new ProcessMessage(APP.application(), APP.version(), "far/e", 0, "far", "q", key, json(body), 0), failure -> { }));
    }

    @Test
    void messagesThatMadeNoInvocationYetMakeItAtTheNewOwner() {
        running("q");
        call(running("p"), new ProcessCall.Send(0, "q", "invoke:sum:x", json("5"), 0));
        restart();
        assertThat(shop.all.stream().filter(Action.Join.class::isInstance)).isEmpty();
        call(running("p"), new ProcessCall.Send(0, "q", "invoke:sum:x", json("6"), 0));
        Action.Join join = shop.only(Action.Join.class);
        assertThat(join.values()).extracting(CoreFixture::text).containsExactly("5", "6");
    }

    @Test
    void atomicSendsAreInTheRecordOfTheEndAndAreMadeAgainUntilTheyAreDurable() {
        running("q");
        Running atomic = running("p", "atomic");
        call(atomic, send(0, "q", "1"));
        shop.takesChanges = false;
        finish(atomic);
        Action.Journal ended = changes().getLast();
        Change.Done done = (Change.Done) ended.carried().change().change();
        assertThat(done.sends()).extracting(Change.Outgoing::destination).containsExactly("q");
        List<ProcessChange> p = changes().stream().map(record -> record.carried().change()).filter(c -> c.process().equals("p")).toList();
        List<ProcessChange> q = changes().stream().map(record -> record.carried().change()).filter(c -> c.process().equals("q")).toList();
        shop = shop();
        String execution = ended.executionId();
        on(new Input.RecoverProcess(APP.application(), "q", q.getFirst().createdMs(), q, List.of(0L), Map.of()));
        on(new Input.RecoverProcess(APP.application(), "p", p.getFirst().createdMs(), p, List.of(0L), Map.of(execution, done.sends())));
        assertThat(received(running("q"))).isEqualTo("1");
        Signal finished = ((Backup.Finished) ended.backup()).signal();
        InvocationRequest request = new InvocationRequest(execution, APP.application(), APP.version(), "atomic", json("1"), 10_000, false,
                null).inProcess("p");
        assertThat(on(new Input.Recover(request, List.of(finished)))).as("it is not run again").noneMatch(Action.HandOver.class::isInstance);
    }

    /** As that owner of its slot does who comes next. */
    @Test
    void whoBringsAMessageOfAnEndAgainHearsOfItOnceItIsDurable() {
        running("q");
        Running atomic = running("p", "atomic");
        call(atomic, send(0, "q", "1"));
        shop.takesChanges = false;
        finish(atomic);
        take(changes().getLast());
        Action.Journal arrived = changes().getLast();
        assertThat(arrived.carried().change().change()).isInstanceOf(Change.Arrived.class);
        List<Action> brought = on(new Input.Deliver(new ProcessMessage(APP.application(), APP.version(), atomic.eventId(), 0, "p", "q", "k",
                json("1"), 0), failure -> { }));
        assertThat(brought).noneMatch(Action.AnswerDelivery.class::isInstance);
        assertThat(take(arrived)).filteredOn(Action.AnswerDelivery.class::isInstance).singleElement()
                .satisfies(answer -> assertThat(((Action.AnswerDelivery) answer).failure()).isNull());
    }

    @Test
    void sendsOfAnEndThatDoesNotCountAreNotMade() {
        running("q");
        Running atomic = running("p", "atomic");
        call(atomic, send(0, "q", "1"));
        shop.takesChanges = false;
        finish(atomic);
        ProcessChange q = changes().getFirst().carried().change();
        Action.Journal ended = changes().getLast();
        shop = shop();
        on(new Input.RecoverProcess(APP.application(), "q", q.createdMs(), List.of(q), List.of(0L), Map.of()));
        on(new Input.RecoverProcess(APP.application(), "p", ended.carried().change().createdMs(), List.of(ended.carried().change()),
                List.of(0L), Map.of(ended.executionId(), ((Change.Done) ended.carried().change().change()).sends())));
        assertThat(received(running("q"))).as("that its sender was made is not in the journal").isNull();
    }

    @Test
    void whatAFunctionInvokedBeforeItWasLostIsNotInvokedAgainWhenItHasEnded() {
        running("q");
        Running caller = running("p");
        ask(caller, new ProcessCall.Invoke(0, "q", "g", json("2")));
        String invoked = shop.of(Action.Journal.class).getLast().executionId();
        String execution = caller.eventId().substring(0, caller.eventId().indexOf('/'));
        restart();
        shop.results.put(invoked, new InvocationResult(invoked, Status.SUCCEEDED, json("5"), null, List.of()));
        on(new Input.Recover(new InvocationRequest(execution, APP.application(), APP.version(), "g", json("1"), 10_000, false, null)
                .inProcess("p"), List.of()));
        on(new Input.Journaled(execution, 1, null));
        shop.settle();
        Running again = shop.running(execution);
        assertThat(call(again, new ProcessCall.Invoke(0, "q", "g", json("2")))).isEqualTo(new Answer.Invoked(invoked));
        assertThat(shop.all).noneMatch(action -> action instanceof Action.Journal record && record.executionId().equals(invoked));
        assertThat(call(again, new ProcessCall.Result(invoked, 0))).isInstanceOfSatisfying(Answer.Outcome.class, outcome ->
                assertThat(text(outcome.output())).isEqualTo("5"));
        ask(again, new ProcessCall.Invoke(1, "q", "g", json("3")));
        assertThat(shop.of(Action.Journal.class).getLast().backup()).as("it had not come so far").isInstanceOf(Backup.Accepted.class);
        on(new Input.SlotLost(Slots.of("q", SLOTS), CoreFixture.EPOCH));
        assertThat(call(again, new ProcessCall.Invoke(0, "q", "g", json("2")))).as("nor at another host").isEqualTo(new Answer.Invoked(invoked));
    }

    /** @return with the id of what it has invoked in its first attempt, which had ended before when that is known */
    private String invokedBy(InvocationRequest request, String ended) {
        shop = shop();
        journal.clear();
        running("q");
        if (ended != null) {
            shop.results.put(ended, new InvocationResult(ended, Status.SUCCEEDED, json("5"), null, List.of()));
        }
        shop.invoke(request);
        shop.settle();
        ask(shop.running(request.executionId()), new ProcessCall.Invoke(0, "q", "g", json("2")));
        return shop.of(Action.Journal.class).stream().filter(record -> record.backup() instanceof Backup.Accepted)
                .map(Action.Journal::executionId).findFirst().orElse(null);
    }

    @Test
    void norByARequestThatIsGivenAgainSinceItsHostDiedBeforeTheBusHadIt() {
        String id = Slots.placed(Ids.encode(1_000, 77, 0), Slots.of("p", SLOTS), SLOTS);
        InvocationRequest request = new InvocationRequest(id, APP.application(), APP.version(), "g", json("1"), 10_000, false, null)
                .inProcess("p");
        String invoked = invokedBy(request, null);
        assertThat(invoked).isNotNull();
        assertThat(invokedBy(request, invoked)).isNull();
        assertThat(told.getLast()).isEqualTo(new Answer.Invoked(invoked));
    }

    /** Under the id that it has there: where it lives, this host has not heard since it began. */
    @Test
    void norInAProcessThatLivesInAnotherSlotThanItsOwn() {
        String id = Slots.placed(Ids.encode(1_000, 77, 0), Slots.of("p", SLOTS), SLOTS);
        InvocationRequest request = new InvocationRequest(id, APP.application(), APP.version(), "g", json("1"), 10_000, false, null)
                .inProcess("p");
        Action.InvokeElsewhere first = invokedElsewhere(request, null);
        String invoked = first.request().executionId();
        assertThat(Slots.of(invoked, SLOTS)).isEqualTo(otherThanOf("q"));
        assertThat(invokedElsewhere(request, invoked)).isNull();
        assertThat(told.getLast()).isEqualTo(new Answer.Invoked(invoked));
    }

    private static int otherThanOf(String process) {
        return (Slots.of(process, SLOTS) + 1) % SLOTS;
    }

    /** q is another host's, in another slot. @return null: it is not invoked */
    private Action.InvokeElsewhere invokedElsewhere(InvocationRequest request, String ended) {
        shop = shop();
        on(new Input.SlotLost(Slots.of("q", SLOTS), CoreFixture.EPOCH));
        on(new Input.SlotLost(otherThanOf("q"), CoreFixture.EPOCH));
        if (ended != null) {
            shop.results.put(ended, new InvocationResult(ended, Status.SUCCEEDED, json("5"), null, List.of()));
        }
        shop.invoke(request);
        shop.settle();
        ask(shop.running(request.executionId()), new ProcessCall.Invoke(0, "q", "g", json("2")));
        Action.FindElsewhere find = shop.only(Action.FindElsewhere.class);
        ProcessView lives = new ProcessView(APP.application(), "q", "swapped", "there", 1, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
                .living(otherThanOf("q"));
        on(new Input.FromElsewhere(() -> find.then().accept(lives, null)));
        for (Action.FindElsewhere again : shop.of(Action.FindElsewhere.class)) {
            if (again != find) {
                on(new Input.FromElsewhere(() -> again.then().accept(lives, null)));
            }
        }
        return shop.all.stream().filter(Action.InvokeElsewhere.class::isInstance).map(Action.InvokeElsewhere.class::cast).findFirst().orElse(null);
    }

    /** Nobody asks for it: five minutes behind the first change that no image has. */
    @Test
    void anImageIsWrittenFromTimeToTimeAndWithTheJournalBehindItANewOwnerHasAll() {
        finish(running("p"), write("a", "1"));
        shop.after(299_000);
        assertThat(shop.images).isEmpty();
        journal.clear();
        journal.addAll(shop.after(1_100).stream().filter(Action.Journal.class::isInstance).map(Action.Journal.class::cast).toList());
        assertThat(shop.images.get("p").state()).containsOnlyKeys("a");
        assertThat(journal).as("the journal lets go of what it has").singleElement()
                .satisfies(ended -> assertThat(ended.backup()).isInstanceOf(Backup.Ended.class));
        assertThat(isHere("p")).isTrue();
        Map<String, ProcessImage> images = shop.images;
        on(new Input.Deliver(new ProcessMessage(APP.application(), APP.version(), "far/e", 0, "far", "p", "k", json("8"), 0), failure -> { }));
        List<ProcessChange> behind = changes().stream().map(record -> record.carried().change()).toList();
        assertThat(behind).hasSize(1);
        shop = shop();
        shop.images.putAll(images);
        on(new Input.RecoverProcess(APP.application(), "p", behind.getFirst().createdMs(), behind, List.of(behind.getFirst().base()), Map.of()));
        Running reads = running("p");
        assertThat(state(reads, "a")).isEqualTo("1");
        assertThat(received(reads)).isEqualTo("8");
    }

    @Test
    void aKilledProcessIsNoneForItsNewOwner() {
        finish(running("p"), write("a", "1"));
        command("p", Kind.KILL);
        assertThat(changes().getLast().carried().change().change()).isInstanceOf(Change.Killed.class);
        assertThat(journal.getLast().backup()).as("its changes may go").isInstanceOf(Backup.Ended.class);
        restart();
        assertThat(journal).isEmpty();
        assertThat(state(running("p"), "a")).isNull();
    }

    /** Found by the simulator: seed 8572 of the processes'. */
    @Test
    void whatIsLeftOfChangesThatWereVoidIsEndedAndNothingComesOfIt() {
        List<Action> seen = on(new Input.RecoverProcess(APP.application(), "p", 5, List.of(), List.of(8L, 9L), Map.of()));
        assertThat(seen.stream().filter(Action.Journal.class::isInstance).map(action -> ((Action.Journal) action).executionId()))
                .containsExactly("@p@5.8", "@p@5.9");
        assertThat(shop.core().context().processes.table().isKnown(APP.application(), "p")).isFalse();
    }

    @Test
    void aHostTellsItsStatusWhileTheApplicationOfAProcessIsBeingLoaded() {
        finish(running("p"), write("a", "1"));
        List<ProcessChange> changes = changes().stream().map(record -> record.carried().change()).toList();
        shop = new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST));
        on(new Input.RecoverProcess(APP.application(), "p", changes.getFirst().createdMs(), changes, List.of(0L), Map.of()));
        assertThat(shop.of(Action.LoadApplication.class)).hasSize(1);
        assertThat(shop.core().status(shop.nowNs)).hasSize(1);
        on(new Input.ApplicationLoaded(APP, shop.version(), null));
        assertThat(shop.core().status(shop.nowNs)).hasSize(1);
        assertThat(shop.core().context().processes.table().here(APP.application(), "p")).isNotNull();
    }

    /** Its function has ended, and whoever waited for that was told; what it sends waits for room. @return the record of its end */
    private Action.Journal endedWithASendThatWaits() {
        shop = new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST)).with(grain("atomic", 10, 100, Isolation.REQUEST))
                .warm();
        running("q");
        Running atomic = running("p", "atomic");
        on(new Input.SlotLost(Slots.of("q", SLOTS), CoreFixture.EPOCH));
        ask(atomic, send(0, "q", "1"));
        Action.FindElsewhere find = shop.only(Action.FindElsewhere.class);
        on(new Input.FromElsewhere(() -> find.then().accept(null, null)));
        finish(atomic);
        return changes().getLast();
    }

    private boolean letsGoOf(String process) {
        return journal.stream().anyMatch(record -> record.backup() instanceof Backup.Ended && record.executionId().startsWith("@" + process + "@"));
    }

    @Test
    void aKilledProcessLeavesTheJournalOnceWhatItsFunctionsSentIsGiven() {
        endedWithASendThatWaits();
        Action.SendElsewhere send = shop.only(Action.SendElsewhere.class);
        assertThat(command("p", Kind.KILL)).isNotNull();
        assertThat(letsGoOf("p")).as("the journal alone has the message").isFalse();
        on(new Input.FromElsewhere(() -> send.then().accept(null)));
        shop.after(3_000).stream().filter(Action.Journal.class::isInstance).map(Action.Journal.class::cast).forEach(journal::add);
        assertThat(letsGoOf("p")).isTrue();
    }

    @Test
    void andANewOwnerGivesIt() {
        Action.Journal ended = endedWithASendThatWaits();
        List<Change.Outgoing> sends = ((Change.Done) ended.carried().change().change()).sends();
        command("p", Kind.KILL);
        List<ProcessChange> p = changes().stream().map(record -> record.carried().change()).filter(c -> c.process().equals("p")).toList();
        shop = shop();
        journal.clear();
        running("q");
        on(new Input.RecoverProcess(APP.application(), "p", p.getFirst().createdMs(), p, List.of(0L), Map.of(ended.executionId(), sends)));
        shop.after(3_000).stream().filter(Action.Journal.class::isInstance).map(Action.Journal.class::cast).forEach(journal::add);
        assertThat(received(running("q"))).isEqualTo("1");
        assertThat(letsGoOf("p")).isTrue();
    }

    @Test
    void whatItSentToItselfHoldsItsEndUpForNothing() {
        running("p");
        Running atomic = running("p", "atomic");
        call(atomic, send(0, "p", "1"));
        shop.takesChanges = false;
        finish(atomic);
        Action.Journal ended = changes().getLast();
        assertThat(command("p", Kind.KILL)).isNull();
        shop.takesChanges = true;
        take(ended);
        take(changes().getLast());
        shop.after(3_000).stream().filter(Action.Journal.class::isInstance).map(Action.Journal.class::cast).forEach(journal::add);
        assertThat(letsGoOf("p")).isTrue();
        assertThat(shop.core().context().processes.table().isKnown(APP.application(), "p")).isFalse();
    }

    @Test
    void anExecutionThatHadEndedEndsSoThoughItsDeadlineComesBeforeItsProcess() {
        String id = Slots.placed(Ids.encode(1_000, 78, 0), Slots.of("p", SLOTS), SLOTS);
        InvocationRequest request = new InvocationRequest(id, APP.application(), APP.version(), "g", json("1"), 10_000, false, null)
                .inProcess("p");
        List<ProcessChange> changes = List.of(new ProcessChange("p", 5, 0, 1, new Change.Made(1, 0, 0)),
                new ProcessChange("p", 5, 0, 2, new Change.Done(List.of(write("a", "1")), List.of(), List.of())));
        shop = new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST));
        on(new Input.RecoverProcess(APP.application(), "p", 5, changes, List.of(0L), Map.of()));
        on(new Input.Recover(request, List.of(new Signal.TaskSucceeded("g", json("7"), List.of(), 4)), 2, Map.of(), 9_900, List.of(1L),
                new Input.Changed(5, 0, 2, 1)));
        shop.after(200);
        on(new Input.ApplicationLoaded(APP, shop.version(), null));
        assertThat(shop.of(Action.Record.class)).singleElement()
                .satisfies(record -> assertThat(record.record().status()).isEqualTo(Status.SUCCEEDED));
    }

    /** Each was compared with each: of so many for minutes, in which the shard did nothing else. */
    @Test
    @Timeout(60)
    void aJournalOfVeryManySmallChangesIsReadAtOnce() {
        int messages = 60_000;
        List<ProcessChange> changes = new ArrayList<>(List.of(new ProcessChange("p", 5, 0, 1, new Change.Made(1, 0, 0))));
        for (int i = 1; i <= messages; i++) {
            changes.add(new ProcessChange("p", 5, 0, 2L * i, new Change.Arrived("e1/g", i, "p", "k", json("1"))));
            changes.add(new ProcessChange("p", 5, 0, 2L * i + 1, new Change.Done(List.of(), List.of(2L * i), List.of())));
        }
        on(new Input.RecoverProcess(APP.application(), "p", 5, changes, List.of(0L), Map.of()));
        shop.settle();
        assertThat(shop.core().context().processes.table().here(APP.application(), "p").process().number()).isEqualTo(2L * messages + 1);
    }

    /** Its earlier owner may have died while it wrote one, which is there by then. */
    @Test
    void withOneThatIsKilledGoesAnImageThatNobodyHasSeen() {
        List<ProcessChange> alive = List.of(new ProcessChange("p", 5, 0, 1, new Change.Made(1, 0, 0)));
        on(new Input.RecoverProcess(APP.application(), "p", 5, alive, List.of(0L), Map.of()));
        shop.settle();
        command("p", Kind.KILL);
        assertThat(shop.of(Action.DeleteImage.class)).singleElement().satisfies(delete -> assertThat(delete.process()).isEqualTo("p"));
    }

    @Test
    void aKilledOneThatIsFollowedTakesNothingFromTheNextOfItsName() {
        List<ProcessChange> dead = List.of(new ProcessChange("p", 5, 0, 1, new Change.Made(1, 0, 0)),
                new ProcessChange("p", 5, 0, 2, new Change.Killed(null)));
        ProcessChange next = new ProcessChange("p", 6, 3, 4, new Change.Done(List.of(write("a", "1")), List.of(), List.of()));
        List<Action> seen = on(new Input.RecoverProcess(APP.application(), "p", 5, dead, List.of(0L), Map.of(), Slots.of("p", SLOTS), true));
        assertThat(seen).noneMatch(Action.DeleteImage.class::isInstance).anySatisfy(action -> assertThat(action)
                .isInstanceOfSatisfying(Action.Journal.class, mark -> assertThat(mark.executionId()).isEqualTo("@p@5.0")));
        on(new Input.RecoverProcess(APP.application(), "p", 6, List.of(next), List.of(3L), Map.of()));
        assertThat(shop.of(Action.DeleteImage.class)).isEmpty();
        assertThat(shop.of(Action.RestoreProcess.class)).singleElement().satisfies(restore -> assertThat(restore.process()).isEqualTo("p"));
    }

    @Test
    void whatMessagesMadeHasNotEndedBeforeItsRequestIsDurable() {
        running("q");
        Running sender = running("p");
        shop.takesChanges = false;
        call(sender, new ProcessCall.Send(0, "q", "invoke:g:x", json("5"), 0));
        Action.Journal fired = changes().getLast();
        Action.Journal arrived = changes().get(changes().size() - 2);
        shop.settle();
        List<Action> ended = finish(shop.running(fired.executionId()));
        assertThat(ended).as("another owner would make another one").noneMatch(Action.Record.class::isInstance);
        take(arrived);
        assertThat(take(fired)).anyMatch(Action.Record.class::isInstance);
    }

    /** An earlier one of its name is on its way from here still. */
    @Test
    void anEndIsNotMarkedBeforeWhatItSentIsGivenThoughItsProcessIsLookedAtLater() {
        String id = Slots.placed(Ids.encode(1_000, 79, 0), Slots.of("p", SLOTS), SLOTS);
        Change.Outgoing message = new Change.Outgoing(id + "/g", 0, "p", "q", "k", json("1"));
        shop = new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST));
        shop.movesImages = false;
        on(new Input.RecoverProcess(APP.application(), "p", 5, List.of(new ProcessChange("p", 5, 4, 5, new Change.Left(new ProcessPlace(1, 1)))),
                List.of(4L), Map.of()));
        Action.MoveImage move = shop.only(Action.MoveImage.class);
        on(new Input.RecoverProcess(APP.application(), "p", 6, List.of(new ProcessChange("p", 6, 0, 1, new Change.Made(1, 0, 0)),
                new ProcessChange("p", 6, 0, 2, new Change.Done(List.of(), List.of(), List.of(message)))), List.of(0L),
                Map.of(id, List.of(message))));
        List<Action> seen = on(new Input.AlreadyEnded(id, () -> { }));
        assertThat(seen).noneMatch(Action.MarkEnded.class::isInstance);
        assertThat(move.to().slot()).isEqualTo(1);
    }
}
