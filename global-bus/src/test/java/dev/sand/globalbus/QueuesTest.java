package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Payload;
import dev.sand.event.QueueSpec;
import dev.sand.globalbus.BusException.Kind;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What a sender is told: a queue that is full is something else than a bus that is. */
class QueuesTest {
    private static final QueueSpec SHALLOW = new QueueSpec("orders", "work", 1, 1, 1, 0, 0, 1, 1, 1, 3, null);

    private static BusException refusal(Queues queues, QueueSpec queue, int bytes) {
        Payload payload = Payload.json(("\"" + "x".repeat(bytes) + "\"").getBytes(StandardCharsets.UTF_8));
        return (BusException) queues.send("shop", queue, QueueMessage.of("m", "group", payload, 1)).handle((offset, e) -> e).join();
    }

    private static Queues on(GlobalBus bus) {
        Queues queues = new Queues(bus, 2);
        queues.create("shop", SHALLOW.name());
        return queues;
    }

    @Test
    void aQueueTakesAsManyAsItsDepthAndThenSaysSo() {
        Queues queues = on(new MemoryBus());
        for (int i = 0; i < SHALLOW.depth(); i++) {
            assertThat(refusal(queues, SHALLOW, 10)).isNull();
        }
        BusException refused = refusal(queues, SHALLOW, 10);
        assertThat(refused.kind()).isEqualTo(Kind.TOO_MANY);
        assertThat(refused.retryable()).isTrue();
        assertThat(refused).hasMessageContaining("orders").hasMessageContaining("3 messages");
        assertThat(queues.depth("shop", "orders")).as("what was refused is not there").isEqualTo(3);
    }

    @Test
    void aBusWithoutRoomSaysThatItIsTheBus() {
        Queues queues = on(new MemoryBus(1_000, Integer.MAX_VALUE, Runnable::run));
        BusException refused = refusal(queues, SHALLOW, 2_000);
        assertThat(refused.kind()).isEqualTo(Kind.FULL);
        assertThat(refused.retryable()).isTrue();
        assertThat(refusal(queues, SHALLOW, 10)).isNull();
    }
}
