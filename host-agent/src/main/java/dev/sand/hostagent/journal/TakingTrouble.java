package dev.sand.hostagent.journal;

import java.util.concurrent.TimeUnit;

/**
 * What is said of journals that wait for a bus or store which is away: at once, then rarely, and when it is over; all that wait do
 * so for one reason. Threads that take slots.
 */
final class TakingTrouble {
    private static final long AGAIN_NS = TimeUnit.MINUTES.toNanos(10);

    private int waiting;
    private long sinceNs;
    private long saidNs;

    /**
     * A journal could not be taken.
     *
     * @param isFirst it has not waited before; then {@link #over} is to follow
     * @return what is to be said, or null
     */
    synchronized String waits(boolean isFirst, String cause, long nowNs) {
        waiting += isFirst ? 1 : 0;
        boolean begins = waiting == 1 && isFirst;
        if (begins) {
            sinceNs = nowNs;
        } else if (nowNs - saidNs < AGAIN_NS) {
            return null;
        }
        saidNs = nowNs;
        return begins ? "a journal cannot be taken yet, and is tried again until it can: " + cause
                : waiting + " journals cannot be taken yet, after " + seconds(nowNs) + " s: " + cause;
    }

    /** One that waited does not any more. @return what is to be said, or null */
    synchronized String over(long nowNs) {
        return --waiting == 0 ? "no journal waits to be taken any more, after " + seconds(nowNs) + " s" : null;
    }

    private long seconds(long nowNs) {
        return TimeUnit.NANOSECONDS.toSeconds(nowNs - sinceNs);
    }
}
