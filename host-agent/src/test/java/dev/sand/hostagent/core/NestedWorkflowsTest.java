package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static dev.sand.hostagent.core.CoreFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.workflow.Executions;
import dev.sand.workflow.asl.Definitions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tasks that start other workflows or send to queues, as their execution's owner keeps them. */
class NestedWorkflowsTest {
    private static final String ID = Ids.encode(1_000_000, 7, 7);
    private static final String CHILD = """
            {"StartAt": "Work", "States": {"Work": {"Type": "Task", "Resource": "work", "End": true}}}""";
    private static final Map<String, String> DEFINITIONS = Map.of("child", CHILD,
            "own", task("sand:workflow:child", ""),
            "sync", task("arn:aws:states:::states:startExecution.sync:2", ", \"OutputPath\": \"$.Output\", " + parameters("")),
            "bounded", task("arn:aws:states:::states:startExecution.sync", ", \"TimeoutSeconds\": 3, " + parameters("")),
            "again", task("arn:aws:states:::states:startExecution.sync:2", ", " + parameters("").replace(":child", ":again")),
            "start", task("arn:aws:states:::states:startExecution", ", " + parameters("")),
            "named", task("arn:aws:states:::states:startExecution.sync:2", ", \"OutputPath\": \"$.Output\", "
                    + parameters(", \"Name\": \"one\"")),
            "send", task("sand:queue:orders", ""),
            "resend", task("sand:queue:orders", ", \"TimeoutSeconds\": 2, \"Retry\": [{\"ErrorEquals\": [\"States.Timeout\"]}]"));
    private final CoreFixture shop = fixture();

    private static String task(String resource, String more) {
        return """
                {"StartAt": "T", "States": {"T": {"Type": "Task", "Resource": "%s"%s, "End": true}}}""".formatted(resource, more);
    }

    private static String parameters(String more) {
        return "\"Parameters\": {\"StateMachineArn\": \"arn:aws:states:x:1:stateMachine:child\", \"Input.$\": \"$\"" + more + "}";
    }

    private static CoreFixture fixture() {
        CoreFixture made = new CoreFixture().with(grain("work", 4, 10, Isolation.REQUEST));
        DEFINITIONS.forEach((name, definition) -> made.withWorkflow(name, definition, (version, target, id, startedMs) ->
                Executions.of(((Definitions.Parsed.Valid) Definitions.parse(DEFINITIONS.get(target))).machine(), APP.application(), target, id,
                        "1970-01-01T00:00:00Z")));
        return made;
    }

    private InvocationRequest request(String target) {
        return new InvocationRequest(ID, "shop", 1, target, json("[1]"), 10_000, false, null);
    }

    private void begin(String target) {
        shop.warm();
        shop.invoke(request(target));
        shop.after(0);
        accepted();
    }

    private String childId() {
        return ChildIds.of(ID, "T", Ids.epochMs(ID), shop.slotOf(ID), CoreConfiguration.DEFAULT.slots());
    }

    /** The child's request is in the global bus, if it was asked for. */
    private void accepted() {
        if (shop.all.stream().anyMatch(action -> action instanceof Action.Journal journal && journal.executionId().equals(childId()))) {
            shop.on(new Input.Journaled(childId(), 0, null));
            shop.after(0);
        }
    }

    private InvocationRecord lastRecord(String id) {
        return shop.all.stream().filter(Action.Record.class::isInstance).map(action -> ((Action.Record) action).record())
                .filter(record -> record.executionId().equals(id)).reduce((a, b) -> b).orElseThrow();
    }

    private Question question() {
        return shop.only(Action.Ask.class).question();
    }

    private void answer(Question.Answer answer) {
        shop.on(new Input.Answered(ID, "T", answer));
        shop.after(0);
    }

    @Test
    void theChildIsInItsParentsSlotAndTheSameForTheSameStep() {
        assertThat(shop.slotOf(childId())).isEqualTo(shop.slotOf(ID));
        assertThat(childId()).isEqualTo(childId()).isNotEqualTo(ChildIds.of(ID, "T#2", Ids.epochMs(ID), shop.slotOf(ID), 16));
    }

    @Test
    void theParentGetsWhatTheChildGave() {
        begin("own");
        assertThat(shop.running(childId())).isNotNull();
        shop.finish(shop.running(childId()), "\"done\"");
        shop.after(0);
        assertThat(text(lastRecord(ID).output())).isEqualTo("\"done\"");
        assertThat(lastRecord(childId()).target()).isEqualTo("child");
    }

    @Test
    void theChildsFailureIsTaskFailedWithTheChildsDescription() {
        begin("sync");
        shop.fail(shop.running(childId()), "Broken");
        shop.after(0);
        InvocationRecord record = lastRecord(ID);
        assertThat(record.failure().error()).isEqualTo("States.TaskFailed");
        assertThat(record.failure().cause()).contains("\"Error\":\"Broken\"", "\"Status\":\"FAILED\"", childId());
    }

    @Test
    void oneThatIsNotWaitedForIsInTheGlobalBusBeforeTheParentGoesOn() {
        shop.warm();
        shop.invoke(request("start"));
        shop.after(0);
        assertThat(shop.all.stream().filter(Action.Record.class::isInstance)).isEmpty();
        accepted();
        assertThat(lastRecord(ID).status()).isEqualTo(Status.SUCCEEDED);
        assertThat(text(lastRecord(ID).output())).isEqualTo("{\"ExecutionArn\":\"" + childId() + "\",\"StartDate\":1000000}");
        assertThat(shop.running(childId())).as("it runs on").isNotNull();
    }

