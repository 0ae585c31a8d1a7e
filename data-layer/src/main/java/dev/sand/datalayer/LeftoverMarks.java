package dev.sand.datalayer;

import dev.sand.event.Codec;
import dev.sand.event.Limits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Since when things in the global layer have been nobody's. What a crash has left and what is about to be named look the same,
 * and only time tells them apart: so each is marked when it is first seen, and is a leftover once it was seen so again and
 * {@link #AGE} has passed, by the bus's clock. Marks are in the global store, for slots change hands more often than that.
 */
public final class LeftoverMarks {
    /** Far beyond the longest write, build or deployment. */
    public static final Duration AGE = Duration.ofHours(48);
    private static final String TABLE = "leftovers";
    /** More wait until these are gone. */
    private static final int MOST = 10_000;

    private record Mark(short schema, long sinceMs, long version) {}

    private final GlobalStore store;

    public LeftoverMarks(GlobalStore store) {
        this.store = store;
    }

    /**
     * One look. Whoever is somebody's again loses its mark, and one at another version begins anew.
     *
     * @param scope of the look: what it does not see there is nobody's no more
     * @param nobodys all that are now, each with its version, 0 where it has none
     * @return those that have been for so long
     */
    public List<String> look(String scope, Map<String, Long> nobodys, long nowMs) {
        Map<String, Mark> marks = new HashMap<>();
        for (GlobalStore.Entry entry : store.scan(TABLE, scope, "", null, Integer.MAX_VALUE)) {
            if (nobodys.containsKey(entry.key())) {
                marks.put(entry.key(), Codec.decode(entry.value(), Mark.class));
            } else {
                store.delete(TABLE, scope, entry.key(), GlobalStore.ANY);
            }
        }
        List<String> left = new ArrayList<>();
        int room = MOST - marks.size();
        for (Map.Entry<String, Long> each : nobodys.entrySet()) {
            Mark mark = marks.get(each.getKey());
            if (mark != null && mark.version() == each.getValue()) {
                if (nowMs - mark.sinceMs() >= AGE.toMillis()) {
                    left.add(each.getKey());
                }
            } else if (mark != null || room-- > 0) {
                store.put(TABLE, scope, each.getKey(), Codec.encode(new Mark(Limits.SCHEMA_VERSION, nowMs, each.getValue())),
                        GlobalStore.ANY);
            }
        }
        return left;
    }
}
