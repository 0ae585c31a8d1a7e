package dev.sand.hostagent.journal;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The executions of one journal partition that are accepted and not ended, by their first record: what lies below the first
 * of them is needed by nobody. Fed in the partition's order by one thread (the bus's).
 */
final class OpenExecutions {
    /** Trimming is worth a transaction only for so many records. */
    static final int TRIM_RECORDS = 1000;

    private final Map<String, Long> firstOffsets = new HashMap<>();
    private final TreeMap<Long, String> byOffset = new TreeMap<>();
    private long trimmedTo;

    /** @param begin the first offset that the partition still has */
    OpenExecutions(long begin) {
        this.trimmedTo = begin;
    }

    void onAccepted(String executionId, long offset) {
        if (firstOffsets.putIfAbsent(executionId, offset) == null) {
            byOffset.put(offset, executionId);
        }
    }

    /** @return below which offset to trim now, or -1 when not yet */
    long onEnded(String executionId, long offset) {
        Long first = firstOffsets.remove(executionId);
        if (first != null) {
            byOffset.remove(first);
        }
        trimmedTo = Math.min(trimmedTo, offset); // a topic that was deleted begins anew
        long low = byOffset.isEmpty() ? offset + 1 : byOffset.firstKey();
        if (low - trimmedTo < TRIM_RECORDS) {
            return -1;
        }
        trimmedTo = low;
        return low;
    }
}
