package dev.sand.hostagent.triggers;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * What this host has counted of queues and schedules. Counts outlive the drivers that they come from, for slots come and go; and
 * there are so many at most: what comes then, and is not the place of one that has gone, is counted together under
 * {@link #OTHER}. The owner's thread; a schedule's own counts are added to by whoever fires it.
 */
public final class TriggerFigures {
    public static final int MOST_QUEUES = 300;
    public static final int MOST_SCHEDULES = 300;
    public static final String OTHER = "other";

    record Name(String application, String trigger) {}

    private static final Name REST = new Name(OTHER, OTHER);

    /** Of one queue, on this host. */
    static final class QueueCounts {
        long deliveries;
        long retries;
        long refused;
        long deadLetters;
    }

    /** Of one schedule: fires that came into its queue, and those that came too late to be made up for. */
    static final class ScheduleCounts {
        final AtomicLong fired = new AtomicLong();
        final AtomicLong missed = new AtomicLong();
    }

    /** What is so now. @param depth messages not settled; @param oldestMs age of the first of them that was sent */
    record Level(long depth, long oldestMs) {
        static final Level EMPTY = new Level(0, 0);

        Level plus(Level other) {
            return new Level(depth + other.depth, Math.max(oldestMs, other.oldestMs));
        }
    }

    /**
     * @param depth messages that this host has to work off and has not, @param oldestMs how long ago the oldest was sent
     * @param deliveries invocations, @param retries those of them behind a failed one, @param refused those that the platform
     *                   could not take just then
     */
    public record QueueReading(String application, String queue, long depth, long oldestMs, long deliveries, long retries,
                               long refused, long deadLetters) {}

    public record ScheduleReading(String application, String trigger, long fired, long missed) {}

    public record Reading(List<QueueReading> queues, List<ScheduleReading> schedules) {}

    private final Map<Name, QueueCounts> queues = new HashMap<>();
    private final Map<Name, ScheduleCounts> schedules = new HashMap<>();

    QueueCounts queue(Name name, Predicate<Name> isGone) {
        return queues.computeIfAbsent(place(queues, MOST_QUEUES, name, isGone), each -> new QueueCounts());
    }

    ScheduleCounts schedule(Name name, Predicate<Name> isGone) {
        return schedules.computeIfAbsent(place(schedules, MOST_SCHEDULES, name, isGone), each -> new ScheduleCounts());
    }

    private static Name place(Map<Name, ?> taken, int most, Name name, Predicate<Name> isGone) {
        if (!taken.containsKey(name) && isFull(taken, most)) {
            taken.keySet().removeIf(each -> !each.equals(REST) && isGone.test(each));
        }
        return taken.containsKey(name) || !isFull(taken, most) ? name : REST;
    }

    private static boolean isFull(Map<Name, ?> taken, int most) {
        return taken.size() - (taken.containsKey(REST) ? 1 : 0) >= most;
    }

    Reading read(Collection<QueueDriver> drivers) {
        Map<QueueCounts, Level> levels = new HashMap<>();
        drivers.forEach(driver -> levels.merge(driver.counts(), driver.level(), Level::plus));
        List<QueueReading> queueReadings = new ArrayList<>();
        queues.forEach((name, counts) -> {
            Level level = levels.getOrDefault(counts, Level.EMPTY);
            queueReadings.add(new QueueReading(name.application, name.trigger, level.depth, level.oldestMs, counts.deliveries,
                    counts.retries, counts.refused, counts.deadLetters));
        });
        List<ScheduleReading> scheduleReadings = new ArrayList<>();
        schedules.forEach((name, counts) -> scheduleReadings.add(new ScheduleReading(name.application, name.trigger,
                counts.fired.get(), counts.missed.get())));
        return new Reading(queueReadings, scheduleReadings);
    }
}
