package dev.sand.event;

import java.util.List;

/**
 * How an application's executions ended on one host lately, in steps of time that all hosts have in common.
 *
 * @param host who measured, or who does not answer
 * @param problem why it told nothing, or null
 * @param sinceMs from when on it has looked, at most the window ago
 */
public record RecentEnds(String host, String problem, long sinceMs, List<Step> steps) {
    /** Steps begin at multiples of it, by the cluster's clock. */
    public static final long STEP_MS = 10_000;
    /** So many are kept: an hour. */
    public static final int STEPS = 360;

    /**
     * What ended of an application within a step.
     *
     * @param failed those of them that did not succeed and were not cancelled
     * @param firstBucket of {@link LatencyBuckets} that has any; @param counts by bucket from there on, of those that succeeded or failed
     */
    public record Step(String application, long startMs, int ended, int failed, int firstBucket, int[] counts) {}

    public static RecentEnds silent(String host, String why) {
        return new RecentEnds(host, why, 0, List.of());
    }
}
