package dev.sand.globalbus;

/**
 * One partition of the embedded bus. Written by the writer thread alone; {@code begin} and {@code end} are what is durable
 * and are read by anyone, {@code told} is behind the last record of which somebody may have been told ({@link AheadLog}),
 * {@code next} and {@code deleted} belong to the transaction that the writer has open.
 */
final class Partition {
    /** Records are ordered by (partition id, offset) in one integer key: 23 bits and 40 bits. */
    static final int OFFSET_BITS = 40;

    final long id;
    final String topic;
    final int number;
    volatile long begin;
    volatile long end;
    volatile long told;
    long next;
    boolean deleted;

    Partition(long id, String topic, int number, long begin, long end) {
        this.id = id;
        this.topic = topic;
        this.number = number;
        this.begin = begin;
        this.end = end;
        this.told = end;
        this.next = end;
    }

    static long position(long id, long offset) {
        return id << OFFSET_BITS | offset;
    }

    long position(long offset) {
        return position(id, offset);
    }
}
