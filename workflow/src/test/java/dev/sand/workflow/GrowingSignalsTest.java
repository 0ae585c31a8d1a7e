package dev.sand.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The history of an execution that goes on, kept again and again. */
class GrowingSignalsTest {
    private final Random random = new Random(7);
    private final GrowingSignals growing = new GrowingSignals();

    private static Signal.TaskSucceeded done(int number, byte[] value) {
        return new Signal.TaskSucceeded("T#" + number, new Payload("application/octet-stream", value, null), List.of(), number);
    }

    private byte[] noise(int bytes) {
        byte[] value = new byte[bytes];
        random.nextBytes(value);
        return value;
    }

    @Test
    void whatIsKeptIsAllOfThemHoweverTheyHaveCome() throws Exception {
        List<Signal> signals = new ArrayList<>(List.of(new Signal.Started(Payload.nullJson(), 1)));
        for (int i = 0; i < 40; i++) {
            for (int more = random.nextInt(20); more > 0; more--) {
                signals.add(done(signals.size(), noise(random.nextInt(2_000))));
            }
            assertThat(text(KeptSignals.decode(growing.encode(List.copyOf(signals), payload -> payload)))).isEqualTo(text(signals));
        }
        assertThat(text(KeptSignals.decode(KeptSignals.encode(signals, payload -> payload)))).isEqualTo(text(signals));
    }

    private static List<String> text(List<Signal> signals) {
        return signals.stream().map(signal -> KeptSignals.encode(signal, payload -> payload).toString()).toList();
    }

    @Test
    void anEarlierValueIsNotPackedAgain() {
        AtomicInteger read = new AtomicInteger();
        UnaryOperator<Payload> resolve = payload -> {
            read.incrementAndGet();
            return new Payload(payload.contentType(), new byte[(int) payload.size()], null);
        };
        List<Signal> signals = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            signals.add(new Signal.TaskSucceeded("T#" + i, new Payload("text/plain", null, new Payload.Reference("o" + i, 100_000)),
                    List.of(), i));
            growing.encode(signals, resolve);
        }
        assertThat(read).hasValue(100);
    }

    @Test
    void whatIsTooMuchOnceStaysSo() {
        List<Signal> signals = new ArrayList<>();
        while (signals.size() * 100_000 < 2 * KeptSignals.MOST_BYTES) {
            signals.add(done(signals.size(), noise(100_000)));
            growing.encode(signals, payload -> payload);
        }
        assertThat(growing.encode(signals, payload -> payload)).isNull();
        assertThat(growing.encode(List.of(), payload -> payload)).as("none: they were too many").isNull();
    }
}
