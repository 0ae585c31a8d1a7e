package dev.sand.hostagent.journal;

import dev.sand.event.Payload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What functions of a {@link ProcessWorld} read of keys that others write over, and when those began and were answered. */
final class WorldReads {
    static final int KEYS = 3;

    /** @param key with its process; @param value which invocation's, or null: none; @param sinceNs when it was asked for */
    private record Read(String key, String value, long sinceNs) {}

    private final List<Read> reads = new ArrayList<>();
    /** By invocation, the key that it writes over, and when its first attempt began and it was answered. */
    private final Map<String, String> overwrites = new HashMap<>();
    private final Map<String, Long> beganNs = new HashMap<>();
    private final Map<String, Long> answeredNs = new HashMap<>();

    void began(String invocation, long nowNs) {
        beganNs.putIfAbsent(invocation, nowNs);
    }

    void writes(String invocation, String process, String key) {
        overwrites.put(invocation, process + " " + key);
    }

    void read(String process, String key, Payload value, long sinceNs) {
        reads.add(new Read(process + " " + key, value == null ? null : ProcessWorld.text(value), sinceNs));
    }

    void answered(String invocation, long nowNs) {
        answeredNs.put(invocation, nowNs);
    }

    /** @return what is wrong, or null */
    String stale(WorldHistory history) {
        for (Read read : reads) {
            String stale = stale(read, history);
            if (stale != null) {
                return stale;
            }
        }
        return null;
    }

    /** Who was answered before another one began has been written over by that, once that was answered. */
    private String stale(Read read, WorldHistory history) {
        if (read.value() != null && !read.key().equals(overwrites.get(read.value()))) {
            return "nobody wrote what " + read + " has";
        }
        long settledNs = read.value() == null ? 0 : answeredNs.getOrDefault(read.value(), Long.MAX_VALUE);
        for (Map.Entry<String, Long> other : answeredNs.entrySet()) {
            boolean over = read.key().equals(overwrites.get(other.getKey())) && beganNs.get(other.getKey()) > settledNs;
            over &= !history.mayBeKilled(read.key().substring(0, read.key().indexOf(' ')), beganNs.get(other.getKey()));
            if (over && other.getValue() < read.sinceNs()) {
                return read + " does not have what " + other.getKey() + " wrote over it";
            }
        }
        return null;
    }
}
