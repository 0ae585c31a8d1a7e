package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static dev.sand.hostagent.core.CoreFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.GrainSpec;
import dev.sand.event.Payload;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.process.Attempt;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessChange;
import dev.sand.hostagent.process.StateWrite;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Processes that leave a host's memory and come back: all of them, once, and never when they are needed. */
class SwappingTest extends ProcessFixture {
    private static final ProcessSpec SPEC = new ProcessSpec(4, 50, 10_000, 64L << 20, 256L << 20, 1_000, 5_000, Map.of(
            "late", new ProcessSpec.Function(ProcessSpec.Trigger.MULTI_SOURCE, 2, 100_000, false),
            "atomic", new ProcessSpec.Function(ProcessSpec.Trigger.STANDARD, 1, 0, true)));

    SwappingTest() {
        super(new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST)).with(grain("late", 10, 100, Isolation.REQUEST))
                .with(grain("atomic", 10, 100, Isolation.REQUEST)).with(slow()).warm());
    }

    private static GrainSpec slow() {
        return new GrainSpec("slow", "handler:handle", Isolation.REQUEST, GrainSpec.Preload.AUTO, 90_000, 10, 0, 100, 1 << 20, 1, 4, 0,
                Map.of(), List.of());
    }

    private void stateAndMessage() {
        Running writes = running("p");
        call(writes, new ProcessCall.Send(0, "p", "k", json("7"), 0));
        finish(writes, new StateWrite("a", json("1")));
    }

    @Test
    void aProcessThatIsIdleForLongLeavesAndComesBackWithAllThatItHad() {
        stateAndMessage();
        shop.after(SPEC.idleMs() + SPEC.swapAfterMs() + 10);
        assertThat(isHere("p")).isFalse();
        assertThat(shop.images.get("p").state()).containsOnlyKeys("a");
        assertThat(command("p", Kind.SWAP_IN)).isInstanceOf(ProcessView.class);
        ProcessHome back = shop.core().context().processes.table().here(APP.application(), "p");
        assertThat(text(back.process().get(new Attempt("e", 1), "a"))).isEqualTo("1");
        assertThat(text(back.process().receive(new Attempt("e", 1), "p", "k").payload())).isEqualTo("7");
    }

    @Test
    void whatTheJournalHasOfItMayGoOnceItsImageIsWritten() {
        stateAndMessage();
        List<Action> swap = on(new Input.Command(new ProcessCommand(APP.application(), APP.version(), "p", Kind.CHECKPOINT),
                listener(new ArrayList<>())));
        List<Action.Journal> ended = swap.stream().filter(Action.Journal.class::isInstance).map(Action.Journal.class::cast).toList();
        assertThat(ended).hasSize(1);
        assertThat(ended.getFirst().backup()).isInstanceOf(Backup.Ended.class);
        assertThat(ended.getFirst().executionId()).startsWith("@p@").endsWith(".0");
        Running again = running("p");
        shop.takesChanges = false;
        finish(again, new StateWrite("a", json("2")));
        Action.Journal next = shop.of(Action.Journal.class).getLast();
        assertThat(next.carried().change().base()).isEqualTo(shop.images.get("p").number());
        assertThat(next.carried().change().number()).isEqualTo(shop.images.get("p").number() + 1);
    }

    @Test
    void whatBecomesDueByItselfStaysInTheJournalForAnotherOwner() {
        stateAndMessage();
        call(running("q"), new ProcessCall.Send(0, "p", "invoke:late:x", json("1"), 0));
        Input.Command checkpoint = new Input.Command(new ProcessCommand(APP.application(), APP.version(), "p", Kind.CHECKPOINT),
                listener(new ArrayList<>()));
        assertThat(on(checkpoint)).filteredOn(Action.WriteImage.class::isInstance).hasSize(1);
        assertThat(journal).noneMatch(record -> record.executionId().startsWith("@p@") && record.backup() instanceof Backup.Ended);
        shop.after(100_001);
        deliver();
        assertThat(joins).as("its time-out has passed").hasSize(1);
        on(new Input.Joined(joins.getFirst(), json("[1]")));
        assertThat(on(checkpoint)).filteredOn(Action.Journal.class::isInstance).extracting(action -> ((Action.Journal) action).executionId())
                .as("of both images").filteredOn(id -> id.startsWith("@p@")).isNotEmpty();
    }

    @Test
    void aTimeOutGoesOnAtTheNextOwnerFromWhenTheMessageCame() {
        stateAndMessage();
        call(running("q"), new ProcessCall.Send(0, "p", "invoke:late:x", json("1"), 0));
        shop.after(60_000);
        command("p", Kind.CHECKPOINT);
        long number = shop.images.get("p").number();
        long createdMs = shop.images.get("p").about().createdMs();
        long cameNs = shop.images.get("p").messages().getLast().atNs();
        CoreFixture other = new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST)).with(grain("late", 10, 100, Isolation.REQUEST));
        other.nowNs = shop.nowNs;
        other.warm();
        other.images.putAll(shop.images);
        ProcessChange known = new ProcessChange("p", createdMs, 0, number, new Change.Fired(List.of()));
        other.on(new Input.RecoverProcess(APP.application(), "p", createdMs, List.of(known), List.of(0L), Map.of()));
        other.after((cameNs - other.nowNs) / CoreFixture.MS + 100_000 - 10);
        assertThat(other.all).noneMatch(Action.Join.class::isInstance);
        other.after(20);
        assertThat(other.all).as("100 s after it came, not after it was brought here").anyMatch(Action.Join.class::isInstance);
    }

    @Test
    void functionsThatRunEndFirstAndOthersWaitUntilItIsBack() {
        Running runs = running("p");
        assertThat(command("p", Kind.SWAP_OUT)).as("not yet").isNull();
        String waits = invoke("p");
        assertThat(shop.running(waits)).isNull();
        finish(runs, new StateWrite("a", json("1")));
        shop.settle();
        assertThat(shop.images).containsKey("p");
        assertThat(state(shop.running(waits), "a")).as("it was brought back for it").isEqualTo("1");
    }

    @Test
    void oneWhoseFunctionsDoNotEndStays() {
        running("p", "slow");
        List<Failure> failures = new ArrayList<>();
        on(new Input.Command(new ProcessCommand(APP.application(), APP.version(), "p", Kind.SWAP_OUT), listener(new ArrayList<>())));
        for (Action action : shop.after(60_001)) {
            if (action instanceof Action.AnswerCommand answer) {
                failures.add(answer.failure());
            }
        }
        assertThat(failures).extracting(Failure::error).containsExactly(Errors.CONFLICT);
        assertThat(((ProcessView) command("p", Kind.DESCRIBE)).status()).isEqualTo("active");
    }

    @Test
    void commandsAreAnsweredByItsState() {
        assertThat(command("p", Kind.SWAP_OUT)).isInstanceOfSatisfying(Failure.class, f -> assertThat(f.error()).isEqualTo(Errors.NOT_FOUND));
        stateAndMessage();
        assertThat(command("p", Kind.SWAP_IN)).isInstanceOfSatisfying(Failure.class, f -> assertThat(f.details()).containsEntry("state", "active"));
        assertThat(command("p", Kind.SWAP_OUT)).isInstanceOfSatisfying(ProcessView.class, view -> {
            assertThat(view.status()).isEqualTo("swapped");
            assertThat(view.swapsOut()).isEqualTo(1);
        });
        assertThat(isHere("p")).isFalse();
        assertThat(((ProcessView) command("p", Kind.DESCRIBE)).status()).isEqualTo("swapped");
        assertThat(isHere("p")).as("telling of it does not bring it").isFalse();
        for (Kind kind : List.of(Kind.SWAP_OUT, Kind.CHECKPOINT)) {
            assertThat(command("p", kind)).isInstanceOfSatisfying(Failure.class, f -> assertThat(f.details()).containsEntry("state", "swapped"));
        }
        assertThat(command("p", Kind.SWAP_IN)).isInstanceOfSatisfying(ProcessView.class, view -> assertThat(view.swapsIn()).isEqualTo(1));
        command("p", Kind.SWAP_OUT);
        assertThat(command("p", Kind.CREATE)).as("it is restored").isInstanceOfSatisfying(ProcessView.class,
                view -> assertThat(view.stateKeys()).isEqualTo(1));
        assertThat(command("p", Kind.CREATE)).isInstanceOf(Failure.class);
    }

    @Test
    void whoeverWaitsForOneThatComesBackIsCounted() {
        stateAndMessage();
        command("p", Kind.SWAP_OUT);
        shop.restores = false;
        command("p", Kind.SWAP_IN);
        Action.RestoreProcess restore = shop.only(Action.RestoreProcess.class);
        List<List<Object>> looks = new ArrayList<>();
        for (int i = 0; i < ProcessTable.MOST_COMMANDS; i++) {
            looks.add(command(new ProcessCommand(APP.application(), APP.version(), "p", i % 2 == 0 ? Kind.DESCRIBE : Kind.CHECKPOINT)));
        }
        assertThat(looks).allMatch(List::isEmpty);
        assertThat(command("p", Kind.DESCRIBE)).isInstanceOfSatisfying(Failure.class, failure -> {
            assertThat(failure.error()).isEqualTo(Errors.OVERLOADED);
            assertThat(failure.cause()).contains("limit of 1000");
            assertThat(failure.retryable()).isTrue();
        });
        on(shop.restored(restore));
        assertThat(looks).allSatisfy(look -> assertThat(look).singleElement().isInstanceOf(ProcessView.class));
        assertThat(command("p", Kind.DESCRIBE)).as("and there is room again").isInstanceOf(ProcessView.class);
    }

    @Test
    void soIsWhoeverIsToRunInIt() {
        stateAndMessage();
        command("p", Kind.SWAP_OUT);
        shop.restores = false;
        for (int i = 0; i < SPEC.concurrency() + SPEC.queueDepth(); i++) {
            invoke("p");
        }
        Action.RestoreProcess restore = shop.settled.stream().filter(Action.RestoreProcess.class::isInstance)
                .map(Action.RestoreProcess.class::cast).reduce((first, last) -> last).orElseThrow();
        assertThat(refused(Errors.OVERLOADED)).isZero();
        invoke("p");
        assertThat(refused(Errors.OVERLOADED)).isOne();
        on(shop.restored(restore));
        shop.settle();
        ProcessHome back = shop.core().context().processes.table().here(APP.application(), "p");
        assertThat(back.occupants().running()).isEqualTo(SPEC.concurrency());
        assertThat(back.occupants().count()).as("all that had room").isEqualTo(SPEC.concurrency() + SPEC.queueDepth());
    }

    private long refused(String error) {
        return shop.settled.stream().filter(Action.Respond.class::isInstance).map(action -> ((Action.Respond) action).result().failure())
                .filter(failure -> failure != null && failure.error().equals(error)).count();
    }

    @Test
    void aKilledProcessLeavesNoImage() {
        stateAndMessage();
        command("p", Kind.SWAP_OUT);
        assertThat(command("p", Kind.KILL)).isInstanceOf(ProcessView.class);
        assertThat(shop.images).isEmpty();
        assertThat(state(running("p"), "a")).isNull();
    }

    @Test
    void aKilledProcessLeavesNoImageThatNobodyKnowsOf() {
        stateAndMessage();
        shop.writesImages = false;
        command("p", Kind.CHECKPOINT);
        Action.WriteImage write = shop.only(Action.WriteImage.class);
        shop.writesImages = true;
        shop.images.put("p", write.image());
        on(new Input.ImageWritten(write, Failure.platform(Errors.UNAVAILABLE, "the store's answer is lost", true)));
        assertThat(command("p", Kind.KILL)).isInstanceOf(ProcessView.class);
        assertThat(shop.images).isEmpty();
        assertThat(state(running("p"), "a")).isNull();
    }

    @Test
    void whatComesWhileItIsWrittenIsNotForgotten() {
        stateAndMessage();
        shop.writesImages = false;
        command("p", Kind.SWAP_OUT);
        Action.WriteImage write = shop.only(Action.WriteImage.class);
        call(running("q"), new ProcessCall.Send(0, "p", "k", json("8"), 0));
        shop.writesImages = true;
        shop.images.put("p", write.image());
        on(new Input.ImageWritten(write, null));
        assertThat(isHere("p")).isTrue();
        Running reads = running("p");
        assertThat(received(reads) + received(reads)).isEqualTo("78");
    }

    @Test
    void oneThatCannotBeWrittenStaysAndIsTriedAgain() {
        stateAndMessage();
        shop.writesImages = false;
        shop.after(SPEC.idleMs() + SPEC.swapAfterMs() + 10);
        Action.WriteImage write = shop.only(Action.WriteImage.class);
        shop.writesImages = true;
        on(new Input.ImageWritten(write, Failure.platform(Errors.UNAVAILABLE, "the store is away", true)));
        assertThat(isHere("p")).isTrue();
        assertThat(shop.images).isEmpty();
        shop.after(SPEC.idleMs() + SPEC.swapAfterMs() + 10);
        assertThat(isHere("p")).isFalse();
        assertThat(shop.images.get("p").state()).containsOnlyKeys("a");
    }

    @Test
    void oneThatIsToLeaveBehindACheckpointThatFailsIsTriedAgain() {
        stateAndMessage();
        shop.after(SPEC.idleMs() + 10);
        shop.writesImages = false;
        command("p", Kind.CHECKPOINT);
        Action.WriteImage write = shop.only(Action.WriteImage.class);
        shop.after(SPEC.swapAfterMs() + 10);
        shop.writesImages = true;
        on(new Input.ImageWritten(write, Failure.platform(Errors.UNAVAILABLE, "the store is away", true)));
        assertThat(isHere("p")).isTrue();
        shop.after(SPEC.swapAfterMs() + 10);
        assertThat(isHere("p")).isFalse();
    }

    @Test
    void underASteadyStreamOfMessagesAnImageIsMadeAllTheSame() {
        running("p");
        Running sender = running("q");
        shop.takesChanges = false;
        ask(sender, new ProcessCall.Send(0, "p", "k", json("0"), 0));
        command("p", Kind.CHECKPOINT);
        for (int number = 1; number < 30; number++) {
            Action.Journal before = journal.getLast();
            shop.after(100);
            ask(sender, new ProcessCall.Send(number, "p", "k", json("" + number), 0));
            if (shop.images.isEmpty()) {
                on(new Input.ChangeJournaled(before.carried(), null));
            }
        }
        assertThat(shop.images).containsKey("p");
        assertThat(told).as("nobody was refused").containsOnly(new Answer.Done()).hasSize(30);
        int inImage = shop.images.get("p").messages().size();
        shop.takesChanges = true;
        assertThat(inImage).isBetween(15, 25);
        Running reads = running("p");
        for (int number = 0; number < 30; number++) {
            assertThat(received(reads)).isEqualTo("" + number);
        }
    }

    @Test
    void messagesAreHeldBackForAWhileWhenTheJournalTakesNothing() {
        running("p");
        Running sender = running("q");
        shop.takesChanges = false;
        ask(sender, new ProcessCall.Send(0, "p", "k", json("0"), 0));
        command("p", Kind.CHECKPOINT);
        shop.after(2_001);
        ask(sender, new ProcessCall.Send(1, "p", "k", json("1"), 0));
        assertThat(told).hasSize(1);
        shop.after(10_001);
        deliver();
        assertThat(told).containsExactly(new Answer.Done(), new Answer.Done());
    }

    @Test
    void oneIsKilledWhileItIsWritten() {
        stateAndMessage();
        shop.writesImages = false;
        command("p", Kind.SWAP_OUT);
        Action.WriteImage write = shop.only(Action.WriteImage.class);
        assertThat(command("p", Kind.KILL)).as("its image would come after that").isNull();
        String next = invoke("p");
        assertThat(shop.running(next)).isNull();
        shop.writesImages = true;
        shop.images.put("p", write.image());
        on(new Input.ImageWritten(write, null));
        shop.settle();
        assertThat(shop.images).isEmpty();
        assertThat(state(shop.running(next), "a")).isNull();
    }

    @Test
    void oneThatMessagesWillInvokeByTheClockStays() {
        stateAndMessage();
        Running runs = running("p");
        List<Object> early = command(new ProcessCommand(APP.application(), APP.version(), "p", Kind.SWAP_OUT));
        call(running("q"), new ProcessCall.Send(0, "p", "invoke:late:x", json("8"), 0));
        finish(runs);
        for (Object told : List.of(early.getFirst(), command("p", Kind.SWAP_OUT))) {
            assertThat(told).isInstanceOfSatisfying(Failure.class, failure -> {
                assertThat(failure.error()).isEqualTo(Errors.CONFLICT);
                assertThat(failure.cause()).contains("a trigger's time-out is to come");
                assertThat(failure.details()).containsEntry("state", "active");
            });
        }
        shop.after(50_000);
        assertThat(((ProcessView) command("p", Kind.DESCRIBE)).swapsOut()).isZero();
        assertThat(command("p", Kind.SWAP_OUT)).isInstanceOfSatisfying(Failure.class, failure ->
                assertThat(failure.details()).containsEntry("state", "idle"));
    }

    /** Found by the simulation (seed 59): its next one was overwritten. */
    @Test
    void noImageIsMadeOfOneThatWasKilled() {
        stateAndMessage();
        command("p", Kind.CHECKPOINT);
        command("p", Kind.KILL);
        shop.all.clear();
        shop.after(400_000);
        assertThat(shop.all).noneMatch(Action.WriteImage.class::isInstance);
    }

    @Test
    void aSwapThatLeavesItHereIsNone() {
        stateAndMessage();
        shop.writesImages = false;
        List<Object> told = command(new ProcessCommand(APP.application(), APP.version(), "p", Kind.SWAP_OUT));
        Action.WriteImage write = shop.all.stream().filter(Action.WriteImage.class::isInstance).map(Action.WriteImage.class::cast).toList().getLast();
        call(running("q"), send(0, "p", "8"));
        on(new Input.ImageWritten(write, null));
        assertThat(told).singleElement().isInstanceOfSatisfying(ProcessView.class, view -> {
            assertThat(view.status()).isEqualTo("active");
            assertThat(view.swapsOut()).isZero();
            assertThat(view.checkpoints()).isEqualTo(1);
        });
    }

    @Test
    void whoAsksForACheckpointIsNotToldOfTheSwapBehindIt() {
        stateAndMessage();
        call(running("q"), new ProcessCall.Send(0, "p", "invoke:late:x", json("8"), 0));
        shop.writesImages = false;
        List<Object> checkpoint = command(new ProcessCommand(APP.application(), APP.version(), "p", Kind.CHECKPOINT));
        Action.WriteImage write = shop.all.stream().filter(Action.WriteImage.class::isInstance).map(Action.WriteImage.class::cast).toList().getLast();
        List<Object> swap = command(new ProcessCommand(APP.application(), APP.version(), "p", Kind.SWAP_OUT));
        on(new Input.ImageWritten(write, null));
        assertThat(checkpoint).singleElement().isInstanceOf(ProcessView.class);
        assertThat(swap).singleElement().isInstanceOf(Failure.class);
    }

    @Test
    void oneInWhoseMailboxSomebodyHasRoomKeptStays() {
        stateAndMessage();
        Running sends = running("q", "atomic");
        assertThat(call(sends, send(0, "p", "8"))).isEqualTo(new Answer.Done());
        command("p", Kind.SWAP_OUT);
        assertThat(shop.images).as("an image is written").containsKey("p");
        assertThat(isHere("p")).as("and it waits for what was promised room").isTrue();
        finish(sends);
        Running reads = running("p");
        assertThat(received(reads) + received(reads)).isEqualTo("78");
        finish(reads);
        command("p", Kind.SWAP_OUT);
        assertThat(isHere("p")).isFalse();
    }

    private static Payload large(String name) {
        return new Payload("application/octet-stream", null, new Payload.Reference(name, 100_000));
    }

    private List<String> freed() {
        return shop.all.stream().filter(Action.Free.class::isInstance).flatMap(action -> ((Action.Free) action).values().stream())
                .map(payload -> payload.reference().object()).toList();
    }

    @Test
    void whatIsSentToOneThatIsKilledMeanwhileIsNobodys() {
        stateAndMessage();
        Running atomic = running("q", "atomic");
        assertThat(call(atomic, new ProcessCall.Send(0, "p", "k", large("at-its-end"), 0))).isEqualTo(new Answer.Done());
        Running sends = running("r");
        shop.takesChanges = false;
        shop.all.clear();
        assertThat(command("p", Kind.KILL)).as("its last change is on its way").isNull();
        Action.Journal killed = journal.getLast();
        ask(sends, new ProcessCall.Send(0, "p", "k", large("meanwhile"), 0));
        assertThat(told).as("it may begin anew").isEmpty();
        shop.takesChanges = true;
        on(new Input.ChangeJournaled(killed.carried(), null));
        assertThat(told).singleElement().isInstanceOfSatisfying(Answer.Refused.class, refused ->
                assertThat(refused.error()).isEqualTo(Errors.NOT_FOUND));
        finish(atomic);
        assertThat(freed()).containsExactlyInAnyOrder("meanwhile", "at-its-end");
        assertThat(isHere("p")).isFalse();
        assertThat(received(running("p"))).as("one of its name that is new").isNull();
    }

    @Test
    void oneThatIsKilledAsItsSlotIsLostLeavesNothingHere() {
        finish(running("p"), new StateWrite("a", large("its-state")));
        shop.takesChanges = false;
        shop.all.clear();
        List<Object> answers = new ArrayList<>();
        on(new Input.Command(new ProcessCommand(APP.application(), APP.version(), "p", Kind.KILL), listener(answers)));
        Action.Journal killed = journal.getLast();
        assertThat(freed()).isEmpty();
        on(new Input.SlotLost(Slots.of("p", SLOTS), CoreFixture.EPOCH));
        assertThat(freed()).containsExactly("its-state");
        assertThat(answers).singleElement().isInstanceOfSatisfying(Failure.class, failure ->
                assertThat(failure.error()).isEqualTo(Errors.MOVED));
        on(new Input.ChangeJournaled(killed.carried(), null));
        assertThat(freed()).as("once").containsExactly("its-state");
        assertThat(answers).hasSize(1);
    }

    private void tenIdleOnes() {
        for (int i = 0; i < 10; i++) {
            finish(running("p" + i), new StateWrite("a", json("" + i)));
            shop.after(10);
        }
        shop.after(SPEC.idleMs() + 100);
    }

    @Test
    void memoryThatIsShortTakesThoseThatAreInvokedLeastOverTheDataPlaneFirst() {
        tenIdleOnes();
        String application = APP.application() + "/";
        on(new Input.MemoryPressure(Map.of(application + "p0", 90L, application + "p1", 2L, application + "p2", 40L), false));
        assertThat(shop.images.keySet()).containsExactlyInAnyOrder("p1", "p3", "p4", "p5", "p6", "p7", "p8", "p9");
        assertThat(isHere("p0")).as("idle for longest, and invoked most").isTrue();
    }

    @Test
    void memoryThatIsShortTakesThoseThatWereIdleForLongest() {
        tenIdleOnes();
        on(new Input.MemoryPressure());
        assertThat(shop.images.keySet()).containsExactlyInAnyOrder("p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7");
        assertThat(isHere("p9")).isTrue();
    }

    @Test
    void anApplicationWithoutRoomSwapsItsOwnOutInWhichNothingRunsIdleOrNot() {
        Payload large = new Payload(Payload.OCTETS, null, new Payload.Reference("o", 100_000));
        finish(running("rests"), new StateWrite("a", large));
        finish(running("small"), new StateWrite("a", json("1")));
        finish(running("runs"), new StateWrite("a", large));
        running("runs");
        List<Integer> leaving = new ArrayList<>();
        on(new Input.RoomShort("another", Map.of(), leaving::add));
        on(new Input.RoomShort(APP.application(), Map.of(), leaving::add));
        assertThat(shop.images).containsOnlyKeys("rests");
        assertThat(isHere("rests")).isFalse();
        assertThat(isHere("runs")).isTrue();
        on(new Input.RoomShort(APP.application(), Map.of(), leaving::add));
        assertThat(leaving).containsExactly(0, 1, 0);
    }

    @Test
    void aNewOwnerLeavesAProcessInItsImageWhenThatHasAllOfTheJournal() {
        stateAndMessage();
        command("p", Kind.SWAP_OUT);
        long number = shop.images.get("p").number();
        long createdMs = shop.images.get("p").about().createdMs();
        ProcessChange known = new ProcessChange("p", createdMs, 0, number, new Change.Fired(List.of()));
        List<Action> recovered = on(new Input.RecoverProcess(APP.application(), "p", createdMs, List.of(known), List.of(0L), Map.of()));
        assertThat(isHere("p")).isFalse();
        assertThat(recovered).as("the journal's part may go").anyMatch(action -> action instanceof Action.Journal journal
                && journal.backup() instanceof Backup.Ended && journal.executionId().endsWith(".0"));
        assertThat(((ProcessView) command("p", Kind.DESCRIBE)).status()).isEqualTo("swapped");
    }

    @Test
    void whatANewOwnerFindsInTheJournalFollowsTheImage() {
        stateAndMessage();
        command("p", Kind.CHECKPOINT);
        long number = shop.images.get("p").number();
        CoreFixture other = new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST)).warm();
        other.images.putAll(shop.images);
        long createdMs = shop.images.get("p").about().createdMs();
        List<ProcessChange> tail = List.of(
                new ProcessChange("p", createdMs, 0, number, new Change.Done(List.of(new StateWrite("a", json("9"))),
                        List.of(), List.of())),
                new ProcessChange("p", createdMs, number, number + 1,
                        new Change.Done(List.of(new StateWrite("b", json("2"))), List.of(), List.of())));
        other.on(new Input.RecoverProcess(APP.application(), "p", createdMs, tail, List.of(0L, number), Map.of()));
        ProcessHome home = other.core().context().processes.table().here(APP.application(), "p");
        assertThat(home.process().keyCount()).isEqualTo(2);
        assertThat(text(home.process().get(new Attempt("x", 1), "a"))).as("the image has that change").isEqualTo("1");
        assertThat(home.process().number()).isEqualTo(number + 1);
    }
}
