package dev.sand.hostagent.core;

import java.util.Arrays;

/**
 * The deadlines of a shard: a binary heap that knows each one's place, so that the many that never come due (a request's
 * deadline) leave it when they are moot. Equal times come due in the order in which they were armed.
 */
final class Timers {
    private Timed[] heap = new Timed[64];
    private int size;
    private long armed;

    /** Sets or moves it. */
    void arm(Timed timed, long dueNs) {
        if (timed.place >= 0) {
            disarm(timed);
        }
        timed.dueNs = dueNs;
        timed.order = armed++;
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, size * 2);
        }
        siftUp(timed, size++);
    }

    void disarm(Timed timed) {
        int place = timed.place;
        if (place < 0) {
            return;
        }
        timed.place = -1;
        Timed last = heap[--size];
        heap[size] = null;
        if (last != timed) {
            siftDown(last, place);
            if (last.place == place) {
                siftUp(last, place);
            }
        }
    }

    /** Takes the next one that is due, or returns null. */
    Timed pollDue(long nowNs) {
        if (size == 0 || heap[0].dueNs > nowNs) {
            return null;
        }
        Timed due = heap[0];
        disarm(due);
        return due;
    }

    /** @return Long.MAX_VALUE when nothing is armed */
    long nextDueNs() {
        return size == 0 ? Long.MAX_VALUE : heap[0].dueNs;
    }

    int size() {
        return size;
    }

    private static boolean isBefore(Timed a, Timed b) {
        return a.dueNs < b.dueNs || a.dueNs == b.dueNs && a.order < b.order;
    }

    private void siftUp(Timed timed, int place) {
        while (place > 0) {
            int parent = (place - 1) >>> 1;
            if (!isBefore(timed, heap[parent])) {
                break;
            }
            put(heap[parent], place);
            place = parent;
        }
        put(timed, place);
    }

    private void siftDown(Timed timed, int place) {
        while (true) {
            int child = 2 * place + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && isBefore(heap[child + 1], heap[child])) {
                child++;
            }
            if (!isBefore(heap[child], timed)) {
                break;
            }
            put(heap[child], place);
            place = child;
        }
        put(timed, place);
    }

    private void put(Timed timed, int place) {
        heap[place] = timed;
        timed.place = place;
    }
}
