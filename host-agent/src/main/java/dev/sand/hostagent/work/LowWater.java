package dev.sand.hostagent.work;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** What of one partition is not yet dealt with: all below the first of it is needed by nobody. Not for several threads. */
final class LowWater {
    private record Item(long offset, long epoch, int attempt) {}

    private final TreeSet<Long> open = new TreeSet<>();
    private final Map<String, TreeMap<Long, Item>> byKey = new HashMap<>();
    private long next;
    private long trimmedTo;

    /** @param begin the first offset that the partition still has */
    LowWater(long begin) {
        this.next = begin;
        this.trimmedTo = begin;
    }

    void passed(long offset) {
        next = Math.max(next, offset + 1);
    }

    void begins(String key, long offset, long epoch, int attempt) {
        passed(offset);
        open.add(offset);
        byKey.computeIfAbsent(key, each -> new TreeMap<>()).put(offset, new Item(offset, epoch, attempt));
    }

    /** The item is dealt with, and so are earlier ones of its name: who asked wants this one. */
    void ends(String key, long epoch, int attempt) {
        TreeMap<Long, Item> items = byKey.get(key);
        if (items == null) {
            return;
        }
        for (Iterator<Item> each = items.values().iterator(); each.hasNext();) {
            Item item = each.next();
            if (item.epoch() < epoch || item.epoch() == epoch && item.attempt() <= attempt) {
                open.remove(item.offset());
                each.remove();
            }
        }
        if (items.isEmpty()) {
            byKey.remove(key);
        }
    }

    int open() {
        return open.size();
    }

    /** @return below which offset to trim now, or -1: not worth it yet */
    long trimTo(int atLeast) {
        long low = open.isEmpty() ? next : open.first();
        if (low - trimmedTo < atLeast) {
            return -1;
        }
        trimmedTo = low;
        return low;
    }
}
