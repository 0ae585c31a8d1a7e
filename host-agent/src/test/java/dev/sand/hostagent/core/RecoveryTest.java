package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.MS;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.workflow.Execution;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.Execution.Signal;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What goes on after its owner was lost, and what the journal must have for it. */
class RecoveryTest {
    private final CoreFixture shop = new CoreFixture().with(grain("buy", 4, 10, Isolation.REQUEST));

    private static InvocationRequest request(String id) {
        return new InvocationRequest(id, "shop", 1, "buy", json("1"), 10_000, true, null);
    }

    /** Two tasks at once, one after the other reported. */
    private static final class Pair implements FakeMachine {
        private int open;

        @Override
        public List<Command> on(Signal signal) {
            if (signal instanceof Signal.Started started) {
                open = 2;
                return List.of(new Command.RunTask("A", "buy", started.input(), 0), new Command.RunTask("B", "buy", started.input(), 50));
            }
            if (signal instanceof Signal.TaskFailed failed) {
                return List.of(new Command.Fail(failed.error(), failed.cause()));
            }
            return --open == 0 ? List.of(new Command.Succeed(json("2"))) : List.of();
        }
    }

    private CoreFixture pair() {
        return shop.withWorkflow("pair", (version, target, id, startedMs) -> new Pair());
    }

    @Test
    void whatWasProcessingRunsAgainOnceThatIsNoted() {
        shop.warm();
        shop.on(new Input.Recover(request("e1"), List.of()));
        Action.Journal noted = shop.only(Action.Journal.class);
        assertThat(noted.backup()).isEqualTo(new Backup.Resumed(Map.of("buy", 2)));
        assertThat(noted.sequence()).isEqualTo(1);
        assertThat(shop.of(Action.HandOver.class)).isEmpty();
        shop.on(new Input.Journaled("e1", 1, null));
        assertThat(shop.only(Action.HandOver.class).attempt()).isEqualTo(2);
    }

    @Test
    void anEventThatTookManyHostsWithItFailsWithThatCause() {
        shop.warm();
        int most = CoreConfiguration.DEFAULT.runsInAll();
        shop.on(new Input.Recover(request("e1"), List.of(), 3, Map.of("buy", most), 0));
        shop.on(new Input.Journaled("e1", 3, null));
        assertThat(shop.of(Action.HandOver.class)).isEmpty();
        shop.on(new Input.Journaled("e1", 4, null));
        Failure failure = shop.only(Action.Record.class).record().failure();
        assertThat(failure.error()).isEqualTo(Errors.CRASHED);
        assertThat(failure.cause()).contains("lost " + most + " times");
    }

    @Test
    void anEventWhoseSlotMovedOftenRunsOn() {
        shop.warm();
        int most = CoreConfiguration.DEFAULT.runsInAll();
        shop.on(new Input.Recover(request("e1"), List.of(), 3, Map.of("buy", most - 1), 0));
        shop.on(new Input.Journaled("e1", 3, null));
        assertThat(shop.only(Action.HandOver.class).attempt()).isEqualTo(most);
    }

    @Test
    void aRecoveredExecutionHasTheTimeThatWasLeft() {
        shop.warm();
        shop.on(new Input.Recover(request("e1"), List.of(), 1, Map.of(), 9_000));
        shop.on(new Input.Journaled("e1", 1, null));
        assertThat(shop.only(Action.HandOver.class).remainingMs()).isEqualTo(1_000);
        shop.after(1_000);
        assertThat(shop.only(Action.Record.class).record().status()).isEqualTo(Status.TIMED_OUT);
    }

    @Test
    void aWallClockTakesAtMostHalfOfItAway() {
        String id = Ids.encode(0, 1, 2);
        shop.nowNs = 3_600_000 * MS;
        assertThat(Deadlines.remainingMs(request(id), new Input.Recover(request(id), List.of()), 3_600_000)).isEqualTo(5_000);
        assertThat(Deadlines.remainingMs(request(id), new Input.Recover(request(id), List.of()), 2_000)).isEqualTo(8_000);
        assertThat(Deadlines.remainingMs(request(id), new Input.Recover(request(id), List.of()), -5_000)).isEqualTo(10_000);
        assertThat(Deadlines.remainingMs(request(id), null, 3_600_000)).isEqualTo(10_000);
    }

