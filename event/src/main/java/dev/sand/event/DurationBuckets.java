package dev.sand.event;

/** Bounds of the platform's histograms: they double from 16 µs to 17 s, so that finding a bucket is counting leading zeros. */
public final class DurationBuckets {
    private static final int FIRST_BOUND_BITS = 14;
    /** Buckets with a bound; one more has what is longer. */
    public static final int BOUNDS = 21;

    private DurationBuckets() {}

    /** What the bucket holds at most, in nanoseconds. */
    public static long boundNs(int bucket) {
        return 1L << FIRST_BOUND_BITS + bucket;
    }

    /** @param ns not negative; @return 0 to {@link #BOUNDS} */
    public static int of(long ns) {
        long over = Math.max(0, ns - 1) >> FIRST_BOUND_BITS;
        return Math.min(Long.SIZE - Long.numberOfLeadingZeros(over), BOUNDS);
    }
}
