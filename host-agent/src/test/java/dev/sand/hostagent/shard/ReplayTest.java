package dev.sand.hostagent.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Published;
import dev.sand.workflow.Execution.Signal;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What of a journal can be replayed when the objects of the earlier run are gone. */
class ReplayTest {
    private static final Payload OBJECT = new Payload(Payload.OCTETS, null, new Payload.Reference("o1", 100_000));
    private static final Signal STARTED = new Signal.Started(Payload.nullJson());

    @Test
    void valuesAreReplayedWhole() {
        List<Signal> signals = List.of(STARTED, new Signal.TaskSucceeded("A", Payload.nullJson(), List.of()));
        assertThat(ShardGroup.replayable(signals)).isEqualTo(signals);
    }

    @Test
    void fromTheFirstObjectOnStepsRunAgain() {
        Signal lost = new Signal.TaskSucceeded("B", OBJECT, List.of());
        Signal after = new Signal.TaskSucceeded("C", Payload.nullJson(), List.of());
        assertThat(ShardGroup.replayable(List.of(STARTED, lost, after))).containsExactly(STARTED);
    }

    @Test
    void aPublishedObjectCountsToo() {
        Signal lost = new Signal.TaskSucceeded("B", Payload.nullJson(), List.of(new Published("next", OBJECT)));
        assertThat(ShardGroup.replayable(List.of(STARTED, lost))).containsExactly(STARTED);
    }
}
