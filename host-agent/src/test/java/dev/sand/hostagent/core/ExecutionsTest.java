package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static dev.sand.hostagent.core.CoreFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.HostAgentPort.ProgressListener;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.InvocationResult.Status;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.workflow.Execution.Published;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.Executions;
import dev.sand.workflow.asl.Definitions;
import dev.sand.workflow.asl.StateMachine;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Requests, what they publish, and what outlives the process. */
class ExecutionsTest {
    private final CoreFixture shop = new CoreFixture()
            .with(grain("buy", 4, 10, Isolation.REQUEST))
            .with(grain("pay", 4, 10, Isolation.REQUEST));

    @Test
    void whatAnAttemptPublishesRunsWhenItFinishesAndJoinsItsExecution() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        Running buy = shop.running("e1");
        shop.on(new Input.Publish(APP, buy.instance(), buy.eventId(), 1, new Published("pay", json("5"))));
        assertThat(shop.of(Action.HandOver.class)).isEmpty();
        shop.finish(buy, "null");
        assertThat(shop.of(Action.Respond.class)).isEmpty();
        assertThat(shop.only(Action.HandOver.class).eventId()).isEqualTo("e1/buy>publish[0]");
        shop.finish(shop.running("e1"), "\"paid\"");
        assertThat(text(shop.answer().output())).isEqualTo("\"paid\"");
    }

    @Test
    void manyEventsOfOneSignalGoAFewAtATimeInTurnsOfTheirOwn() {
        CoreFixture wide = new CoreFixture().with(grain("buy", 1, 10, Isolation.REQUEST)).with(grain("pay", 1, 100, Isolation.REQUEST)).warm();
        wide.invoke("e1", "buy", false);
        Published[] twenty = new Published[20];
        Arrays.setAll(twenty, i -> new Published("pay", json("" + i)));
        wide.finish(wide.running("e1"), "null", twenty);
        assertThat(begun(wide)).as("in the turn that made them").isZero();
        wide.nowNs++;
        wide.on(new Input.Tick());
        for (int begun = 4; begun <= 20; begun += 4) {
            assertThat(begun(wide)).isEqualTo(begun);
            wide.nowNs++;
            wide.on(new Input.Tick());
        }
        assertThat(begun(wide)).isEqualTo(20);
        assertThat(wide.running("e1").eventId()).isEqualTo("e1/buy>publish[0]");
    }

    private static final String MAP = """
            {"StartAt": "M", "States": {"M": {"Type": "Map", "End": true, "ItemProcessor": {"StartAt": "T", "States": {
              "T": {"Type": "Task", "Resource": "pay", "End": true}}}}}}""";

    private static CoreFixture overALongInput() {
        CoreFixture fixture = new CoreFixture().with(grain("pay", 1, 100, Isolation.REQUEST)).withWorkflow("flow", MAP,
                new Executions()::create).warm();
        fixture.invoke(new InvocationRequest("e1", APP.application(), APP.version(), "flow", json("[" + "7, ".repeat(500) + "7]"), 10_000,
                false, null));
        assertThat(begun(fixture)).as("in the request's turn").isZero();
        return fixture;
    }

    @Test
    void aWorkflowLooksIntoALongInputInATurnOfItsOwn() {
        CoreFixture fixture = overALongInput();
        fixture.after(1);
        assertThat(begun(fixture)).isPositive();
    }

    @Test
    void oneThatIsCancelledBeforeThatTurnDoesNotBegin() {
        CoreFixture fixture = overALongInput();
        fixture.on(new Input.Cancel("e1", null, null, null));
        assertThat(fixture.answer().status()).isEqualTo(Status.CANCELLED);
        fixture.after(1);
        assertThat(begun(fixture)).isZero();
    }

    private static int begun(CoreFixture fixture) {
        return fixture.core().status(fixture.nowNs).getFirst().grains().stream().filter(grain -> grain.grain().equals("pay"))
                .mapToInt(grain -> grain.queued() + grain.running()).sum();
    }

    @Test
    void whatAFailedAttemptPublishedNeverRuns() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        Running buy = shop.running("e1");
        shop.on(new Input.Publish(APP, buy.instance(), buy.eventId(), 1, new Published("pay", json("5"))));
        shop.fail(buy, "ValueError");
        assertThat(shop.of(Action.HandOver.class)).isEmpty();
        assertThat(shop.answer().status()).isEqualTo(Status.FAILED);
        assertThat(shop.answer().failure().error()).isEqualTo("ValueError");
    }

    @Test
    void publishingToAnUnknownGrainFailsTheAttempt() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        shop.finish(shop.running("e1"), "null", new Published("nobody", json("1")));
        assertThat(shop.answer().failure().error()).isEqualTo(Errors.UNKNOWN_GRAIN);
        assertThat(shop.answer().failure().cause()).contains("nobody");
    }

    @Test
    void anOutputOverTheFrameIsRefusedWithLimitAndActual() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        shop.finish(shop.running("e1"), "1".repeat(70_000));
        assertThat(shop.answer().failure().error()).isEqualTo(Errors.TOO_LARGE);
        assertThat(shop.answer().failure().details()).containsEntry("limit", 65_536L).containsEntry("actual", 70_000L);
    }

    @Test
    void aRecoveredExecutionGoesOnWhereItsJournalEnds() {
        InvocationRequest request = new InvocationRequest("e1", "shop", 1, "buy", json("1"), 10_000, true, null);
        shop.on(new Input.Recover(request, List.of(
                new Signal.TaskSucceeded("buy", json("null"), List.of(new Published("pay", json("5")))))));
        shop.on(new Input.ApplicationLoaded(APP, shop.version(), null));
        Action.Journal resumed = shop.only(Action.Journal.class);
        assertThat(resumed.backup()).isEqualTo(new Action.Backup.Resumed(Map.of("buy>publish[0]", 2)));
        assertThat(resumed.sequence()).isEqualTo(2);
        shop.on(new Input.Journaled("e1", 2, null));
        shop.on(new Input.SandboxStarted(APP, shop.only(Action.StartSandbox.class).sandbox(), false));
        shop.settle();
        Running pay = shop.running("e1");
        assertThat(pay.eventId()).isEqualTo("e1/buy>publish[0]");
        shop.finish(pay, "7");
        assertThat(shop.only(Action.Journal.class).sequence()).isEqualTo(3);
        shop.on(new Input.Journaled("e1", 3, null));
        InvocationRecord record = shop.of(Action.Record.class).getFirst().record();
        assertThat(record.status()).isEqualTo(Status.SUCCEEDED);
        assertThat(text(record.output())).isEqualTo("7");
    }

    /** Found by the simulator: an accepted execution was given up when the registry was away during its recovery. */
    @Test
    void aRecoveredExecutionWaitsForTheRegistry() {
        InvocationRequest request = new InvocationRequest("e1", "shop", 1, "buy", json("1"), 10_000, true, null);
        shop.on(new Input.Recover(request, List.of()));
        shop.on(new Input.ApplicationLoaded(APP, null, Failure.platform(Errors.UNAVAILABLE, "away", true)));
        assertThat(shop.actions).isEmpty();
        shop.after(1_000);
        assertThat(shop.of(Action.LoadApplication.class)).hasSize(1);
    }

    @Test
    void aStrictApplicationJournalsEverySignalFirst() {
        shop.strict();
        shop.invoke("e1", "buy", false);
        shop.on(new Input.ApplicationLoaded(APP, shop.version(), null));
        assertThat(shop.only(Action.Journal.class).awaited()).isTrue();
        shop.on(new Input.Journaled("e1", 0, null));
        shop.on(new Input.SandboxStarted(APP, shop.only(Action.StartSandbox.class).sandbox(), false));
        shop.settle();
        shop.finish(shop.running("e1"), "3");
        assertThat(shop.of(Action.Respond.class)).isEmpty();
        Action.Journal advanced = shop.only(Action.Journal.class);
        assertThat(advanced.awaited()).isTrue();
        shop.on(new Input.Journaled("e1", advanced.sequence(), null));
        assertThat(text(shop.answer().output())).isEqualTo("3");
    }

    @Test
    void aStrictExecutionWhoseRecordTheBusDoesNotTakeEndsAtItsDeadlineAndSaysWhy() {
        shop.strict();
        shop.invoke("e1", "buy", false);
        shop.on(new Input.ApplicationLoaded(APP, shop.version(), null));
        shop.on(new Input.Journaled("e1", 0, null));
        shop.on(new Input.SandboxStarted(APP, shop.only(Action.StartSandbox.class).sandbox(), false));
        shop.settle();
        shop.finish(shop.running("e1"), "3");
        Action.Journal finished = shop.only(Action.Journal.class);
        shop.on(new Input.Journaled("e1", finished.sequence(), Failure.platform(Errors.UNAVAILABLE, "no room", true)));
        assertThat(shop.after(1_000)).as("given again").contains(finished);
        shop.on(new Input.Journaled("e1", finished.sequence(), Failure.platform(Errors.UNAVAILABLE, "no room", true)));
        shop.after(10_000);
        assertThat(shop.answer().status()).isEqualTo(Status.TIMED_OUT);
        assertThat(shop.answer().failure().cause()).contains("no room");
    }

    @Test
    void aWatcherSeesTheHopsAndTheEndOnce() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        ProgressListener watcher = new ProgressListener() {
            @Override
            public void onHop(Hop hop) { }

            @Override
            public void onEnd() { }
        };
        shop.on(new Input.Watch("e1", watcher));
        shop.finish(shop.running("e1"), "1");
        assertThat(shop.of(Action.Notify.class)).extracting(notify -> notify.hop() == null).containsExactly(false, true);
        shop.on(new Input.Watch("e1", watcher));
        assertThat(shop.only(Action.Notify.class).hop()).isNull();
    }

    @Test
    void theRecordIsCompletedWhenTheFiguresOfTheProcessComeIn() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        Running buy = shop.running("e1");
        shop.finish(buy, "1");
        assertThat(shop.of(Action.Record.class).getFirst().record().cpuUs()).isZero();
        shop.exited(buy, 0, 0);
        InvocationRecord completed = shop.of(Action.Record.class).getFirst().record();
        assertThat(completed.cpuUs()).isEqualTo(5);
        assertThat(completed.peakMemoryBytes()).isEqualTo(6);
        assertThat(completed.hops()).hasSize(1);
    }

    @Test
    void aDeletedApplicationEndsAndNothingOfItsVersionsBeginsAnyMore() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        shop.on(new Input.Delete(APP.application(), APP.version(), "it is deleted"));
        assertThat(shop.answer().status()).isEqualTo(Status.CANCELLED);
        assertThat(shop.of(Action.Kill.class)).hasSize(1);
        shop.invoke("e2", "buy", false);
        assertThat(shop.answer().failure().error()).isEqualTo(Errors.NOT_FOUND);
        assertThat(shop.answer().failure().cause()).contains("was deleted");
        shop.on(new Input.Recover(request("e3", APP.version()), List.of(), 1, Map.of(), -1));
        assertThat(shop.of(Action.Dropped.class)).hasSize(1);
        assertThat(shop.core().isOpen("e3")).isFalse();
        shop.invoke(request("e4", APP.version() + 1));
        assertThat(shop.of(Action.Respond.class)).as("the next application of that name").isEmpty();
        assertThat(shop.core().isOpen("e4")).isTrue();
    }

    private static InvocationRequest request(String id, int version) {
        return new InvocationRequest(id, APP.application(), version, "buy", json("1"), 10_000, false, null);
    }

    @Test
    void endedExecutionsAreRememberedWithinABound() {
        CoreConfiguration d = CoreConfiguration.DEFAULT;
        shop.with(new CoreConfiguration(d.maxExecutions(), d.maxHeldBytes(), 2, d.maxOpenSteps(), d.maxHops(), 1, d.rememberedBytes(),
                d.coldApplications(), d.runsPerEvent(), d.runsInAll(), d.startsInARow(), d.forkFailuresInARow(), d.backOffNs(), d.maxBackOffNs(),
                d.workerStartNs(), d.spawnNs(), d.killGraceNs(), d.endGraceNs(), d.deathCauseNs(), d.lateFiguresNs(),
                d.refillDelayNs(), d.poolReviewNs(), d.renewNs(), d.idleInstanceBytes(), d.slots(),
                d.maxHeldRequests(), d.maxAway(), d.maxGuests(), d.rememberedGuests(), d.placementWaitNs(), d.sendPatienceNs(), d.returnPatienceNs(), d.processors(), d.messageHoldNs(),
                d.togetherNs(), d.journaledBytes(), d.retryNs()));
        shop.warm();
        for (String id : List.of("e1", "e2")) {
            shop.invoke(id, "buy", false);
            shop.finish(shop.running(id), "1");
            shop.after(2);
            shop.settle();
        }
        shop.invoke("e2", "buy", false);
        assertThat(shop.of(Action.Respond.class)).hasSize(1);
        shop.invoke("e1", "buy", false);
        assertThat(shop.of(Action.HandOver.class)).hasSize(1);
        shop.invoke("e1", "buy", false);
        shop.invoke("e1", "buy", false);
        assertThat(shop.answer().failure().details()).containsEntry("limit", 2);
    }

    @Test
    void aQueuedEventTimesOutWithoutEverRunning() {
        shop.with(grain("one", 1, 5, Isolation.REQUEST)).warm();
        shop.invoke(new InvocationRequest("e1", "shop", 1, "one", json("1"), 10_000, false, null));
        shop.invoke(new InvocationRequest("e2", "shop", 1, "one", json("1"), 50, false, null));
        shop.after(50);
        assertThat(shop.answer().executionId()).isEqualTo("e2");
        assertThat(shop.answer().status()).isEqualTo(Status.TIMED_OUT);
        assertThat(shop.of(Action.Kill.class)).isEmpty();
        assertThat(shop.core().status(shop.nowNs).getFirst().grains().getLast().queued()).isZero();
    }

    @Test
    void withAConcurrencyOfOneAKilledInstanceHoldsTheNextEventUntilItIsGone() {
        shop.with(grain("one", 1, 5, Isolation.REQUEST)).warm();
        shop.invoke(new InvocationRequest("e1", "shop", 1, "one", json("1"), 50, false, null));
        Running first = shop.running("e1");
        shop.invoke(new InvocationRequest("e2", "shop", 1, "one", json("1"), 10_000, false, null));
        shop.after(50);
        shop.settle();
        assertThat(shop.running("e2")).as("an instance waits, but the slot is taken").isNull();
        shop.exited(first, 0, 9);
        assertThat(shop.only(Action.HandOver.class).executionId()).isEqualTo("e2");
    }

    /** Until 2999 it is more than a long has nanoseconds. */
    @Test
    void aWaitUntilTheNextMillenniumDoesNotEndAtOnce() {
        String definition = """
                {"StartAt": "W", "States": {"W": {"Type": "Wait", "Timestamp": "2999-01-01T00:00:00Z", "End": true}}}""";
        StateMachine machine = ((Definitions.Parsed.Valid) Definitions.parse(definition)).machine();
        shop.withWorkflow("flow", definition, (version, target, id, startedMs) ->
                Executions.of(machine, APP.application(), target, id, "1970-01-01T00:00:00Z")).warm();
        shop.invoke("e1", "flow", false);
        shop.after(1);
        assertThat(shop.of(Action.Respond.class)).isEmpty();
        shop.after(10_000);
        assertThat(shop.answer().status()).isEqualTo(Status.TIMED_OUT);
    }
}
