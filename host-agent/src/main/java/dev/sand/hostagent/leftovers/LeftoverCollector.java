package dev.sand.hostagent.leftovers;

import dev.sand.datalayer.LeftoverMarks;
import dev.sand.hostagent.triggers.Ownership;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what crashes left in the global layer and nobody will name any more (docs/DATA.md, Leftovers). A few times a day it
 * looks at what is nobody's in the slots of this host; {@link LeftoverMarks} says what has been for long enough. A leftover is
 * one slot's, so one host deletes it, and each kind looks once more before it does.
 */
public final class LeftoverCollector implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeftoverCollector.class);
    /** What a start leaves to be done comes first. */
    private static final Duration FIRST = Duration.ofMinutes(10);
    private static final Duration EVERY = Duration.ofHours(6);

    private final Map<String, Leftovers> kinds;
    private final LeftoverMarks marks;
    private final Ownership ownership;
    private final LongSupplier nowMs;
    private final ScheduledExecutorService clock = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().name("leftovers").daemon().factory());

    /** @param nowMs the bus's clock */
    LeftoverCollector(Map<String, Leftovers> kinds, LeftoverMarks marks, Ownership ownership, LongSupplier nowMs) {
        this.kinds = Map.copyOf(kinds);
        this.marks = marks;
        this.ownership = ownership;
        this.nowMs = nowMs;
    }

    /** Looks now and then until it is closed. */
    public static LeftoverCollector start(LeftoverParts parts) {
        LeftoverCollector collector = new LeftoverCollector(parts.kinds(), new LeftoverMarks(parts.store()), parts.ownership(),
                parts.nowMs());
        collector.clock.scheduleWithFixedDelay(collector::look, FIRST.toMillis(), EVERY.toMillis(), TimeUnit.MILLISECONDS);
        return collector;
    }

    /** Blocks. What fails is left to the next look. */
    void look() {
        kinds.forEach((kind, leftovers) -> {
            try {
                look(kind, leftovers);
            } catch (RuntimeException e) {
                LOG.warn("leftovers ({}) stay for now: {}", kind, e.toString());
            }
        });
    }

    private void look(String kind, Leftovers leftovers) {
        Map<String, Long> nobodys = leftovers.nobodys();
        Map<Integer, Map<String, Long>> bySlot = new HashMap<>();
        nobodys.forEach((name, version) ->
                bySlot.computeIfAbsent(leftovers.slotOf(name), slot -> new HashMap<>()).put(name, version));
        int deleted = 0;
        for (int slot = 0; slot < ownership.slots(); slot++) {
            if (isOurs(slot)) {
                List<String> left = marks.look(kind + "/" + slot, bySlot.getOrDefault(slot, Map.of()), nowMs.getAsLong());
                for (String name : left) {
                    if (!isOurs(slot)) {
                        return;
                    }
                    leftovers.delete(name, nobodys.get(name));
                    deleted++;
                }
            }
        }
        if (deleted > 0) {
            LOG.info("{} leftovers ({}) that were nobody's for {} h are gone", deleted, kind, LeftoverMarks.AGE.toHours());
        }
    }

    private boolean isOurs(int slot) {
        return ownership.epoch(slot) != 0 && ownership.mayAct();
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
