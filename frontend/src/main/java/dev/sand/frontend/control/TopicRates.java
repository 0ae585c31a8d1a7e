package dev.sand.frontend.control;

import dev.sand.event.HostAgentPort;
import dev.sand.event.Topics;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.GlobalBus.Extent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How fast records come to topics of the global bus and go from them: the bus knows only how many have, so this frontend asks it all the
 * while, with a few questions for all topics. So a rate is there for whoever asks once.
 */
public final class TopicRates implements AutoCloseable {
    /** A topic's records that have ever come, and those of them that have gone: no owner needs them any more. */
    public record Level(long came, long gone) {
        static final Level NONE = new Level(0, 0);

        static Level of(List<Extent> extents) {
            return new Level(extents.stream().mapToLong(Extent::end).sum(), extents.stream().mapToLong(Extent::begin).sum());
        }
    }

    /** Records a second. */
    public record Rate(double in, double out) {}

    private record Seen(long atNs, Map<String, Level> levels) {}

    /** Means are over so long, and up to an interval more. */
    private static final long WINDOW_NS = HostAgentPort.RATE_WINDOW_MS * 1_000_000;
    static final Duration INTERVAL = Duration.ofSeconds(5);
    /** Before that a rate would jump with every record. */
    private static final long LEAST_NS = 2_000_000_000;
    private static final Logger LOG = LoggerFactory.getLogger(TopicRates.class);

    private final GlobalBus bus;
    private final LongSupplier clockNs;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("topic-rates").factory());
    /** The oldest first; of these the first alone is older than the window. */
    private volatile List<Seen> seen = List.of();

    /** @param clockNs that only goes forward */
    public TopicRates(GlobalBus bus, LongSupplier clockNs) {
        this.bus = bus;
        this.clockNs = clockNs;
    }

    public void start() {
        timer.scheduleWithFixedDelay(this::look, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void look() {
        try {
            Map<String, Level> levels = new HashMap<>();
            bus.extents(bus.topics().stream().filter(Topics::isOurs).toList()).forEach((topic, extents) -> levels.put(topic, Level.of(extents)));
            onLevels(levels, clockNs.getAsLong());
        } catch (BusException e) { // the next time tells more
            LOG.debug("no levels of topics: {}", e.getMessage());
        } catch (RuntimeException e) { // an exception would end all further looks
            LOG.error("Cannot look how much topics have; trying again.", e);
        }
    }

    /** On one thread. @param levels of all topics that there are */
    void onLevels(Map<String, Level> levels, long atNs) {
        List<Seen> all = new ArrayList<>(seen);
        all.add(new Seen(atNs, Map.copyOf(levels)));
        while (all.size() > 1 && atNs - all.get(1).atNs >= WINDOW_NS) {
            all.removeFirst();
        }
        seen = List.copyOf(all);
    }

    /** @param now what it has at this moment. @return null: this frontend has not looked for long enough */
    Rate of(String topic, Level now) {
        long nowNs = clockNs.getAsLong();
        Seen first = null;
        for (Seen each : seen) {
            if (first == null || nowNs - each.atNs >= WINDOW_NS) {
                first = each;
            }
        }
        if (first == null || nowNs - first.atNs < LEAST_NS) {
            return null;
        }
        Level then = first.levels.getOrDefault(topic, Level.NONE);
        if (then.came > now.came || then.gone > now.gone) { // it was deleted since, and made again
            then = Level.NONE;
        }
        double seconds = (nowNs - first.atNs) / 1e9;
        return new Rate((now.came - then.came) / seconds, (now.gone - then.gone) / seconds);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
