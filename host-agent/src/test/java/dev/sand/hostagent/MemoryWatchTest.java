package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryWatchTest {
    private static final String MEMINFO = "MemTotal:       1000 kB\nMemFree:          10 kB\nMemAvailable:     40 kB\n";

    @Test
    void memoryIsShortWhenLessThanTheReserveIsAvailable() {
        assertThat(MemoryWatch.isShort(MEMINFO, 0.05)).isTrue();
        assertThat(MemoryWatch.isShort(MEMINFO, 0.03)).isFalse();
    }

    @Test
    void aSystemThatDoesNotSayIsNotShort() {
        assertThat(MemoryWatch.isShort("MemTotal: 1000 kB\n", 0.05)).isFalse();
    }
}
