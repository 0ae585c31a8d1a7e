package dev.sand.hostagent.core;

/** Something that is due at a time; in at most one place of one {@link Timers}. */
abstract class Timed {
    long dueNs;
    long order;
    /** Place in the heap, -1 when not armed. */
    int place = -1;

    abstract void onDue();

    final boolean isArmed() {
        return place >= 0;
    }
}
