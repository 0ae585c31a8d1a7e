package dev.sand.datalayer;

import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which parts of a file are free. What was given back is given out again, the smallest part that is large enough; only when there
 * is none the file grows. Whole blocks. For one thread at a time.
 */
final class Extents {
    static final int BLOCK = 4096;

    private record Part(long at, long length) {}

    /** By place, so that neighbours become one. */
    private final TreeMap<Long, Long> free = new TreeMap<>();
    private final TreeSet<Part> bySize = new TreeSet<>(Comparator.comparingLong(Part::length).thenComparingLong(Part::at));
    private long end;

    /** @param end all before it is taken */
    Extents(long end) {
        this.end = up(end);
    }

    static long up(long size) {
        return Math.ceilDiv(size, BLOCK) * BLOCK;
    }

    /** @return where there are so many bytes to write */
    long take(long size) {
        long length = up(size);
        Part found = bySize.ceiling(new Part(0, length));
        if (found == null) {
            end += length;
            return end - length;
        }
        remove(found.at, found.length);
        if (found.length > length) {
            add(found.at + length, found.length - length);
        }
        return found.at;
    }

    void give(long at, long size) {
        long from = at;
        long to = at + up(size);
        Map.Entry<Long, Long> before = free.floorEntry(at);
        if (before != null && before.getKey() + before.getValue() > at || free.higherKey(at) != null && free.higherKey(at) < to || to > end) {
            throw new IllegalStateException("bytes " + at + " to " + to + " are free already");
        }
        if (before != null && before.getKey() + before.getValue() == at) {
            from = before.getKey();
            remove(from, before.getValue());
        }
        Long after = free.get(to);
        if (after != null) {
            remove(to, after);
            to += after;
        }
        if (to == end) {
            end = from;
        } else {
            add(from, to - from);
        }
    }

    /** Nothing from here on is taken. */
    long end() {
        return end;
    }

    /** Before the end. */
    long freeBytes() {
        return free.values().stream().mapToLong(Long::longValue).sum();
    }

    private void add(long at, long length) {
        free.put(at, length);
        bySize.add(new Part(at, length));
    }

    private void remove(long at, long length) {
        free.remove(at);
        bySize.remove(new Part(at, length));
    }
}
