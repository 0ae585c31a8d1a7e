package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.EPOCH;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.HostAgentPort.Early;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessMessage;
import dev.sand.event.ProcessSpec;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.process.Change;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Between hosts too a function goes on once its message is in the mailbox, ends once it is durable, and its messages keep their order. */
class EarlySendsTest extends ProcessFixture {
    private static final ProcessSpec SPEC = new ProcessSpec(4, 1_000, 10_000, 64L << 20, 256L << 20, 1_000, 600_000, Map.of());
    private static final int HOLD_MS = 50;
    private static final Failure AWAY = Failure.platform(Errors.UNAVAILABLE, "no connection", true);

    private final AtomicInteger taken = new AtomicInteger();
    private final List<Failure> answered = new ArrayList<>();
    /** What has a message that is held written, as who brought it was told last. */
    private Runnable hurry;

    EarlySendsTest() {
        super(new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST)).warm());
    }

    private Running sender() {
        on(new Input.SlotLost(Slots.of("q", SLOTS), EPOCH));
        return running("p");
    }

    private Action.SendElsewhere sent(Running by, int number) {
        ask(by, new ProcessCall.Send(number, "q", "k", json("" + number), 1_000));
        return shop.only(Action.SendElsewhere.class);
    }

    private List<Action> back(Runnable then) {
        return on(new Input.FromElsewhere(then));
    }

    private boolean hasEnded() {
        return shop.all.stream().anyMatch(Action.Respond.class::isInstance);
    }

    @Test
    void aFunctionGoesOnOnceItsMessageIsInTheMailboxAndEndsOnceThatIsDurable() {
        Running sender = sender();
        Action.SendElsewhere sent = sent(sender, 0);
        assertThat(told).isEmpty();
        back(() -> sent.early().taken().accept(null));
        back(() -> sent.early().taken().accept(null)); // by another owner
        assertThat(told).containsExactly(new Answer.Done());
        finish(sender);
        assertThat(hasEnded()).isFalse();
        back(() -> sent.then().accept(null));
        assertThat(hasEnded()).isTrue();
        assertThat(told).hasSize(1);
    }

    @Test
    void whatItSendsNextNamesTheLastOneThatIsNotDurable() {
        Running sender = sender();
        Action.SendElsewhere first = sent(sender, 0);
        assertThat(first.early().behind()).isNull();
        back(() -> first.early().taken().accept(null));
        Action.SendElsewhere second = sent(sender, 1);
        assertThat(second.early().behind()).isEqualTo(new ProcessMessage.Name(sender.eventId(), 0));
        back(() -> second.early().taken().accept(null));
        back(() -> first.then().accept(null));
        assertThat(sent(sender, 2).early().behind()).isEqualTo(new ProcessMessage.Name(sender.eventId(), 1));
    }

    @Test
    void oneThatNobodyIsKnownToHaveAfterAllIsGivenUntilSomebodyHasIt() {
        Running sender = sender();
        Action.SendElsewhere sent = sent(sender, 0);
        back(() -> sent.early().taken().accept(null));
        back(() -> sent.then().accept(AWAY));
        Action.SendElsewhere again = shop.only(Action.SendElsewhere.class);
        assertThat(again.message()).isEqualTo(sent.message());
        finish(sender);
        assertThat(hasEnded()).isFalse();
        back(() -> again.then().accept(null));
        shop.after(1);
        assertThat(hasEnded()).isTrue();
    }

    /** Its slot has come here since, and what its former owner had taken has not. */
    @Test
    void whatIsSentHereWaitsBehindWhatWasSentThere() {
        Running sender = sender();
        Action.SendElsewhere sent = sent(sender, 0);
        back(() -> sent.early().taken().accept(null));
        on(new Input.SlotAcquired(Slots.of("q", SLOTS), EPOCH + 1));
        on(new Input.SlotReady(Slots.of("q", SLOTS), EPOCH + 1));
        command("q", Kind.CREATE);
        ask(sender, new ProcessCall.Send(1, "q", "k", json("1"), 1_000));
        assertThat(told).hasSize(1);
        on(new Input.Deliver(new ProcessMessage(APP.application(), APP.version(), sender.eventId(), 0, "p", "q", "k", json("0"), 0), answered::add));
        back(() -> sent.then().accept(null));
        shop.after(1);
        deliver();
        assertThat(told).hasSize(2);
        Running receiver = running("q");
        assertThat(List.of(received(receiver), received(receiver))).containsExactly("0", "1");
    }

    private void bring(int ordinal, ProcessMessage.Name behind) {
        List<Action> actions = on(new Input.Deliver(new ProcessMessage(APP.application(), APP.version(), "far/e", ordinal, "far", "q", "k",
                json("" + ordinal), 0), new Early(behind, this::taken), answered::add));
        answer(actions);
    }

    private void taken(Runnable held) {
        taken.incrementAndGet();
        hurry = held;
    }

    private long arrivals() {
        return journal.stream().filter(record -> record.carried() != null
                && record.carried().change().change() instanceof Change.Arrived).count();
    }

    private static void answer(List<Action> actions) {
        for (Action action : actions) {
            switch (action) {
                case Action.TellTaken tell -> tell.taken().accept(tell.hurry());
                case Action.AnswerDelivery answer -> answer.listener().accept(answer.failure());
                default -> { }
            }
        }
    }

    @Test
    void whoBringsOneIsToldThatItIsTakenAndThenThatItIsDurable() {
        command("q", Kind.CREATE);
        shop.takesChanges = false;
        bring(0, null);
        assertThat(taken).hasValue(1);
        bring(0, null);
        assertThat(taken).as("of a repetition too").hasValue(2);
        assertThat(arrivals()).as("it is held for a moment").isZero();
        answer(back(hurry));
        assertThat(arrivals()).as("or until its sender's end waits for it").isOne();
        assertThat(answered).isEmpty();
        answer(on(new Input.ChangeJournaled(journal.getLast().carried(), null)));
        assertThat(answered).as("both are").containsExactly(null, null);
    }

    @Test
    void whatIsHeldForWhoAsksForNothingIsWrittenWhenTheMomentHasPassed() {
        command("q", Kind.CREATE);
        bring(0, null);
        assertThat(arrivals()).isZero();
        assertThat(shop.after(HOLD_MS + 1)).anyMatch(action -> action instanceof Action.Journal record
                && record.carried().change().change() instanceof Change.Arrived);
    }

    @Test
    void whoBroughtOneThatIsHeldIsAnsweredWhenItsApplicationIsDeleted() {
        command("q", Kind.CREATE);
        bring(0, null);
        answer(on(new Input.Delete(APP.application(), APP.version(), "deleted")));
        assertThat(answered).hasSize(1);
    }

    @Test
    void whoBroughtOneWithoutBeingToldBeforeIsNotMadeToWaitForIt() {
        command("q", Kind.CREATE);
        on(new Input.Deliver(new ProcessMessage(APP.application(), APP.version(), "far/e", 0, "far", "q", "k", json("0"), 0), answered::add));
        assertThat(arrivals()).isOne();
    }

    @Test
    void theLastThatIsHeldElsewhereIsAskedForWhenItsSendersEndWaits() {
        Running sender = sender();
        Action.SendElsewhere first = sent(sender, 0);
        back(() -> first.early().taken().accept(() -> told.add("first")));
        Action.SendElsewhere second = sent(sender, 1);
        back(() -> second.early().taken().accept(() -> told.add("second")));
        told.clear();
        finish(sender);
        assertThat(hasEnded()).isFalse();
        shop.all.stream().filter(Action.Hurry.class::isInstance).map(Action.Hurry.class::cast).forEach(asked -> asked.asked().run());
        assertThat(told).as("those before it are written, too").containsExactly("second");
    }

    /** As when their connection breaks. */
    @Test
    void thoseThatNobodyIsKnownToHaveAreGivenInTheirOrderWhicheverWasToldFirst() {
        Running sender = sender();
        List<Action.SendElsewhere> sent = List.of(taken(sender, 0), taken(sender, 1), taken(sender, 2));
        back(() -> sent.get(1).then().accept(AWAY));
        assertThat(shop.all.stream().filter(Action.SendElsewhere.class::isInstance)).hasSize(3);
        back(() -> sent.get(2).then().accept(null));
        back(() -> sent.get(0).then().accept(AWAY));
        Action.SendElsewhere first = shop.only(Action.SendElsewhere.class);
        assertThat(first.message().ordinal()).isZero();
        back(() -> first.then().accept(null));
        shop.after(1);
        Action.SendElsewhere second = shop.only(Action.SendElsewhere.class);
        assertThat(second.message().ordinal()).isOne();
        finish(sender);
        assertThat(hasEnded()).isFalse();
        back(() -> second.then().accept(null));
        shop.after(1);
        assertThat(hasEnded()).isTrue();
    }

    private Action.SendElsewhere taken(Running sender, int number) {
        Action.SendElsewhere sent = sent(sender, number);
        back(() -> sent.early().taken().accept(() -> { }));
        return sent;
    }

    /** Its former owner's is of no use any more. */
    @Test
    void oneThatIsHeldByItsNextOwnerIsAskedForAtOnceWhenSomebodyWaitsAlready() {
        Running sender = sender();
        Action.SendElsewhere sent = sent(sender, 0);
        back(() -> sent.early().taken().accept(null));
        finish(sender);
        assertThat(back(() -> sent.early().taken().accept(() -> { }))).anyMatch(Action.Hurry.class::isInstance);
    }

    @Test
    void whatIsBehindOneThatThisOwnerHasNotIsRefusedForNow() {
        command("q", Kind.CREATE);
        bring(1, new ProcessMessage.Name("far/e", 0));
        assertThat(taken).hasValue(0);
        assertThat(answered).singleElement().satisfies(failure -> {
            assertThat(failure.error()).isEqualTo(Errors.UNAVAILABLE);
            assertThat(failure.retryable()).isTrue();
        });
        bring(0, null);
        bring(1, new ProcessMessage.Name("far/e", 0));
        assertThat(taken).hasValue(2);
    }

    /** Should its slot go before that is durable, the next owner has none of that name, and what was sent to it is nobody's. */
    @Test
    void nobodyIsToldBeforeOfAProcessThatANextOwnerMayNotKnow() {
        shop.takesChanges = false;
        invoke("q");
        bring(0, null);
        assertThat(taken).hasValue(0);
    }
}
