package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.TriggerStore.Progress;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** How far a queue is worked off, as whoever looks at it reads it. */
class TriggerStoreTest {
    /** Settled: all below 4, then 6 to 8, and 10. */
    private static final Progress SOME = new Progress((short) 1, 4, List.of(6L, 8L, 10L, 10L), Map.of());

    @Test
    void whatIsSettledIsBelowTheMarkOrInARange() {
        assertThat(LongStream.range(0, 13).filter(offset -> !SOME.isSettled(offset)).boxed()).containsExactly(4L, 5L, 9L, 11L, 12L);
        assertThat(Progress.NONE.isSettled(0)).isFalse();
    }

    @Test
    void asManyAreLeftAsAreNotSettled() {
        assertThat(SOME.unsettled(0, 13)).isEqualTo(5);
        assertThat(SOME.unsettled(7, 11)).as("some of it is trimmed").isEqualTo(1);
        assertThat(SOME.unsettled(4, 7)).as("it ended earlier when that was asked").isEqualTo(2);
        assertThat(Progress.NONE.unsettled(2, 5)).isEqualTo(3);
        assertThat(SOME.unsettled(0, 2)).as("the topic was made again").isEqualTo(2);
    }

    @Test
    void theProgressOfAQueueIsThatOfItsPartitionsAlone() {
        TriggerStore store = new TriggerStore(new MemoryStore());
        store.putProgress("app", "q", 11, SOME, GlobalStore.ABSENT);
        store.putProgress("app", "q2", 3, SOME, GlobalStore.ABSENT);
        assertThat(store.progress("app", "q")).isEqualTo(Map.of(11, SOME));
    }
}
