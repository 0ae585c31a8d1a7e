package dev.sand.hostagent.core;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What one tenant may use of this host, and uses. All shards take from it: the one thing that they share, since a limit of one instance
 * cannot be divided among them. Any thread; nothing waits here: who gets nothing waits in its shard's {@link Turns}.
 */
public final class Allowance {
    /** @param instances that run at once; @param memoryBytes that its sandboxes may use in all; null: no limit */
    public record Limits(Integer instances, Long memoryBytes) {
        public static final Limits NONE = new Limits(null, null);
    }

    private final String tenant;
    private volatile Limits limits = Limits.NONE;
    private final AtomicInteger instances = new AtomicInteger();
    private final AtomicLong memoryBytes = new AtomicLong();
    private final AtomicInteger waitingShards = new AtomicInteger();

    public Allowance(String tenant) {
        this.tenant = tenant;
    }

    public String tenant() {
        return tenant;
    }

    public Limits limits() {
        return limits;
    }

    /** What is used already stays, over a lower limit too; whoever waits is to be told of a higher one. */
    public void limit(Limits now) {
        limits = now;
    }

    /** Running now. */
    public int instances() {
        return instances.get();
    }

    /** That the limits of its running sandboxes come to. */
    public long memoryBytes() {
        return memoryBytes.get();
    }

    // --- of shards

    /** @return whether one more may run; it is counted then */
    boolean takeInstance() {
        Integer limit = limits.instances;
        if (limit == null) {
            instances.incrementAndGet();
            return true;
        }
        for (int now = instances.get(); now < limit; now = instances.get()) {
            if (instances.compareAndSet(now, now + 1)) {
                return true;
            }
        }
        return false;
    }

    void giveInstance() {
        instances.decrementAndGet();
    }

    /** How many more may run now, at most. */
    int instancesLeft() {
        Integer limit = limits.instances;
        return limit == null ? Integer.MAX_VALUE : Math.max(0, limit - instances.get());
    }

    boolean hasMemory(long bytes) {
        Long limit = limits.memoryBytes;
        return limit == null || memoryBytes.get() + bytes <= limit;
    }

    /** @return whether sandboxes of so many bytes may run besides; they are counted then */
    boolean takeMemory(long bytes) {
        Long limit = limits.memoryBytes;
        long most = limit == null ? Long.MAX_VALUE : limit;
        for (long now = memoryBytes.get(); now + bytes <= most; now = memoryBytes.get()) {
            if (memoryBytes.compareAndSet(now, now + bytes)) {
                return true;
            }
        }
        return false;
    }

    void giveMemory(long bytes) {
        memoryBytes.addAndGet(-bytes);
    }

    void shardWaits() {
        waitingShards.incrementAndGet();
    }

    void shardWaitsNoMore() {
        waitingShards.decrementAndGet();
    }

    boolean isAwaited() {
        return waitingShards.get() > 0;
    }
}
