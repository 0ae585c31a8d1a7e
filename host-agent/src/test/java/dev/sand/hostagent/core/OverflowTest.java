package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.GrainSpec;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.process.InImage;
import dev.sand.hostagent.process.StateWrite;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** State over a process's memory: in the global data layer alone, and back for whoever reads it. */
class OverflowTest extends ProcessFixture {
    /** Room for two of the values, and not for three. */
    private static final long MEMORY = 250_000;
    private static final ProcessSpec SPEC = new ProcessSpec(2, 1_000, 10_000, 64L << 20, MEMORY, 1_000, 5_000, Map.of(), null, 1_000_000);

    OverflowTest() {
        super(new CoreFixture().with(SPEC).with(patient()).warm());
    }

    private static GrainSpec patient() {
        return new GrainSpec("g", "handler:handle", Isolation.REQUEST, GrainSpec.Preload.AUTO, 90_000, 10, 0, 100, 1 << 20, 1, 4, 0,
                Map.of(), List.of());
    }

    private static StateWrite large(String key) {
        return new StateWrite(key, new Payload(Payload.OCTETS, null, new Payload.Reference("of-" + key, 100_000)));
    }

    private ProcessHome home() {
        return shop.core().context().processes.table().here(APP.application(), "p");
    }

    private ProcessView view() {
        return home().view();
    }

    private boolean isHere(char key) {
        return !InImage.is(home().process().stored("" + key));
    }

    private void keep(String... keys) {
        for (String key : keys) {
            finish(running("p"), large(key));
            shop.settle();
        }
    }

    private List<String> freed() {
        return Stream.concat(shop.settled.stream(), shop.all.stream()).filter(Action.Free.class::isInstance).flatMap(action -> ((Action.Free) action).values().stream())
                .map(payload -> payload.reference().object()).toList();
    }

    private Action.WriteImage lastWrite() {
        return Stream.concat(shop.settled.stream(), shop.all.stream()).filter(Action.WriteImage.class::isInstance)
                .map(Action.WriteImage.class::cast).toList().getLast();
    }

    private static Failure away() {
        return Failure.platform(Errors.UNAVAILABLE, "the store is away", true);
    }

    /** Each takes a descriptor, however small it is. */
    @Test
    void soManyLargeValuesAreInMemoryAndNoMore() {
        int many = 2_000;
        shop = new CoreFixture().with(new ProcessSpec(2, 1_000, 10_000, 64L << 20, 1L << 30, 1_000, 5_000, Map.of())).with(patient()).warm();
        StateWrite[] writes = new StateWrite[many];
        for (int i = 0; i < many; i++) {
            writes[i] = new StateWrite("k" + i, new Payload(Payload.OCTETS, null, new Payload.Reference("of-k" + i, 10)));
        }
        finish(running("p"), new StateWrite("small", CoreFixture.json("1")));
        finish(running("p"), writes);
        shop.settle();
        assertThat(shop.images).isEmpty();
        keep("one", "two");
        assertThat(shop.images).containsKey("p");
        assertThat(freed()).as("those that were not used for longest").containsExactlyInAnyOrder("of-k0", "of-k1");
        assertThat(home().process().stored("small").bytes()).as("that takes none").isNotNull();
    }

    @Test
    void whatIsOverTheMemoryLeavesOnceAnImageHasIt() {
        keep("a", "b");
        assertThat(shop.images).isEmpty();
        keep("c");
        assertThat(shop.images.get("p").state()).containsOnlyKeys("a", "b", "c");
        assertThat(freed()).containsExactly("of-a");
        assertThat(view().stateBytes()).isEqualTo(300_003);
        assertThat(view().overflowBytes()).isEqualTo(100_001);
    }

