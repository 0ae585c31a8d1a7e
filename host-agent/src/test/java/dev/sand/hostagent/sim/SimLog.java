package dev.sand.hostagent.sim;

import java.util.ArrayList;
import java.util.List;

/** A partition of the simulated global bus: outlives everything. */
final class SimLog<T> {
    private final List<T> entries = new ArrayList<>();
    private long begin;

    long append(T entry) {
        entries.add(entry);
        return entries.size() - 1L;
    }

    T get(long offset) {
        return entries.get((int) offset);
    }

    long begin() {
        return begin;
    }

    long end() {
        return entries.size();
    }

    void trim(long below) {
        begin = Math.max(begin, Math.min(below, entries.size()));
    }
}
