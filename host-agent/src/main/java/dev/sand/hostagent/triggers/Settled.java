package dev.sand.hostagent.triggers;

import dev.sand.datalayer.TriggerStore.Progress;
import dev.sand.event.Limits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Which messages of a partition are settled: all below a mark, and ranges above it. */
final class Settled {
    private long low;
    /** From, to: both included; no two touch. */
    private final TreeMap<Long, Long> above = new TreeMap<>();
    private final Map<Long, Integer> attempts = new HashMap<>();

    Settled(Progress progress) {
        low = progress.low();
        for (int i = 0; i + 1 < progress.settled().size(); i += 2) {
            above.put(progress.settled().get(i), progress.settled().get(i + 1));
        }
        attempts.putAll(progress.attempts());
    }

    long low() {
        return low;
    }

    int ranges() {
        return above.size();
    }

    boolean contains(long offset) {
        Map.Entry<Long, Long> range = above.floorEntry(offset);
        return offset < low || range != null && offset <= range.getValue();
    }

    void add(long offset) {
        attempts.remove(offset);
        if (contains(offset)) {
            return;
        }
        long from = offset;
        long to = offset;
        Map.Entry<Long, Long> before = above.floorEntry(offset);
        if (before != null && before.getValue() == offset - 1) {
            from = before.getKey();
        }
        Long after = above.remove(offset + 1);
        if (after != null) {
            to = after;
        }
        above.put(from, to);
        if (above.firstKey() == low) {
            low = above.pollFirstEntry().getValue() + 1;
        }
    }

    /** What is no longer kept was settled: the partition begins there. */
    void beginsAt(long offset) {
        if (offset > low) {
            low = offset;
            while (!above.isEmpty() && above.firstKey() <= low) {
                low = Math.max(low, above.pollFirstEntry().getValue() + 1);
            }
            attempts.keySet().removeIf(failed -> failed < low);
        }
    }

    void failed(long offset, int attempt) {
        attempts.put(offset, attempt);
    }

    /** Attempts of the message that failed. */
    int failures(long offset) {
        return attempts.getOrDefault(offset, 0);
    }

    Progress progress() {
        List<Long> ranges = new ArrayList<>();
        above.forEach((from, to) -> {
            ranges.add(from);
            ranges.add(to);
        });
        return new Progress(Limits.SCHEMA_VERSION, low, ranges, Map.copyOf(attempts));
    }
}
