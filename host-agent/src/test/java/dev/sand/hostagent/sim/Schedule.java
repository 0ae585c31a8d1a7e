package dev.sand.hostagent.sim;

import java.util.PriorityQueue;

/** The simulated clock: what happens next, in order of time and then of planning. */
final class Schedule {
    private record Entry(long atNs, long order, Runnable step) {}

    private final PriorityQueue<Entry> entries = new PriorityQueue<>((a, b) ->
            a.atNs != b.atNs ? Long.compare(a.atNs, b.atNs) : Long.compare(a.order, b.order));
    private long order;
    private long nowNs = 1_000_000_000L;

    long nowNs() {
        return nowNs;
    }

    void after(long delayNs, Runnable step) {
        at(nowNs + delayNs, step);
    }

    void at(long atNs, Runnable step) {
        entries.add(new Entry(Math.max(atNs, nowNs), order++, step));
    }

    long nextNs() {
        return entries.isEmpty() ? Long.MAX_VALUE : entries.peek().atNs;
    }

    void step() {
        Entry next = entries.remove();
        nowNs = next.atNs;
        next.step.run();
    }

    void advanceTo(long atNs) {
        nowNs = Math.max(nowNs, atNs);
    }
}
