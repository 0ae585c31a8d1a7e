package dev.sand.globalbus;

import dev.sand.globalbus.AheadLogReader.Found;
import dev.sand.globalbus.BusCommand.Append;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records that are in an {@link AheadLog} and that no transaction has yet: some have them once the log is half full, or a second after
 * the first of them came. Those that are trimmed before are in none. There are two logs: while transactions take what is in one,
 * others go into the other. Of who works for the writer, but for {@link #force}.
 */
final class Unsettled implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Unsettled.class);
    /** After a transaction that failed: of a full disk, most likely. */
    private static final long AGAIN_NS = 500_000_000L;
    /** Of one transaction, while others wait for the writer. */
    private static final int TRANSACTION_BYTES = 2 << 20;
    /** Added to the numbers of an earlier run: what a loss of power has left of its later ones must never seem to come behind ours. */
    private static final long RUN_NUMBERS = 1L << 32;

    private final long lingerNs;
    private AheadLog log;
    private AheadLog other;
    private final List<AheadLog> both;
    private final List<Append> records = new ArrayList<>();
    private List<Append> leaving = List.of();
    /** Of the batch that was written last. */
    private long number;
    /** Not while both logs have what no transaction has taken: what came first is to be known. Nor before the database knows our first number. */
    private boolean isOpen;
    private long dueNs = System.nanoTime();
    private long againNs = System.nanoTime();
    private volatile boolean isBroken;
    private volatile boolean isEmpty = true;

    /**
     * @param files of the logs, in which an earlier run may have left some
     * @param settled number of the last batch that the database has
     * @param lingerNs how long they wait for others, or to be trimmed
     */
    Unsettled(List<Path> files, AheadLog.Sync sync, long settled, BusTopics topics, long lingerNs) {
        this.lingerNs = lingerNs;
        this.number = settled;
        List<Found> found = new ArrayList<>();
        log = AheadLog.open(files.getFirst(), sync, found);
        try {
            other = AheadLog.open(files.getLast(), sync, found);
        } catch (BusException e) {
            log.close();
            throw e;
        }
        both = List.of(log, other);
        found.sort(Comparator.comparingLong(Found::number));
        takeUp(found, settled, topics);
        isEmpty = records.isEmpty();
        long highest = found.isEmpty() ? 0 : found.getLast().number();
        number = Math.max(Math.max(number, highest) + RUN_NUMBERS, System.currentTimeMillis() << 16);
    }

    private void takeUp(List<Found> found, long settled, BusTopics topics) {
        Map<Long, Partition> partitions = new HashMap<>();
        topics.all().values().forEach(each -> each.forEach(partition -> partitions.put(partition.id, partition)));
        int behind = 0;
        for (Found each : found) {
            boolean follows = each.number() == number || each.number() == number + 1;
            if (each.ofBefore() || follows && each.number() > settled) {
                takeUp(each, partitions.get(each.position() >> Partition.OFFSET_BITS));
            } else if (each.number() > settled) {
                behind++;
            }
            number = follows && !each.ofBefore() ? each.number() : number;
        }
        if (behind > 0) {
            LOG.warn("global bus: {} records of {} are not taken up: they lie behind something that a loss of power has taken", behind, both);
        }
    }

    private void takeUp(Found found, Partition partition) {
        long offset = found.position() - (partition == null ? 0 : partition.position(0));
        if (partition != null && offset == partition.next) { // before it are those that the database has, or that were trimmed
            partition.next++;
            Append append = Append.found(partition, offset, found);
            records.add(append);
            partition.onLogged(append);
        }
    }

    /** @return true: they are in the file, and have their places; false: nothing has happened */
    boolean take(List<Append> appends) {
        if (!isOpen || isBroken) {
            return false;
        }
        long atMs = System.currentTimeMillis();
        for (Append append : appends) {
            append.offset = append.partition().next++;
            append.atMs = atMs;
            append.batch = number + 1;
        }
        boolean wasUsable = log.isUsable();
        if (!log.write(appends, atMs, number + 1)) {
            appends.forEach(append -> append.partition().next = append.partition().told);
            if (wasUsable && !log.isUsable()) { // by an interrupt, say: the batch may be there all the same, and is not to count
                number++;
                isBroken = true;
            }
            return false;
        }
        number++;
        dueNs = records.isEmpty() ? System.nanoTime() + lingerNs : dueNs;
        records.addAll(appends);
        isEmpty = false;
        return true;
    }

    /** All that was taken is on the disk when it returns. Any thread that nobody interrupts. */
    void force() throws IOException {
        try {
            for (AheadLog each : both) {
                each.force();
            }
        } catch (IOException e) {
            isBroken = true;
            throw e;
        }
    }

    /** Nobody knows what the disk has of the logs: the database is to have all, and what comes. Any thread. */
    boolean isBroken() {
        return isBroken;
    }

    /** All, in their order. */
    List<Append> records() {
        if (leaving.isEmpty()) {
            return records;
        }
        List<Append> all = new ArrayList<>(leaving);
        all.addAll(records);
        return all;
    }

    /** Of the last of them. */
    long number() {
        return number;
    }

    /** Any thread. */
    boolean isEmpty() {
        return isEmpty;
    }

    long untilDueNs() {
        if (isEmpty) {
            return Long.MAX_VALUE;
        }
        boolean isDue = !leaving.isEmpty() || isBroken || log.isToBeLeft();
        return Math.max(isDue ? 0 : dueNs - System.nanoTime(), untilAgainNs());
    }

    /** How long no transaction is to be tried after one that failed. */
    long untilAgainNs() {
        return Math.max(0, againNs - System.nanoTime());
    }

    /** What a log has is to be in a transaction, and the other log has room. @return whether that is so */
    boolean leave() {
        if (!isOpen || !leaving.isEmpty() || records.isEmpty() && log.isUsable()) {
            return false;
        }
        leaving = List.copyOf(records);
        records.clear();
        AheadLog full = log;
        log = other;
        other = full;
        return true;
    }

    /** The first of what is leaving, for one transaction: whole batches. */
    List<Append> leaving() {
        int count = 0;
        for (long bytes = 0; count < leaving.size(); count++) {
            if (bytes >= TRANSACTION_BYTES && leaving.get(count).batch != leaving.get(count - 1).batch) {
                break;
            }
            bytes += leaving.get(count).value.length + Backlog.ENVELOPE_BYTES;
        }
        return leaving.subList(0, count);
    }

    /** The transaction that has the first that were leaving is on the disk. */
    void left(int count) {
        leaving = leaving.subList(count, leaving.size());
        if (leaving.isEmpty()) {
            leaving = List.of(); // and not the last part of all that were
            other.clear();
            isEmpty = records.isEmpty();
        }
    }

    /** The database has all, on the disk. */
    void settled() {
        leaving = List.of();
        records.clear();
        isEmpty = true;
        log.clear();
        other.clear();
        isOpen = true;
    }

    /** A transaction has taken none. */
    void later() {
        isOpen &= isEmpty;
        againNs = System.nanoTime() + AGAIN_NS;
    }

    @Override
    public void close() {
        log.close();
        other.close();
    }
}
