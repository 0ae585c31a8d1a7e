package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.Ids;
import dev.sand.event.Payload;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessChange;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Large values that journals name: what an earlier owner's functions sent, and processes of which one is gone for good. */
class NamedValuesTest extends ProcessFixture {
    private static final ProcessSpec SPEC = new ProcessSpec(4, 1_000, 10_000, 64L << 20, 256L << 20, 1_000, 600_000, Map.of());
    private static final Payload NAMED = by("@p@5.0/large");
    private static final Payload HERE = by("segment");
    private static final Failure GONE = Failure.platform(Errors.UNAVAILABLE, "there is no such object", false);

    private final String sender = Slots.placed(Ids.encode(1_000, 77, 0), Slots.of("p", SLOTS), SLOTS);
    private final Change.Outgoing first = new Change.Outgoing(sender + "/g", 0, "p", "q", "k", NAMED);
    private final Change.Outgoing second = new Change.Outgoing(sender + "/g", 1, "p", "q", "k", CoreFixture.json("2"));
    private final List<ProcessChange> told = List.of(new ProcessChange("p", 5, 0, 1, new Change.Made(1, 0, 0)),
            new ProcessChange("p", 5, 0, 2, new Change.Arrived("far/e", 0, "far", "k", by("@r@5.0/large"))),
            new ProcessChange("p", 5, 0, 3, new Change.Done(List.of(), List.of(), List.of(first, second))));

