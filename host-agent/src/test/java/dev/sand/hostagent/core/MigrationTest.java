package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.EPOCH;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static dev.sand.hostagent.core.CoreFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessMessage;
import dev.sand.event.ProcessPlace;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessChange;
import dev.sand.workflow.Execution.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Processes that are moved to another slot by hand: step by step, and what a crash at each leaves. */
class MigrationTest extends ProcessFixture {
    private static final ProcessSpec SPEC = new ProcessSpec(4, 50, 10_000, 64L << 20, 256L << 20, 1_000, 600_000, Map.of());
    private static final int HOME = Slots.of("p", SLOTS);
    private static final int AWAY = (HOME + 1) % SLOTS;
    private final List<Failure> answered = new ArrayList<>();

    MigrationTest() {
        super(shop());
        on(new Input.SlotLost(AWAY, EPOCH));
    }

    private static CoreFixture shop() {
        return new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST)).warm();
    }

    private List<Object> migrate(int slot) {
        return migrate("p", slot);
    }

    private static InvocationRequest request(int slot, int number) {
        String id = Slots.placed(Ids.encode(2_000, number, 0), slot, SLOTS);
        return new InvocationRequest(id, APP.application(), APP.version(), "g", json("1"), 100_000, false, null).inProcess("p");
    }

    private List<Action> invokeIn(int slot, int number) {
        return on(new Input.Invoke(request(slot, number), new InvocationListener() {
            @Override
            public void onAccepted() {}

            @Override
            public void onEnd(InvocationResult result) {}
        }));
    }

    private List<Integer> told() {
        return shop.all.stream().filter(Action.Respond.class::isInstance).map(action -> ((Action.Respond) action).result().failure())
                .filter(failure -> failure != null && failure.error().equals(Errors.MOVED)).map(ProcessPlace::slotOf).toList();
    }

    private List<ProcessChange> left() {
        return journal.stream().filter(record -> record.carried() != null).map(record -> record.carried().change())
                .filter(change -> change.change() instanceof Change.Left).toList();
    }

    private ProcessPlace place() {
        return shop.places.get("p");
    }

    @Test
    void itLivesThereOnceItsImageSaysSo() {
        finish(running("p"), write("a", "1"));
        List<Object> answers = migrate(AWAY);
        assertThat(answers).hasSize(1);
        assertThat(((ProcessView) answers.getFirst()).slot()).isEqualTo(AWAY);
        assertThat(left()).hasSize(1);
        assertThat(place()).isEqualTo(new ProcessPlace(AWAY, 1));
        assertThat(shop.images.get("p").state()).containsKey("a");
        assertThat(isHere("p")).isFalse();
        invokeIn(HOME, 1);
        assertThat(told()).containsExactly(AWAY);
        assertThat(command("p", Kind.DESCRIBE)).isInstanceOfSatisfying(Failure.class,
                failure -> assertThat(ProcessPlace.slotOf(failure)).isEqualTo(AWAY));
    }

    @Test
    void whatRunsEndsFirstAndWhatComesIsSentThere() {
        Running running = running("p");
        List<Object> answers = migrate(AWAY);
        invokeIn(HOME, 1);
        assertThat(answers).isEmpty();
        assertThat(told()).isEmpty();
        assertThat(call(running, send(0, "p", "7"))).isEqualTo(new Answer.Done());
        finish(running, write("a", "1"));
        shop.nowNs++;
        on(new Input.Tick());
        assertThat(answers).hasSize(1);
        assertThat(told()).containsExactly(AWAY);
        assertThat(shop.images.get("p").messages()).hasSize(1);
    }

    @Test
    void noMoreWaitThanMayBeInIt() {
        Running running = running("p");
        migrate(AWAY);
        for (int i = 1; i < SPEC.concurrency() + SPEC.queueDepth(); i++) {
            assertThat(overloaded(invokeIn(HOME, i))).isZero();
        }
        assertThat(overloaded(invokeIn(HOME, 10_000))).as("one runs, and so many wait to be told where").isOne();
        finish(running, write("a", "1"));
        shop.nowNs++;
        on(new Input.Tick());
        assertThat(told()).hasSize(SPEC.concurrency() + SPEC.queueDepth() - 1).containsOnly(AWAY);
    }

    private static long overloaded(List<Action> actions) {
        return actions.stream().filter(action -> action instanceof Action.Respond respond && respond.result().failure() != null
                && respond.result().failure().error().equals(Errors.OVERLOADED)).count();
    }

    @Test
    void itStaysWhenItsImageCannotBeWritten() {
        finish(running("p"), write("a", "1"));
        shop.writesImages = false;
        List<Object> answers = migrate(AWAY);
        List<Action> held = invokeIn(HOME, 1);
        assertThat(held).noneMatch(Action.HandOver.class::isInstance);
        Action.WriteImage write = shop.all.stream().filter(Action.WriteImage.class::isInstance).map(Action.WriteImage.class::cast)
                .reduce((first, second) -> second).orElseThrow();
        List<Action> actions = on(new Input.ImageWritten(write, Failure.platform(Errors.UNAVAILABLE, "the store is away", true)));
        assertThat(answers).hasSize(1);
        assertThat(answers.getFirst()).isInstanceOfSatisfying(Failure.class,
                failure -> assertThat(failure.error()).isEqualTo(Errors.UNAVAILABLE));
        assertThat(isHere("p")).isTrue();
        assertThat(left()).isEmpty();
        assertThat(told()).isEmpty();
        assertThat(actions).as("what waited runs").anyMatch(Action.HandOver.class::isInstance);
    }

    @Test
    void whoWaitsForAMoveThatASwapForestalsBringsItBack() {
        finish(running("p"), write("a", "1"));
        shop.writesImages = false;
        command("p", Kind.SWAP_OUT);
        Action.WriteImage write = shop.only(Action.WriteImage.class);
        List<Object> answers = migrate(AWAY);
        assertThat(invokeIn(HOME, 1)).noneMatch(Action.HandOver.class::isInstance);
        dev.sand.hostagent.process.StoredImages.put(shop.images, "p", write.image());
        List<Action> actions = on(new Input.ImageWritten(write, null));
        assertThat(answers).singleElement().isInstanceOfSatisfying(Failure.class,
                failure -> assertThat(failure.error()).isEqualTo(Errors.UNAVAILABLE));
        assertThat(actions).as("what waited runs in it").anyMatch(Action.HandOver.class::isInstance);
        assertThat(isHere("p")).isTrue();
    }

    @Test
    void itGoesOnceTheRecordsOfWhatRanInItAreStored() {
        Running running = running("p");
        List<Object> answers = migrate(AWAY);
        shop.takesChanges = false;
        finish(running, write("a", "1"));
        shop.after(CoreConfiguration.DEFAULT.retryNs() / CoreFixture.MS + 1);
        assertThat(answers).isEmpty();
        assertThat(shop.of(Action.WriteImage.class)).as("its end is known to its functions, and to nobody else").isEmpty();
    }

    @Test
    void aMessageThatComesWhileItLeavesIsGivenThere() {
        finish(running("p"), write("a", "1"));
        Running sender = running("q");
        shop.movesImages = false;
        List<Object> answers = migrate(AWAY);
        Action.MoveImage move = shop.only(Action.MoveImage.class);
        ask(sender, send(0, "p", "7"));
        on(new Input.Deliver(new ProcessMessage(APP.application(), APP.version(), "far/e", 0, "far", "p", "k", json("8"), 0), answered::add));
        assertThat(told).isEmpty();
        shop.places.put("p", move.to());
        List<Action> after = on(new Input.ImageMoved(move, null));
        after.stream().filter(Action.AnswerDelivery.class::isInstance).map(Action.AnswerDelivery.class::cast)
                .forEach(each -> each.listener().accept(each.failure()));
        assertThat(answers).hasSize(1);
        assertThat(after).anyMatch(action -> action instanceof Action.SendElsewhere send && send.message().destination().equals("p"));
        assertThat(answered).hasSize(1);
        assertThat(ProcessPlace.slotOf(answered.getFirst())).isEqualTo(AWAY);
    }

    /** Who has time left asks again, and goes on waiting where it lives then. */
    @Test
    void whoWaitsForRoomInItElsewhereIsToldThatItHasFoundNone() {
        shop = new CoreFixture().with(new ProcessSpec(4, 1_000, 1, 64L << 20, 256L << 20, 1_000, 600_000, Map.of()))
                .with(grain("g", 10, 100, Isolation.REQUEST)).warm();
        on(new Input.SlotLost(AWAY, EPOCH));
        finish(running("p"));
        for (int ordinal = 0; ordinal < 2; ordinal++) {
            on(new Input.Deliver(new ProcessMessage(APP.application(), APP.version(), "far/e", ordinal, "far", "p", "k", json("8"), 60_000),
                    answered::add));
        }
        shop.all.clear();
        assertThat(migrate(AWAY)).hasSize(1);
        assertThat(shop.all).filteredOn(Action.AnswerDelivery.class::isInstance).singleElement().satisfies(answer ->
                assertThat(((Action.AnswerDelivery) answer).failure().error()).isEqualTo(Errors.OVERLOADED));
    }

    @Test
    void theNextOwnerEndsWhatTheJournalSaysWasBegun() {
        finish(running("p"), write("a", "1"));
        shop.movesImages = false;
        migrate(AWAY);
        ProcessChange last = left().getFirst();
        Map<String, dev.sand.hostagent.process.ProcessImage> images = shop.images;
        shop = shop();
        shop.images = images;
        shop.movesImages = false;
        on(new Input.SlotLost(AWAY, EPOCH));
        on(new Input.RecoverProcess(APP.application(), "p", last.createdMs(), List.of(last), List.of(last.base()), Map.of(), HOME));
        Action.MoveImage move = shop.only(Action.MoveImage.class);
        assertThat(move.to()).isEqualTo(new ProcessPlace(AWAY, 1));
        invokeIn(HOME, 1);
        assertThat(told()).as("nobody finds it meanwhile").isEmpty();
        shop.places.put("p", move.to());
        on(new Input.ImageMoved(move, null));
        assertThat(told()).containsExactly(AWAY);
        assertThat(isHere("p")).isFalse();
    }

    @Test
    void nothingLeavesBeforeWhatRanInItIsKnownAndHasEnded() {
        finish(running("p"), write("a", "1"));
        List<ProcessChange> before = journal.stream().filter(record -> record.carried() != null).map(record -> record.carried().change()).toList();
        shop = shop();
        on(new Input.SlotLost(AWAY, EPOCH));
        on(new Input.SlotLost(HOME, EPOCH));
        on(new Input.SlotAcquired(HOME, EPOCH + 1));
        on(new Input.RecoverProcess(APP.application(), "p", before.getFirst().createdMs(), before, List.of(0L), Map.of(), HOME));
        assertThat(migrate(AWAY)).singleElement().isInstanceOfSatisfying(Failure.class, failure -> assertThat(failure.retryable()).isTrue());
        assertThat(command("p", Kind.KILL)).isInstanceOfSatisfying(Failure.class, failure -> assertThat(failure.retryable()).isTrue());
        InvocationRequest request = request(HOME, 1);
        on(new Input.Recover(request, List.of()));
        on(new Input.SlotReady(HOME, EPOCH + 1));
        List<Object> answers = migrate(AWAY);
        on(new Input.Journaled(request.executionId(), 1, null));
        shop.settle();
        assertThat(left()).isEmpty();
        finish(shop.running(request.executionId()), write("b", "1"));
        on(new Input.Recorded(request.executionId(), null));
        shop.after(CoreConfiguration.DEFAULT.retryNs() / CoreFixture.MS + 1);
        deliver();
        assertThat(answers).singleElement().isInstanceOf(ProcessView.class);
        assertThat(shop.images.get("p").state()).containsKey("b");
    }

    /** A next owner, whose journal has the process as it was made, and an execution with changes of it. */
    private String recover(Input.Changed changed) {
        InvocationRequest request = request(HOME, 1);
        shop = shop();
        on(new Input.SlotLost(HOME, EPOCH));
        on(new Input.SlotAcquired(HOME, EPOCH + 1));
        on(new Input.RecoverProcess(APP.application(), "p", 5, List.of(new ProcessChange("p", 5, 0, 1, new Change.Made(1, 0, 0))), List.of(0L),
                Map.of(), HOME));
        on(new Input.Recover(request, List.of(new Signal.TaskSucceeded("g", json("7"), List.of())), 2, Map.of(), -1, List.of(-1L), changed));
        on(new Input.SlotReady(HOME, EPOCH + 1));
        on(new Input.Journaled(request.executionId(), 1, null));
        shop.settle();
        return request.executionId();
    }

    @Test
    void aFunctionWhoseEndDoesNotCountRunsAgain() {
        String id = recover(new Input.Changed(5, 0, 2, 1));
        assertThat(shop.of(Action.HandOver.class)).singleElement().satisfies(over -> {
            assertThat(over.executionId()).isEqualTo(id);
            assertThat(over.attempt()).isEqualTo(2);
        });
    }

    @Test
    void oneWhoseEndCountsDoesNot() {
        recover(new Input.Changed(5, 0, 1, 1));
        assertThat(shop.of(Action.HandOver.class)).isEmpty();
    }

    @Test
    void oneThatMessagesMadeWhichAreUnreadAgainIsNotRun() {
        String id = recover(new Input.Changed(5, 2, 0, 0));
        assertThat(shop.of(Action.HandOver.class)).isEmpty();
        assertThat(shop.settled).filteredOn(Action.Record.class::isInstance).last().satisfies(record -> {
            assertThat(((Action.Record) record).record().executionId()).isEqualTo(id);
            assertThat(((Action.Record) record).record().failure().details()).containsEntry(Failure.MAY_HAVE_RUN, true);
        });
    }

    /** Found by the simulation: it ran in the next one of its id, and again, for that had not taken its message (seed 549). */
    @Test
    void norIsOneThatMessagesOfADeadProcessMade() {
        shop = shop();
        on(new Input.SlotLost(HOME, EPOCH));
        on(new Input.SlotAcquired(HOME, EPOCH + 1));
        on(new Input.RecoverProcess(APP.application(), "p", 5, List.of(new ProcessChange("p", 5, 0, 1, new Change.Made(1, 0, 0)),
                new ProcessChange("p", 5, 0, 2, new Change.Killed(null))), List.of(0L), Map.of(), HOME));
        InvocationRequest request = request(HOME, 1);
        on(new Input.Recover(request, List.of(), 1, Map.of(), -1, List.of(), new Input.Changed(5, 1, 0, 0)));
        on(new Input.SlotReady(HOME, EPOCH + 1));
        shop.after(CoreConfiguration.DEFAULT.retryNs() / CoreFixture.MS + 1);
        assertThat(shop.all).noneMatch(Action.HandOver.class::isInstance).filteredOn(Action.Record.class::isInstance).last()
                .satisfies(record -> assertThat(((Action.Record) record).record().status()).isEqualTo(InvocationResult.Status.CANCELLED));
    }

    /** Of the execution that a next owner finds in the journal of home, while the process lives away. */
    private Action.Record recovered(List<Signal> replay) {
        finish(running("p"), write("a", "1"));
        migrate(AWAY);
        shop.all.clear();
        InvocationRequest request = request(HOME, 1);
        on(new Input.Recover(request, replay));
        assertThat(shop.of(Action.HandOver.class)).as("it is not begun anew").isEmpty();
        return shop.all.stream().filter(Action.Record.class::isInstance).map(Action.Record.class::cast).reduce((first, second) -> second)
                .orElseThrow();
    }

    @Test
    void whatHadEndedInItEndsSoWhereverItLives() {
        InvocationRecord record = recovered(List.of(new Signal.TaskSucceeded("g", json("7"), List.of()))).record();
        assertThat(record.status()).isEqualTo(InvocationResult.Status.SUCCEEDED);
        assertThat(text(record.output())).isEqualTo("7");
    }

    @Test
    void whatHadNotMayHaveRunAndIsSentNowhere() {
        Failure failure = recovered(List.of()).record().failure();
        assertThat(failure.error()).isEqualTo(Errors.UNAVAILABLE);
        assertThat(failure.details()).containsEntry(Failure.MAY_HAVE_RUN, true);
    }

    @Test
    void itIsBroughtWhereItLivesAndGoesHomeAgain() {
        finish(running("p"), write("a", "1"));
        migrate(AWAY);
        var images = shop.images;
        var places = shop.places;
        long number = images.get("p").number();
        shop = shop(); // another host, which has all slots but one
        shop.images = images;
        shop.places = places;
        invokeIn(AWAY, 1);
        shop.settle();
        assertThat(isHere("p")).isTrue();
        assertThat(((ProcessView) command("p", Kind.DESCRIBE)).slot()).isEqualTo(AWAY);
        invokeIn(HOME, 1);
        assertThat(told()).as("an id of where it was").containsExactly(AWAY);
        shop.after(100_000); // what runs in it times out
        on(new Input.SlotLost(HOME, EPOCH));
        List<Object> answers = migrate(HOME);
        assertThat(answers).hasSize(1);
        assertThat(place()).isEqualTo(new ProcessPlace(HOME, 2));
        assertThat(shop.images.get("p").number()).as("numbers go on").isGreaterThan(number);
    }

    @Test
    void anotherOneOfItsNameBeginsAtHome() {
        finish(running("p"), write("a", "1"));
        migrate(AWAY);
        shop.images.remove("p"); // killed there
        assertThat(command("p", Kind.CREATE)).isInstanceOf(ProcessView.class);
        assertThat(isHere("p")).isTrue();
        command("p", Kind.CHECKPOINT);
        Action.WriteImage write = shop.all.stream().filter(Action.WriteImage.class::isInstance).map(Action.WriteImage.class::cast)
                .reduce((first, second) -> second).orElseThrow();
        assertThat(write.place()).as("later than any who had the last one").isEqualTo(new ProcessPlace(HOME, 2));
    }

    /** Found by the simulation, with two hosts: its record said that it had moved, and nobody went there (seeds 1289, 1652, 2368). */
    @Test
    void whatWasAcceptedInOneThatIsKilledBeforeItRanIsCancelledWithIt() {
        finish(running("p"), write("a", "1"));
        migrate(AWAY);
        var images = shop.images;
        var places = shop.places;
        shop = shop();
        shop.images = images;
        shop.places = places;
        on(new Input.SlotLost(HOME, EPOCH));
        InvocationRequest request = new InvocationRequest(Slots.placed(Ids.encode(2_000, 1, 0), AWAY, SLOTS), APP.application(), APP.version(),
                "g", json("1"), 100_000, true, null).inProcess("p");
        shop.invoke(request);
        assertThat(isHere("p")).isTrue();
        assertThat(command("p", Kind.KILL)).isInstanceOf(ProcessView.class);
        shop.all.clear();
        on(new Input.Journaled(request.executionId(), 0, null));
        assertThat(shop.all).filteredOn(Action.Respond.class::isInstance).extracting(action -> ((Action.Respond) action).result().status())
                .containsExactly(InvocationResult.Status.CANCELLED);
    }

    @Test
    void whatTheJournalHasOfBeforeIsLetGo() {
        finish(running("p"), write("a", "1"));
        List<ProcessChange> before = journal.stream().filter(record -> record.carried() != null).map(record -> record.carried().change()).toList();
        migrate(AWAY);
        var images = shop.images;
        var places = shop.places;
        shop = shop();
        shop.images = images;
        shop.places = places;
        List<Action> actions = on(new Input.RecoverProcess(APP.application(), "p", before.getFirst().createdMs(), before, List.of(0L), Map.of(),
                HOME));
        assertThat(isHere("p")).isFalse();
        assertThat(actions).anyMatch(action -> action instanceof Action.Journal record && record.backup() instanceof Action.Backup.Ended);
    }

    @Test
    void itsOwnSlotIsNoMove() {
        finish(running("p"), write("a", "1"));
        List<Object> answers = migrate(HOME);
        assertThat(answers.getFirst()).isInstanceOf(ProcessView.class);
        assertThat(left()).isEmpty();
        assertThat(isHere("p")).isTrue();
        assertThat(text(shop.images.isEmpty() ? json("0") : json("1"))).isEqualTo("0");
    }

    @Test
    void oneThatIsNotThereIsUnknown() {
        assertThat(migrate(AWAY).getFirst()).isInstanceOfSatisfying(Failure.class,
                failure -> assertThat(failure.error()).isEqualTo(Errors.NOT_FOUND));
    }
}
