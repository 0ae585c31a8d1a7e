package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static dev.sand.hostagent.core.CoreFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.TaskCallback;
import dev.sand.event.TaskCallback.Outcome;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.core.Input.Listener;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.Executions;
import dev.sand.workflow.asl.Definitions;
import dev.sand.workflow.asl.StateMachine;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tasks that wait for a callback, as their execution's owner keeps them. */
class CallbacksTest {
    private static final String DEFINITION = """
            {"StartAt": "Ask", "States": {"Ask": {"Type": "Task", "Resource": "ask.waitForTaskToken", "HeartbeatSeconds": 2,
                "End": true}}}""";
    private static final StateMachine MACHINE = ((Definitions.Parsed.Valid) Definitions.parse(DEFINITION)).machine();
    private static final Listener<Outcome> NOBODY = new Listener<>() {
        @Override
        public void onDone(Outcome outcome) { }

        @Override
        public void onFailed(Failure failure) { }
    };
    private final CoreFixture shop = new CoreFixture().with(grain("ask", 4, 10, Isolation.REQUEST))
            .withWorkflow("flow", DEFINITION, (version, target, id, startedMs) ->
                    Executions.of(MACHINE, APP.application(), target, id, "1970-01-01T00:00:00Z"));

    private void waits(String id) {
        shop.warm();
        shop.invoke(id, "flow", true);
        shop.on(new Input.Journaled(id, 0, null));
        shop.finish(shop.running(id), "\"ignored\"");
        journaled(id);
    }

    private void report(String id, TaskCallback what) {
        shop.on(new Input.Callback(id, "Ask>token", what, NOBODY));
    }

    private void journaled(String id) {
        shop.on(new Input.Journaled(id, shop.only(Action.Journal.class).sequence(), null));
    }

    private Outcome outcome() {
        return shop.only(Action.AnswerCallback.class).outcome();
    }

    @Test
    void aCallbackEndsItsTaskOnceItIsInTheGlobalBus() {
        waits("e1");
        assertThat(shop.of(Action.Respond.class)).isEmpty();
        report("e1", TaskCallback.success("t", json("\"paid\"")));
        assertThat(shop.of(Action.AnswerCallback.class)).isEmpty();
        assertThat(shop.of(Action.Respond.class)).isEmpty();
        Action.Journal record = shop.only(Action.Journal.class);
        assertThat(record.awaited()).isTrue();
        assertThat(((Backup.Finished) record.backup()).signal()).isInstanceOf(Signal.TaskSucceeded.class);
        journaled("e1");
        assertThat(outcome()).isEqualTo(Outcome.TAKEN);
        assertThat(text(shop.answer().output())).isEqualTo("\"paid\"");
    }

    @Test
    void aFailureIsTheStates() {
        waits("e1");
        report("e1", TaskCallback.failure("t", "Declined", "no money"));
        journaled("e1");
        assertThat(outcome()).isEqualTo(Outcome.TAKEN);
        assertThat(shop.answer().failure().error()).isEqualTo("Declined");
    }

    @Test
    void whatIsReportedTwiceOrTooLateOrOfNobodyIsSaidSo() {
        waits("e1");
        report("e1", TaskCallback.success("t", json("1")));
        Action.Journal record = shop.only(Action.Journal.class);
        report("e1", TaskCallback.failure("t", "E", "second"));
        assertThat(shop.actions).isEmpty();
        shop.on(new Input.Journaled("e1", record.sequence(), null));
        assertThat(shop.of(Action.AnswerCallback.class).stream().map(Action.AnswerCallback::outcome))
                .containsExactly(Outcome.TAKEN, Outcome.NOT_AWAITED);
        assertThat(text(shop.answer().output())).isEqualTo("1");
        report("e1", TaskCallback.success("t", json("1")));
        assertThat(outcome()).isEqualTo(Outcome.NOT_AWAITED);
        report("e2", TaskCallback.success("t", json("1")));
        assertThat(outcome()).isEqualTo(Outcome.NOT_AWAITED);
    }

    @Test
    void heartbeatsAreJournaledAndPutOffTheTimeOut() {
        waits("e1");
        shop.after(1_500);
        report("e1", TaskCallback.heartbeat("t"));
        journaled("e1");
        assertThat(outcome()).isEqualTo(Outcome.TAKEN);
        shop.after(1_500);
        assertThat(shop.of(Action.Respond.class)).isEmpty();
        shop.after(600);
        journaled("e1");
        assertThat(shop.answer().failure().error()).isEqualTo("States.Timeout");
        report("e1", TaskCallback.heartbeat("t"));
        assertThat(outcome()).isEqualTo(Outcome.NOT_AWAITED);
    }

    @Test
    void whoReportedIsToldWhenTheExecutionMovesBeforeItCounts() {
        waits("e1");
        report("e1", TaskCallback.success("t", json("1")));
        shop.on(new Input.SlotLost(shop.slotOf("e1"), CoreFixture.EPOCH));
        Action.AnswerCallback answer = shop.only(Action.AnswerCallback.class);
        assertThat(answer.outcome()).isNull();
        assertThat(answer.failure().error()).isEqualTo(Errors.MOVED);
        report("e1", TaskCallback.success("t", json("1")));
        assertThat(shop.only(Action.AnswerCallback.class).failure().retryable()).isTrue();
    }

    @Test
    void aNewOwnerWaitsForTheSameTokenAndRunsNoGrainThatHasEnded() {
        InvocationRequest request = new InvocationRequest("e1", "shop", 1, "flow", json("1"), 10_000, true, null);
        shop.on(new Input.Recover(request, List.of(new Signal.TaskSucceeded("Ask", json("null"), List.of(), 1),
                new Signal.Heartbeat("Ask>token", 2))));
        report("e1", TaskCallback.success("t", json("1")));
        assertThat(shop.only(Action.AnswerCallback.class).failure().error()).isEqualTo(Errors.UNAVAILABLE);
        shop.on(new Input.ApplicationLoaded(APP, shop.version(), null));
        assertThat(shop.of(Action.Journal.class)).isEmpty();
        report("e1", TaskCallback.success("t", json("7")));
        journaled("e1");
        assertThat(outcome()).isEqualTo(Outcome.TAKEN);
        assertThat(shop.of(Action.Record.class).getFirst().record().status()).isEqualTo(Status.SUCCEEDED);
    }

    @Test
    void aCallbackThatIsReplayedEndsItsTaskAgain() {
        InvocationRequest request = new InvocationRequest("e1", "shop", 1, "flow", json("1"), 10_000, true, null);
        shop.on(new Input.Recover(request, List.of(new Signal.TaskSucceeded("Ask", json("null"), List.of(), 1),
                new Signal.TaskSucceeded("Ask>token", json("7"), List.of(), 2))));
        shop.on(new Input.ApplicationLoaded(APP, shop.version(), null));
        assertThat(text(shop.of(Action.Record.class).getFirst().record().output())).isEqualTo("7");
        report("e1", TaskCallback.success("t", json("8")));
        assertThat(outcome()).isEqualTo(Outcome.NOT_AWAITED);
    }
}
