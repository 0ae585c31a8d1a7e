package dev.sand.globalbus;

import dev.sand.globalbus.BusCommand.Append;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Records that are in an {@link AheadLog} and that no transaction has yet: one has them a few milliseconds later, or with the first record
 * that is for the disk. There are two logs: while a transaction has what is in one, others go into the other. Of who works for the writer.
 */
final class Unsettled implements AutoCloseable {
    /** After a transaction that failed: of a full disk, most likely. */
    private static final long AGAIN_NS = 500_000_000L;

    private final long lingerNs;
    private AheadLog log;
    private AheadLog other;
    private final List<Append> records = new ArrayList<>();
    private List<Append> leaving = List.of();
    private long generation = System.currentTimeMillis() << 16;
    /** Not while both logs have what no transaction has taken: what came first is to be known. */
    private boolean isOpen;
    private long dueNs = System.nanoTime();

    /** @param files of the logs, in which an earlier run may have left some; @param lingerNs how long they wait for others */
    Unsettled(List<Path> files, BusTopics topics, long lingerNs) {
        this.lingerNs = lingerNs;
        List<AheadLog.Found> found = new ArrayList<>();
        log = AheadLog.open(files.getFirst(), found);
        other = AheadLog.open(files.getLast(), found);
        found.sort(Comparator.comparingLong(AheadLog.Found::generation));
        records.addAll(AheadLog.asAppends(found, topics));
        records.forEach(each -> each.partition().told = each.partition().next);
        if (records.isEmpty()) {
            settled();
        }
    }

    /** @return true: somebody may be told of them; false: nothing has happened */
    boolean take(List<Append> appends) {
        if (!isOpen) {
            return false;
        }
        long atMs = System.currentTimeMillis();
        for (Append append : appends) {
            append.offset = append.partition().next++;
            append.atMs = atMs;
        }
        if (!log.write(appends, atMs)) {
            appends.forEach(append -> append.partition().next = append.partition().told);
            return false;
        }
        dueNs = records.isEmpty() ? System.nanoTime() + lingerNs : dueNs;
        records.addAll(appends);
        appends.forEach(append -> append.partition().told = append.partition().next);
        return true;
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

    boolean isEmpty() {
        return records.isEmpty() && leaving.isEmpty();
    }

    long untilDueNs() {
        return isEmpty() ? Long.MAX_VALUE : dueNs - System.nanoTime();
    }

    /** A transaction begins that has these, while others come. @return none: it is to have all, and nothing may come meanwhile */
    List<Append> leave() {
        if (!isOpen || !leaving.isEmpty()) {
            return List.of();
        }
        leaving = List.copyOf(records);
        records.clear();
        AheadLog full = log;
        log = other;
        other = full;
        return leaving;
    }

    /** That transaction has ended well. */
    void left() {
        leaving = List.of();
        other.clear(++generation);
    }

    /** The database has all. */
    void settled() {
        leaving = List.of();
        records.clear();
        log.clear(++generation);
        other.clear(++generation);
        isOpen = true;
    }

    /** A transaction has taken none. */
    void later() {
        isOpen &= leaving.isEmpty();
        dueNs = System.nanoTime() + AGAIN_NS;
    }

    @Override
    public void close() {
        log.close();
        other.close();
    }
}
