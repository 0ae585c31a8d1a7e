package dev.sand.globalbus;

/**
 * What time it is by the global bus: the broker's append times, which all read alike, and between two of them this process's own
 * monotonic clock. Until a record has come it is this process's wall clock. One thread writes, any thread reads.
 */
final class BusClock {
    /** A record comes later than it was appended, by a moment that differs: the quickest is right. More than that is another clock. */
    private static final long LATE_MS = 2_000;
    /** Forgotten with each record, so that a clock which runs slower than ours is followed. */
    private static final long LEAK_MS = 1;

    private volatile long offsetMs;
    private boolean known;

    BusClock(long wallMs, long nowNs) {
        this.offsetMs = wallMs - nowNs / 1_000_000;
    }

    /** A record that was appended just now. */
    void onAppended(long appendedMs, long nowNs) {
        long heard = appendedMs - nowNs / 1_000_000;
        boolean another = !known || offsetMs - heard > LATE_MS;
        offsetMs = another ? heard : Math.max(heard, offsetMs - LEAK_MS);
        known = true;
    }

    long nowMs(long nowNs) {
        return offsetMs + nowNs / 1_000_000;
    }
}
