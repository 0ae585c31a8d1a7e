package dev.sand.event;

/**
 * Bounds that quantiles are told from: four in each doubling, so that what is told is at most a quarter over the truth, from 16 µs to
 * half a day. {@link DurationBuckets} are for what is measured with each hop.
 */
public final class LatencyBuckets {
    private static final int FIRST_BOUND_BITS = 14;
    private static final int STEP_BITS = 2;
    private static final int DOUBLINGS = 32;
    /** The first holds what is up to 16 µs, the last what is longer than all bounds. */
    public static final int COUNT = (DOUBLINGS << STEP_BITS) + 2;

    private LatencyBuckets() {}

    /** @param ns not negative; @return 0 to {@link #COUNT} - 1 */
    public static int of(long ns) {
        if (ns <= 1L << FIRST_BOUND_BITS) {
            return 0;
        }
        // A bound belongs to the bucket that it ends.
        long over = ns - 1;
        int octave = Long.SIZE - 1 - Long.numberOfLeadingZeros(over);
        int step = (int) (over >> octave - STEP_BITS) & (1 << STEP_BITS) - 1;
        return Math.min(1 + (octave - FIRST_BOUND_BITS << STEP_BITS) + step, COUNT - 1);
    }

    /** What the bucket holds at most, in nanoseconds; of the last one, where it begins. */
    public static long boundNs(int bucket) {
        int steps = Math.min(bucket, COUNT - 2);
        long base = 1L << FIRST_BOUND_BITS + (steps >> STEP_BITS);
        return base + (base >> STEP_BITS) * (steps & (1 << STEP_BITS) - 1);
    }

    /** The least bound that this share of all is not over, in nanoseconds; -1: there is none. @param counts by bucket */
    public static long quantileNs(long[] counts, double share) {
        long all = 0;
        for (long count : counts) {
            all += count;
        }
        long wanted = Math.max(1, (long) Math.ceil(all * share));
        long seen = 0;
        for (int bucket = 0; bucket < counts.length; bucket++) {
            seen += counts[bucket];
            if (seen >= wanted) {
                return boundNs(bucket);
            }
        }
        return -1;
    }
}
