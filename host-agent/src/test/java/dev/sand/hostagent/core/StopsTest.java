package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.EPOCH;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.ProcessSpec;
import dev.sand.event.Redrive;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.Executions;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What who stops an execution is told, and when: it holds then, whatever dies. */
class StopsTest {
    private static final String FLOW = """
            {"StartAt": "A", "States": {"A": {"Type": "Task", "Resource": "buy", "End": true}}}""";
    private static final Failure DISK_FULL = Failure.platform(Errors.UNAVAILABLE, "the disk is full", true);
    private final CoreFixture shop = new CoreFixture().with(grain("buy", 4, 10, Isolation.REQUEST)).withWorkflow("flow", FLOW,
            new Executions()::create);

    /** What they are told is in the actions. */
    private List<Action> stop(String executionId) {
        return shop.on(new Input.Cancel(executionId, null, "changed my mind", null));
    }

    private List<Boolean> told() {
        return shop.of(Action.AnswerCancel.class).stream().map(Action.AnswerCancel::byThis).toList();
    }

    /** Nothing is known, and so nothing is promised: it may be asked for again. */
    private void isUnsure() {
        assertThat(shop.only(Action.AnswerCancel.class).failure().retryable()).isTrue();
    }

    @Test
    void itAnswersAndKillsWhatRuns() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        stop("e1");
        assertThat(shop.answer().status()).isEqualTo(Status.CANCELLED);
        assertThat(shop.answer().failure().cause()).contains("changed my mind");
        assertThat(shop.of(Action.Kill.class)).hasSize(1);
        shop.on(new Input.Recorded("e1", null));
        assertThat(told()).containsExactly(true);
        stop("e1");
        assertThat(told()).containsExactly(false);
    }

    private void stopOneThatOutlivesACrash() {
        shop.warm();
        shop.invoke("e1", "buy", true);
        shop.on(new Input.Journaled("e1", 0, null));
        stop("e1");
    }

    @Test
    void ofWhatOutlivesACrashItIsToldOnceTheEndDoes() {
        stopOneThatOutlivesACrash();
        assertThat(told()).as("its record is not stored yet").isEmpty();
        stop("e1");
        assertThat(told()).isEmpty();
        shop.on(new Input.Recorded("e1", DISK_FULL));
        assertThat(told()).as("nor can it be now").isEmpty();
        shop.on(new Input.Recorded("e1", null));
        assertThat(told()).containsExactly(true, false);
    }

    @Test
    void oneThatIsNotStoredBeforeTheSlotIsLostIsTheNextOwnersToTell() {
        stopOneThatOutlivesACrash();
        shop.on(new Input.SlotLost(shop.slotOf("e1"), EPOCH));
        isUnsure();
        stop("e1");
        isUnsure();
    }

    @Test
    void ofARequestOnItsWayIntoTheBusItIsToldOnceTheRecordHasIt() {
        shop.warm();
        shop.invoke("e1", "buy", true);
        stop("e1");
        assertThat(shop.answer().status()).isEqualTo(Status.CANCELLED);
        assertThat(told()).as("the bus may have the request, from which it would run on").isEmpty();
        assertThat(shop.only(Action.Record.class).record().status()).isEqualTo(Status.CANCELLED);
        assertThat(shop.of(Action.Journal.class)).as("an end before its record").isEmpty();
        shop.on(new Input.Journaled("e1", 0, null));
        assertThat(told()).isEmpty();
        shop.on(new Input.Recorded("e1", null));
        assertThat(told()).containsExactly(true);
        assertThat(shop.only(Action.Journal.class).backup()).isEqualTo(new Backup.Ended(Status.CANCELLED));
    }

    @Test
    void whoGivesThatRequestAgainIsNotPromisedMoreThanThereIs() {
        shop.warm();
        shop.invoke("e1", "buy", true);
        stop("e1");
        shop.invoke("e1", "buy", true);
        assertThat(shop.answer().status()).isEqualTo(Status.CANCELLED);
        assertThat(shop.of(Action.Accepted.class)).as("neither the bus nor a record is known to have it").isEmpty();
        shop.on(new Input.Recorded("e1", null));
        shop.invoke("e1", "buy", true);
        assertThat(shop.answer().status()).isEqualTo(Status.CANCELLED);
        assertThat(shop.of(Action.Accepted.class)).hasSize(1);
    }

    /** Found by the simulation: sent twice, it ran after all (cluster seed 5103). */
    @Test
    void whatIsStoppedBeforeItBeginsDoesNotBeginWhenItsRequestComesAgain() {
        shop.invoke("e1", "buy", true);
        stop("e1");
        assertThat(told()).containsExactly(true);
        shop.invoke("e1", "buy", true);
        assertThat(shop.answer().status()).isEqualTo(Status.CANCELLED);
        assertThat(shop.of(Action.Accepted.class)).as("neither the bus nor a record has it").isEmpty();
    }

    @Test
    void whatWasGivenUpOnThatWayIsToldToHaveEndedOnceTheBusHasItsEnd() {
        shop.warm();
        shop.invoke("e1", "buy", true);
        assertThat(shop.after(11_000).stream().filter(Action.Journal.class::isInstance)).hasSize(1);
        stop("e1");
        isUnsure();
        shop.on(new Input.Journaled("e1", 1, null));
        stop("e1");
        assertThat(told()).containsExactly(false);
    }

    @Test
    void theStopOfARedriveLeavesTheHistoryOfWhatWasBefore() {
        shop.warm();
        shop.invoke(new InvocationRequest("e1", APP.application(), APP.version(), "flow", json("{}"), 10_000, true, null,
                new Redrive(1, Status.FAILED, "E", "because", 4, 5)));
        shop.on(new Input.Answered("e1", "", new Question.Answer.Before(List.of(new Signal.Started(json("{}"), 1),
                new Signal.TaskFailed("A", "E", "because", 3)), List.of(new Hop("e1/A", "buy", 1, "E", 1, 2, 3, 4, 5, 6, 7)))));
        stop("e1");
        assertThat(shop.only(Action.Record.class).history()).isNull();
        assertThat(shop.only(Action.Record.class).record().redrives()).isEqualTo(1);
        shop.on(new Input.Recorded("e1", DISK_FULL));
        List<Action> again = shop.after(11_000);
        assertThat(again.stream().filter(Action.Record.class::isInstance).map(record -> ((Action.Record) record).history()))
                .containsExactly((List<Signal>) null);
    }

    /** It is given while the journals of its slot are being read, and somebody wants it stopped. */
    private InvocationRequest stopWhatIsHeld() {
        InvocationRequest request = new InvocationRequest("e1", APP.application(), APP.version(), "buy", json("1"), 10_000, true, null);
        shop.withoutSlots().on(new Input.SlotAcquired(shop.slotOf("e1"), 3));
        shop.invoke(request);
        stop("e1");
        assertThat(shop.actions).as("a journal may have it").isEmpty();
        stop("e1");
        isUnsure();
        return request;
    }

    @Test
    void whatIsHeldIsStoppedOnceTheJournalIsKnownToHaveIt() {
        shop.on(new Input.Recover(stopWhatIsHeld(), List.of()));
        load();
        assertThat(shop.answer().status()).isEqualTo(Status.CANCELLED);
        assertThat(told()).isEmpty();
        shop.on(new Input.Recorded("e1", null));
        assertThat(told()).containsExactly(true);
        assertThat(shop.on(new Input.SlotReady(shop.slotOf("e1"), 3))).as("it does not run on").isEmpty();
    }

    private void load() {
        shop.on(new Input.ApplicationLoaded(APP, shop.version(), null));
    }

    private InvocationRequest recover(String target, int steps) {
        InvocationRequest request = new InvocationRequest("e1", APP.application(), APP.version(), target, json("1"), 10_000, true, null);
        List<Signal> did = Collections.nCopies(steps, "A").stream().map(step -> (Signal) new Signal.TaskSucceeded(step, json("7"), List.of(), 4))
                .toList();
        shop.strict().on(new Input.Recover(request, did));
        return request;
    }

    @Test
    void whatTheJournalHasTheEndOfHasEndedSoThoughItIsStoppedWhileItsApplicationIsLoaded() {
        recover("flow", 1);
        stop("e1");
        assertThat(shop.actions).as("somebody may have been told that it succeeded").isEmpty();
        stop("e1");
        isUnsure();
        load();
        assertThat(shop.only(Action.Record.class).record().status()).isEqualTo(Status.SUCCEEDED);
        assertThat(told()).as("that is not stored yet").isEmpty();
        shop.on(new Input.Recorded("e1", null));
        assertThat(told()).containsExactly(false);
    }

    @Test
    void andWhatItHasNotTheEndOfIsStoppedThenAndDoesNotRunOn() {
        recover("flow", 0);
        stop("e1");
        assertThat(shop.actions).as("a workflow without tasks would be over by then").isEmpty();
        load();
        assertThat(shop.only(Action.Record.class).record().status()).isEqualTo(Status.CANCELLED);
        assertThat(shop.of(Action.StartSandbox.class)).isEmpty();
        shop.on(new Input.Recorded("e1", null));
        assertThat(told()).containsExactly(true);
    }

    /** What the journal has of a long one is taken in over several turns. */
    @Test
    void whatIsInTheMidstOfItsReplayMayHaveEndedToo() {
        int rounds = 20;
        shop.withWorkflow("flow", """
                {"StartAt": "A", "States": {
                  "A": {"Type": "Task", "Resource": "buy", "Assign": {"n": "{%% $exists($n) ? $n + 1 : 1 %%}"}, "Next": "B"},
                  "B": {"Type": "Choice", "Choices": [{"Condition": "{%% $n < %d %%}", "Next": "A"}], "Default": "C"},
                  "C": {"Type": "Succeed"}}, "QueryLanguage": "JSONata"}""".formatted(rounds), new Executions()::create);
        recover("flow", rounds);
        load();
        assertThat(shop.of(Action.Respond.class)).as("it is not all taken in").isEmpty();
        stop("e1");
        assertThat(shop.actions).isEmpty();
    }

    @Test
    void whatIsLostBeforeItIsReplayedIsTheNextOwnersToTell() {
        recover("flow", 1);
        stop("e1");
        shop.on(new Input.SlotLost(shop.slotOf("e1"), EPOCH));
        isUnsure();
    }

    @Test
    void norDoesADeadlineThatComesBeforeItIsReplayedChangeItsEnd() {
        recover("flow", 1);
        assertThat(shop.after(11_000).stream().filter(Action.Record.class::isInstance)).isEmpty();
        load();
        assertThat(shop.only(Action.Record.class).record().status()).isEqualTo(Status.SUCCEEDED);
    }

    @Test
    void oneThatHadNotEndedByThenHasTimedOut() {
        shop.withWorkflow("two", """
                {"StartAt": "A", "States": {"A": {"Type": "Task", "Resource": "buy", "Next": "B"},
                  "B": {"Type": "Task", "Resource": "buy", "End": true}}}""", new Executions()::create);
        recover("two", 1);
        shop.after(11_000);
        stop("e1");
        load();
        assertThat(shop.only(Action.Record.class).record().status()).isEqualTo(Status.TIMED_OUT);
        shop.on(new Input.Recorded("e1", null));
        assertThat(told()).containsExactly(false);
    }

    @Test
    void orOnceNoJournalIsKnownToHaveItAndDoesNotBegin() {
        stopWhatIsHeld();
        shop.on(new Input.SlotReady(shop.slotOf("e1"), 3));
        assertThat(shop.answer().status()).isEqualTo(Status.CANCELLED);
        assertThat(told()).containsExactly(true);
        assertThat(shop.of(Action.LoadApplication.class)).isEmpty();
        assertThat(shop.core().openExecutions()).isZero();
    }

    @Test
    void whatEndsWhileItIsHeldIsTheNextOwnersToTell() {
        stopWhatIsHeld();
        shop.on(new Input.SlotLost(shop.slotOf("e1"), 3));
        assertThat(shop.answer().failure().error()).isEqualTo(Errors.MOVED);
        isUnsure();
    }

    @Test
    void whatHadEndedInItsProcessCannotBeStoppedWhileThatComesBack() {
        shop.with(new ProcessSpec(4, 1_000, 10_000, 64L << 20, 256L << 20, 1_000, 600_000, Map.of()));
        String id = Slots.placed(Ids.encode(1_000, 78, 0), Slots.of("p", ProcessFixture.SLOTS), ProcessFixture.SLOTS);
        shop.on(new Input.Recover(new InvocationRequest(id, APP.application(), APP.version(), "buy", json("1"), 10_000, true, null)
                .inProcess("p"), List.of(new Signal.TaskSucceeded("buy", json("7"), List.of(), 4))));
        stop(id);
        isUnsure();
        assertThat(shop.of(Action.Record.class)).as("somebody may have been told that it succeeded").isEmpty();
    }
}
