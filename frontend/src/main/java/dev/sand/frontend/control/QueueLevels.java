package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.TriggerStore;
import dev.sand.datalayer.TriggerStore.Progress;
import dev.sand.globalbus.GlobalBus.Extent;
import dev.sand.globalbus.Queues;
import dev.sand.globalbus.Queues.Held;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** How much of an application's queues is not worked off, and since when. Read where it lies; blocks. */
final class QueueLevels {
    private final Queues queues;
    private final TriggerStore store;
    private final LongSupplier clockMs;

    /** @param clockMs the bus's time */
    QueueLevels(Queues queues, TriggerStore store, LongSupplier clockMs) {
        this.queues = queues;
        this.store = store;
        this.clockMs = clockMs;
    }

    /** Adds `waiting`, `sent` and `oldestMs` of the queue. */
    void addQueue(ObjectNode shown, String application, String queue) {
        List<Extent> extents = queues.extents(application, queue);
        Map<Integer, Progress> progress = store.progress(application, queue);
        long waiting = 0;
        long sent = 0;
        long oldest = Long.MAX_VALUE;
        for (int partition = 0; partition < extents.size(); partition++) {
            Extent extent = extents.get(partition);
            Progress known = progress.getOrDefault(partition, Progress.NONE);
            long left = known.unsettled(extent.begin(), extent.end());
            sent += extent.end();
            waiting += left;
            if (left > 0) {
                // Below that all is worked off, so the first there is the first that waits; it may be somebody else's record.
                long first = known.low() > extent.end() ? extent.begin() : Math.max(known.low(), extent.begin());
                oldest = Math.min(oldest, queues.read(application, queue, partition, first, 1).messages().stream().map(Held::message)
                        .mapToLong(message -> message.enqueuedMs()).min().orElse(Long.MAX_VALUE));
            }
        }
        TopicLevels.addAge(shown.put("waiting", waiting).put("sent", sent), oldest, clockMs.getAsLong());
    }
}
