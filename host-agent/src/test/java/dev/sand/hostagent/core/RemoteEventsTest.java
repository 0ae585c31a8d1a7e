package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.EPOCH;
import static dev.sand.hostagent.core.CoreFixture.card;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static dev.sand.hostagent.core.CoreFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Placement;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.GrainExecution;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Events that run on another host than their execution: as its owner sees them, and as that host does. */
class RemoteEventsTest {
    private static final Placement GPU = new Placement(Set.of(), Set.of("gpu"));

    private final CoreFixture shop = new CoreFixture()
            .with(grain("buy", 4, 10, Isolation.REQUEST))
            .with(grain("draw", 4, 10, Isolation.REQUEST)).placed("draw", GPU);

    private RemoteEvent send() {
        shop.warm();
        shop.hosts(card("here", 0), card("there", 0, "gpu"));
        shop.invoke("e1", "draw", false);
        Action.SendAway send = shop.only(Action.SendAway.class);
        assertThat(send.host()).isEqualTo("there");
        return send.event();
    }

    private static RemoteResult finished(RemoteEvent event, String output) {
        return new RemoteResult(event, "there", json(output), List.of(), null, false,
                new Hop(event.eventId(), event.grain(), event.attempt(), null, 100, 110, 120, 150, 160, 0, 0));
    }

    private static RemoteResult lost(RemoteEvent event) {
        return new RemoteResult(event, "there", null, List.of(), Failure.platform(Errors.SANDBOX_FAILED, "no room", true), true, null);
    }

    // --- the owner's side

    @Test
    void anEventThatMayNotRunHereIsSentAwayAndItsResultEndsIt() {
        RemoteEvent event = send();
        assertThat(event.eventId()).isEqualTo("e1/draw");
        assertThat(event.attempt()).isEqualTo(1);
        assertThat(event.remainingMs()).isEqualTo(10_000);
        assertThat(event.epoch()).isEqualTo(EPOCH);
        shop.on(new Input.SentAway("e1", "e1/draw", 1, null));
        shop.on(new Input.Returned(finished(event, "5")));
        assertThat(text(shop.answer().output())).isEqualTo("5");
        Hop hop = shop.answer().hops().getFirst();
        assertThat(hop.endedNs() - hop.startedNs()).as("the other host's figures").isEqualTo(30);
        shop.on(new Input.Returned(finished(event, "5")));
        assertThat(shop.of(Action.Dropped.class)).as("given twice").hasSize(1);
    }

    @Test
    void aResultOfAnotherAttemptOrEpochCountsNoMore() {
        RemoteEvent event = send();
        shop.on(new Input.Returned(lost(event)));
        Action.Journal noted = shop.only(Action.Journal.class);
        assertThat(noted.backup()).isEqualTo(new Action.Backup.Resumed(Map.of("draw", 2)));
        shop.on(new Input.Journaled("e1", noted.sequence(), null));
        shop.after(1_000);
        RemoteEvent second = shop.only(Action.SendAway.class).event();
        assertThat(second.attempt()).isEqualTo(2);
        shop.on(new Input.Returned(finished(event, "late")));
        assertThat(shop.of(Action.Dropped.class)).hasSize(1);
        shop.on(new Input.Returned(finished(new RemoteEvent(APP, "e1", "e1/draw", "draw", 2, 1, json("1"), null, second.slot(),
                EPOCH - 1), "old")));
        assertThat(shop.of(Action.Dropped.class)).hasSize(1);
        shop.on(new Input.Returned(finished(second, "7")));
        assertThat(text(shop.answer().output())).isEqualTo("7");
    }

    @Test
    void anEventThatIsLostOnOneHostAfterTheOtherFails() {
        shop.warm();
        shop.hosts(card("here", 0), card("there", 0, "gpu"));
        shop.invoke(new InvocationRequest("e1", "shop", 1, "draw", json("1"), 600_000, false, null));
        RemoteEvent event = shop.only(Action.SendAway.class).event();
        int most = CoreConfiguration.DEFAULT.runsInAll();
        for (int i = 0; i < most - 1; i++) {
            shop.on(new Input.Returned(lost(event)));
            shop.on(new Input.Journaled("e1", shop.only(Action.Journal.class).sequence(), null));
            assertThat(shop.of(Action.SendAway.class)).as("after a pause: more slots may be about to move").isEmpty();
            shop.after(Math.min(1_000 + 2_000 * i, 5_000));
            event = shop.only(Action.SendAway.class).event();
        }
        shop.on(new Input.Returned(lost(event)));
        assertThat(shop.answer().failure().error()).isEqualTo(Errors.CRASHED);
        assertThat(shop.answer().failure().cause()).contains("lost " + most + " times").contains("no room");
    }

