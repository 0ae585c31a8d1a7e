package dev.sand.globalbus;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many records wait in a partition that is trimmed as they are worked off, for whoever bounds it before sending. A count is
 * up to a fifth of a second old, and has what was sent from here since: the bound is kept to about what others send in that time.
 */
public final class WaitingCounts {
    private static final long COUNT_AGE_NS = 200_000_000;
    private static final int MOST_REMEMBERED = 10_000;

    private record Waiting(AtomicLong records, long readNs) {}

    private final GlobalBus bus;
    private final Map<String, Waiting> waiting = new ConcurrentHashMap<>();

    public WaitingCounts(GlobalBus bus) {
        this.bus = bus;
    }

    /** Records in the partition that are not worked off, with one that is about to be sent; blocks a moment now and then. */
    public long withOneMore(String topic, int partition) {
        String name = topic + "/" + partition;
        Waiting known = waiting.get(name);
        long nowNs = System.nanoTime();
        if (known == null || nowNs - known.readNs > COUNT_AGE_NS) {
            known = new Waiting(new AtomicLong(bus.endOffset(topic, partition) - bus.beginOffset(topic, partition)), nowNs);
            if (waiting.size() > MOST_REMEMBERED) {
                waiting.clear();
            }
            waiting.put(name, known);
        }
        return known.records.incrementAndGet();
    }
}
