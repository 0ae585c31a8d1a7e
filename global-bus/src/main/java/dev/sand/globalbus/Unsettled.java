package dev.sand.globalbus;

import dev.sand.globalbus.BusCommand.Append;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Records that are in the {@link AheadLog} and that no transaction has yet: the next one has them first, which comes a few milliseconds
 * later, or with the first record that is for the disk. The writer's thread alone.
 */
final class Unsettled implements AutoCloseable {
    /** After a transaction that failed: of a full disk, most likely. */
    private static final long AGAIN_NS = 500_000_000L;

    private final AheadLog log;
    private final long lingerNs;
    private final List<Append> records;
    private long dueNs = System.nanoTime();

    /** @param file the log, in which an earlier run may have left some; @param lingerNs how long they wait for others */
    Unsettled(Path file, BusTopics topics, long lingerNs) {
        this.lingerNs = lingerNs;
        List<AheadLog.Found> found = new ArrayList<>();
        log = AheadLog.open(file, found);
        records = AheadLog.asAppends(found, topics);
        records.forEach(each -> each.partition().told = each.partition().next);
    }

    /** @return true: somebody may be told of them; false: nothing has happened */
    boolean take(List<Append> appends) {
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

    List<Append> records() {
        return records;
    }

    boolean isEmpty() {
        return records.isEmpty();
    }

    long untilDueNs() {
        return records.isEmpty() ? Long.MAX_VALUE : dueNs - System.nanoTime();
    }

    /** The database has all. */
    void settled() {
        records.clear();
        log.clear();
    }

    /** It has taken none. */
    void later() {
        dueNs = System.nanoTime() + AGAIN_NS;
    }

    @Override
    public void close() {
        log.close();
    }
}
