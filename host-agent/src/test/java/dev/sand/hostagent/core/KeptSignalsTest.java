package dev.sand.hostagent.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.KeptSignals;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What an execution holds of its signals for its history. */
class KeptSignalsTest {
    private final Signals.Kept kept = new Signals.Kept();

    private static Signal.TaskSucceeded done(int bytes) {
        return new Signal.TaskSucceeded("T", Payload.json(new byte[bytes]), List.of(), 1);
    }

    private static byte[] encode(List<Signal> signals) {
        return KeptSignals.encode(signals, payload -> payload);
    }

    @Test
    void theyAreGivenWhenThereAreMoreThanBefore() {
        kept.add(new Signal.Started(Payload.nullJson(), 1));
        assertThat(kept.changed()).hasSize(1);
        assertThat(kept.changed()).as("what is kept stays").isNull();
        kept.add(done(1));
        assertThat(kept.changed()).hasSize(2);
    }

    @Test
    void ofTooManyNoneIsKeptAndWhatWasKeptBeforeGoes() {
        kept.add(new Signal.Started(Payload.nullJson(), 1));
        for (int i = 1; i < KeptSignals.MOST_SIGNALS; i++) {
            kept.add(new Signal.TimerFired("W", i));
        }
        assertThat(kept.changed()).hasSize(KeptSignals.MOST_SIGNALS);
        kept.add(new Signal.TimerFired("W", 2));
        assertThat(kept.changed()).isEmpty();
        assertThat(encode(List.of())).as("nothing is kept").isNull();
        kept.add(new Signal.TimerFired("W", 3));
        assertThat(kept.changed()).isNull();
    }

    @Test
    void theirValuesAreHeldWithinABoundHoweverFewTheyAre() {
        int value = KeptSignals.VALUE_BYTES;
        for (long held = 0; held < KeptSignals.MOST_HELD_BYTES; held += value) {
            kept.add(done(value));
        }
        assertThat(kept.changed()).isNotEmpty();
        kept.add(done(1));
        assertThat(kept.changed()).isEmpty();
    }

    @Test
    void ofAValueThatIsTooLargeToBeKeptItsSizeAloneIsHeld() {
        for (int i = 0; i < 10; i++) {
            kept.add(done(8 << 20));
        }
        Signal.TaskSucceeded first = (Signal.TaskSucceeded) kept.changed().getFirst();
        assertThat(first.output().bytes()).isNull();
        assertThat(first.output().size()).isEqualTo(8 << 20);
    }
}
