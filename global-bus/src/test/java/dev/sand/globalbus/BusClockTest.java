package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BusClockTest {
    private static final long NS = 1_000_000;

    @Test
    void twoWhoseWallClocksDifferByMinutesAgreeOnceARecordHasCome() {
        BusClock fast = new BusClock(1_000_000 + 420_000, 5_000 * NS);
        BusClock slow = new BusClock(1_000_000 - 420_000, 77 * NS);
        assertThat(fast.nowMs(5_000 * NS)).as("its own, until then").isEqualTo(1_420_000);
        fast.onAppended(1_000_100, 5_105 * NS);
        slow.onAppended(1_000_100, 190 * NS);
        assertThat(fast.nowMs(6_105 * NS)).isEqualTo(1_001_100);
        assertThat(slow.nowMs(1_190 * NS)).isEqualTo(1_001_100);
    }

    @Test
    void oneThatComesLateDoesNotPutTheClockBack() {
        BusClock clock = new BusClock(0, 0);
        clock.onAppended(10_000, 1_000 * NS);
        clock.onAppended(11_000, 2_900 * NS);
        assertThat(clock.nowMs(2_900 * NS)).isBetween(11_890L, 11_900L);
    }

    @Test
    void anotherBrokersClockIsFollowedBackAndForth() {
        BusClock clock = new BusClock(0, 0);
        clock.onAppended(900_000, 1_000 * NS);
        clock.onAppended(600_000, 2_000 * NS);
        assertThat(clock.nowMs(2_500 * NS)).isEqualTo(600_500);
        clock.onAppended(902_000, 3_000 * NS);
        assertThat(clock.nowMs(3_000 * NS)).isEqualTo(902_000);
    }
}
