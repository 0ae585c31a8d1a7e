package dev.sand.hostagent.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TimersTest {
    private static final class Due extends Timed {
        @Override
        void onDue() { }
    }

    private final Timers timers = new Timers();

    @Test
    void whatIsArmedFirstComesFirstAtTheSameTime() {
        Due a = new Due();
        Due b = new Due();
        timers.arm(a, 5);
        timers.arm(b, 5);
        assertThat(timers.pollDue(4)).isNull();
        assertThat(timers.pollDue(5)).isSameAs(a);
        assertThat(timers.pollDue(5)).isSameAs(b);
        assertThat(timers.nextDueNs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void armingAgainMovesIt() {
        Due a = new Due();
        timers.arm(a, 5);
        timers.arm(a, 9);
        assertThat(timers.size()).isEqualTo(1);
        assertThat(timers.pollDue(8)).isNull();
        assertThat(timers.pollDue(9)).isSameAs(a);
        assertThat(a.isArmed()).isFalse();
    }

    @Test
    void keepsTheOrderWhateverIsArmedMovedAndDisarmed() {
        SplittableRandom random = new SplittableRandom(7);
        List<Due> armed = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            int choice = random.nextInt(4);
            if (choice < 2 || armed.isEmpty()) {
                Due due = new Due();
                timers.arm(due, random.nextInt(1000));
                armed.add(due);
            } else {
                Due due = armed.get(random.nextInt(armed.size()));
                if (choice == 2) {
                    timers.disarm(due);
                    armed.remove(due);
                } else {
                    timers.arm(due, random.nextInt(1000));
                }
            }
        }
        armed.sort(Comparator.<Due>comparingLong(due -> due.dueNs).thenComparingLong(due -> due.order));
        assertThat(timers.size()).isEqualTo(armed.size());
        for (Due expected : armed) {
            assertThat(timers.nextDueNs()).isEqualTo(expected.dueNs);
            assertThat(timers.pollDue(Long.MAX_VALUE - 1)).isSameAs(expected);
        }
    }
}
