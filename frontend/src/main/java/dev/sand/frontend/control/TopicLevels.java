package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.event.Topics;
import dev.sand.frontend.control.TopicRates.Level;
import dev.sand.frontend.control.TopicRates.Rate;
import dev.sand.frontend.http.Json;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.GlobalBus.BusRecord;
import dev.sand.globalbus.GlobalBus.Extent;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/** How much topics of the global bus keep and since when, and how fast that comes and goes. Read where it lies; blocks. */
final class TopicLevels {
    /** Partitions of which the first record is read for its age, in one answer; a topic has as many as there are slots. */
    private static final int MOST_READS = 512;
    private static final double PRECISION = 1000;

    private final GlobalBus bus;
    private final TopicRates rates;
    private final LongSupplier clockMs;

    /** @param clockMs the bus's time */
    TopicLevels(GlobalBus bus, TopicRates rates, LongSupplier clockMs) {
        this.bus = bus;
        this.rates = rates;
        this.clockMs = clockMs;
    }

    /** By name: without those that went meanwhile. */
    ArrayNode show(Collection<String> topics) {
        Map<String, List<Extent>> extents = bus.extents(topics);
        ArrayNode found = Json.array();
        long reads = 0;
        for (String topic : extents.keySet().stream().sorted().toList()) {
            List<Extent> all = extents.get(topic);
            ObjectNode shown = found.addObject().put("topic", topic).put("partitions", all.size());
            addPurpose(shown, topic, Topics.purpose(topic));
            Level level = Level.of(all);
            shown.put("records", level.came() - level.gone()).put("sent", level.came());
            addRates(shown, rates.of(topic, level));
            reads += all.stream().filter(extent -> extent.kept() > 0).count();
            if (reads <= MOST_READS) {
                addAge(shown, firstMs(topic, all), clockMs.getAsLong());
            }
        }
        return found;
    }

    private static void addPurpose(ObjectNode shown, String topic, String purpose) {
        shown.put("purpose", purpose).put("application", Topics.applicationOf(topic))
                .put("grain", purpose.equals("work") ? Topics.nameIn(topic) : null)
                .put("queue", purpose.equals("queue") ? Topics.nameIn(topic) : null);
    }

    private static void addRates(ObjectNode shown, Rate rate) {
        if (rate != null) {
            shown.put("inPerSecond", rounded(rate.in())).put("outPerSecond", rounded(rate.out()));
        }
    }

    private static double rounded(double rate) {
        return Math.round(rate * PRECISION) / PRECISION;
    }

    /** When the bus took the first record that is kept; nobody knows that of one from before it kept times. */
    private long firstMs(String topic, List<Extent> extents) {
        long oldest = Long.MAX_VALUE;
        for (int partition = 0; partition < extents.size(); partition++) {
            oldest = Math.min(oldest, firstMs(topic, partition, extents.get(partition)).orElse(Long.MAX_VALUE));
        }
        return oldest;
    }

    private OptionalLong firstMs(String topic, int partition, Extent extent) {
        return extent.kept() == 0 ? OptionalLong.empty() : bus.read(topic, partition, extent.begin(), 1).stream()
                .mapToLong(BusRecord::atMs).filter(atMs -> atMs > 0).findFirst();
    }

    /** @param sinceMs MAX_VALUE: there is nothing that has an age */
    static void addAge(ObjectNode shown, long sinceMs, long nowMs) {
        if (sinceMs != Long.MAX_VALUE) {
            shown.put("oldestMs", Math.max(0, nowMs - sinceMs));
        }
    }
}
