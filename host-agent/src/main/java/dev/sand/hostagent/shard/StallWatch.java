package dev.sand.hostagent.shard;

import dev.sand.hostagent.core.Input;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the inputs that held a shard for too long, and names one a second. On a busy machine a thread also waits for a
 * processor in the middle of an input: such inputs are counted apart. The thread's CPU time is read when a burst of inputs
 * begins, once a millisecond, and when an input took long; what the thread did not run since the last reading may all have
 * been within that input, so only what is left after taking it off counts as held.
 *
 * <p>Owner thread, but for the counts.
 */
final class StallWatch {
    private static final Logger LOG = LoggerFactory.getLogger(StallWatch.class);
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final long PAUSE_NS = Duration.ofSeconds(1).toNanos();
    /** A thread that had nothing to do for so long may have slept. */
    private static final long BURST_NS = 20_000;
    private static final long READING_NS = 1_000_000;

    private final String shard;
    private final long limitNs;
    private final LongSupplier cpuNs;
    private final AtomicLong stalls = new AtomicLong();
    private final AtomicLong starved = new AtomicLong();
    private long endedNs = Long.MIN_VALUE / 2;
    private long readNs = Long.MIN_VALUE / 2;
    private long readCpuNs;
    private long unsaid;
    private long saidNs = Long.MIN_VALUE / 2;

    StallWatch(String shard, Duration limit) {
        this(shard, limit, THREADS.isCurrentThreadCpuTimeSupported() ? THREADS::getCurrentThreadCpuTime : System::nanoTime);
    }

    /** @param cpuNs what the owner thread has run so far */
    StallWatch(String shard, Duration limit, LongSupplier cpuNs) {
        this.shard = shard;
        this.limitNs = limit.toNanos();
        this.cpuNs = cpuNs;
    }

    void began(long nowNs) {
        if (nowNs - endedNs > BURST_NS || nowNs - readNs > READING_NS) {
            read(nowNs);
        }
    }

    private void read(long nowNs) {
        readNs = nowNs;
        readCpuNs = cpuNs.getAsLong();
    }

    /** @return whether it took long, which has taken time to look at */
    boolean ended(Input input, long beganNs, long nowNs) {
        endedNs = nowNs;
        long tookNs = nowNs - beganNs;
        if (tookNs <= limitNs) {
            return false;
        }
        long waitedNs = Math.max(0, nowNs - readNs - (cpuNs.getAsLong() - readCpuNs));
        long heldNs = tookNs - waitedNs;
        read(nowNs);
        if (heldNs <= limitNs) {
            starved.incrementAndGet();
            return true;
        }
        stalls.incrementAndGet();
        unsaid++;
        if (nowNs - saidNs >= PAUSE_NS) {
            LOG.warn("{} was held for {} µs by {} ({} µs by the clock); {} such inputs since the last word, {} that waited "
                    + "for a processor since the start", shard, heldNs / 1000, input.getClass().getSimpleName(), tookNs / 1000,
                    unsaid, starved);
            saidNs = nowNs;
            unsaid = 0;
        }
        return true;
    }

    /** Inputs that held the shard, since the start; any thread. */
    long stalls() {
        return stalls.get();
    }

    /** Inputs that took long because the thread did not run; any thread. */
    long starved() {
        return starved.get();
    }
}
