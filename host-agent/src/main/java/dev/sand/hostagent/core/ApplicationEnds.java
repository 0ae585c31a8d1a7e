package dev.sand.hostagent.core;

import dev.sand.event.InvocationResult.Status;
import dev.sand.event.LatencyBuckets;

/** How one application's executions have ended, and after how long: one thread's, without an allocation for what is added. */
final class ApplicationEnds {
    private final long[] byStatus = new long[Status.values().length];
    /** They wrap after two thousand million; who takes differences of them gets the right one all the same. */
    private final int[] durations = new int[LatencyBuckets.COUNT];

    /** A cancelled one took as long as its caller had patience: that is no figure of the application. */
    void add(Status status, long tookNs) {
        byStatus[status.ordinal()]++;
        if (status != Status.CANCELLED) {
            durations[LatencyBuckets.of(Math.max(0, tookNs))]++;
        }
    }

    Figures.Ends read(String application, int open) {
        return new Figures.Ends(application, byStatus.clone(), open, durations.clone());
    }
}
