package dev.sand.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class LatencyBucketsTest {
    @Test
    void aDurationIsInTheBucketWhoseBoundIsAtMostAQuarterOverIt() {
        Random random = new Random(1);
        for (int i = 0; i < 100_000; i++) {
            long ns = 16_385 + (random.nextLong() >>> 18 + random.nextInt(32));
            int bucket = LatencyBuckets.of(ns);
            assertThat(bucket).isBetween(1, LatencyBuckets.COUNT - 2);
            assertThat(LatencyBuckets.boundNs(bucket)).isBetween(ns, ns + ns / 4 + 1);
        }
    }

    @Test
    void aBoundIsInTheBucketThatItEnds() {
        for (int bucket = 0; bucket < LatencyBuckets.COUNT - 1; bucket++) {
            assertThat(LatencyBuckets.of(LatencyBuckets.boundNs(bucket))).isEqualTo(bucket);
            assertThat(LatencyBuckets.of(LatencyBuckets.boundNs(bucket) + 1)).isEqualTo(bucket + 1);
        }
        assertThat(LatencyBuckets.of(0)).isZero();
        assertThat(LatencyBuckets.of(Long.MAX_VALUE)).isEqualTo(LatencyBuckets.COUNT - 1);
    }

    @Test
    void aQuantileIsTheBoundThatItsShareIsNotOver() {
        long[] counts = new long[LatencyBuckets.COUNT];
        assertThat(LatencyBuckets.quantileNs(counts, 0.5)).isEqualTo(-1);
        counts[3] = 95;
        counts[9] = 5;
        assertThat(LatencyBuckets.quantileNs(counts, 0.5)).isEqualTo(LatencyBuckets.boundNs(3));
        assertThat(LatencyBuckets.quantileNs(counts, 0.95)).isEqualTo(LatencyBuckets.boundNs(3));
        assertThat(LatencyBuckets.quantileNs(counts, 0.96)).isEqualTo(LatencyBuckets.boundNs(9));
    }
}