    /** A pause of a second after its first task, or at once. */
    private static final class Pause implements FakeMachine {
        private final boolean atOnce;

        Pause(boolean atOnce) {
            this.atOnce = atOnce;
        }

        @Override
        public List<Command> on(Signal signal) {
            return switch (signal) {
                case Signal.Started started when !atOnce -> List.of(new Command.RunTask("A", "buy", started.input(), 0));
                case Signal.Started _, Signal.TaskSucceeded _ -> List.of(new Command.StartTimer("Wait", 1_000));
                default -> List.of(new Command.Succeed(json("2")));
            };
        }
    }

    private static InvocationRequest pause() {
        return new InvocationRequest("e1", "shop", 1, "pause", json("1"), 60_000, true, null);
    }

    /** The wall clocks of its hosts differ by an hour: they do not count. */
    @Test
    void aTimerHasWhatRemainsOfItByTheBussClock() {
        shop.withWorkflow("pause", (version, target, id, startedMs) -> new Pause(false)).warm();
        Signal first = new Signal.TaskSucceeded("A", json("1"), List.of(), shop.core().context().epochMs() - 3_600_000);
        shop.on(new Input.Recover(pause(), List.of(first), 2, Map.of(), 20_000, List.of(300L)));
        shop.after(699);
        assertThat(shop.of(Action.Journal.class)).isEmpty();
        shop.after(1);
        assertThat(((Backup.Finished) shop.only(Action.Journal.class).backup()).signal()).isInstanceOf(Signal.TimerFired.class);
    }

    @Test
    void aTimerOfTheBeginningIsAsOldAsTheExecutionWhileItsApplicationIsLoadedToo() {
        shop.withWorkflow("pause", (version, target, id, startedMs) -> new Pause(true));
        shop.on(new Input.Recover(pause(), List.of(), 1, Map.of(), 200, List.of()));
        shop.after(500);
        shop.on(new Input.ApplicationLoaded(APP, shop.version(), null));
        shop.after(299);
        assertThat(shop.of(Action.Journal.class)).isEmpty();
        shop.after(1);
        assertThat(((Backup.Finished) shop.only(Action.Journal.class).backup()).signal()).isInstanceOf(Signal.TimerFired.class);
    }

    @Test
    void theRecordOfARequestThatWaitedHasTheTimeThatIsLeft() {
        shop.invoke(request("e1"));
        shop.after(4_000);
        shop.on(new Input.ApplicationLoaded(APP, shop.version(), null));
        assertThat(((Backup.Accepted) shop.only(Action.Journal.class).backup()).request().timeoutMs()).isEqualTo(6_000);
    }

    @Test
    void whatHasLostAnOwnerGoesOnAsStrict() {
        pair().warm();
        shop.on(new Input.Recover(new InvocationRequest("e1", "shop", 1, "pair", json("1"), 10_000, true, null), List.of()));
        shop.on(new Input.Journaled("e1", 1, null));
        shop.after(5);
        shop.settle();
        shop.finish(shop.running("e1"), "1");
        assertThat(shop.only(Action.Journal.class).awaited()).isTrue();
    }

    /** Where it runs first, and at each owner to whom the journal gives it. */
    @Test
    void aMachineThatThrowsEndsItsExecutionAndNotTheHost() {
        List<FakeMachine> machines = List.of(signal -> {
            throw new IllegalStateException("no such step");
        }, signal -> {
            throw new StackOverflowError("too deep");
        });
        for (FakeMachine machine : machines) {
            CoreFixture host = new CoreFixture().with(grain("buy", 4, 10, Isolation.REQUEST));
            host.withWorkflow("pair", (version, target, id, startedMs) -> machine).warm();
            InvocationRequest broken = new InvocationRequest("e1", "shop", 1, "pair", json("1"), 10_000, false, null);
            host.invoke(broken);
            assertThat(host.answer().failure().cause()).containsPattern("the workflow could not go on: .*(no such step|too deep)");
            host.on(new Input.Recover(new InvocationRequest("e2", "shop", 1, "pair", json("1"), 10_000, true, null), List.of()));
            assertThat(host.only(Action.Record.class).record().failure().cause()).containsPattern("no such step|too deep");
            host.on(new Input.Recover(request("e3"), List.of()));
            host.on(new Input.Journaled("e3", 1, null));
            assertThat(host.only(Action.HandOver.class).executionId()).isEqualTo("e3");
        }
    }

