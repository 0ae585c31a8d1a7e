package dev.sand.hostagent.usage;

import dev.sand.datalayer.UsageStore.Kind;
import dev.sand.datalayer.Use;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** What applications have used on this host and nobody has taken from here yet, by day. Any thread; nothing blocks. */
public final class UsageMeter implements UsageCounter {
    /** Applications, times days and kinds, of which something may be here. */
    static final int MOST = 10_000;
    private static final long DAY_MS = 24L * 60 * 60 * 1000;

    /** @param day since 1970, in UTC */
    record Place(String application, long day, Kind kind) {}

    private final Map<Place, Use> fresh = new ConcurrentHashMap<>();
    private final LongAdder dropped = new LongAdder();
    private final LongSupplier nowMs;

    /** @param nowMs the time that all programs of the platform agree on */
    public UsageMeter(LongSupplier nowMs) {
        this.nowMs = nowMs;
    }

    @Override
    public void add(String application, Kind kind, Use use) {
        Place place = new Place(application, today(), kind);
        if (fresh.size() >= MOST && !fresh.containsKey(place)) {
            dropped(use);
            return;
        }
        fresh.merge(place, use, Use::plus);
    }

    /** There is no room for it: nobody is billed for it. */
    void dropped(Use use) {
        dropped.add(use.invocations());
    }

    long today() {
        return Math.floorDiv(nowMs.getAsLong(), DAY_MS);
    }

    /** What is here, which is whoever's that has taken it. What comes meanwhile is here the next time. */
    Map<Place, Use> take() {
        Map<Place, Use> taken = new HashMap<>();
        for (Place place : fresh.keySet()) {
            Use use = fresh.remove(place);
            if (use != null) {
                taken.put(place, use);
            }
        }
        return taken;
    }

    /** Invocations for which there was no room, since this was asked last. */
    long takeDropped() {
        return dropped.sumThenReset();
    }
}
