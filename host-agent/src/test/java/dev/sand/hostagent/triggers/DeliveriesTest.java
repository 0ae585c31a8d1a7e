package dev.sand.hostagent.triggers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Ids;
import dev.sand.event.Payload;
import dev.sand.event.Slots;
import dev.sand.globalbus.QueueMessage;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Hosts of two versions give the same messages the same id: a second delivery joins the first. */
class DeliveriesTest {
    /** SHA-256 of application, queue, attempt and messages: eight bytes of it are the id's last, the next two come before those. */
    private static final String KNOWN = "01HF7YAT00MC061GJDW025W3W2";

    private static String id(int partition, int slots) {
        List<Batch.Held> messages = Stream.of("m1", "m2")
                .map(id -> new Batch.Held(0, QueueMessage.of(id, null, Payload.nullJson(), 1_700_000_000_000L))).toList();
        return Deliveries.executionId("shop", "orders", new Batch(partition, null, messages, 1, false), slots);
    }

    @Test
    void idsStayAsTheyAre() {
        assertThat(id(0, 1)).isEqualTo(KNOWN);
        assertThat(Ids.epochMs(KNOWN)).isEqualTo(1_700_000_000_000L);
    }

    @Test
    void theyFallIntoTheSlotOfTheirPartition() {
        for (int partition = 0; partition < 16; partition++) {
            assertThat(Slots.of(id(partition, 16), 16)).isEqualTo(partition);
            assertThat(Slots.request(id(partition, 16))).isEqualTo(Slots.request(KNOWN));
        }
    }
}