    @Test
    void aWorkflowThatStartsItselfLeavesHalfOfTheShardToOthers() {
        shop.with(CoreConfiguration.DEFAULT.withMaxExecutions(8));
        shop.warm();
        shop.invoke(request("again"));
        shop.after(0);
        for (int child = 0; child < 3; child++) {
            String last = shop.all.stream().filter(Action.Journal.class::isInstance).map(journal -> ((Action.Journal) journal).executionId())
                    .reduce((a, b) -> b).orElseThrow();
            shop.on(new Input.Journaled(last, 0, null));
            shop.after(0);
        }
        assertThat(lastRecord(ID).failure().error()).as("the innermost one's failure comes out").isEqualTo("States.TaskFailed");
        assertThat(lastRecord(ID).failure().cause()).contains("Sand.Overloaded", "4 executions at once", "would make it 5");
        assertThat(shop.all.stream().filter(Action.Record.class::isInstance).map(action -> ((Action.Record) action).record())
                .filter(record -> record.status() == Status.FAILED).map(InvocationRecord::executionId).distinct()).hasSize(4);
        shop.invoke("e-other", "work", false);
        assertThat(shop.running("e-other")).isNotNull();
    }

    @Test
    void stoppingTheParentStopsTheChildThatItWaitsFor() {
        begin("sync");
        shop.on(new Input.Cancel(ID, null, "asked", null));
        assertThat(lastRecord(ID).status()).isEqualTo(Status.CANCELLED);
        assertThat(lastRecord(childId()).status()).isEqualTo(Status.CANCELLED);
    }

    @Test
    void aChildThatIsWaitedForTooLongIsStopped() {
        begin("bounded");
        shop.after(3_001);
        assertThat(lastRecord(ID).failure().error()).isEqualTo("States.Timeout");
        assertThat(lastRecord(childId()).status()).isEqualTo(Status.CANCELLED);
    }

    @Test
    void aNameIsGivenToOneExecution() {
        begin("named");
        assertThat(question()).isInstanceOf(Question.ClaimName.class);
        answer(new Question.Answer.Claimed("another", true));
        assertThat(lastRecord(ID).failure().error()).isEqualTo("StepFunctions.ExecutionAlreadyExistsException");
    }

    @Test
    void whoHasTheNameGoesOnWithIt() {
        begin("named");
        answer(new Question.Answer.Claimed(childId(), true));
        answer(new Question.Answer.Found(null, null, null, 0));
        accepted();
        shop.finish(shop.running(childId()), "5");
        shop.after(0);
        assertThat(text(lastRecord(ID).output())).isEqualTo("5");
    }

    @Test
    void aNewOwnerFindsTheChildThatItsJournalHas() {
        shop.on(new Input.Recover(request("sync"), List.of()));
        shop.on(new Input.Recover(new InvocationRequest(childId(), "shop", 1, "child", json("[1]"), 10_000, false, null), List.of(
                new dev.sand.workflow.Execution.Signal.TaskSucceeded("Work", json("8"), List.of(), 1))));
        shop.on(new Input.ApplicationLoaded(APP, shop.version(), null));
        shop.after(0);
        if (shop.all.stream().anyMatch(Action.Ask.class::isInstance)) { // the child had ended before its parent asked
            answer(new Question.Answer.Found(Status.SUCCEEDED, json("8"), null, 5));
        }
        journaled();
        assertThat(text(lastRecord(ID).output())).isEqualTo("8");
    }

    @Test
    void aNewOwnerLooksForTheEndOfAChildThatRunsNoMore() {
        shop.on(new Input.Recover(request("sync"), List.of()));
        shop.on(new Input.ApplicationLoaded(APP, shop.version(), null));
        shop.after(0);
        assertThat(question()).isEqualTo(new Question.LookUp("shop", childId(), false));
        answer(new Question.Answer.Found(Status.SUCCEEDED, json("9"), null, 5));
        journaled();
        assertThat(text(lastRecord(ID).output())).isEqualTo("9");
    }

    private void journaled() {
        shop.all.stream().filter(Action.Journal.class::isInstance).map(Action.Journal.class::cast)
                .filter(journal -> journal.executionId().equals(ID) && journal.awaited()).reduce((a, b) -> b)
                .ifPresent(journal -> shop.on(new Input.Journaled(ID, journal.sequence(), null)));
    }

    @Test
    void aMessageThatARetrySendsIsTheSameOne() {
        begin("resend");
        Question first = question();
        shop.after(2_001);
        shop.after(2_000);
        assertThat(shop.all.stream().filter(Action.Ask.class::isInstance).map(Action.Ask.class::cast).map(Action.Ask::step).distinct())
                .containsExactly("T", "T#2");
        assertThat(shop.all.stream().filter(Action.Ask.class::isInstance).map(ask -> ((Action.Ask) ask).question())).containsOnly(first);
    }

    @Test
    void aMessageIsAskedForUntilItIsThere() {
        begin("send");
        assertThat(((Question.Send) question()).queue()).isEqualTo("orders");
        answer(new Question.Answer.Failed("Sand.Unavailable", "away", true));
        shop.after(5_000);
        assertThat(question()).isInstanceOf(Question.Send.class);
        answer(new Question.Answer.Sent(json("{\"MessageId\":\"m\"}")));
        assertThat(text(lastRecord(ID).output())).isEqualTo("{\"MessageId\":\"m\"}");
    }
}
