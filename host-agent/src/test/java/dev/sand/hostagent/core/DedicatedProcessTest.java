package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.DedicatedSpec;
import dev.sand.event.Errors;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.InvocationResult;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.event.SandboxSpec;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.hostagent.core.Input.AppKey;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Processes with a sandbox of their own: it starts with the first function, has what was asked for, and goes with the process. */
class DedicatedProcessTest extends ProcessFixture {
    private static final DedicatedSpec OWN = new DedicatedSpec(128L << 20, 0.5, 0, null, List.of("hello"));
    private static final AppKey OF_P = new AppKey(APP.application(), APP.version(), "p");

    DedicatedProcessTest() {
        super(new CoreFixture().with(new ProcessSpec(1, 2, 10_000, 64L << 20, 256L << 20, 1_000, 5_000, Map.of()))
                .with(grain("g", 10, 100, Isolation.REQUEST)).warm());
    }

    private Action.StartSandbox starts(String process) {
        invoke(process);
        List<Action.StartSandbox> starts = shop.settled.stream().filter(Action.StartSandbox.class::isInstance)
                .map(Action.StartSandbox.class::cast).filter(start -> process.equals(start.app().process())).toList();
        return starts.isEmpty() ? null : starts.getLast();
    }

    private Running begun(Action.StartSandbox start) {
        on(new Input.SandboxStarted(start.app(), start.sandbox(), false));
        shop.settle();
        return shop.settled.stream().filter(Action.HandOver.class::isInstance).map(Action.HandOver.class::cast)
                .filter(over -> over.app().equals(start.app())).reduce((one, next) -> next)
                .map(over -> new Running(over.app(), over.instance(), over.eventId(), over.attempt())).orElseThrow();
    }

    private boolean isStopped(Action.StartSandbox start) {
        return shop.all.stream().anyMatch(action -> action instanceof Action.StopSandbox stop && stop.sandbox().equals(start.sandbox()));
    }

    @Test
    void itsFunctionsRunInASandboxThatNobodyElseHas() {
        command("p", Kind.CREATE, OWN);
        Action.StartSandbox start = starts("p");
        assertThat(start.app()).isEqualTo(OF_P);
        SandboxSpec limits = start.version().sandbox();
        assertThat(limits.memoryBytes()).isEqualTo(128L << 20);
        assertThat(limits.cpus()).isEqualTo(0.5);
        assertThat(limits.pids()).as("as the application's").isEqualTo(1000);
        assertThat(limits.base()).isEqualTo(new SandboxSpec.Base(null, List.of("hello")));
        finish(begun(start), write("a", "1"));
        assertThat(starts("q")).as("another process").isNull();
        assertThat(((ProcessView) command("p", Kind.DESCRIBE)).dedicated().memoryBytes()).isEqualTo(128L << 20);
        assertThat(((ProcessView) command("q", Kind.DESCRIBE)).dedicated()).isNull();
    }

    @Test
    void itEndsWhenTheProcessIsSwappedOutAndIsThereAgainAfterwards() {
        command("p", Kind.CREATE, OWN);
        Action.StartSandbox start = starts("p");
        finish(begun(start), write("a", "1"));
        shop.all.clear();
        command("p", Kind.SWAP_OUT);
        assertThat(isHere("p")).isFalse();
        assertThat(isStopped(start)).isTrue();
        on(new Input.SandboxEnded(start.app(), start.sandbox(), "stopped"));
        assertThat(shop.core().context().applications).doesNotContainKey(OF_P);
        Action.StartSandbox again = starts("p");
        assertThat(again.sandbox()).isNotEqualTo(start.sandbox());
        assertThat(again.version().sandbox()).isEqualTo(start.version().sandbox());
        assertThat(state(begun(again), "a")).isEqualTo("1");
    }

    @Test
    void oneThatIsNeededAgainWhileItStopsStartsOnceThatIsOver() {
        command("p", Kind.CREATE, OWN);
        Action.StartSandbox start = starts("p");
        finish(begun(start));
        command("p", Kind.SWAP_OUT);
        assertThat(starts("p").sandbox()).as("the old one is not gone").isEqualTo(start.sandbox());
        on(new Input.SandboxEnded(start.app(), start.sandbox(), "stopped"));
        shop.settle();
        Action.StartSandbox again = shop.settled.stream().filter(Action.StartSandbox.class::isInstance).map(Action.StartSandbox.class::cast)
                .reduce((one, next) -> next).orElseThrow();
        assertThat(again.app()).isEqualTo(OF_P);
        assertThat(again.sandbox()).isNotEqualTo(start.sandbox());
        assertThat(begun(again)).isNotNull();
    }

    @Test
    void itEndsWithTheProcess() {
        command("p", Kind.CREATE, OWN);
        Action.StartSandbox start = starts("p");
        begun(start);
        shop.all.clear();
        command("p", Kind.KILL);
        assertThat(isStopped(start)).isTrue();
    }

    @Test
    void whatItNeverCanStartIsNotTriedAgain() {
        command("p", Kind.CREATE, OWN);
        Action.StartSandbox start = starts("p");
        on(new Input.SandboxFailed(start.app(), start.sandbox(), "this host has no image nowhere:1", true));
        assertThat(shop.all).anySatisfy(action -> assertThat(action).isInstanceOfSatisfying(Action.Respond.class, answer -> {
            assertThat(answer.result().failure().error()).isEqualTo(Errors.SANDBOX_FAILED);
            assertThat(answer.result().failure().retryable()).isFalse();
        }));
        assertThat(starts("p").sandbox()).as("who asks again may have changed it").isNotEqualTo(start.sandbox());
    }

    @Test
    void whatItCannotStartFailsWhatWaits() {
        command("p", Kind.CREATE, OWN);
        String id = invoke("p");
        for (int i = 0; i <= CoreConfiguration.DEFAULT.startsInARow(); i++) {
            Action.StartSandbox start = shop.settled.stream().filter(Action.StartSandbox.class::isInstance).map(Action.StartSandbox.class::cast)
                    .reduce((one, next) -> next).orElseThrow();
            on(new Input.SandboxFailed(start.app(), start.sandbox(), "no image", false));
            if (i < CoreConfiguration.DEFAULT.startsInARow()) {
                shop.after(20_000);
                shop.settle();
            }
        }
        assertThat(shop.all).anySatisfy(action -> assertThat(action).isInstanceOfSatisfying(Action.Respond.class, answer -> {
            InvocationResult result = answer.result();
            assertThat(result.executionId()).isEqualTo(id);
            assertThat(result.failure().error()).isEqualTo(Errors.SANDBOX_FAILED);
            assertThat(result.failure().cause()).contains("no image");
        }));
    }

    @Test
    void asManyWaitForItAsMayAndTheNextOneIsTold() {
        command("p", Kind.CREATE, OWN);
        begun(starts("p"));
        invoke("p");
        invoke("p");
        shop.all.clear();
        invoke("p");
        InvocationResult refused = shop.settled.stream().filter(Action.Respond.class::isInstance)
                .map(action -> ((Action.Respond) action).result()).reduce((one, next) -> next).orElseThrow();
        assertThat(refused.failure().error()).isEqualTo(Errors.OVERLOADED);
        assertThat(refused.failure().details()).containsEntry("limit", 2).containsEntry("actual", 3);
    }
}
