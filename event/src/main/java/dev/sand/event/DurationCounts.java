package dev.sand.event;

import java.util.concurrent.atomic.LongAdder;

/** A histogram of durations that many threads add to: adders alone, no lock between them. For adapters, not for shards. */
public final class DurationCounts {
    private final LongAdder[] counts = new LongAdder[DurationBuckets.BOUNDS + 1];
    private final LongAdder sumNs = new LongAdder();

    /** @param counts by bucket of {@link DurationBuckets}, not cumulated; the last one has no bound */
    public record Reading(long[] counts, long sumNs) {
        public long count() {
            long all = 0;
            for (long count : counts) {
                all += count;
            }
            return all;
        }
    }

    public DurationCounts() {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    /** @param ns a negative one is of two clocks, and counts as none */
    public void add(long ns) {
        counts[DurationBuckets.of(Math.max(0, ns))].increment();
        sumNs.add(Math.max(0, ns));
    }

    public Reading read() {
        long[] read = new long[counts.length];
        for (int i = 0; i < read.length; i++) {
            read[i] = counts[i].sum();
        }
        return new Reading(read, sumNs.sum());
    }
}
