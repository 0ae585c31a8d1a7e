package dev.sand.event;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
    public record Step(String application, long startMs, int ended, int failed, int firstBucket, int[] counts) {
        /** @param later of the same application */
        private Step and(Step later) {
            if (counts.length == 0 || later.counts.length == 0) {
                Step measured = counts.length == 0 ? later : this;
                return new Step(application, startMs, ended + later.ended, failed + later.failed, measured.firstBucket, measured.counts);
            }
            int first = Math.min(firstBucket, later.firstBucket);
            int[] both = new int[Math.max(firstBucket + counts.length, later.firstBucket + later.counts.length) - first];
            System.arraycopy(counts, 0, both, firstBucket - first, counts.length);
            for (int i = 0; i < later.counts.length; i++) {
                both[later.firstBucket - first + i] += later.counts[i];
            }
            return new Step(application, startMs, ended + later.ended, failed + later.failed, first, both);
        }
    }

    /** Steps of an application that begin in the same such span are one, which begins with the first of them. */
    public RecentEnds inSpansOf(long spanMs) {
        record Span(String application, long number) {}

        Map<Span, Step> merged = new LinkedHashMap<>();
        for (Step step : steps) {
            merged.merge(new Span(step.application, step.startMs / spanMs), step, Step::and);
        }
        return new RecentEnds(host, problem, sinceMs, new ArrayList<>(merged.values()));
    }

    public static RecentEnds silent(String host, String why) {
        return new RecentEnds(host, why, 0, List.of());
    }
}
