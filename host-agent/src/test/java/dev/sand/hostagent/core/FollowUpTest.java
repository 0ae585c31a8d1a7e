package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessCommand;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.Action.Await;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.hostagent.core.ProcessCall.Answer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a function invokes in a process of its host: at once, and safe by the time that its own end is told. */
class FollowUpTest extends ProcessFixture {
    private Running caller;
    private String invoked;

    FollowUpTest() {
        super(new CoreFixture().with(grain("g", 10, 100, Isolation.REQUEST)).warm());
    }

    private void callerInvokes() {
        running("q");
        caller = running("p");
        ask(caller, new ProcessCall.Invoke(0, "q", "g", json("2")));
        invoked = ((Answer.Invoked) told.getLast()).invocation();
        shop.settle();
    }

    private boolean isToldOf(String execution) {
        return shop.all.stream().anyMatch(action -> action instanceof Action.Respond respond && respond.result().executionId().equals(execution));
    }

    private String execution(Running running) {
        return running.eventId().substring(0, running.eventId().indexOf('/'));
    }

    private List<Action.Journal> requestsOf(String execution) {
        return journal.stream().filter(each -> each.executionId().equals(execution) && each.backup() instanceof Backup.Accepted)
                .toList();
    }

    @Test
    void itRunsBeforeItsRequestIsInTheJournal() {
        callerInvokes();
        assertThat(shop.running(invoked).eventId()).startsWith(invoked);
        assertThat(requestsOf(invoked)).extracting(Action.Journal::await).doesNotContain(Await.YES);
    }

    @Test
    void theEndOfItsCallerWaitsUntilItsRequestIsThere() {
        callerInvokes();
        finish(caller);
        assertThat(isToldOf(execution(caller))).isFalse();
        assertThat(requestsOf(invoked)).extracting(Action.Journal::await).last().isEqualTo(Await.YES);
        on(new Input.Journaled(invoked, 0, null));
        shop.after(1);
        assertThat(isToldOf(execution(caller))).isTrue();
    }

    @Test
    void aRequestThatTheBusDoesNotTakeIsGivenAgain() {
        callerInvokes();
        finish(caller);
        on(new Input.Journaled(invoked, 0, Failure.platform(Errors.UNAVAILABLE, "the bus is away", true)));
        List<Action> later = shop.after(6_000);
        assertThat(isToldOf(execution(caller))).isFalse();
        assertThat(later).anyMatch(action -> action instanceof Action.Journal again && again.executionId().equals(invoked)
                && again.backup() instanceof Backup.Accepted);
        on(new Input.Journaled(invoked, 0, null));
        shop.after(1);
        assertThat(isToldOf(execution(caller))).isTrue();
    }

    @Test
    void whatHasEndedIsWaitedForNoMore() {
        callerInvokes();
        finish(shop.running(invoked));
        shop.after(1);
        finish(caller);
        assertThat(isToldOf(execution(caller))).isTrue();
        assertThat(requestsOf(invoked)).extracting(Action.Journal::await).doesNotContain(Await.YES);
    }

    @Test
    void anAttemptThatRunsAgainWaitsForWhatTheOneBeforeHasInvoked() {
        callerInvokes();
        ask(caller, new ProcessCall.Invoke(0, "q", "g", json("2")));
        assertThat(told.getLast()).isEqualTo(new Answer.Invoked(invoked));
        finish(caller);
        assertThat(isToldOf(execution(caller))).isFalse();
    }

    private static final ProcessCall.Invoke AWAITED = new ProcessCall.Invoke(0, "q", "g", json("2"), true);

    private void callerAwaits() {
        running("q");
        caller = running("p");
        told.clear();
        on(new Input.CallProcess(caller.app(), caller.instance(), caller.eventId(), caller.attempt(), AWAITED, told::add)).stream()
                .filter(Action.HandOver.class::isInstance).map(Action.HandOver.class::cast).forEach(over -> invoked = over.executionId());
        shop.settle();
        assertThat(shop.running(invoked)).isNotNull();
        assertThat(told).as("it runs, and that is told with its result").isEmpty();
    }

    @Test
    void whoAwaitsItIsToldThatItRunsWithItsResult() {
        callerAwaits();
        finish(shop.running(invoked));
        shop.after(0);
        deliver();
        assertThat(told).singleElement().isInstanceOfSatisfying(Answer.Invoked.class, ended ->
                assertThat(CoreFixture.text(ended.outcome().output())).isEqualTo("0"));
        deliver(shop.after(1));
        assertThat(told).as("told once").hasSize(1);
    }

