package dev.sand.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlotsTest {
    private final Random dice = new Random(1);

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 16, 64, 1024})
    void aRequestHasAnIdInEachSlotAndOneName(int slots) {
        for (int i = 0; i < 200; i++) {
            String id = Ids.next(dice.nextLong(1L << 48), dice);
            int slot = dice.nextInt(slots);
            String placed = Slots.placed(id, slot, slots);
            assertThat(Ids.isValid(placed)).isTrue();
            assertThat(Slots.of(placed, slots)).isEqualTo(slot);
            assertThat(Slots.request(placed)).isEqualTo(Slots.request(id));
            assertThat(Ids.epochMs(placed)).isEqualTo(Ids.epochMs(id));
        }
    }

    @Test
    void thatInItsOwnSlotIsItself() {
        String id = Ids.next(1_700_000_000_000L, dice);
        assertThat(Slots.placed(id, Slots.of(id, 16), 16)).isEqualTo(id);
    }

    @Test
    void theLastPlacesAreFollowedByTheFirst() {
        for (int slot = 0; slot < 16; slot++) {
            String placed = Slots.placed(Ids.encode(1, 0, -1), slot, 16);
            assertThat(placed).startsWith(Slots.request(Ids.encode(1, 0, -1)));
            assertThat(Slots.of(placed, 16)).isEqualTo(slot);
        }
    }

    @Test
    void eventsOfARequestHaveNamesToo() {
        String id = Ids.next(1, dice);
        assertThat(Slots.request(Slots.placed(id, 3, 16) + "/step")).isEqualTo(Slots.request(id) + "/step");
        assertThat(Slots.request(Slots.request(id + "/step"))).isEqualTo(Slots.request(id) + "/step");
        assertThat(Slots.request(Slots.request(id))).isEqualTo(Slots.request(id));
        assertThat(Slots.request("no-id")).isEqualTo("no-id");
    }

    @Test
    void otherRequestsHaveOtherNames() {
        Set<String> names = new HashSet<>();
        for (int i = 0; i < 100_000; i++) {
            assertThat(names.add(Slots.request(Ids.next(1_700_000_000_000L, dice)))).isTrue();
        }
    }
}
