package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class RateTest {
    private long nowNs = Long.MAX_VALUE - 3 * Rate.SECOND_NS; // a monotonic clock may be anywhere, and come round

    private int taken(Rate rate, int asked) {
        int taken = 0;
        for (int i = 0; i < asked; i++) {
            taken += rate.take(nowNs) == 0 ? 1 : 0;
        }
        return taken;
    }

    @Test
    void after_rest_as_many_come_at_once_as_in_a_second_and_not_one_more() {
        Rate rate = new Rate(10, nowNs);
        assertThat(taken(rate, 30)).isEqualTo(10);
        nowNs += 3 * Rate.SECOND_NS;
        assertThat(taken(rate, 30)).isEqualTo(10);
        nowNs += Rate.SECOND_NS / 2;
        assertThat(taken(rate, 30)).isEqualTo(5);
    }

    @Test
    void who_waits_as_long_as_was_said_is_let_in_and_not_before() {
        Rate rate = new Rate(4, nowNs);
        taken(rate, 4);
        long waitNs = rate.take(nowNs);
        assertThat(waitNs).isEqualTo(Rate.SECOND_NS / 4);
        nowNs += waitNs - 1;
        assertThat(rate.take(nowNs)).isEqualTo(1);
        nowNs++;
        assertThat(rate.take(nowNs)).isZero();
    }

    /** However they come: in no time more than what it and the second of rest before it give. */
    @Test
    void no_time_has_more_than_its_share() {
        for (long seed = 1; seed <= 200; seed++) {
            Random dice = new Random(seed);
            int perSecond = 1 + dice.nextInt(50);
            Rate rate = new Rate(perSecond, nowNs);
            long beganNs = nowNs;
            long taken = 0;
            for (int i = 0; i < 1_000; i++) {
                nowNs += dice.nextLong(Rate.SECOND_NS / 10);
                taken += taken(rate, dice.nextInt(4));
                assertThat(taken).as("seed %d", seed).isLessThanOrEqualTo(perSecond + (nowNs - beganNs) * perSecond / Rate.SECOND_NS + 1);
            }
            assertThat(taken).isPositive();
        }
    }
}