    @Test
    void whoeverReadsItGetsItAndOthersLeaveForIt() {
        keep("a", "b", "c");
        Running reads = running("p");
        assertThat(call(reads, new ProcessCall.Get("a"))).isInstanceOfSatisfying(Answer.Value.class, answer ->
                assertThat(answer.value().size()).isEqualTo(100_000));
        assertThat(isHere('a')).isTrue();
        assertThat(isHere('b')).as("used for longest").isFalse();
        assertThat(call(reads, new ProcessCall.Keys(null, 10))).isEqualTo(new Answer.KeyList(List.of("a", "b", "c")));
    }

    @Test
    void whoeverOnlyAsksWhetherItIsThereBringsNothingBack() {
        keep("a", "b", "c");
        Running looks = running("p");
        assertThat(call(looks, new ProcessCall.Get("a", true))).isInstanceOfSatisfying(Answer.Value.class, answer ->
                assertThat(answer.value()).isNotNull());
        assertThat(call(looks, new ProcessCall.Get("x", true))).isEqualTo(new Answer.Value(null));
        finish(looks, new StateWrite("a", null));
        assertThat(isHere('b')).isTrue();
        assertThat(view().stateBytes()).isEqualTo(200_002);
        assertThat(view().overflowBytes()).isNull();
        assertThat(shop.all.stream().filter(Action.LoadValue.class::isInstance)).isEmpty();
    }

    @Test
    void othersGoOnWhileAValueIsOnItsWayAndOneLoadServesAll() {
        keep("a", "b", "c");
        Running first = running("p");
        Running second = running("p");
        shop.loadsValues = false;
        ask(first, new ProcessCall.Get("a"));
        Action.LoadValue load = shop.only(Action.LoadValue.class);
        ask(second, new ProcessCall.Get("a"));
        assertThat(shop.of(Action.LoadValue.class)).as("it is on its way").isEmpty();
        assertThat(told).isEmpty();
        on(new Input.ValueLoaded(load, large("a").value(), null));
        assertThat(told).hasSize(2).allMatch(Answer.Value.class::isInstance);
    }

    @Test
    void aStoreThatIsAwayIsToldOfInTheEndAndALaterReadSucceeds() {
        keep("a", "b", "c");
        Running reads = running("p");
        shop.loadsValues = false;
        ask(reads, new ProcessCall.Get("a"));
        on(new Input.ValueLoaded(shop.only(Action.LoadValue.class), null, away()));
        assertThat(told).isEmpty();
        shop.after(11_000).stream().filter(Action.AnswerProcessCall.class::isInstance).map(Action.AnswerProcessCall.class::cast)
                .forEach(answer -> answer.listener().on(answer.answer()));
        assertThat(told).singleElement().isInstanceOfSatisfying(Answer.Refused.class, refused -> {
            assertThat(refused.error()).isEqualTo(Errors.UNAVAILABLE);
            assertThat(refused.message()).contains("state \"a\"", "the store is away");
        });
        on(new Input.ValueLoaded(shop.all.stream().filter(Action.LoadValue.class::isInstance).map(Action.LoadValue.class::cast).toList()
                .getLast(), null, away()));
        shop.loadsValues = true;
        shop.after(1_000);
        assertThat(call(reads, new ProcessCall.Get("a"))).isInstanceOf(Answer.Value.class);
    }

    @Test
    void aDamagedImageIsToldOfAtOnce() {
        keep("a", "b", "c");
        shop.loadsValues = false;
        Running reads = running("p");
        ask(reads, new ProcessCall.Get("a"));
        on(new Input.ValueLoaded(shop.only(Action.LoadValue.class), null, Failure.platform(Errors.UNAVAILABLE, "damaged", false)));
        assertThat(told).containsExactly(new Answer.Refused(Errors.UNAVAILABLE, "damaged"));
    }