    @Test
    void whoAwaitsItIsToldThatItRunsWhenThatTakesLong() {
        callerAwaits();
        deliver(shop.after(1));
        assertThat(told).singleElement().isInstanceOfSatisfying(Answer.Invoked.class, runs -> assertThat(runs.outcome()).isNull());
        finish(shop.running(invoked));
        deliver(shop.after(1));
        assertThat(told).as("told once").hasSize(1);
    }

    @Test
    void whatFailsIsToldToWhoAwaitsItTogether() {
        callerAwaits();
        shop.fail(shop.running(invoked), "ValueError");
        shop.after(0);
        deliver();
        assertThat(told).singleElement().isInstanceOfSatisfying(Answer.Invoked.class, ended ->
                assertThat(ended.outcome().error()).isEqualTo("ValueError"));
    }

    @Test
    void whatIsLargeIsAskedForByWhoAwaitsIt() {
        callerAwaits();
        Running by = shop.running(invoked);
        Payload large = new Payload("application/json", null, new Payload.Reference("large", 100_000));
        on(new Input.FinishInProcess(new Input.Finish(by.app(), by.instance(), by.eventId(), by.attempt(), large, List.of(), shop.nowNs,
                shop.nowNs), List.of()));
        shop.after(0);
        deliver();
        assertThat(told).containsExactly(new Answer.Invoked(invoked));
    }

    @Test
    void whoAwaitsItIsToldThatItRunsWhenItsSlotGoesElsewhere() {
        callerAwaits();
        on(new Input.SlotLost(Slots.of("q", ProcessFixture.SLOTS), CoreFixture.EPOCH));
        deliver(shop.after(0));
        assertThat(told).containsExactly(new Answer.Invoked(invoked));
        assertThat(givenElsewhere()).singleElement().satisfies(given -> assertThat(given.request().executionId()).isEqualTo(invoked));
        deliver(shop.after(1));
        assertThat(told).as("told once").hasSize(1);
    }

    @Test
    void itIsGivenToTheNextOwnerThoughWhoAwaitedItRunsAgain() {
        callerAwaits();
        ask(caller, AWAITED); // the next attempt
        assertThat(told).containsExactly(new Answer.Invoked(invoked));
        on(new Input.SlotLost(Slots.of("q", ProcessFixture.SLOTS), CoreFixture.EPOCH));
        shop.after(1);
        assertThat(givenElsewhere()).hasSize(1);
        theEndOfItsCallerWaitsUntilItIsAccepted(givenElsewhere().getFirst());
    }

    @Test
    void theEndOfWhoRunsAgainWaitsForWhatTheOneBeforeAwaited() {
        callerAwaits();
        ask(caller, AWAITED); // the next attempt
        finish(caller);
        assertThat(isToldOf(execution(caller))).isFalse();
        on(new Input.Journaled(invoked, 0, null));
        shop.after(1);
        assertThat(isToldOf(execution(caller))).isTrue();
    }

    @Test
    void whoEndsBeforeHeIsToldHearsNothingLater() {
        callerAwaits();
        shop.fail(caller, "ValueError");
        deliver(shop.after(1));
        told.clear();
        finish(shop.running(invoked));
        deliver(shop.after(1));
        assertThat(told).isEmpty();
    }

    @Test
    void whatDoesNotRunIsRefusedAtOnceToWhoAwaitsIt() {
        caller = running("p");
        assertThat(call(caller, new ProcessCall.Invoke(0, "q", "no grain", json("2"), true))).isInstanceOf(Answer.Refused.class);
    }

    /** It may yet be found to live elsewhere: who was told that it runs would wait for what nobody runs. */
    @Test
    void whatWaitsForItsProcessToMoveIsPromisedToNobody() {
        int away = (Slots.of("q", ProcessFixture.SLOTS) + 1) % ProcessFixture.SLOTS;
        on(new Input.SlotLost(away, CoreFixture.EPOCH));
        Running last = running("q");
        caller = running("p");
        List<Object> moved = migrate("q", away);
        ask(caller, new ProcessCall.Invoke(0, "q", "g", json("2")));
        ask(caller, new ProcessCall.Invoke(0, "q", "g", json("2"))); // the next attempt
        shop.after(1);
        deliver();
        assertThat(told).isEmpty();
        finish(last);
        shop.after(1);
        deliver();
        assertThat(moved).hasSize(1);
        assertThat(shop.all.stream().filter(Action.FindElsewhere.class::isInstance)).as("both ask where it lives").hasSize(2);
        assertThat(told).isEmpty();
    }

