package dev.sand.globalbus;

import dev.sand.globalbus.BusCommand.Append;
import dev.sand.globalbus.GlobalBus.BusRecord;
import java.util.ArrayList;
import java.util.List;

/**
 * One partition of the embedded bus: rows of the database below {@code end}, and behind them, up to {@code told}, what is in an
 * {@link AheadLog} so far. Written by who works for the writer, read by anyone; {@code next} and {@code deleted} are of the former alone.
 */
final class Partition {
    /** Records are ordered by (partition id, offset) in one integer key: 23 bits and 40 bits. */
    static final int OFFSET_BITS = 40;

    /** What a reader sees at one moment. @param end the database has what is below it; @param recent from there on, as far as wanted */
    record View(long end, List<BusRecord> recent) {}

    final long id;
    final String topic;
    final int number;
    volatile long begin;
    volatile long end;
    volatile long told;
    long next;
    boolean deleted;
    /** Behind the last row that the database has, or had; 0: none. */
    long rowsEnd;
    /** Those from {@code end} on. Guarded by this. */
    private final List<Append> recent = new ArrayList<>(0);

    Partition(long id, String topic, int number, long begin, long end) {
        this.id = id;
        this.topic = topic;
        this.number = number;
        this.begin = begin;
        this.end = end;
        this.told = end;
        this.next = end;
        this.rowsEnd = end;
    }

    static long position(long id, long offset) {
        return id << OFFSET_BITS | offset;
    }

    long position(long offset) {
        return position(id, offset);
    }

    /** It is in a log: anybody may be told of it. */
    synchronized void onLogged(Append append) {
        recent.add(append);
        told = append.offset + 1;
    }

    /** The database has all below, but for what is trimmed. */
    synchronized void onSettled(long offset) {
        int settled = 0;
        while (settled < recent.size() && recent.get(settled).offset < offset) {
            settled++;
        }
        recent.subList(0, settled).clear();
        end = Math.max(end, offset);
        told = Math.max(told, offset);
    }

    /** @param from the first wanted; @param max of what the database has not; @param maxBytes after so many it ends */
    synchronized View view(long from, int max, long maxBytes) {
        if (recent.isEmpty()) {
            return new View(end, List.of());
        }
        List<BusRecord> wanted = new ArrayList<>();
        long bytes = 0;
        for (int i = (int) Math.clamp(from - recent.getFirst().offset, 0, recent.size());
                i < recent.size() && wanted.size() < max && bytes < maxBytes; i++) {
            Append append = recent.get(i);
            bytes += append.value.length;
            wanted.add(new BusRecord(append.offset, append.value, append.atMs));
        }
        return new View(end, wanted);
    }
}
