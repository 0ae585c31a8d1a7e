package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Redrive;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.Executions;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Executions that ended run on, on the host that has them or on the next one. */
class RedrivesTest {
    private static final String FLOW = """
            {"StartAt": "A", "States": {"A": {"Type": "Task", "Resource": "buy", "ResultPath": "$.a", "Next": "B"},
              "B": {"Type": "Task", "Resource": "buy", "End": true}}}""";
    private static final Hop HOP = new Hop("e1/A", "buy", 1, null, 1, 2, 3, 4, 5, 6, 7);
    private final CoreFixture shop = new CoreFixture().with(grain("buy", 4, 10, Isolation.REQUEST)).withWorkflow("flow", FLOW,
            new Executions()::create);
    private final List<Signal> before = List.of(new Signal.Started(json("{}"), 1), new Signal.TaskSucceeded("A", json("1"), List.of(), 2),
            new Signal.TaskFailed("B", "E", "because", 3));

    private static InvocationRequest request(int redrive) {
        return new InvocationRequest("e1", "shop", 1, "flow", json("{}"), 10_000, true, null,
                new Redrive(redrive, Status.FAILED, "E", "because", 4, 5));
    }

    private void answerBefore() {
        shop.on(new Input.Answered("e1", "", new Question.Answer.Before(before, List.of(HOP))));
    }

    @Test
    void theRedriveIsInTheJournalBeforeAnythingRunsOrItIsAnswered() {
        shop.warm();
        shop.invoke(request(1));
        assertThat(shop.only(Action.Ask.class).question()).isEqualTo(new Question.Before("shop", 1, false));
        answerBefore();
        Action.Journal journal = shop.only(Action.Journal.class);
        assertThat(journal.awaited()).isTrue();
        assertThat(journal.sequence()).isZero();
        assertThat(((Backup.Accepted) journal.backup()).request().redrive()).isEqualTo(request(1).redrive());
        assertThat(shop.of(Action.HandOver.class)).isEmpty();
        shop.on(new Input.Journaled("e1", 0, null));
        assertThat(shop.of(Action.Accepted.class)).hasSize(1);
        assertThat(shop.only(Action.HandOver.class).eventId()).isEqualTo("e1/B#2");
        InvocationRecord record = shop.only(Action.Record.class).record();
        assertThat(record.status()).isEqualTo(Status.RUNNING);
        assertThat(record.redrives()).isEqualTo(1);
        assertThat(record.hops()).containsExactly(HOP);
        shop.finish(shop.running("e1"), "2");
        Action.Record end = shop.only(Action.Record.class);
        assertThat(end.record().status()).isEqualTo(Status.SUCCEEDED);
        assertThat(end.history()).startsWith(before.toArray(Signal[]::new)).contains(new Signal.Redriven(request(1).redrive()));
        assertThat(shop.of(Action.Journal.class).getFirst().sequence()).isEqualTo(1);
    }

    @Test
    void itsNextOwnerGoesOnBehindTheRedrive() {
        shop.warm();
        shop.on(new Input.Recover(request(2), List.of()));
        assertThat(shop.only(Action.Ask.class).question()).isEqualTo(new Question.Before("shop", 2, true));
        answerBefore();
        assertThat(shop.only(Action.Journal.class).backup()).isEqualTo(new Backup.Resumed(Map.of("B#2", 2)));
        shop.on(new Input.Journaled("e1", 1, null));
        assertThat(shop.only(Action.HandOver.class).eventId()).isEqualTo("e1/B#2");
        assertThat(shop.only(Action.HandOver.class).attempt()).isEqualTo(2);
    }

    @Test
    void itsNextOwnerGoesOnBehindARedriveFromAStateThatIsNamed() {
        shop.warm();
        InvocationRequest fromA = new InvocationRequest("e1", "shop", 1, "flow", json("{}"), 10_000, true, null,
                new Redrive(1, Status.FAILED, "E", "because", 4, 5, "A"));
        shop.on(new Input.Recover(fromA, List.of(new Signal.TaskSucceeded("A#2", json("7"), List.of(), 6))));
        answerBefore();
        assertThat(shop.only(Action.Journal.class).backup()).isEqualTo(new Backup.Resumed(Map.of("B#2", 2)));
        shop.on(new Input.Journaled("e1", 2, null));
        assertThat(shop.only(Action.HandOver.class).eventId()).isEqualTo("e1/B#2");
        assertThat(new String(shop.only(Action.HandOver.class).payload().bytes(), StandardCharsets.UTF_8)).isEqualTo("{\"a\":7}");
    }

    @Test
    void whatTheJournalHasBehindTheRedriveIsReplayed() {
        shop.warm();
        shop.on(new Input.Recover(request(1), List.of(new Signal.TaskFailed("B#2", "E", "again", 6))));
        answerBefore();
        InvocationRecord record = shop.only(Action.Record.class).record();
        assertThat(record.status()).isEqualTo(Status.FAILED);
        assertThat(record.failure().cause()).isEqualTo("again");
        assertThat(record.redrives()).isEqualTo(1);
    }

    @Test
    void oneThatCannotBeIsRefusedAndLeavesNothing() {
        shop.warm();
        shop.invoke(request(1));
        shop.on(new Input.Answered("e1", "", new Question.Answer.Failed(Errors.CONFLICT, "it is kept no more", false)));
        assertThat(shop.answer().failure().error()).isEqualTo(Errors.CONFLICT);
        assertThat(shop.of(Action.Journal.class)).isEmpty();
        assertThat(shop.of(Action.Record.class)).isEmpty();
        assertThat(shop.core().isOpen("e1")).isFalse();
    }

    @Test
    void aStoreThatIsAwayIsAskedAgain() {
        shop.warm();
        shop.invoke(request(1));
        shop.on(new Input.Answered("e1", "", new Question.Answer.Failed(Errors.UNAVAILABLE, "away", true)));
        assertThat(shop.after(5_000)).anyMatch(Action.Ask.class::isInstance);
    }

    @Test
    void theSameRedriveAskedTwiceIsOne() {
        shop.warm();
        shop.invoke(request(1));
        answerBefore();
        shop.on(new Input.Journaled("e1", 0, null));
        shop.invoke(request(1));
        assertThat(shop.of(Action.Accepted.class)).hasSize(1);
        assertThat(shop.of(Action.Ask.class)).isEmpty();
        shop.invoke(request(2));
        assertThat(shop.answer().failure().error()).isEqualTo(Errors.UNAVAILABLE);
    }

    @Test
    void anExecutionThatEndedHereIsRedrivenOnceItsRecordIsStored() {
        shop.warm();
        shop.invoke("e1", "flow", true);
        shop.on(new Input.Journaled("e1", 0, null));
        shop.fail(shop.running("e1"), "E");
        assertThat(shop.only(Action.Record.class).awaited()).isTrue();
        shop.invoke(request(1));
        assertThat(shop.answer().failure().error()).isEqualTo(Errors.UNAVAILABLE);
        shop.on(new Input.Recorded("e1", null));
        shop.invoke(request(1));
        assertThat(shop.of(Action.Ask.class)).hasSize(1);
    }
}
