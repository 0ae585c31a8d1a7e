package dev.sand.datalayer;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * So many a second, and as many at once after a second of rest. Without a lock: when what was let in so far would be through at
 * that rate is one number (the generic cell rate algorithm, ITU-T I.371).
 */
final class Rate {
    static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    private final long eachNs;
    private final AtomicLong throughNs;

    /** @param perSecond 1 and more; @param nowNs of a clock that does not go back */
    Rate(int perSecond, long nowNs) {
        eachNs = Math.max(1, SECOND_NS / perSecond);
        throughNs = new AtomicLong(nowNs);
    }

    /** @return 0: one more is let in; else after how many nanoseconds it would be */
    long take(long nowNs) {
        while (true) {
            long known = throughNs.get();
            long through = known - nowNs > 0 ? known : nowNs;
            long waitNs = through + eachNs - nowNs - SECOND_NS;
            if (waitNs > 0) {
                return waitNs;
            }
            if (throughNs.compareAndSet(known, through + eachNs)) {
                return 0;
            }
        }
    }
}