    @Test
    void whatWasSentAwayForItsLoadAloneAndIsLostRunsAtHome() {
        shop.warm();
        shop.hosts(card("here", 4), card("there", 0));
        shop.invoke("e1", "buy", false);
        RemoteEvent event = shop.only(Action.SendAway.class).event();
        shop.on(new Input.Returned(lost(event)));
        shop.on(new Input.Journaled("e1", shop.only(Action.Journal.class).sequence(), null));
        shop.after(1);
        assertThat(shop.of(Action.SendAway.class)).as("it would be lost with every slot that moves").isEmpty();
        assertThat(shop.running("e1").attempt()).isEqualTo(2);
    }

    @Test
    void whatCouldNotBeSentIsTriedAgainAfterAPause() {
        send();
        shop.on(new Input.SentAway("e1", "e1/draw", 1, Failure.platform(Errors.UNAVAILABLE, "the bus is away", true)));
        assertThat(shop.of(Action.SendAway.class)).isEmpty();
        shop.after(1_000);
        assertThat(shop.only(Action.SendAway.class).event().attempt()).isEqualTo(2);
    }

    @Test
    void withoutAHostWhereItMayRunItWaitsAWhileAndFailsSayingSo() {
        shop.warm();
        shop.hosts(card("here", 0), card("there", 0, "fast"));
        shop.invoke(new InvocationRequest("e1", "shop", 1, "draw", json("1"), 60_000, false, null));
        assertThat(shop.of(Action.SendAway.class)).isEmpty();
        shop.after(10_000);
        assertThat(shop.answer().failure().error()).isEqualTo(Errors.UNAVAILABLE);
        assertThat(shop.answer().failure().cause()).contains("grain draw").contains("labels are gpu").contains("there (fast)");
    }

    @Test
    void aDeadlineThatComesBeforeThatNamesPlacementToo() {
        shop.withWorkflow("main", (version, target, id, startedMs) -> new GrainExecution("draw")).warm();
        shop.hosts(card("here", 0), card("there", 0, "fast"));
        for (String target : List.of("draw", "main")) {
            shop.invoke(new InvocationRequest("e-" + target, "shop", 1, target, json("1"), 3_000, false, null));
            shop.after(3_000);
            assertThat(shop.answer().status()).isEqualTo(Status.TIMED_OUT);
            assertThat(shop.answer().failure().cause()).contains("deadline").contains("grain draw").contains("labels are gpu")
                    .contains("there (fast)");
        }
    }

    /** One task, with a limit of its own. */
    private static final class Limited implements FakeMachine {
        @Override
        public List<Command> on(Signal signal) {
            return switch (signal) {
                case Signal.Started started -> List.of(new Command.RunTask("Draw it", "draw", started.input(), 2_000));
                case Signal.TaskFailed failed -> List.of(new Command.Fail(failed.error(), failed.cause()));
                default -> List.of();
            };
        }
    }

    @Test
    void aStepsOwnLimitThatComesBeforeThatNamesPlacementToo() {
        shop.withWorkflow("main", (version, target, id, startedMs) -> new Limited()).warm();
        shop.hosts(card("here", 0), card("there", 0, "fast"));
        shop.invoke(new InvocationRequest("e1", "shop", 1, "main", json("1"), 60_000, false, null));
        shop.after(2_000);
        assertThat(shop.answer().failure().error()).isEqualTo("States.Timeout");
        assertThat(shop.answer().failure().cause()).contains("step Draw it waited for a host", "limit of the step", "labels are gpu",
                "there (fast)");
    }

    @Test
    void itGoesToAHostThatComes() {
        shop.warm();
        shop.hosts(card("here", 0));
        shop.invoke("e1", "draw", false);
        shop.hosts(card("here", 0), card("new", 0, "gpu"));
        assertThat(shop.only(Action.SendAway.class).host()).isEqualTo("new");
    }

    @Test
    void anAwayEventsExecutionStillHasItsDeadline() {
        RemoteEvent event = send();
        shop.after(10_000);
        assertThat(shop.answer().status()).isEqualTo(Status.TIMED_OUT);
        assertThat(shop.core().context().placing.sending().awayCount()).isZero();
        shop.on(new Input.Returned(finished(event, "late")));
        assertThat(shop.of(Action.Dropped.class)).hasSize(1);
    }

    // --- the other host's side

