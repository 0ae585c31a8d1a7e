package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.hostagent.core.CoreFixture.Running;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When instances are forked, dismissed and renewed, and sandboxes stopped. */
class PoolTest {
    private final CoreFixture shop = new CoreFixture().with(grain("buy", 8, 100, Isolation.REQUEST));

    private int idle() {
        return shop.core().status(shop.nowNs).getFirst().grains().getFirst().idle();
    }

    private void request(String id) {
        shop.invoke(id, "buy", false);
        Running running = shop.running(id);
        shop.finish(running, "1");
        shop.exited(running, 0, 0);
    }

    @Test
    void aLoneRequestAndItsAnswerAreNotHeldUpByAFork() {
        shop.warm();
        assertThat(idle()).isEqualTo(2);
        shop.invoke("e1", "buy", false);
        assertThat(shop.of(Action.Spawn.class)).isEmpty();
        shop.finish(shop.running("e1"), "1");
        assertThat(shop.of(Action.Respond.class)).hasSize(1);
        assertThat(shop.of(Action.Spawn.class)).isEmpty();
        shop.after(2);
        assertThat(shop.of(Action.Spawn.class)).hasSize(1);
    }

    @Test
    void aHandOverThatRunsForLongIsReplacedAfterAMoment() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        shop.after(2);
        assertThat(shop.of(Action.Spawn.class)).hasSize(1);
    }

    @Test
    void theTargetRisesWithWhatRunsAtOnceAndShrinksAgain() {
        shop.warm();
        for (int i = 0; i < 4; i++) {
            shop.invoke("e" + i, "buy", false);
            shop.settle();
        }
        for (int i = 0; i < 4; i++) {
            Running running = shop.running("e" + i);
            shop.finish(running, "1");
            shop.exited(running, 0, 0);
        }
        shop.settle();
        assertThat(idle()).as("bounded by maxIdle").isEqualTo(4);
        shop.after(60_000);
        assertThat(idle()).isEqualTo(1);
    }

    @Test
    void eventsThatWaitAreForkedForAtOnceUpToTheConcurrency() {
        shop.warm();
        for (int i = 0; i < 12; i++) {
            shop.invoke("e" + i, "buy", false);
        }
        List<Action.Spawn> spawns = shop.all.stream().filter(Action.Spawn.class::isInstance).map(Action.Spawn.class::cast).toList();
        int forked = spawns.stream().mapToInt(spawn -> spawn.instances().size()).sum();
        assertThat(forked).as("6 for events, and at most the idle target beside").isBetween(6, 10);
    }

    @Test
    void anOldIdleInstanceIsReplacedBeforeItGoes() {
        shop.warm();
        shop.after(30_000); // the target is back at its minimum
        int spawned = (int) shop.core().counters().spawned;
        shop.after(600_000);
        assertThat(shop.core().counters().spawned).isGreaterThan(spawned);
    }

    @Test
    void failedForksPauseAndInTheEndFailWhatWaits() {
        shop.invoke("e1", "buy", false);
        shop.on(new Input.ApplicationLoaded(APP, shop.version(), null));
        shop.on(new Input.SandboxStarted(APP, shop.only(Action.StartSandbox.class).sandbox(), false));
        shop.on(new Input.WorkerReady(APP, shop.only(Action.StartWorker.class).worker(), 7));
        for (int round = 0; round < 5; round++) {
            List<Action.Spawn> spawns = shop.of(Action.Spawn.class);
            assertThat(spawns).as("round " + round).isNotEmpty();
            spawns.forEach(spawn -> spawn.instances().forEach(id -> shop.on(new Input.ForkFailed(APP, id, "too many processes"))));
            if (round < 4) {
                shop.after(1_000);
            }
        }
        List<Action.Respond> answers = shop.all.stream().filter(Action.Respond.class::isInstance).map(Action.Respond.class::cast).toList();
        assertThat(answers).hasSize(1);
        assertThat(answers.getFirst().result().failure().error()).isEqualTo(Errors.UNAVAILABLE);
        assertThat(answers.getFirst().result().failure().cause()).contains("too many processes");
    }

    @Test
    void anIdleSandboxIsStoppedAfterItsTime() {
        shop.warm();
        request("e1");
        shop.after(61_000); // nothing answers the fork of the next instance
        for (Action.Kill killed : List.copyOf(shop.of(Action.Kill.class))) {
            shop.on(new Input.WorkerExited(APP, killed.instance(), "killed"));
        }
        shop.after(538_000);
        assertThat(shop.of(Action.StopSandbox.class)).isEmpty();
        shop.after(2_000);
        assertThat(shop.of(Action.StopSandbox.class)).hasSize(1);
    }

    @Test
    void aSupersededVersionStopsAsSoonAsItHasNothingToDo() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        shop.on(new Input.Retire(APP));
        assertThat(shop.of(Action.StopSandbox.class)).isEmpty();
        shop.finish(shop.running("e1"), "1");
        Action.StopSandbox stop = shop.only(Action.StopSandbox.class);
        shop.on(new Input.SandboxEnded(APP, stop.sandbox(), "stopped"));
        assertThat(shop.core().context().applications).isEmpty();
    }

    @Test
    void memoryPressureStopsWhatIsIdleAndNothingElse() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        shop.on(new Input.MemoryPressure());
        assertThat(shop.of(Action.StopSandbox.class)).isEmpty();
        shop.finish(shop.running("e1"), "1");
        shop.on(new Input.MemoryPressure());
        assertThat(shop.of(Action.StopSandbox.class)).hasSize(1);
    }

    @Test
    void noSandboxIsStoppedWhereThatWouldNotHelp() {
        shop.warm();
        shop.on(new Input.MemoryPressure(Map.of(), false));
        assertThat(shop.of(Action.StopSandbox.class)).isEmpty();
    }

    @Test
    void aSandboxThatKeepsFailingFailsWhatWaits() {
        shop.invoke("e1", "buy", false);
        shop.on(new Input.ApplicationLoaded(APP, shop.version(), null));
        for (int i = 0; i < 3; i++) {
            shop.on(new Input.SandboxFailed(APP, shop.only(Action.StartSandbox.class).sandbox(), "no engine", false));
            assertThat(shop.of(Action.Respond.class)).isEmpty();
            shop.after(1_000);
        }
        shop.on(new Input.SandboxFailed(APP, shop.only(Action.StartSandbox.class).sandbox(), "no engine", false));
        assertThat(shop.answer().failure().error()).isEqualTo(Errors.SANDBOX_FAILED);
        assertThat(shop.answer().failure().cause()).contains("no engine");
    }
}
