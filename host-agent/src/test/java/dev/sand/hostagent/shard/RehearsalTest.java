package dev.sand.hostagent.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.hostagent.core.CoreConfiguration;
import dev.sand.hostagent.core.HostCore;
import dev.sand.workflow.Executions;
import org.junit.jupiter.api.Test;

class RehearsalTest {
    @Test
    void everyRequestOfTheRehearsalIsAnswered() {
        Executions executions = new Executions();
        HostCore core = new HostCore(CoreConfiguration.DEFAULT, (version, target, id, startedMs) ->
                executions.create(version, target, id, "2024-01-01T00:00:00Z"), "local", "reh00", 0);
        assertThat(new Rehearsal(core, CoreConfiguration.DEFAULT.slots(), "local", 1_000_000).play()).isEqualTo(Rehearsal.expected());
    }
}
