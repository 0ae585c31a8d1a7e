package dev.sand.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.HostAgentPort.HostPlace;
import dev.sand.event.HostAgentPort.HostStatus;
import dev.sand.event.HostAgentPort.SandboxStatus;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HostStatusTest {
    private static String state(boolean draining, List<Integer> slots, SandboxStatus... sandboxes) {
        return new HostStatus("a", "docker", draining, List.of(sandboxes), new HostPlace("a:1", Set.of(), 0, slots), null).state();
    }

    private static SandboxStatus sandbox(String state, int executions) {
        return new SandboxStatus("demo", 1, null, state, 0, executions, 0, List.of());
    }

    @Test
    void oneThatTakesWorkIsUpWhateverItHas() {
        assertThat(state(false, List.of())).isEqualTo("up");
        assertThat(state(false, List.of(1), sandbox("running", 3))).isEqualTo("up");
    }

    @Test
    void oneThatTakesNothingNewIsDrainedOnceNothingIsLeft() {
        assertThat(state(true, List.of(1))).as("it owns a slot").isEqualTo("draining");
        assertThat(state(true, List.of(), sandbox("running", 0))).as("a sandbox is there").isEqualTo("draining");
        assertThat(state(true, List.of(), sandbox("none", 1))).as("an execution waits").isEqualTo("draining");
        assertThat(state(true, List.of(), sandbox("none", 0))).isEqualTo("drained");
    }

    @Test
    void ofOneThatDoesNotAnswerNothingIsKnown() {
        assertThat(new HostStatus("a", null, true, List.of(), new HostPlace("a:1", Set.of(), 0, List.of()), "no connection").state())
                .isEqualTo("unreachable");
    }

    @Test
    void theOneHostThatStopsIsDrainingToItsEnd() {
        assertThat(new HostStatus("a", "process", true, List.of()).state()).isEqualTo("draining");
    }
}