    @Test
    void whatCameForOneThatHasEndedIsFreed() {
        keep("a", "b", "c");
        shop.loadsValues = false;
        Running reads = running("p");
        ask(reads, new ProcessCall.Get("a"));
        Action.LoadValue load = shop.only(Action.LoadValue.class);
        on(new Input.SlotLost(Slots.of("p", SLOTS), CoreFixture.EPOCH));
        shop.all.clear();
        shop.settled.clear();
        on(new Input.ValueLoaded(load, large("a").value(), null));
        assertThat(freed()).containsExactly("of-a");
    }

    @Test
    void whatWasWrittenWhileItsOldValueWasOnItsWayIsWhatIsRead() {
        keep("a", "b", "c");
        Running reads = running("p");
        Running writes = running("p");
        shop.loadsValues = false;
        ask(reads, new ProcessCall.Get("a"));
        Action.LoadValue load = shop.only(Action.LoadValue.class);
        finish(writes, write("a", "7"));
        shop.settle();
        on(new Input.ValueLoaded(load, large("a").value(), null));
        assertThat(told).singleElement().isInstanceOfSatisfying(Answer.Value.class, answer ->
                assertThat(CoreFixture.text(answer.value())).isEqualTo("7"));
        assertThat(freed()).containsExactly("of-a", "of-a");
    }

    @Test
    void noFunctionBeginsUntilThereIsRoomAgain() {
        keep("a", "b");
        shop.writesImages = false;
        keep("c");
        Action.WriteImage write = lastWrite();
        String waits = invoke("p");
        assertThat(shop.running(waits)).isNull();
        shop.writesImages = true;
        on(new Input.ImageWritten(write, null));
        shop.settle();
        assertThat(shop.running(waits)).isNotNull();
        assertThat(view().overflowBytes()).isEqualTo(100_001);
    }

    @Test
    void whileNoImageCanBeWrittenFunctionsGoOnAndTheStateDoesNotGrow() {
        keep("a", "b");
        shop.writesImages = false;
        keep("c");
        on(new Input.ImageWritten(lastWrite(), away()));
        Running grows = running("p");
        assertThat(call(grows, new ProcessCall.Write(List.of(large("d"))))).isInstanceOfSatisfying(Answer.Refused.class, refused -> {
            assertThat(refused.error()).isEqualTo(Errors.UNAVAILABLE);
            assertThat(refused.message()).contains("250000", "the store is away");
        });
        Running shrinks = running("p");
        finish(shrinks, new StateWrite("a", null));
        assertThat(shop.answer().status()).isEqualTo(Status.SUCCEEDED);
        shop.writesImages = true;
        shop.after(3_000);
        keep("d");
        assertThat(shop.answer().status()).isEqualTo(Status.SUCCEEDED);
        assertThat(view().overflowBytes()).isEqualTo(100_001);
    }

    /** Three values are in memory, and the store is away. */
    private void stuck() {
        keep("a", "b");
        shop.writesImages = false;
        keep("c");
        on(new Input.ImageWritten(lastWrite(), away()));
    }

    @Test
    void anEndWaitsUntilThereIsRoomForWhatItsFunctionWrote() {
        stuck();
        List<Action> end = finish(running("p"), large("d"));
        assertThat(end).noneMatch(Action.Respond.class::isInstance);
        assertThat(home().process().stored("d")).as("it is in no journal").isNull();
        shop.writesImages = true;
        shop.all.clear();
        shop.after(2_100);
        assertThat(shop.all).filteredOn(Action.Respond.class::isInstance).singleElement()
                .satisfies(told -> assertThat(((Action.Respond) told).result().status()).isEqualTo(Status.SUCCEEDED));
        assertThat(home().process().stored("d")).isNotNull();
        assertThat(view().overflowBytes()).isEqualTo(200_002);
    }

