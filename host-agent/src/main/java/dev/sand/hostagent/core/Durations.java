package dev.sand.hostagent.core;

import dev.sand.event.DurationBuckets;

/** A histogram of durations in plain numbers: one thread's, without an allocation or a lock for what is added. */
public final class Durations {
    private final long[] counts = new long[DurationBuckets.BOUNDS + 1];
    private long sumNs;

    /** @param counts by bucket, not cumulated; the last one has no bound */
    public record Reading(long[] counts, long sumNs) {}

    void add(long ns) {
        if (ns < 0) {
            return; // two clocks, or a process that told nonsense
        }
        counts[DurationBuckets.of(ns)]++;
        sumNs += ns;
    }

    Reading read() {
        return new Reading(counts.clone(), sumNs);
    }
}
