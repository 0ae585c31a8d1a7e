package dev.sand.hostagent.core;

import dev.sand.event.InvocationResult.Status;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What is measured on a shard, by application and grain. They outlive the versions that they were measured in, so that
 * counters only grow; and there are so many at most: what comes then, and is not the place of an application that has gone,
 * is counted together under {@link #OTHER}.
 */
public final class Figures {
    public static final int MOST_APPLICATIONS = 100;
    public static final int MOST_GRAINS = 300;
    public static final String OTHER = "other";

    private final CoreContext context;
    private final Map<String, ApplicationEnds> endsByApplication = new HashMap<>();
    private final Map<String, GrainFigures> grains = new HashMap<>();
    final Durations recovery = new Durations();

    /**
     * @param ends by status, in the order of {@link Status}
     * @param durations by {@link dev.sand.event.LatencyBuckets}, of those that were not cancelled
     */
    public record Ends(String application, long[] ends, int open, int[] durations) {}

    /** @param slots by how they are held, in the order of {@code elsewhere, recovering, ours} */
    public record Reading(List<GrainFigures.Reading> grains, List<Ends> ends, Map<String, Long> counters,
                          Durations.Reading recovery, int[] slots, int sandboxes) {}

    Figures(CoreContext context) {
        this.context = context;
    }

    GrainFigures grain(String application, String grain) {
        String key = application + "/" + grain;
        GrainFigures known = grains.get(key);
        if (known == null && grains.size() >= MOST_GRAINS) {
            grains.values().removeIf(one -> isGone(one.application));
        }
        if (known == null) {
            boolean fits = grains.size() < MOST_GRAINS;
            known = grains.computeIfAbsent(fits ? key : OTHER, _ ->
                    fits ? new GrainFigures(application, grain) : new GrainFigures(OTHER, OTHER));
        }
        return known;
    }

    /** @param tookNs from its arrival here */
    void ended(String application, Status status, long tookNs) {
        endsByApplication.get(countedAs(application)).add(status, tookNs);
    }

    /** The name that the application is counted under, which has its figures from then on: a gauge is there before an end is. */
    private String countedAs(String application) {
        if (!endsByApplication.containsKey(application) && endsByApplication.size() >= MOST_APPLICATIONS) {
            endsByApplication.keySet().removeIf(this::isGone);
        }
        String name = endsByApplication.containsKey(application) || endsByApplication.size() < MOST_APPLICATIONS
                ? application : OTHER;
        endsByApplication.computeIfAbsent(name, _ -> new ApplicationEnds());
        return name;
    }

    private boolean isGone(String application) {
        return !application.equals(OTHER)
                && context.applications.keySet().stream().noneMatch(key -> key.application().equals(application));
    }

    /** On the owner thread: copies, for another thread to write down. */
    Reading read(long nowNs) {
        Map<GrainFigures, Level> levels = new HashMap<>();
        Map<String, Integer> open = new HashMap<>();
        int sandboxes = 0;
        for (Application application : context.applications.values()) {
            sandboxes += application.sandbox().isNone() ? 0 : 1;
            open.merge(countedAs(application.key().application()), application.open(), Integer::sum);
            for (Grain grain : application.grains()) {
                levels.computeIfAbsent(grain.figures(), _ -> new Level()).add(grain, nowNs);
            }
        }
        List<GrainFigures.Reading> readings = new ArrayList<>(grains.size());
        for (GrainFigures one : grains.values()) {
            readings.add(levels.getOrDefault(one, new Level()).reading(one));
        }
        List<Ends> ends = new ArrayList<>(endsByApplication.size());
        endsByApplication.forEach((application, counts) ->
                ends.add(counts.read(application, open.getOrDefault(application, 0))));
        int[] slots = new int[SlotTable.State.values().length];
        for (int slot = 0; slot < context.slots.count(); slot++) {
            slots[context.slots.state(slot).ordinal()]++;
        }
        return new Reading(readings, ends, context.counters.read(), recovery.read(), slots, sandboxes);
    }

    /** What is so now, of all versions of a grain together. */
    private static final class Level {
        private int queued;
        private long bytes;
        private long oldestNs;
        private int idle;
        private int running;
        private int spawning;

        void add(Grain grain, long nowNs) {
            Event oldest = grain.queue().peek();
            queued += grain.queue().size();
            bytes += grain.queue().bytes();
            oldestNs = Math.max(oldestNs, oldest == null ? 0 : nowNs - oldest.queuedNs);
            idle += grain.pool().idle();
            running += grain.slots();
            spawning += grain.pool().count(Instance.State.SPAWNING);
        }

        GrainFigures.Reading reading(GrainFigures of) {
            return new GrainFigures.Reading(of.application, of.grain, of.attempts, of.failures, queued, bytes, oldestNs, idle,
                    running, spawning, of.queue.read(), of.handOver.read(), of.dispatch.read(), of.run.read(), of.bus.read(),
                    of.fork.read());
        }
    }
}