    NamedValuesTest() {
        super(new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST)).warm());
    }

    private static Payload by(String object) {
        return new Payload("application/json", null, new Payload.Reference(object, 200_000));
    }

    private List<Action> recover() {
        return on(new Input.RecoverProcess(APP.application(), "p", 5, told, List.of(0L), Map.of(sender, List.of(first, second))));
    }

    private Payload received(String process) {
        return call(running(process), new ProcessCall.Receive(null, null, 0)) instanceof Answer.Received answer ? answer.payload() : null;
    }

    private boolean letsGoOf(String process) {
        return journal.stream().anyMatch(record -> record.backup() instanceof Action.Backup.Ended && record.executionId().startsWith("@" + process + "@"));
    }

    private boolean hasArrived(Payload payload) {
        return journal.stream().anyMatch(record -> record.carried() != null
                && record.carried().change().change() instanceof Change.Arrived arrived && arrived.payload().equals(payload));
    }

    private Action.BringValue onlyBring(List<Action> seen) {
        return seen.stream().filter(Action.BringValue.class::isInstance).map(Action.BringValue.class::cast)
                .reduce((one, more) -> {
                    throw new AssertionError("one at a time");
                }).orElseThrow();
    }

    // --- what was sent

    @Test
    void aMessageForAProcessHereIsGivenWithTheReceiversOwnValue() {
        running("q");
        Action.BringValue bring = onlyBring(recover());
        assertThat(bring.named()).isEqualTo(NAMED);
        assertThat(received("q")).as("it is on its way").isNull();
        on(new Input.ValueBrought(bring, HERE, null));
        shop.after(1_000);
        assertThat(hasArrived(HERE)).isTrue();
        assertThat(hasArrived(NAMED)).isFalse();
        assertThat(received("q")).isEqualTo(HERE);
        assertThat(received("q")).as("what was sent behind it").isEqualTo(second.payload());
    }

    @Test
    void theSendersJournalStaysUntilTheReceiversHasIt() {
        running("q");
        Action.BringValue bring = onlyBring(recover());
        assertThat(command("p", Kind.CHECKPOINT)).as("an image would let the value go").isNull();
        shop.takesChanges = false;
        on(new Input.ValueBrought(bring, HERE, null));
        shop.after(100).stream().filter(Action.Journal.class::isInstance).map(Action.Journal.class::cast).forEach(journal::add);
        List<Action.Journal> arrived = journal.stream().filter(record -> record.carried() != null
                && record.carried().change().process().equals("q")).toList();
        assertThat(hasArrived(HERE)).isTrue();
        assertThat(letsGoOf("p")).isFalse();
        shop.takesChanges = true;
        arrived.forEach(record -> on(new Input.ChangeJournaled(record.carried(), null)));
        List<Action> later = shop.after(5_000);
        assertThat(later).anyMatch(action -> action instanceof Action.Journal record && record.backup() instanceof Action.Backup.Ended
                && record.executionId().equals("@p@5.0"));
    }

    @Test
    void aMessageForAnotherHostsProcessGoesThereWithAValueOfThisHost() {
        on(new Input.SlotLost(Slots.of("q", SLOTS), CoreFixture.EPOCH));
        Action.BringValue bring = onlyBring(recover());
        on(new Input.ValueBrought(bring, HERE, null));
        assertThat(shop.only(Action.SendElsewhere.class).message().payload()).isEqualTo(HERE);
    }

    @Test
    void aStoreThatIsAwayIsAskedAgain() {
        running("q");
        Action.BringValue bring = onlyBring(recover());
        on(new Input.ValueBrought(bring, null, Failure.platform(Errors.UNAVAILABLE, "it is away", true)));
        on(new Input.ValueBrought(onlyBring(shop.after(2_000)), HERE, null));
        assertThat(received("q")).isEqualTo(HERE);
    }

    @Test
    void aValueThatIsGoneHoldsUpNothingElse() {
        running("q");
        on(new Input.ValueBrought(onlyBring(recover()), null, GONE));
        shop.after(1_000);
        assertThat(received("q")).isEqualTo(second.payload());
    }

    // --- a process that cannot be read

    private void cannotBeRead() {
        shop.restores = false;
        recover();
        fail();
    }

    private void fail() {
        on(new Input.ProcessRestored(shop.only(Action.RestoreProcess.class), null, GONE));
    }

    @Test
    void itsOwnValuesAreBroughtWithItAndNotWhatItSent() {
        shop.restores = false;
        recover();
        assertThat(shop.only(Action.RestoreProcess.class).changes()).flatExtracting(change -> change.change().values())
                .containsExactly(by("@r@5.0/large"));
    }

    @Test
    void whoeverAsksForOneThatCannotBeReadIsToldWhy() {
        cannotBeRead();
        for (Kind kind : List.of(Kind.DESCRIBE, Kind.CHECKPOINT, Kind.SWAP_IN, Kind.CREATE)) {
            List<Object> answer = command(new ProcessCommand(APP.application(), APP.version(), "p", kind));
            assertThat(shop.only(Action.RestoreProcess.class).changes()).as("its journal has it, and no image alone").hasSize(3);
            fail();
            assertThat(answer).as(kind.name()).containsExactly(GONE);
        }
    }

    @Test
    void oneThatCannotBeReadCanBeKilledAndWhatItSentIsGivenAllTheSame() {
        running("q");
        cannotBeRead();
        assertThat(shop.all.stream().filter(Action.BringValue.class::isInstance)).isEmpty();
        List<Object> killed = command(new ProcessCommand(APP.application(), APP.version(), "p", Kind.KILL));
        Action.RestoreProcess restore = shop.only(Action.RestoreProcess.class);
        assertThat(restore.values()).isFalse();
        List<Action> seen = on(shop.restored(restore));
        assertThat(killed).singleElement().isInstanceOf(ProcessView.class);
        assertThat(letsGoOf("p")).as("its journal alone has what it sent").isFalse();
        on(new Input.ValueBrought(onlyBring(seen), HERE, null));
        shop.after(3_000).stream().filter(Action.Journal.class::isInstance).map(Action.Journal.class::cast).forEach(journal::add);
        assertThat(received("q")).isEqualTo(HERE);
        assertThat(letsGoOf("p")).isTrue();
        assertThat(command("p", Kind.DESCRIBE)).isInstanceOfSatisfying(Failure.class, none -> assertThat(none.error()).isEqualTo(Errors.NOT_FOUND));
    }

    @Test
    void oneThatIsOnItsWayInVainCanBeKilled() {
        shop.restores = false;
        recover();
        Action.RestoreProcess vain = shop.only(Action.RestoreProcess.class);
        List<Object> killed = command(new ProcessCommand(APP.application(), APP.version(), "p", Kind.KILL));
        on(new Input.ProcessRestored(vain, null, GONE));
        on(shop.restored(shop.only(Action.RestoreProcess.class)));
        assertThat(killed).singleElement().isInstanceOf(ProcessView.class);
    }

    @Test
    void itCanBeReadOnceItsValueIsThereAgain() {
        running("q");
        cannotBeRead();
        List<Object> described = command(new ProcessCommand(APP.application(), APP.version(), "p", Kind.DESCRIBE));
        Action.BringValue bring = onlyBring(on(shop.restored(shop.only(Action.RestoreProcess.class))));
        assertThat(described).singleElement().isInstanceOfSatisfying(ProcessView.class, view -> assertThat(view.unread()).isEqualTo(1));
        on(new Input.ValueBrought(bring, HERE, null));
        assertThat(received("q")).isEqualTo(HERE);
    }
}
