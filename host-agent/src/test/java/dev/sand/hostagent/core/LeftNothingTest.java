package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.EPOCH;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.InvocationRequest;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.Action.Await;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessChange;
import dev.sand.workflow.Execution.Signal;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Requests whose inputs an earlier owner left out of the journal, for their ends were right behind; and those do not count. */
class LeftNothingTest extends ProcessFixture {
    private static final int SLOT = Slots.of("q", SLOTS);
    private final String invoked;
    private final String caller;
    private final Action.RestoreProcess restore;

    LeftNothingTest() {
        super(shop());
        running("q");
        caller = invoke("p");
        invoked = ((Answer.Invoked) invokeAgain()).invocation();
        shop = shop();
        shop.restores = false;
        on(new Input.SlotLost(SLOT, EPOCH));
        on(new Input.SlotAcquired(SLOT, EPOCH + 1));
        on(new Input.RecoverProcess(APP.application(), "q", 5, List.of(new ProcessChange("q", 5, 0, 1, new Change.Made(1, 0, 0))), List.of(0L),
                Map.of(), SLOT));
        on(new Input.Recover(request(false).withInput(json("2").notKept()), List.of(new Signal.TaskSucceeded("g", json("7"), List.of())), 2,
                Map.of(), -1, List.of(-1L), new Input.Changed(5, 0, 2, 1)));
        on(new Input.SlotReady(SLOT, EPOCH + 1));
        restore = shop.all.stream().filter(Action.RestoreProcess.class::isInstance).map(Action.RestoreProcess.class::cast).findFirst().orElseThrow();
        shop.restores = true;
    }

    private static CoreFixture shop() {
        return new CoreFixture().with(grain("g", 10, 100, Isolation.REQUEST)).warm();
    }

    private InvocationRequest request(boolean durable) {
        return new InvocationRequest(invoked, APP.application(), APP.version(), "g", json("2"), 100_000, durable, null).inProcess("q");
    }

    private Answer invokeAgain() {
        told.clear();
        ask(shop.running(caller), new ProcessCall.Invoke(0, "q", "g", json("2")));
        return told.isEmpty() ? null : (Answer) told.getFirst();
    }

    /** What tells that its end does not count. */
    private List<Action> itsProcessComes() {
        return on(shop.restored(restore));
    }

    private Action.Journal mark() {
        return journal.stream().filter(record -> record.executionId().equals(invoked) && record.backup() instanceof Backup.Ended)
                .reduce((first, last) -> last).orElseThrow();
    }

    private List<Action> markIsThere() {
        return on(new Input.Journaled(invoked, mark().sequence(), null));
    }

    @Test
    void whoAsksIsToldToAskAgainOnceTheJournalKnowsAndThenItIsBegunAnew() {
        itsProcessComes();
        shop.invoke(request(false));
        assertThat(shop.actions).as("behind its beginning the mark would be its end").noneMatch(Action.Respond.class::isInstance);
        assertThat(mark().await()).isEqualTo(Await.YES);
        markIsThere();
        assertThat(shop.answer().failure().error()).isEqualTo(Errors.MOVED);
        shop.invoke(request(false));
        shop.settle();
        assertThat(shop.running(invoked)).isNotNull();
        assertThat(shop.settled).as("it has not ended").noneMatch(action -> action instanceof Action.Record record
                && record.record().executionId().equals(invoked));
    }

    @Test
    void aMarkThatTheBusDoesNotTakeIsGivenAgain() {
        itsProcessComes();
        on(new Input.Journaled(invoked, mark().sequence(), Failure.platform(Errors.UNAVAILABLE, "the bus is away", true)));
        assertThat(shop.after(CoreConfiguration.DEFAULT.retryNs() / CoreFixture.MS + 1)).anyMatch(action ->
                action instanceof Action.Journal again && again.executionId().equals(invoked) && again.backup() instanceof Backup.Ended);
    }

    @Test
    void nobodyIsPromisedItBeforeItIsKnownToHaveEnded() {
        shop.invoke(request(true));
        assertThat(shop.actions).noneMatch(Action.Accepted.class::isInstance);
        itsProcessComes();
        markIsThere();
        assertThat(shop.answer().failure().error()).isEqualTo(Errors.MOVED);
    }

    @Test
    void aFunctionThatInvokesItAgainHasItBegunAnew() {
        shop.invoke(new InvocationRequest(caller, APP.application(), APP.version(), "g", json("1"), 100_000, false, null).inProcess("p"));
        shop.settle();
        assertThat(invokeAgain()).as("it may have ended, or is nothing").isNull();
        itsProcessComes();
        markIsThere();
        deliver(shop.after(20));
        assertThat(told).containsExactly(new Answer.Invoked(invoked));
        shop.settle();
        Running anew = shop.running(invoked);
        assertThat(anew).isNotNull();
        assertThat(anew.attempt()).isEqualTo(1);
    }
}
