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
import dev.sand.event.InvocationResult;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessMessage;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.hostagent.core.ProcessCall.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Processes whose owner is another host: what is asked of it, what of its answers, and what it brings. */
class ElsewhereTest extends ProcessFixture {
    private static final ProcessSpec SPEC = new ProcessSpec(4, 1_000, 10_000, 64L << 20, 256L << 20, 1_000, 600_000,
            Map.of("atomic", new ProcessSpec.Function(ProcessSpec.Trigger.STANDARD, 1, 0, true)));
    private static final Failure AWAY = Failure.platform(Errors.UNAVAILABLE, "no connection", true);

    /** What whoever brought a message was told; null stands for durable. */
    private final List<Failure> answered = new ArrayList<>();

    ElsewhereTest() {
        super(new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST)).with(grain("atomic", 10, 100, Isolation.REQUEST))
                .warm());
    }

    private void lose(String process) {
        on(new Input.SlotLost(Slots.of(process, SLOTS), EPOCH));
    }

    private void bring(int ordinal, String to, String body) {
        List<Action> actions = on(new Input.Deliver(new ProcessMessage(APP.application(), APP.version(), "far/e", ordinal, "far", to, "k",
                json(body), 0), answered::add));
        answer(actions);
    }

    private void answer(List<Action> actions) {
        actions.stream().filter(Action.AnswerDelivery.class::isInstance).map(Action.AnswerDelivery.class::cast)
                .forEach(told -> told.listener().accept(told.failure()));
    }

    private void journaled(Action.Journal record) {
        answer(on(new Input.ChangeJournaled(record.carried(), null)));
    }

    private Action.SendElsewhere sent(Running by, int number) {
        ask(by, send(number, "q", "7"));
        return shop.only(Action.SendElsewhere.class);
    }

    private void back(Runnable then) {
        on(new Input.FromElsewhere(then));
    }

    // --- what is asked of others

    @Test
    void aMessageIsSentOnceItIsDurableAtItsOwner() {
        lose("q");
        Running sender = running("p");
        Action.SendElsewhere sent = sent(sender, 3);
        assertThat(told).isEmpty();
        assertThat(sent.message().destination()).isEqualTo("q");
        assertThat(sent.message().source()).isEqualTo("p");
        assertThat(sent.message().ordinal()).isEqualTo(3);
        back(() -> sent.then().accept(null));
        assertThat(told).containsExactly(new Answer.Done());
    }

    @Test
    void whyItCannotBeSentIsToldToItsSender() {
        lose("q");
        Running sender = running("p");
        Action.SendElsewhere sent = sent(sender, 0);
        back(() -> sent.then().accept(AWAY));
        assertThat(told).containsExactly(new Answer.Refused(Errors.UNAVAILABLE, "no connection"));
    }

    @Test
    void aFunctionIsInvokedThereAndItsEndIsAwaitedHere() {
        lose("q");
        Running caller = running("p");
        ask(caller, new ProcessCall.Invoke(0, "q", "g", json("1")));
        Action.FindElsewhere find = shop.only(Action.FindElsewhere.class);
        back(() -> find.then().accept(null, null));
        Action.InvokeElsewhere invoke = shop.only(Action.InvokeElsewhere.class);
        String id = invoke.request().executionId();
        assertThat(Slots.of(id, SLOTS)).isEqualTo(Slots.of("q", SLOTS));
        back(invoke.accepted());
        assertThat(told).containsExactly(new Answer.Invoked(id));
        assertThat(call(caller, new ProcessCall.Result(id, 0))).isEqualTo(new Answer.Outcome(null, null, null));
        ask(caller, new ProcessCall.Result(id, 1_000));
        back(() -> invoke.then().accept(new InvocationResult(id, InvocationResult.Status.SUCCEEDED, json("5"), null, List.of())));
        assertThat(told.getLast()).isInstanceOfSatisfying(Answer.Outcome.class, outcome -> assertThat(text(outcome.output())).isEqualTo("5"));
        finish(caller);
        Running other = running("p");
        assertThat(call(other, new ProcessCall.Result(id, 0))).as("its caller has ended").isInstanceOf(Answer.Refused.class);
    }

    /** Who has brought it is the host where its sender ran before, which may be no more. */
    @Test
    void whatItsSenderRepeatsHereIsGivenAgainWhenItsReceiverGoes() {
        running("q");
        Running sender = running("p");
        shop.takesChanges = false;
        on(new Input.Deliver(new ProcessMessage(APP.application(), APP.version(), sender.eventId(), 0, "p", "q", "k", json("1"), 0),
                answered::add));
        assertThat(call(sender, send(0, "q", "1"))).isEqualTo(new Answer.Done());
        assertThat(finish(sender)).noneMatch(Action.Respond.class::isInstance);
        List<Action> lost = on(new Input.SlotLost(Slots.of("q", SLOTS), EPOCH));
        assertThat(lost).filteredOn(Action.SendElsewhere.class::isInstance).singleElement()
                .satisfies(send -> assertThat(((Action.SendElsewhere) send).message().sender()).isEqualTo(sender.eventId()));
        assertThat(lost).filteredOn(Action.Respond.class::isInstance).as("its end waits")
                .noneMatch(end -> ((Action.Respond) end).result().status() == InvocationResult.Status.SUCCEEDED);
    }

    private Running hasSentTwo() {
        lose("q");
        Running sender = running("p", "atomic");
        for (int number = 0; number < 2; number++) {
            ask(sender, send(number, "q", "" + number));
            Action.FindElsewhere find = shop.only(Action.FindElsewhere.class);
            back(() -> find.then().accept(null, null));
        }
        assertThat(told).containsExactly(new Answer.Done(), new Answer.Done());
        return sender;
    }

    @Test
    void whatCountsAtTheEndGoesThenOneAfterTheOtherAndAgain() {
        Running sender = hasSentTwo();
        assertThat(all(Action.SendElsewhere.class)).isEmpty();
        finish(sender);
        Action.SendElsewhere first = shop.only(Action.SendElsewhere.class);
        assertThat(first.message().ordinal()).isZero();
        back(() -> first.then().accept(AWAY));
        shop.after(CoreConfiguration.DEFAULT.retryNs() / CoreFixture.MS + 1);
        Action.SendElsewhere again = shop.only(Action.SendElsewhere.class);
        assertThat(again.message()).isEqualTo(first.message());
        back(() -> again.then().accept(null));
        shop.after(1);
        assertThat(shop.only(Action.SendElsewhere.class).message().ordinal()).isEqualTo(1);
    }

    @Test
    void whoSendsBehindThatWaitsForNoLongerThanItSays() {
        finish(hasSentTwo());
        Action.SendElsewhere first = shop.only(Action.SendElsewhere.class);
        Running next = running("p");
        told.clear();
        ask(next, new ProcessCall.Send(0, "q", "k", json("2"), 500));
        ask(next, new ProcessCall.Send(1, "q", "k", json("3"), 5_000));
        shop.after(501);
        deliver();
        assertThat(told).singleElement().isInstanceOfSatisfying(Answer.Refused.class, refused ->
                assertThat(refused.error()).isEqualTo(Errors.OVERLOADED));
        back(() -> first.then().accept(null));
        shop.after(100);
        Action.SendElsewhere second = shop.only(Action.SendElsewhere.class);
        back(() -> second.then().accept(null));
        shop.after(100);
        Action.SendElsewhere behind = shop.only(Action.SendElsewhere.class);
        assertThat(text(behind.message().payload())).isEqualTo("3");
        assertThat(behind.waitMs()).as("what is left of it").isLessThan(4_400);
    }

    @Test
    void whoWaitsForRoomWaitsAtTheNextOwner() {
        shop = new CoreFixture().with(new ProcessSpec(4, 1_000, 1, 64L << 20, 256L << 20, 1_000, 600_000, Map.of()))
                .with(grain("g", 10, 100, Isolation.REQUEST)).warm();
        running("q");
        Running sender = running("p");
        ask(sender, send(0, "q", "1"));
        ask(sender, new ProcessCall.Send(1, "q", "k", json("2"), 1_000));
        shop.after(100);
        told.clear();
        lose("q");
        Action.SendElsewhere again = shop.only(Action.SendElsewhere.class);
        assertThat(text(again.message().payload())).isEqualTo("2");
        assertThat(again.waitMs()).isEqualTo(900);
        assertThat(told).isEmpty();
        back(() -> again.then().accept(null));
        assertThat(told).containsExactly(new Answer.Done());
    }

    /** Found by the simulation, with two hosts: it was there before what was sent before it (seed 2896). */
    @Test
    void whoWaitsForRoomGoesBehindWhatIsGivenAgain() {
        shop = new CoreFixture().with(new ProcessSpec(4, 1_000, 1, 64L << 20, 256L << 20, 1_000, 600_000, Map.of()))
                .with(grain("g", 10, 100, Isolation.REQUEST)).warm();
        running("q");
        Running sender = running("p");
        shop.takesChanges = false;
        ask(sender, send(0, "q", "1"));
        ask(sender, new ProcessCall.Send(1, "q", "k", json("2"), 1_000));
        lose("q");
        Action.SendElsewhere first = shop.only(Action.SendElsewhere.class);
        assertThat(text(first.message().payload())).isEqualTo("1");
        back(() -> first.then().accept(null));
        shop.after(1);
        assertThat(text(shop.only(Action.SendElsewhere.class).message().payload())).isEqualTo("2");
    }

    @Test
    void whatCountsAtTheEndOfOneThatFailsIsNotSent() {
        shop.fail(hasSentTwo(), "Boom");
        shop.after(1);
        assertThat(all(Action.SendElsewhere.class)).isEmpty();
    }

    @Test
    void anImageIsMadeBehindWhatTheJournalAloneHas() {
        finish(hasSentTwo());
        Action.SendElsewhere first = shop.only(Action.SendElsewhere.class);
        assertThat(command("p", Kind.CHECKPOINT)).as("waits").isNull();
        assertThat(command("p", Kind.SWAP_OUT)).as("so does who wants more").isNull();
        assertThat(all(Action.WriteImage.class)).isEmpty();
        back(() -> first.then().accept(null));
        shop.after(1);
        Action.SendElsewhere second = shop.only(Action.SendElsewhere.class);
        back(() -> second.then().accept(null));
        shop.after(1);
        assertThat(all(Action.WriteImage.class)).as("one for each").hasSize(2);
    }

    /** Found by the simulation, with two hosts: dead ones waited for each other to take what they had sent, for ever (seed 1589). */
    @Test
    void aKilledOneIsThereNoMoreThoughItsNextWaitsForWhatItHasSent() {
        finish(hasSentTwo());
        Action.SendElsewhere first = shop.only(Action.SendElsewhere.class);
        shop.takesChanges = false;
        assertThat(command("p", Kind.KILL)).as("not durable").isNull();
        bring(0, "p", "1");
        assertThat(answered).isEmpty();
        shop.takesChanges = true;
        journaled(journal.getLast());
        assertThat(answered).extracting(Failure::error).containsExactly(Errors.NOT_FOUND);
        assertThat(command("p", Kind.DESCRIBE)).isInstanceOfSatisfying(Failure.class,
                failure -> assertThat(failure.error()).isEqualTo(Errors.NOT_FOUND));
        String next = invoke("p");
        assertThat(shop.running(next)).isNull();
        back(() -> first.then().accept(null));
        shop.after(1);
        Action.SendElsewhere second = shop.only(Action.SendElsewhere.class);
        back(() -> second.then().accept(null));
        shop.after(1);
        shop.settle();
        assertThat(shop.running(next)).isNotNull();
    }

    private <T> List<T> all(Class<T> type) {
        return shop.all.stream().filter(type::isInstance).map(type::cast).toList();
    }

    @Test
    void theListIsThatOfAllHosts() {
        lose("q");
        ask(running("p"), new ProcessCall.Processes(null, 0));
        Action.ListElsewhere list = shop.only(Action.ListElsewhere.class);
        back(() -> list.then().accept(null, AWAY));
        assertThat(told).containsExactly(new Answer.Refused(Errors.UNAVAILABLE, "no connection"));
    }

    @Test
    void aListThatLacksThoseSwappedOutIsNoList() {
        ask(running("p"), new ProcessCall.Processes(null, 0));
        assertThat(told).singleElement().isInstanceOf(Answer.Listed.class);
        told.clear();
        shop.imagesAway = AWAY;
        ask(running("r"), new ProcessCall.Processes(null, 0));
        assertThat(told).containsExactly(new Answer.Refused(Errors.UNAVAILABLE, "no connection"));
        AtomicReference<Failure> why = new AtomicReference<>();
        on(new Input.ListProcesses("shop", (views, failure) -> why.set(failure)));
        assertThat(why).hasValue(AWAY);
    }

    // --- what others bring

    @Test
    void whatIsBroughtIsAnsweredWhenItIsDurable() {
        Running receiver = running("q");
        shop.takesChanges = false;
        bring(0, "q", "1");
        assertThat(received(receiver)).as("at once").isEqualTo("1");
        assertThat(answered).isEmpty();
        bring(0, "q", "1");
        assertThat(answered).as("again: the first is not durable yet").isEmpty();
        journaled(journal.getLast());
        assertThat(answered).containsExactly(null, null);
        assertThat(received(receiver)).isNull();
    }

    @Test
    void whatIsBroughtToNobodyOrToAnotherHostsIsRefused() {
        bring(0, "nobody", "1");
        lose("q");
        bring(1, "q", "1");
        assertThat(answered).extracting(Failure::error).containsExactly(Errors.NOT_FOUND, Errors.MOVED);
    }

    @Test
    void whoeverBringsItIsToldThatTheProcessMovedMeanwhile() {
        running("q");
        shop.takesChanges = false;
        bring(0, "q", "1");
        answer(on(new Input.SlotLost(Slots.of("q", SLOTS), EPOCH)));
        assertThat(answered).extracting(Failure::error).containsExactly(Errors.MOVED);
    }

    /** A message to one that moves before it is durable. */
    private Action.SendElsewhere givenAgain(Running sender) {
        running("q");
        shop.takesChanges = false;
        call(sender, send(0, "q", "7"));
        lose("q");
        return shop.only(Action.SendElsewhere.class);
    }

    @Test
    void aMessageThatWasOnItsWayIntoTheJournalIsGivenToTheNextOwner() {
        Running sender = running("p");
        Action.SendElsewhere again = givenAgain(sender);
        ask(sender, new ProcessCall.Send(1, "q", "k", json("8"), 1_000));
        assertThat(shop.of(Action.SendElsewhere.class)).as("what comes behind it waits").isEmpty();
        assertThat(text(again.message().payload())).isEqualTo("7");
        back(() -> again.then().accept(null));
        shop.after(1);
        Action.SendElsewhere behind = shop.only(Action.SendElsewhere.class);
        assertThat(text(behind.message().payload())).isEqualTo("8");
        back(() -> behind.then().accept(null));
        shop.takesChanges = true;
        finish(sender);
        assertThat(shop.of(Action.Respond.class)).hasSize(1);
    }

    @Test
    void aMessageOfASenderWhoseSlotIsLostIsItsNextOwnersToGive() {
        Running sender = running("p");
        running("q");
        shop.takesChanges = false;
        call(sender, send(0, "q", "7"));
        lose("p");
        shop.all.clear();
        lose("q");
        assertThat(shop.all).as("it is sent again when its sender runs again").noneMatch(Action.SendElsewhere.class::isInstance);
    }

    @Test
    void aReceiverThatNobodyKnowsYetIsAskedForAgain() {
        Running sender = running("p");
        shop.takesChanges = false;
        running("q");
        call(sender, send(0, "q", "7"));
        lose("q");
        Failure unknown = Failure.platform(Errors.NOT_FOUND, "there is no process q", false);
        Action.SendElsewhere first = shop.only(Action.SendElsewhere.class);
        back(() -> first.then().accept(unknown));
        shop.after(CoreConfiguration.DEFAULT.retryNs() / CoreFixture.MS + 1);
        Action.SendElsewhere again = shop.only(Action.SendElsewhere.class);
        assertThat(text(again.message().payload())).isEqualTo("7");
        shop.after(10_000);
        shop.all.clear();
        back(() -> again.then().accept(unknown));
        shop.after(CoreConfiguration.DEFAULT.retryNs() / CoreFixture.MS + 1);
        assertThat(shop.all).as("it is no more").noneMatch(Action.SendElsewhere.class::isInstance);
    }

    @Test
    void whatIsToBeGivenToAProcessThatIsHereAgainIsGivenHere() {
        Running sender = running("p");
        Action.SendElsewhere again = givenAgain(sender);
        shop.takesChanges = true;
        on(new Input.SlotAcquired(Slots.of("q", SLOTS), EPOCH + 1));
        on(new Input.SlotReady(Slots.of("q", SLOTS), EPOCH + 1));
        Running receiver = running("q");
        back(() -> again.then().accept(AWAY));
        shop.after(CoreConfiguration.DEFAULT.retryNs() / CoreFixture.MS + 1);
        assertThat(received(receiver)).isEqualTo("7");
        finish(sender);
        assertThat(shop.of(Action.Respond.class)).as("its end waits for nothing more").hasSize(1);
    }

    /** Found by the simulation, with two hosts: it waited for itself until its time was over, and so did all behind it (seed 341). */
    @Test
    void whatIsOnItsWayToAProcessThatIsHereAgainIsAnsweredToo() {
        Action.SendElsewhere again = givenAgain(running("p"));
        shop.takesChanges = true;
        on(new Input.SlotAcquired(Slots.of("q", SLOTS), EPOCH + 1));
        on(new Input.SlotReady(Slots.of("q", SLOTS), EPOCH + 1));
        running("q");
        answer(on(new Input.Deliver(new ProcessMessage(APP.application(), APP.version(), again.message().sender(), again.message().ordinal(),
                "p", "q", "k", json("7"), 0), answered::add)));
        answer(shop.after(1));
        assertThat(answered).hasSize(1).containsOnlyNulls();
    }

    @Test
    void manyAreListedByProcess() {
        lose("q");
        ask(running("p"), new ProcessCall.Processes(null, 0));
        Action.ListElsewhere list = shop.only(Action.ListElsewhere.class);
        ProcessView p = (ProcessView) command("p", Kind.DESCRIBE);
        back(() -> list.then().accept(List.of(p), null));
        assertThat(told).singleElement().isInstanceOfSatisfying(Answer.Listed.class, listed ->
                assertThat(listed.statuses()).containsEntry("p", "active"));
    }

    @Test
    void whoRunsNoMoreWaitsForRoomElsewhereNoMore() {
        lose("q");
        Running sender = running("p");
        ask(sender, new ProcessCall.Send(0, "q", "k", json("7"), 60_000));
        Action.SendElsewhere sent = shop.only(Action.SendElsewhere.class);
        back(() -> sent.then().accept(new Failure(Errors.OVERLOADED, "full", Failure.Source.PLATFORM, true, null, Map.of())));
        shop.fail(sender, "Boom");
        List<Action> seen = shop.after(3_000);
        deliver(seen);
        assertThat(seen).noneMatch(Action.SendElsewhere.class::isInstance);
        assertThat(told).singleElement().isInstanceOfSatisfying(Answer.Refused.class, refused ->
                assertThat(refused.error()).isEqualTo(Errors.CONFLICT));
    }
}
