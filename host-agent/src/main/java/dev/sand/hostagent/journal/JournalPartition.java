package dev.sand.hostagent.journal;

import dev.sand.hostagent.journal.JournalQueue.Given;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One partition of one application's journal as its owner has it.
 *
 * <pre>
 * UNCLAIMED → OWNED      taken under an epoch: claimed, and read up to the claim
 * OWNED     → UNCLAIMED  left, or lost: nothing under that epoch or a lower one is written any more
 * any       → STOPPED    it has a record that only a newer platform understands
 * </pre>
 * Records given before the claim wait for it; an acceptance only for so long, for somebody waits for that. Any thread.
 */
final class JournalPartition {
    /** What becomes of a record. */
    enum Verdict { APPEND, WAITS, MOVED, STOPPED }

    private record Waiting(Given given, long sinceNs) {}

    final String topic;
    final int number;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private OpenExecutions open = new OpenExecutions(0, 0);
    private long epoch;
    private long over;
    private String stopped;
    private boolean claiming;
    private BooleanSupplier ours = () -> false;

    JournalPartition(String topic, int number) {
        this.topic = topic;
        this.number = number;
    }

    /** @param append called in turn, so that what waited for the claim goes first */
    Verdict give(Given given, Consumer<Given> append) {
        lock.lock();
        try {
            if (stopped != null) {
                return Verdict.STOPPED;
            }
            long under = given.entry().epoch();
            if (under <= over || under < epoch) {
                return Verdict.MOVED;
            }
            if (under > epoch) {
                waiting.add(new Waiting(given, System.nanoTime()));
                return Verdict.WAITS;
            }
            append.accept(given);
            return Verdict.APPEND;
        } finally {
            lock.unlock();
        }
    }

    boolean isClaimed(long under) {
        lock.lock();
        try {
            return stopped != null || epoch >= under;
        } finally {
            lock.unlock();
        }
    }

    /**
     * @param current whether the slot is known to be this host's under the epoch: what is trimmed is gone for its next owner too
     * @return what waited for another epoch, and is refused
     */
    List<Given> taken(long under, OpenExecutions executions, BooleanSupplier current, Consumer<Given> append) {
        lock.lock();
        try {
            if (under <= over) {
                return drain();
            }
            epoch = under;
            open = executions;
            ours = current;
            List<Given> waited = drain();
            waited.stream().filter(given -> given.entry().epoch() == under).forEach(append);
            return waited.stream().filter(given -> given.entry().epoch() != under).toList();
        } finally {
            lock.unlock();
        }
    }

    /** @return what waited, and is refused */
    List<Given> stop(String cause) {
        lock.lock();
        try {
            stopped = cause;
            return drain();
        } finally {
            lock.unlock();
        }
    }

    /** The slot is not ours under this epoch (any more). @return what waited, and is refused */
    List<Given> leave(long under) {
        lock.lock();
        try {
            over = Math.max(over, under);
            if (epoch <= over) {
                epoch = 0;
                stopped = null; // the next owner sees for itself
            }
            return drain();
        } finally {
            lock.unlock();
        }
    }

    private List<Given> drain() {
        List<Given> all = waiting.stream().map(Waiting::given).toList();
        waiting.clear();
        return all;
    }

    /** @return acceptances that have waited for the claim since then or longer: they wait no more, and are refused */
    List<Given> overdue(long sinceNs) {
        lock.lock();
        try {
            List<Given> overdue = new ArrayList<>();
            waiting.removeIf(each -> each.sinceNs() - sinceNs <= 0 && each.given().isAcceptance() && overdue.add(each.given()));
            return overdue;
        } finally {
            lock.unlock();
        }
    }

    int waiting() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    String stopped() {
        lock.lock();
        try {
            return stopped;
        } finally {
            lock.unlock();
        }
    }

    // --- what is durable, told by the bus's thread

    void onAccepted(String executionId, long offset) {
        lock.lock();
        try {
            open.onAccepted(executionId, offset);
        } finally {
            lock.unlock();
        }
    }

    /** @return whether it was open: its beginning is there */
    boolean onEnded(String executionId, long offset) {
        lock.lock();
        try {
            return open.onEnded(executionId, offset);
        } finally {
            lock.unlock();
        }
    }

    boolean knowsNothingOf(String executionId) {
        lock.lock();
        try {
            return epoch != 0 && stopped == null && ours.getAsBoolean() && !open.has(executionId);
        } finally {
            lock.unlock();
        }
    }

    /** @param atLeast so many records more @return the epoch of a claim that is to be written again, so that they can be trimmed; or 0 */
    long wantsClaim(int atLeast) {
        lock.lock();
        try {
            if (epoch == 0 || claiming || !open.wantsClaim(atLeast) || !ours.getAsBoolean()) {
                return 0;
            }
            claiming = true;
            return epoch;
        } finally {
            lock.unlock();
        }
    }

    /**
     * One that comes in when the slot may be another's lies behind that one's claim: it is void, and what lies below it is the
     * other's.
     *
     * @param offset of the claim that was written again, or -1
     */
    void onClaimed(long offset) {
        lock.lock();
        try {
            claiming = false;
            if (offset >= 0 && ours.getAsBoolean()) {
                open.onClaim(offset);
            }
        } finally {
            lock.unlock();
        }
    }

    /** @param atLeast so many records @return below which offset to trim now, or -1 */
    long trimTo(int atLeast) {
        lock.lock();
        try {
            return epoch == 0 || !ours.getAsBoolean() ? -1 : open.trimTo(atLeast);
        } finally {
            lock.unlock();
        }
    }
}
