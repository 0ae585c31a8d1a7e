package dev.sand.hostagent.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TrafficTest {
    private static final long SECOND_NS = 1_000_000_000;
    private final Traffic traffic = new Traffic();

    private void eachSecond(long from, long to, int in, int out) {
        for (long second = from; second < to; second++) {
            for (int i = 0; i < in; i++) {
                traffic.cameIn(second * SECOND_NS + i);
            }
            for (int i = 0; i < out; i++) {
                traffic.handedOut(second * SECOND_NS + i);
            }
        }
    }

    @Test
    void aRateIsTheMeanOfTheLastTenWholeSeconds() {
        eachSecond(100, 110, 7, 3);
        assertThat(traffic.inPerSecond(110 * SECOND_NS)).isEqualTo(7);
        assertThat(traffic.outPerSecond(110 * SECOND_NS)).isEqualTo(3);
        assertThat(traffic.inPerSecond(115 * SECOND_NS)).isEqualTo(3.5);
        assertThat(traffic.inPerSecond(120 * SECOND_NS)).isZero();
    }

    @Test
    void theSecondThatRunsCountsOnceItIsOver() {
        eachSecond(100, 101, 20, 0);
        assertThat(traffic.inPerSecond(100 * SECOND_NS + SECOND_NS / 2)).isZero();
        assertThat(traffic.inPerSecond(101 * SECOND_NS)).isEqualTo(2);
    }

    @Test
    void nothingIsLeftOfWhatIsLongOver() {
        eachSecond(100, 111, 5, 5);
        eachSecond(1_000, 1_001, 10, 0);
        assertThat(traffic.inPerSecond(1_001 * SECOND_NS)).isEqualTo(1);
        assertThat(traffic.outPerSecond(1_001 * SECOND_NS)).isZero();
    }

    /** The monotonic clock may begin anywhere. */
    @Test
    void timesMayBeNegative() {
        eachSecond(-12, -2, 4, 0);
        assertThat(traffic.inPerSecond(-2 * SECOND_NS)).isEqualTo(4);
        assertThat(traffic.inPerSecond(3 * SECOND_NS)).isEqualTo(2);
    }
}
