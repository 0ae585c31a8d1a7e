package dev.sand.hostagent.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LastWordsTest {
    private final ArrayDeque<Runnable> timers = new ArrayDeque<>();
    private final List<Duration> delays = new ArrayList<>();
    private final LastWords words = new LastWords((delay, task) -> {
        delays.add(delay);
        timers.add(task);
    });
    private int reported;

    @Test
    void a_process_whose_connection_closes_is_reported_then_and_once() {
        words.hold("i1", () -> reported++);
        assertThat(reported).isZero();
        words.closed("i1");
        assertThat(reported).isEqualTo(1);
        runAll();
        assertThat(reported).isEqualTo(1);
    }

    @Test
    void when_the_moment_is_over_the_sockets_are_read_once_more_before_the_report_is_believed() {
        words.hold("i1", () -> reported++);
        timers.remove().run();
        assertThat(delays).containsExactly(LastWords.PATIENCE, LastWords.ROUND);
        assertThat(reported).as("the thread slept, and what the process said has not been read").isZero();
        words.closed("i1");
        runAll();
        assertThat(reported).isEqualTo(1);
    }

    @Test
    void a_connection_that_somebody_else_holds_open_is_not_waited_for() {
        words.hold("i1", () -> reported++);
        runAll();
        assertThat(reported).isEqualTo(1);
    }

    private void runAll() {
        while (!timers.isEmpty()) {
            timers.remove().run();
        }
    }
}
