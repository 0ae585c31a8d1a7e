package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.InvocationResult.Status;
import dev.sand.hostagent.core.CoreFixture.Running;
import java.util.List;
import org.junit.jupiter.api.Test;

class HostCoreTest {
    private final CoreFixture shop = new CoreFixture()
            .with(grain("buy", 2, 2, Isolation.REQUEST))
            .with(grain("serve", 1, 2, Isolation.WORKER));

    @Test
    void aWarmRequestIsHandedOverInTheSameCall() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        assertThat(shop.actions.getFirst()).isInstanceOf(Action.HandOver.class);
        Action.HandOver over = shop.only(Action.HandOver.class);
        assertThat(over.eventId()).isEqualTo("e1/buy");
        assertThat(over.attempt()).isEqualTo(1);
        assertThat(over.remainingMs()).isEqualTo(10_000);
    }

    @Test
    void aResultIsAnsweredInTheSameCall() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        shop.finish(shop.running("e1"), "42");
        assertThat(shop.actions.getFirst()).isInstanceOf(Action.Respond.class);
        assertThat(shop.answer().status()).isEqualTo(Status.SUCCEEDED);
        assertThat(text(shop.answer().output())).isEqualTo("42");
        assertThat(shop.answer().hops()).hasSize(1);
    }

    @Test
    void aColdRequestStartsWhatIsMissing() {
        shop.invoke("e1", "buy", false);
        assertThat(shop.actions).containsExactly(new Action.LoadApplication(APP));
        shop.on(new Input.ApplicationLoaded(APP, shop.version(), null));
        String sandbox = shop.only(Action.StartSandbox.class).sandbox();
        assertThat(sandbox).hasSize(11);
        shop.on(new Input.SandboxStarted(APP, sandbox, true));
        String worker = shop.only(Action.StartWorker.class).worker();
        shop.on(new Input.WorkerReady(APP, worker, 7));
        String instance = shop.only(Action.Spawn.class).instances().getFirst();
        shop.on(new Input.Take(APP, instance, 8));
        assertThat(shop.only(Action.HandOver.class).instance()).isEqualTo(instance);
    }

    @Test
    void aRequestForAnUnknownTargetIsRefused() {
        shop.warm();
        shop.invoke("e1", "sell", true);
        assertThat(shop.answer().failure().error()).isEqualTo(Errors.NOT_FOUND);
        assertThat(shop.of(Action.Accepted.class)).isEmpty();
    }

    @Test
    void aFullQueueRefusesWithLimitAndActual() {
        shop.with(grain("one", 1, 1, Isolation.REQUEST)).warm();
        shop.invoke("e1", "one", false);
        shop.invoke("e2", "one", false);
        shop.invoke("e3", "one", false);
        Failure failure = shop.answer().failure();
        assertThat(failure.error()).isEqualTo(Errors.OVERLOADED);
        assertThat(failure.retryable()).isTrue();
        assertThat(failure.details()).containsEntry("limit", 1L).containsEntry("actual", 2L);
    }

    @Test
    void aDurableRequestIsAcceptedOnceItIsInTheGlobalBus() {
        shop.warm();
        shop.invoke("e1", "buy", true);
        assertThat(shop.of(Action.HandOver.class)).isEmpty();
        assertThat(shop.only(Action.Journal.class).awaited()).isTrue();
        shop.on(new Input.Journaled("e1", 0, null));
        assertThat(shop.actions.getFirst()).isInstanceOf(Action.Accepted.class);
        assertThat(shop.only(Action.Record.class).record().status()).isEqualTo(Status.RUNNING);
        assertThat(shop.of(Action.HandOver.class)).hasSize(1);
    }

    @Test
    void aDurableRequestThatTheBusDidNotConfirmMayHaveRunAndOneThatItRefusedHasNot() {
        shop.warm();
        shop.invoke("e1", "buy", true);
        shop.on(new Input.Journaled("e1", 0, Failure.mayHaveRun(Errors.UNAVAILABLE, "it is away")));
        assertThat(shop.answer().failure().details()).containsEntry(Failure.MAY_HAVE_RUN, true);
        shop.invoke("e2", "buy", true);
        shop.on(new Input.Journaled("e2", 0, Failure.platform(Errors.UNAVAILABLE, "it is full", true)));
        assertThat(shop.answer().failure().details()).isEmpty();
    }

    /** Else the end of the one that was given up could be taken for that of the next, which was promised. */
    @Test
    void anIdWhoseRequestWasGivenUpOnItsWayToTheBusIsBegunAnewOnceItsEndIsThere() {
        shop.warm();
        shop.invoke("e1", "buy", true);
        shop.after(10_000);
        assertThat(shop.answer().status()).isEqualTo(Status.TIMED_OUT);
        Action.Journal end = shop.only(Action.Journal.class);
        assertThat(end.backup()).isEqualTo(new Action.Backup.Ended(Status.TIMED_OUT));
        shop.on(new Input.Journaled("e1", 0, null));
        shop.invoke("e1", "buy", true);
        assertThat(shop.answer().failure().retryable()).isTrue();
        assertThat(shop.of(Action.Journal.class)).isEmpty();
        shop.on(new Input.Journaled("e1", end.sequence(), Failure.platform(Errors.UNAVAILABLE, "it is full", true)));
        shop.after(1_000);
        assertThat(shop.only(Action.Journal.class)).isEqualTo(end);
        shop.on(new Input.Journaled("e1", end.sequence(), null));
        shop.invoke("e1", "buy", true);
        assertThat(shop.only(Action.Journal.class).backup()).isInstanceOf(Action.Backup.Accepted.class);
        shop.on(new Input.Journaled("e1", 0, null));
        assertThat(shop.of(Action.HandOver.class)).hasSize(1);
    }

    @Test
    void aDurableEndIsJournaledOnceItsRecordIsStored() {
        shop.warm();
        shop.invoke("e1", "buy", true);
        shop.on(new Input.Journaled("e1", 0, null));
        shop.finish(shop.running("e1"), "1");
        assertThat(shop.of(Action.Record.class)).hasSize(1);
        assertThat(shop.of(Action.Journal.class)).extracting(Action.Journal::backup).hasOnlyElementsOfType(Action.Backup.Finished.class);
        shop.on(new Input.Recorded("e1", null));
        assertThat(shop.only(Action.Journal.class).backup()).isEqualTo(new Action.Backup.Ended(Status.SUCCEEDED));
    }

    @Test
    void theSameIdIsTheSameExecution() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        shop.invoke("e1", "buy", false);
        assertThat(shop.actions).isEmpty();
        shop.finish(shop.running("e1"), "42");
        assertThat(shop.of(Action.Respond.class)).hasSize(2);
        shop.invoke("e1", "buy", false);
        assertThat(text(shop.answer().output())).isEqualTo("42");
        assertThat(shop.of(Action.HandOver.class)).isEmpty();
    }

    @Test
    void aDeadlineAnswersAtOnceAndKillsUntilTheInstanceIsGone() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        shop.after(10_000);
        assertThat(shop.answer().status()).isEqualTo(Status.TIMED_OUT);
        assertThat(shop.of(Action.Kill.class)).hasSize(1);
        shop.after(1_000);
        assertThat(shop.of(Action.Kill.class)).hasSize(1);
        shop.after(1_000);
        assertThat(shop.of(Action.StopSandbox.class)).hasSize(1);
    }

    /** Found by the simulator (seed 3117): what ran under it ran on past its deadline, beside its own next attempt. */
    @Test
    void aWorkerThatForksNothingIsKilledUntilItIsGone() {
        String worker = workerThatForksNothing();
        assertThat(kills()).containsExactly(worker);
        long grace = CoreConfiguration.DEFAULT.killGraceNs() / CoreFixture.MS;
        shop.after(grace / 2);
        assertThat(kills()).containsExactly(worker);
        shop.after(grace / 2);
        assertThat(shop.of(Action.StopSandbox.class)).hasSize(1);
    }

    @Test
    void aKilledWorkerThatIsGoneIsKilledNoMore() {
        String worker = workerThatForksNothing();
        shop.on(new Input.WorkerExited(APP, worker, "killed"));
        shop.after(2 * CoreConfiguration.DEFAULT.killGraceNs() / CoreFixture.MS);
        assertThat(kills()).doesNotContain(worker);
        assertThat(shop.of(Action.StopSandbox.class)).isEmpty();
    }

    private String workerThatForksNothing() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        Running first = shop.running("e1");
        String worker = shop.core().context().instances.get(first.instance()).worker.id();
        shop.finish(first, "1");
        shop.exited(first, 0, 0);
        long patience = CoreConfiguration.DEFAULT.spawnNs() / CoreFixture.MS;
        for (long ms = 0; ms <= 2 * patience && kills().isEmpty(); ms += 100) {
            shop.after(100);
        }
        return worker;
    }

    private List<String> kills() {
        return shop.of(Action.Kill.class).stream().map(Action.Kill::instance).toList();
    }

    @Test
    void aCrashIsTheGrainsFailureInWords() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        Running running = shop.running("e1");
        shop.on(new Input.InstanceClosed(APP, running.instance()));
        assertThat(shop.of(Action.Respond.class)).isEmpty();
        shop.exited(running, 0, 11);
        assertThat(shop.answer().failure().error()).isEqualTo(Errors.CRASHED);
        assertThat(shop.answer().failure().cause()).contains("segmentation fault");
    }

    /** Found by the simulator: the instance's end and the worker's, both told, ended the event twice. */
    @Test
    void anEventLostWithItsWorkerRunsAgain() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        Running first = shop.running("e1");
        String worker = shop.core().context().instances.get(first.instance()).worker.id();
        shop.on(new Input.InstanceClosed(APP, first.instance()));
        shop.on(new Input.WorkerExited(APP, worker, "killed"));
        shop.after(0);
        shop.settle();
        Running second = shop.running("e1");
        assertThat(second.attempt()).isEqualTo(2);
        shop.finish(first, "stale");
        assertThat(shop.of(Action.Dropped.class)).hasSize(1);
        shop.finish(second, "7");
        assertThat(text(shop.answer().output())).isEqualTo("7");
    }

    /** Each instance of a worker that has died may fail a hand-over: nothing ran, and so nothing counts, within a limit. */
    @Test
    void handOversThatNobodySawAreNoRuns() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        int times = 0;
        while (shop.of(Action.Respond.class).isEmpty() && times < 100) {
            Running unseen = shop.running("e1");
            assertThat(unseen.attempt()).isEqualTo(++times);
            shop.on(new Input.HandOverFailed(APP, unseen.instance(), unseen.eventId(), unseen.attempt()));
            if (shop.of(Action.Respond.class).isEmpty()) {
                shop.exited(unseen, 0, 9);
                shop.settle();
            }
        }
        int waiting = shop.version().grains().get("buy").maxIdle();
        assertThat(times).as("unseen by all that may have waited and a few more, and then lost").isEqualTo(waiting + 6 + CoreConfiguration.DEFAULT.runsPerEvent());
        assertThat(shop.answer().failure().cause()).contains("lost 3 times").contains("was gone when it was handed over");
    }

    @Test
    void anImportFailureFailsWhatWaits() {
        shop.invoke("e1", "buy", false);
        shop.on(new Input.ApplicationLoaded(APP, shop.version(), null));
        shop.on(new Input.SandboxStarted(APP, shop.only(Action.StartSandbox.class).sandbox(), false));
        String worker = shop.only(Action.StartWorker.class).worker();
        shop.on(new Input.WorkerFailed(APP, worker, Failure.grain(Errors.IMPORT_FAILED, "no module named x", "trace")));
        assertThat(shop.answer().failure().cause()).isEqualTo("no module named x");
        assertThat(shop.answer().failure().stackTrace()).isEqualTo("trace");
    }

    @Test
    void anInstanceThatServesManyTakesAgain() {
        shop.warm();
        shop.invoke("e1", "serve", false);
        shop.invoke("e2", "serve", false);
        Running first = shop.running("e1");
        shop.finish(first, "1");
        shop.on(new Input.Take(APP, first.instance(), 20));
        Action.HandOver over = shop.only(Action.HandOver.class);
        assertThat(over.executionId()).isEqualTo("e2");
        assertThat(over.instance()).isEqualTo(first.instance());
    }

    @Test
    void drainedOnceNothingRuns() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        shop.on(new Input.Drain());
        assertThat(shop.of(Action.Drained.class)).isEmpty();
        shop.invoke("e2", "buy", false);
        assertThat(shop.answer().failure().error()).isEqualTo(Errors.UNAVAILABLE);
        shop.finish(shop.running("e1"), "1");
        shop.on(new Input.SandboxEnded(APP, shop.only(Action.StopSandbox.class).sandbox(), "stopped"));
        assertThat(shop.of(Action.Drained.class)).hasSize(1);
        assertThat(shop.core().context().instances).isEmpty();
        assertThat(shop.core().context().applications).isEmpty();
    }

    @Test
    void oneThatWasDrainedTakesWorkAgainAndIsDrainedAgain() {
        shop.warm();
        shop.on(new Input.Drain());
        shop.on(new Input.SandboxEnded(APP, shop.only(Action.StopSandbox.class).sandbox(), "stopped"));
        assertThat(shop.of(Action.Drained.class)).hasSize(1);
        shop.on(new Input.Resume());
        assertThat(shop.core().isDraining()).isFalse();
        shop.invoke("e1", "buy", false);
        assertThat(shop.only(Action.LoadApplication.class).app()).as("begun anew").isEqualTo(APP);
        shop.on(new Input.Drain());
        assertThat(shop.of(Action.Drained.class)).isEmpty();
        shop.on(new Input.ApplicationLoaded(APP, null, Failure.caller(Errors.NOT_FOUND, "gone")));
        assertThat(shop.of(Action.Drained.class)).hasSize(1);
    }

    @Test
    void oneThatResumesBeforeItIsDrainedKeepsWhatRuns() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        shop.on(new Input.Drain());
        shop.on(new Input.Resume());
        shop.finish(shop.running("e1"), "1");
        assertThat(shop.of(Action.StopSandbox.class)).isEmpty();
        assertThat(shop.of(Action.Drained.class)).isEmpty();
        shop.invoke("e2", "buy", false);
        assertThat(shop.running("e2")).isNotNull();
    }
}
