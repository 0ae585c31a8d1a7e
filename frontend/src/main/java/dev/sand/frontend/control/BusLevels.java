package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.TriggerStore;
import dev.sand.datalayer.TriggerStore.Progress;
import dev.sand.event.Topics;
import dev.sand.frontend.http.Json;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.GlobalBus.BusRecord;
import dev.sand.globalbus.GlobalBus.Extent;
import dev.sand.globalbus.Queues;
import dev.sand.globalbus.Queues.Held;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * How much an application has on the global bus, and since when: in its queues what is not worked off, in its other topics what is
 * kept. Read where it lies; blocks.
 */
final class BusLevels {
    private final GlobalBus bus;
    private final Queues queues;
    private final TriggerStore store;
    private final LongSupplier clockMs;

    /** @param clockMs the bus's time */
    BusLevels(GlobalBus bus, Queues queues, TriggerStore store, LongSupplier clockMs) {
        this.bus = bus;
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
        addAge(shown.put("waiting", waiting).put("sent", sent), oldest);
    }

    /** The application's topics but for its queues, by name: also those of grains that only earlier versions had. */
    ArrayNode topics(String application) {
        ArrayNode found = Json.array();
        bus.topics().stream().filter(topic -> Topics.isOf(application, topic)).sorted().forEach(topic -> {
            List<Extent> extents = bus.extents(topic);
            ObjectNode shown = found.addObject().put("topic", topic).put("purpose", Topics.purpose(topic));
            shown.put("grain", Topics.grainOf(application, topic)).put("partitions", extents.size());
            shown.put("records", extents.stream().mapToLong(Extent::kept).sum()).put("sent", extents.stream().mapToLong(Extent::end).sum());
            long oldest = Long.MAX_VALUE;
            for (int partition = 0; partition < extents.size(); partition++) {
                oldest = Math.min(oldest, firstMs(topic, partition, extents.get(partition)).orElse(Long.MAX_VALUE));
            }
            addAge(shown, oldest);
        });
        return found;
    }

    /** When the bus took the first record that is kept; nobody knows that of one from before it kept times. */
    private OptionalLong firstMs(String topic, int partition, Extent extent) {
        return extent.kept() == 0 ? OptionalLong.empty() : bus.read(topic, partition, extent.begin(), 1).stream()
                .mapToLong(BusRecord::atMs).filter(atMs -> atMs > 0).findFirst();
    }

    private void addAge(ObjectNode shown, long sinceMs) {
        if (sinceMs != Long.MAX_VALUE) {
            shown.put("oldestMs", Math.max(0, clockMs.getAsLong() - sinceMs));
        }
    }
}
