package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.event.Slots;
import dev.sand.globalbus.MemoryBus;
import dev.sand.hostagent.core.CoreConfiguration;
import dev.sand.hostagent.journal.BusJournal;
import dev.sand.hostagent.sandbox.SandboxException;
import org.junit.jupiter.api.Test;

/** A host agent that counts other slots than its platform would look for executions where they are not. */
class SlotCountTest {
    private static void start(int platform, int core, int journals) {
        MemoryBus bus = new MemoryBus();
        try (TestMembership group = new TestMembership(platform);
                BusJournal journal = new BusJournal(bus, null, "a", BusJournal.Options.DEFAULT.withSlots(journals))) {
            HostAgent.start(HostAgentConfiguration.defaults("a").withCore(CoreConfiguration.DEFAULT.withSlots(core)),
                    new HostAgentParts(null, null, journal, null, null, null, null, null,
                            new HostAgentParts.Cluster(bus, group.host(), null, null)), broken -> { });
        } catch (SandboxException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void itsShardsAreRefusedAtTheStart() {
        assertThatThrownBy(() -> start(8, Slots.DEFAULT, 8)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("8 slots").hasMessageContaining("shards").hasMessageContaining("16");
    }

    @Test
    void soAreItsJournals() {
        assertThatThrownBy(() -> start(8, 8, Slots.DEFAULT)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("8 slots").hasMessageContaining("journals").hasMessageContaining("16");
    }
}