    @Test
    void theRecordOfATransitionHasCauseAndEffects() {
        pair().warm();
        shop.invoke("e1", "pair", false);
        assertThat(shop.of(Action.Journal.class)).hasSize(1);
        Running last = shop.running("e1");
        shop.finish(last, "1");
        Backup.Finished finished = (Backup.Finished) shop.only(Action.Journal.class).backup();
        assertThat(finished.signal()).isInstanceOf(Signal.TaskSucceeded.class);
        assertThat(new Backup.Finished(finished.signal(), List.of(new Command.RunTask("C", "buy", json("1"), 0))).processing())
                .containsExactly("C");
    }

    /** Found by the simulated cluster: what stands behind a number that is missing is not replayed. */
    @Test
    void strictARecordCountsOnceThoseBeforeItAreThere() {
        pair().strict().invoke(new InvocationRequest("e1", "shop", 1, "pair", json("1"), 10_000, false, null));
        shop.on(new Input.ApplicationLoaded(APP, shop.version(), null));
        Backups backups = new Backups(shop.core().context(), request("e1"), shop.slotOf("e1"), CoreFixture.EPOCH, Long.MAX_VALUE, 1);
        StringBuilder done = new StringBuilder();
        shop.core().context().begin(shop.nowNs, action -> { });
        backups.resumed(Map.of("A", 2), () -> done.append("first "));
        backups.finished(new Signal.TimerFired("T"), List.of(), () -> done.append("second "));
        assertThat(backups.onJournaled(2, true)).isTrue();
        assertThat(done).isEmpty();
        assertThat(backups.onJournaled(1, false)).isTrue();
        assertThat(done).isEmpty();
        assertThat(backups.onJournaled(1, true)).isTrue();
        assertThat(done).hasToString("first second ");
        assertThat(backups.onJournaled(1, true)).as("told twice").isFalse();
    }

    @Test
    void aTasksOwnTimeOutFailsItsWorkflowUnderTheLanguagesName() {
        pair().warm();
        shop.invoke("e1", "pair", false);
        shop.after(50);
        assertThat(shop.answer().status()).isEqualTo(Status.FAILED);
        assertThat(shop.answer().failure().error()).isEqualTo("States.Timeout");
    }

    @Test
    void anInstanceThatWasGoneBeforeItReadItsEventDidNotRunIt() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        Running first = shop.running("e1");
        shop.on(new Input.InstanceClosed(APP, first.instance(), true));
        shop.after(5);
        shop.settle();
        assertThat(shop.running("e1").attempt()).isEqualTo(2);
        assertThat(shop.of(Action.Respond.class)).isEmpty();
    }

    @Test
    void aValueByReferenceIsWaitedForAndGivenAgainButHoldsNothingUp() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        Payload reference = new Payload(Payload.JSON, null, new Payload.Reference("o", 1 << 20));
        Running running = shop.running("e1");
        shop.on(new Input.Finish(APP, running.instance(), running.eventId(), 1, json("null"),
                List.of(new Execution.Published("buy", reference)), shop.nowNs, shop.nowNs));
        Action.Journal stored = shop.only(Action.Journal.class);
        assertThat(stored.awaited()).isTrue();
        assertThat(shop.of(Action.HandOver.class)).as("the next event").hasSize(1);
        shop.on(new Input.Journaled("e1", stored.sequence(), Failure.platform(Errors.UNAVAILABLE, "the store is away", true)));
        shop.after(1_000);
        assertThat(shop.of(Action.Journal.class).getFirst().sequence()).isEqualTo(stored.sequence());
    }
}
