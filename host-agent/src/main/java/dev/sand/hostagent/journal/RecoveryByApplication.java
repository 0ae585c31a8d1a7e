package dev.sand.hostagent.journal;

import dev.sand.event.DurationCounts;
import dev.sand.hostagent.core.Figures;
import dev.sand.hostagent.journal.JournalFigures.Recovery;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** How long the journals of each application took to be taken over, those with something open in them. Threads that take slots. */
final class RecoveryByApplication {
    private record Counts(DurationCounts durations, LongAdder executions) {}

    private final Map<String, Counts> byApplication = new ConcurrentHashMap<>();

    void add(String application, int executions, long ns) {
        // Slots are taken a few at once: one or two names over the limit are no harm.
        boolean fits = byApplication.size() < Figures.MOST_APPLICATIONS || byApplication.containsKey(application);
        Counts counts = byApplication.computeIfAbsent(fits ? application : Figures.OTHER,
                name -> new Counts(new DurationCounts(), new LongAdder()));
        counts.durations.add(ns);
        counts.executions.add(executions);
    }

    /** The application is deleted. */
    void forget(String application) {
        byApplication.remove(application);
    }

    Map<String, Recovery> read() {
        Map<String, Recovery> read = new TreeMap<>();
        byApplication.forEach((application, counts) ->
                read.put(application, new Recovery(counts.durations.read(), counts.executions.sum())));
        return read;
    }
}
