package dev.sand.hostagent.shard;

import dev.sand.hostagent.core.Input;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts the inputs that held a shard for too long, and names one a second. */
final class StallWatch {
    private static final Logger LOG = LoggerFactory.getLogger(StallWatch.class);
    private static final long PAUSE_NS = Duration.ofSeconds(1).toNanos();

    private final String shard;
    private final long limitNs;
    private final AtomicLong stalls = new AtomicLong();
    private long unsaid;
    private long saidNs = Long.MIN_VALUE;

    StallWatch(String shard, Duration limit) {
        this.shard = shard;
        this.limitNs = limit.toNanos();
    }

    void ended(Input input, long beganNs, long nowNs) {
        long heldNs = nowNs - beganNs;
        if (heldNs <= limitNs) {
            return;
        }
        stalls.incrementAndGet();
        unsaid++;
        if (saidNs == Long.MIN_VALUE || nowNs - saidNs >= PAUSE_NS) {
            LOG.warn("{} was held for {} µs by {}; {} such inputs since the last word", shard, heldNs / 1000,
                    input.getClass().getSimpleName(), unsaid);
            saidNs = nowNs;
            unsaid = 0;
        }
    }

    /** Since the start; any thread. */
    long stalls() {
        return stalls.get();
    }
}