    @Test
    void oneThatFindsNoRoomInTimeHasRunAndLeavesNothing() {
        stuck();
        finish(running("p"), large("d"));
        shop.all.clear();
        shop.settled.clear();
        shop.after(9_900);
        assertThat(shop.all).noneMatch(Action.Respond.class::isInstance);
        shop.after(200);
        Failure failure = shop.answer().failure();
        on(new Input.ImageWritten(lastWrite(), away()));
        assertThat(failure.error()).isEqualTo(Errors.UNAVAILABLE);
        assertThat(failure.cause()).contains("250000", "has run");
        assertThat(failure.retryable()).as("who asks again does the rest of it twice").isFalse();
        assertThat(freed()).containsExactly("of-d");
        assertThat(home().occupants().running()).isZero();
    }

    @Test
    void whatWaitsForRoomIsNobodysOnceItsProcessIsKilled() {
        stuck();
        finish(running("p"), large("d"));
        shop.all.clear();
        shop.settled.clear();
        command("p", Kind.KILL);
        assertThat(shop.answer().status()).isEqualTo(Status.CANCELLED);
        assertThat(freed()).containsExactlyInAnyOrder("of-a", "of-b", "of-c", "of-d");
        shop.after(20_000);
        assertThat(freed()).hasSize(4);
    }

    @Test
    void whatWaitsForRoomRunsAgainAtTheNextOwner() {
        stuck();
        finish(running("p"), large("d"));
        shop.all.clear();
        shop.settled.clear();
        on(new Input.SlotLost(Slots.of("p", SLOTS), CoreFixture.EPOCH));
        shop.after(20_000);
        assertThat(freed()).containsExactlyInAnyOrder("of-a", "of-b", "of-c", "of-d");
        assertThat(shop.all.stream().filter(Action.Journal.class::isInstance)).as("its end is not this host's to write").isEmpty();
    }

    @Test
    void itIsTriedAgainUntilItIsWritten() {
        keep("a", "b");
        shop.writesImages = false;
        keep("c");
        Action.WriteImage write = lastWrite();
        shop.writesImages = true;
        on(new Input.ImageWritten(write, away()));
        assertThat(view().overflowBytes()).isNull();
        shop.after(2_001);
        assertThat(view().overflowBytes()).isEqualTo(100_001);
    }

    @Test
    void whatDoesNotFitIsRefusedWithTheLimitAndTheActualValue() {
        keep("a", "b", "c", "d", "e", "f", "g", "h", "i");
        finish(running("p"), large("j"));
        assertThat(shop.answer().failure().error()).isEqualTo(Errors.TOO_LARGE);
        assertThat(shop.answer().failure().cause()).contains("a limit of 1000000 bytes of state", "1000010");
        Payload tooLarge = new Payload(Payload.OCTETS, null, new Payload.Reference("x", MEMORY));
        finish(running("p"), new StateWrite("x", tooLarge));
        assertThat(shop.answer().failure().cause()).contains("a limit of 250000 bytes of memory", "250001");
    }

    @Test
    void itIsSwappedOutAndComesBackWithWhatWasUsedLast() {
        keep("a", "b", "c", "d");
        assertThat(command("p", Kind.SWAP_OUT)).isInstanceOf(ProcessView.class);
        assertThat(isHere("p")).isFalse();
        assertThat(command("p", Kind.SWAP_IN)).isInstanceOf(ProcessView.class);
        assertThat(List.of(isHere('a'), isHere('b'), isHere('c'), isHere('d'))).containsExactly(false, false, true, true);
        for (String key : List.of("a", "b", "c", "d")) {
            Running reads = running("p");
            assertThat(call(reads, new ProcessCall.Get(key))).isInstanceOf(Answer.Value.class);
            finish(reads);
        }
        assertThat(shop.images.get("p").state()).containsOnlyKeys("a", "b", "c", "d");
    }

    @Test
    void aProcessThatIsKilledTakesItsImageWithIt() {
        keep("a", "b", "c");
        command("p", Kind.KILL);
        assertThat(shop.images).isEmpty();
        assertThat(freed()).containsExactlyInAnyOrder("of-a", "of-b", "of-c");
    }
}
