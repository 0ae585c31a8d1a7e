package dev.sand.hostagent.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.hostagent.core.CoreConfiguration;
import dev.sand.hostagent.core.HostCore;
import dev.sand.workflow.Executions;
import org.junit.jupiter.api.Test;

class RehearsalTest {
    @Test
    void everyRequestOfTheRehearsalIsAnswered() {
        HostCore core = new HostCore(CoreConfiguration.DEFAULT, new Executions()::create, "local", "reh00", 0);
        assertThat(new Rehearsal(core, CoreConfiguration.DEFAULT.slots(), "local", 1_000_000).play()).isEqualTo(Rehearsal.expected());
    }
}
