package dev.sand.hostagent.journal;

import dev.sand.event.Failure;
import java.time.Duration;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * A journal that keeps nothing of the applications named, for the bench alone: what the backup costs is the difference to another
 * application of the same host agent at the same moment. What is lost of those is lost.
 */
public final class PartialJournal implements JournalAdapter {
    private final JournalAdapter journal;
    private final Set<String> unbacked;

    public PartialJournal(JournalAdapter journal, Set<String> unbacked) {
        this.journal = journal;
        this.unbacked = Set.copyOf(unbacked);
    }

    /** Whoever must be told is told at once that it is kept. */
    @Override
    public void append(Entry entry, AppendListener listener) {
        if (!unbacked.contains(entry.application())) {
            journal.append(entry, listener);
        } else if (entry.await().isTold() && listener != null) {
            listener.onAppended(null);
        }
    }

    @Override
    public Left take(int slot, long epoch, BooleanSupplier current) {
        return journal.take(slot, epoch, current);
    }

    @Override
    public String away() {
        return journal.away();
    }

    @Override
    public int slots() {
        return journal.slots();
    }

    @Override
    public void leave(int slot, long epoch, Duration atMost) {
        journal.leave(slot, epoch, atMost);
    }

    @Override
    public void onUnclaimed(IntConsumer wanted) {
        journal.onUnclaimed(wanted);
    }

    @Override
    public void fencedBy(Fence fence) {
        journal.fencedBy(fence);
    }

    @Override
    public Failure refusal(String application, int slot) {
        return journal.refusal(application, slot);
    }

    @Override
    public boolean knowsNothingOf(String application, int slot, String executionId) {
        return !unbacked.contains(application) && journal.knowsNothingOf(application, slot, executionId);
    }

    @Override
    public void deleteApplication(String application) {
        journal.deleteApplication(application);
    }

    @Override
    public long backlog() {
        return journal.backlog();
    }

    @Override
    public Refused refused() {
        return journal.refused();
    }

    @Override
    public JournalFigures figures() {
        return journal.figures();
    }

    @Override
    public void close() {
        journal.close();
    }
}
