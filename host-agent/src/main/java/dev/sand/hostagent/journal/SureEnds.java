package dev.sand.hostagent.journal;

import dev.sand.hostagent.journal.JournalAdapter.Fence;
import dev.sand.hostagent.journal.JournalAdapter.Standing;
import dev.sand.hostagent.journal.JournalQueue.Given;
import dev.sand.hostagent.objects.ObjectCopies;

/**
 * Lets the values of executions go that have ended. They have for this host; whether they have for others is known once the slot is
 * known to be ours: behind a new owner's claim the end is void, and that owner may need the values. Any thread.
 */
final class SureEnds {
    private final ObjectCopies copies;
    private volatile Fence fence = (slot, epoch) -> Standing.OURS;

    SureEnds(ObjectCopies copies) {
        this.copies = copies;
    }

    void fencedBy(Fence by) {
        fence = by;
    }

    boolean isOurs(int slot, long epoch) {
        return fence.of(slot, epoch) == Standing.OURS;
    }

    /** @param gone told when the values are gone, or there were none; not when the slot is lost */
    void release(Given end, Runnable gone) {
        String application = end.entry().application();
        switch (fence.of(end.entry().slot(), end.entry().epoch())) {
            case OURS -> {
                if (!copies.ended(application, end.executionId(), gone)) {
                    gone.run();
                }
            }
            case UNKNOWN -> {
                if (copies.has(application, end.executionId())) {
                    copies.later(() -> release(end, gone));
                } else {
                    gone.run();
                }
            }
            case LOST -> copies.leave(application, end.executionId());
        }
    }
}