    private RemoteEvent guest(int attempt, long epoch) {
        return new RemoteEvent(APP, "o1", "o1/buy", "buy", attempt, 1_000, json("3"), null, 0, epoch);
    }

    @Test
    void anotherHostsEventRunsAsItsOwnWouldAndGoesBack() {
        shop.warm();
        shop.on(new Input.RunForOwner(guest(1, 50)));
        Action.HandOver over = shop.only(Action.HandOver.class);
        assertThat(over.eventId()).isEqualTo("o1/buy");
        assertThat(over.remainingMs()).isEqualTo(1_000);
        shop.finish(shop.running("o1"), "4");
        RemoteResult result = shop.only(Action.SendBack.class).result();
        assertThat(text(result.output())).isEqualTo("4");
        assertThat(result.host()).isEqualTo("here");
        assertThat(result.hop().eventId()).isEqualTo("o1/buy");
        assertThat(shop.of(Action.Journal.class)).isEmpty();
    }

    @Test
    void theSameEventTwiceIsRunOnceAndAnsweredTwice() {
        shop.warm();
        shop.on(new Input.RunForOwner(guest(1, 50)));
        Running running = shop.running("o1");
        shop.on(new Input.RunForOwner(guest(1, 50)));
        assertThat(shop.of(Action.HandOver.class)).isEmpty();
        shop.finish(running, "4");
        shop.on(new Input.RunForOwner(guest(1, 50)));
        assertThat(text(shop.only(Action.SendBack.class).result().output())).isEqualTo("4");
    }

    @Test
    void aLaterAttemptReplacesTheOneThatRunsAndBothAreGivenBack() {
        shop.warm();
        shop.on(new Input.RunForOwner(guest(1, 50)));
        shop.on(new Input.RunForOwner(guest(2, 50)));
        assertThat(shop.of(Action.Kill.class)).hasSize(1);
        assertThat(shop.only(Action.SendBack.class).result().lost()).isTrue();
        shop.after(1_000);
        assertThat(shop.of(Action.SendBack.class)).hasSize(1);
    }

    @Test
    void whatALostHostMayHaveBegunIsGivenBackUnrun() {
        shop.warm();
        shop.on(new Input.RunForOwner(guest(1, 50), true));
        assertThat(shop.only(Action.SendBack.class).result().lost()).isTrue();
        assertThat(shop.of(Action.HandOver.class)).isEmpty();
    }

    @Test
    void losingItsWorkerIsTheOwnersToCount() {
        shop.warm();
        shop.on(new Input.RunForOwner(guest(1, 50)));
        String worker = shop.core().context().instances.get(shop.running("o1").instance()).worker.id();
        shop.on(new Input.WorkerExited(APP, worker, "killed"));
        assertThat(shop.only(Action.SendBack.class).result().lost()).isTrue();
        assertThat(shop.core().context().guests.isEmpty()).isTrue();
    }

    @Test
    void itsOwnFailureIsTheWorkflows() {
        shop.warm();
        shop.on(new Input.RunForOwner(guest(1, 50)));
        shop.fail(shop.running("o1"), "ValueError");
        RemoteResult result = shop.only(Action.SendBack.class).result();
        assertThat(result.lost()).isFalse();
        assertThat(result.failure().error()).isEqualTo("ValueError");
    }

    @Test
    void itsDeadlineKillsItHere() {
        shop.warm();
        shop.on(new Input.RunForOwner(guest(1, 50)));
        shop.after(1_000);
        assertThat(shop.of(Action.Kill.class)).hasSize(1);
        assertThat(shop.only(Action.SendBack.class).result().failure().error()).isEqualTo(Errors.TIMEOUT);
    }

    @Test
    void aLostSlotLeavesItAlone() {
        shop.warm();
        shop.on(new Input.RunForOwner(guest(1, 50)));
        for (int slot = 0; slot < 16; slot++) {
            shop.on(new Input.SlotLost(slot, EPOCH));
        }
        shop.finish(shop.running("o1"), "4");
        assertThat(shop.of(Action.SendBack.class)).hasSize(1);
    }

    @Test
    void aDrainingHostFinishesIt() {
        shop.warm();
        shop.on(new Input.RunForOwner(guest(1, 50)));
        shop.on(new Input.Drain());
        assertThat(shop.of(Action.Drained.class)).isEmpty();
        shop.finish(shop.running("o1"), "4");
        assertThat(shop.of(Action.SendBack.class)).hasSize(1);
        shop.on(new Input.SandboxEnded(APP, shop.only(Action.StopSandbox.class).sandbox(), "stopped"));
        assertThat(shop.of(Action.Drained.class)).hasSize(1);
    }
}
