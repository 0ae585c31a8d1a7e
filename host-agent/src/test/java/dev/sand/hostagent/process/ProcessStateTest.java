package dev.sand.hostagent.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Payload;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ProcessStateTest {
    private static final List<String> PIECES = List.of("", "a", "b", "\u00e9", "\ud7ff", "\ue000", "\uffff", "\ud83d\ude00", "\ud800\udc00");

    private static String key(Random dice) {
        StringBuilder key = new StringBuilder();
        for (int i = dice.nextInt(4); i >= 0; i--) {
            key.append(PIECES.get(dice.nextInt(PIECES.size())));
        }
        return key.toString();
    }

    @Test
    void keysAreInTheOrderOfTheirBytes() {
        Random dice = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            String a = key(dice);
            String b = key(dice);
            int bytes = Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
            assertThat(Integer.signum(ProcessState.BY_BYTES.compare(a, b))).as("%s %s", a, b).isEqualTo(Integer.signum(bytes));
        }
    }

    @Test
    void whatIsWrittenOverItIsSeenInItsPlace() {
        Random dice = new Random(2);
        for (int run = 0; run < 300; run++) {
            ProcessState state = new ProcessState();
            TreeMap<String, Object> model = new TreeMap<>(ProcessState.BY_BYTES);
            TreeMap<String, StateWrite> over = new TreeMap<>(ProcessState.BY_BYTES);
            for (int i = 0; i < 12; i++) {
                StateWrite write = new StateWrite(key(dice), dice.nextInt(3) == 0 ? null : Payload.json("1".getBytes(StandardCharsets.UTF_8)));
                if (dice.nextBoolean() && over.isEmpty()) {
                    state.apply(write);
                } else {
                    over.put(write.key(), write);
                }
                model.remove(write.key());
                if (write.value() != null) {
                    model.put(write.key(), "");
                }
            }
            String after = dice.nextBoolean() ? null : key(dice);
            int limit = 1 + dice.nextInt(8);
            assertThat(state.keys(over, after, limit))
                    .isEqualTo((after == null ? model : model.tailMap(after, false)).keySet().stream().limit(limit).toList());
        }
    }
}
