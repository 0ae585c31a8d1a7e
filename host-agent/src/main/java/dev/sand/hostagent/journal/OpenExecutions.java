package dev.sand.hostagent.journal;

import dev.sand.hostagent.process.ProcessChange;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The executions of one journal partition that are accepted and not ended, by their first record: what lies below the first
 * of them is needed by nobody. The owner's claim stays too, for what is written under a lower epoch is told by it.
 */
final class OpenExecutions {
    /** Trimming is worth a question to a broker only for so many records. */
    static final int TRIM_RECORDS = 1000;
    /** Of an embedded bus, which never brings to its database what is trimmed soon. */
    static final int SOON_TRIMMED_RECORDS = 50;

    private final Map<String, Long> firstOffsets = new HashMap<>();
    /** Of those, first records of a redrive, while an earlier run is not done with. */
    private final Map<String, Long> redriven = new HashMap<>();
    private final TreeMap<Long, String> byOffset = new TreeMap<>();
    private long claim;
    private long trimmedTo;
    private long end;

    /** @param begin the first offset that the partition still has; @param claim the owner's */
    OpenExecutions(long begin, long claim) {
        this.trimmedTo = begin;
        this.claim = claim;
        this.end = claim + 1;
    }

    void onClaim(long offset) {
        claim = Math.max(claim, offset);
        end = Math.max(end, offset + 1);
    }

    void onAccepted(String executionId, long offset) {
        end = Math.max(end, offset + 1);
        if (firstOffsets.putIfAbsent(executionId, offset) == null) {
            byOffset.put(offset, executionId);
        } else if (ProcessChange.processOf(executionId) == null) {
            redriven.put(executionId, offset);
        }
    }

    /** @return whether it was open */
    boolean onEnded(String executionId, long offset) {
        end = Math.max(end, offset + 1);
        Long first = firstOffsets.remove(executionId);
        if (first != null) {
            byOffset.remove(first);
        }
        Long later = redriven.remove(executionId);
        if (later != null && later > offset) {
            firstOffsets.put(executionId, later);
            byOffset.put(later, executionId);
        }
        return first != null;
    }

    boolean has(String executionId) {
        return firstOffsets.containsKey(executionId);
    }

    private long low() {
        return byOffset.isEmpty() ? end : byOffset.firstKey();
    }

    /** A claim written now would be the only thing that keeps many records: it is to be written again, further on. */
    boolean wantsClaim(int atLeast) {
        return low() - claim > atLeast;
    }

    /** @param atLeast so many records @return below which offset to trim now, or -1 when not yet */
    long trimTo(int atLeast) {
        long low = Math.min(low(), claim);
        if (low - trimmedTo < atLeast) {
            return -1;
        }
        trimmedTo = low;
        return low;
    }
}
