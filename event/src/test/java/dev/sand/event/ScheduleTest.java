package dev.sand.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    private static long ms(String instant) {
        return Instant.parse(instant).toEpochMilli();
    }

    @Test
    void cronCountsInItsTimeZoneSummerTimeIncluded() {
        Schedule nightly = new Schedule("30 3 * * *", "Europe/Berlin", 0);
        assertThat(nightly.next(0, ms("2026-01-10T12:00:00Z"))).hasValue(ms("2026-01-11T02:30:00Z"));
        assertThat(nightly.next(0, ms("2026-07-10T12:00:00Z"))).hasValue(ms("2026-07-11T01:30:00Z"));
        assertThat(nightly.next(0, ms("2026-07-11T01:30:00Z"))).hasValue(ms("2026-07-12T01:30:00Z"));
    }

    @Test
    void anIntervalCountsFromWhenItWasArmed() {
        Schedule beat = new Schedule(null, null, 30_000);
        assertThat(beat.next(1_000, 1_000)).hasValue(31_000L);
        assertThat(beat.next(1_000, 31_000)).hasValue(61_000L);
        assertThat(beat.next(1_000, 90_999)).hasValue(91_000L);
    }

    @Test
    void ofManyMissedFiresTheLastOneIsMadeUpFor() {
        Schedule beat = new Schedule(null, null, 30_000);
        assertThat(beat.last(1_000, 31_000, 200_000)).hasValue(181_000L);
        assertThat(beat.last(1_000, 181_000, 200_000)).isEmpty();
        assertThat(beat.last(1_000, 0, 20_000)).isEmpty();
        Schedule hourly = new Schedule("0 * * * *", "UTC", 0);
        assertThat(hourly.last(0, ms("2026-01-10T08:00:00Z"), ms("2026-01-10T12:34:00Z"))).hasValue(ms("2026-01-10T12:00:00Z"));
        assertThat(hourly.last(0, ms("2026-01-10T12:00:00Z"), ms("2026-01-10T12:34:00Z"))).isEmpty();
        assertThat(hourly.last(0, ms("2026-01-10T11:00:00Z"), ms("2026-01-10T12:00:00Z"))).hasValue(ms("2026-01-10T12:00:00Z"));
    }

    @Test
    void whatIsNoScheduleIsRefusedInASentence() {
        assertThatThrownBy(() -> new Schedule("every day", null, 0)).hasMessageContaining("is no cron expression");
        assertThatThrownBy(() -> new Schedule("0 3 * * *", "Berlin", 0)).hasMessageContaining("is no time zone");
        assertThatThrownBy(() -> new Schedule(null, null, 10)).hasMessageContaining("at least 1000 ms");
        assertThatThrownBy(() -> new Schedule(null, null, 0)).hasMessageContaining("exactly one");
    }

    @Test
    void pausesDoubleUpToTheLongest() {
        QueueSpec spec = new QueueSpec("q", "g", 1, 1, 1, 0, 9, 1_000, 5_000, 1, 1, null);
        assertThat(new long[] {spec.pauseMs(2), spec.pauseMs(3), spec.pauseMs(4), spec.pauseMs(5), spec.pauseMs(99)})
                .containsExactly(1_000, 2_000, 4_000, 5_000, 5_000);
    }
}
