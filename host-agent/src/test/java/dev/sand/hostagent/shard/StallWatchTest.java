package dev.sand.hostagent.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.hostagent.core.Input;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class StallWatchTest {
    private long cpuNs;
    private final StallWatch watch = new StallWatch("shard 0", Duration.ofNanos(500_000), () -> cpuNs);

    private void input(long beganNs, long tookNs, long ranNs) {
        watch.began(beganNs);
        cpuNs += ranNs;
        watch.ended(new Input.Tick(), beganNs, beganNs + tookNs);
    }

    @Test
    void anInputThatRunsForLongHoldsTheShard() {
        input(1_000_000, 600_000, 590_000);
        assertThat(watch.stalls()).isEqualTo(1);
        assertThat(watch.starved()).isZero();
    }

    @Test
    void anInputInWhoseMiddleTheThreadWaitedForAProcessorDoesNot() {
        input(1_000_000, 6_000_000, 80_000);
        assertThat(watch.stalls()).isZero();
        assertThat(watch.starved()).isEqualTo(1);
        input(9_000_000, 6_000_000, 900_000);
        assertThat(watch.stalls()).isEqualTo(1);
    }

    @Test
    void sleepBetweenInputsIsNoWaiting() {
        input(1_000_000, 1_000, 1_000);
        input(900_000_000, 700_000, 700_000);
        assertThat(watch.stalls()).isEqualTo(1);
    }

    @Test
    void inABurstTheReadingBeforeItServes() {
        long nowNs = 5_000_000;
        for (int i = 0; i < 20; i++) {
            input(nowNs, 10_000, 10_000);
            nowNs += 10_000;
        }
        input(nowNs, 700_000, 650_000);
        assertThat(watch.stalls()).isEqualTo(1);
        assertThat(watch.starved()).isZero();
    }
}