    private void theEndOfItsCallerWaitsUntilItIsAccepted(Action.InvokeElsewhere given) {
        finish(caller);
        assertThat(isToldOf(execution(caller))).isFalse();
        on(new Input.FromElsewhere(given.accepted()));
        shop.after(1);
        assertThat(isToldOf(execution(caller))).isTrue();
    }

    private List<Action.InvokeElsewhere> givenElsewhere() {
        return shop.all.stream().filter(Action.InvokeElsewhere.class::isInstance).map(Action.InvokeElsewhere.class::cast).toList();
    }

    /** Found by the simulation, with two hosts: its caller ended well, and it was never run (seed 2118). */
    @Test
    void whatTheNextOwnerDoesNotTakeIsGivenItAgain() {
        callerInvokes();
        on(new Input.SlotLost(Slots.of("q", ProcessFixture.SLOTS), CoreFixture.EPOCH));
        shop.after(1);
        finish(caller);
        on(new Input.FromElsewhere(() -> givenElsewhere().getFirst().then().accept(new InvocationResult(invoked,
                InvocationResult.Status.FAILED, null, Failure.platform(Errors.UNAVAILABLE, "the bus is away", true), List.of()))));
        shop.after(CoreConfiguration.DEFAULT.retryNs() / CoreFixture.MS + 1);
        assertThat(isToldOf(execution(caller))).isFalse();
        assertThat(givenElsewhere()).hasSize(2);
        on(new Input.FromElsewhere(givenElsewhere().getLast().accepted()));
        shop.after(1);
        assertThat(isToldOf(execution(caller))).isTrue();
    }

    @Test
    void whereItsSlotGoesElsewhereItIsGivenToTheNextOwner() {
        callerInvokes();
        on(new Input.SlotLost(Slots.of("q", ProcessFixture.SLOTS), CoreFixture.EPOCH));
        shop.after(1);
        List<Action.InvokeElsewhere> given = givenElsewhere();
        assertThat(given).hasSize(1);
        assertThat(given.getFirst().request().executionId()).isEqualTo(invoked);
        assertThat(given.getFirst().request().durable()).isTrue();
        theEndOfItsCallerWaitsUntilItIsAccepted(given.getFirst());
    }

    @Test
    void whileTheJournalOfItsSlotIsReadItWaits() {
        running("q");
        caller = running("p");
        int slot = Slots.of("q", ProcessFixture.SLOTS);
        on(new Input.SlotLost(slot, CoreFixture.EPOCH));
        on(new Input.SlotAcquired(slot, CoreFixture.EPOCH + 1));
        ask(caller, new ProcessCall.Invoke(0, "q", "g", json("2")));
        shop.after(1);
        deliver();
        assertThat(told).isEmpty();
    }

    /** Found by the simulation, with two hosts: its host failed on it, for its execution was held by then (seed 968). */
    @Test
    void whoRunsNoMoreWhenItsReceiverIsFoundInvokesNothing() {
        finish(running("q"));
        command("q", Kind.CHECKPOINT);
        caller = running("p");
        int there = Slots.of("q", ProcessFixture.SLOTS);
        int here = Slots.of("p", ProcessFixture.SLOTS);
        on(new Input.SlotLost(there, CoreFixture.EPOCH));
        on(new Input.SlotAcquired(there, CoreFixture.EPOCH + 1));
        ask(caller, new ProcessCall.Invoke(0, "q", "g", json("2")));
        on(new Input.SlotLost(here, CoreFixture.EPOCH));
        on(new Input.SlotAcquired(here, CoreFixture.EPOCH + 1));
        shop.invoke(new InvocationRequest(execution(caller), APP.application(), APP.version(), "g", json("1"), 100_000, false, null)
                .inProcess("p"));
        on(new Input.SlotReady(there, CoreFixture.EPOCH + 1));
        deliver(shop.after(CoreConfiguration.DEFAULT.retryNs() / CoreFixture.MS + 1));
        assertThat(told).singleElement().isInstanceOfSatisfying(Answer.Refused.class,
                refused -> assertThat(refused.error()).isEqualTo(Errors.CONFLICT));
    }
}
