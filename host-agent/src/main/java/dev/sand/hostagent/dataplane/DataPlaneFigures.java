package dev.sand.hostagent.dataplane;

import dev.sand.datalayer.Use;
import dev.sand.event.DataPlaneUse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What has passed over a host's data plane, by application and by process. Any thread. */
public final class DataPlaneFigures {
    /** Processes of which something is kept; of those that come then, their application's counts alone. */
    private static final int MOST_PROCESSES = 20_000;
    private static final int MOST_APPLICATIONS = 1_000;
    private static final double HALF_NS = 60e9;
    private static final String OTHER = "other";

    /** Of an application, or of one process. */
    static final class Counts {
        final AtomicLong connections = new AtomicLong();
        final LongAdder invocations = new LongAdder();
        final LongAdder failed = new LongAdder();
        final LongAdder us = new LongAdder();
        final LongAdder mbUs = new LongAdder();
        final LongAdder bytesIn = new LongAdder();
        final LongAdder bytesOut = new LongAdder();
        volatile long usedNs = System.nanoTime();
        /** A process's; 0: it is not known yet. */
        volatile long memoryMb;
        private volatile double lately;

        /** One more, on the data plane's event loop. */
        void add(Use one, long nowNs) {
            lately = lately(nowNs) + 1;
            usedNs = nowNs;
            invocations.add(one.invocations());
            failed.add(one.failed());
            us.add(one.us());
            mbUs.add(one.mbUs());
            bytesIn.add(one.bytesIn());
            bytesOut.add(one.bytesOut());
        }

        /** Each counts half as much after a minute. */
        double lately(long nowNs) {
            return lately * Math.pow(0.5, (nowNs - usedNs) / HALF_NS);
        }

        Reading read(String application, String process) {
            return new Reading(application, process, connections.get(), invocations.sum(), failed.sum(), us.sum() / 1_000, mbUs.sum() / 1_000,
                    bytesIn.sum(), bytesOut.sum(), (System.nanoTime() - usedNs) / 1_000_000);
        }
    }

    /**
     * @param process null: all of the application
     * @param connections open ones
     * @param invocations answered, {@code failed} ones of them with a failure
     * @param ms from an invocation's arrival to its end, summed up; {@code mbMs}: each times its process's memory in MiB
     * @param bytesIn and {@code bytesOut}: of values
     * @param quietMs since somebody last connected or invoked something
     */
    public record Reading(String application, String process, long connections, long invocations, long failed, long ms, long mbMs,
                          long bytesIn, long bytesOut, long quietMs) {}

    private record Place(String application, String process) {}

    private final Map<String, Counts> applications = new ConcurrentHashMap<>();
    private final Map<Place, Counts> processes = new ConcurrentHashMap<>();
    final LongAdder refused = new LongAdder();

    Counts of(String application) {
        Counts known = applications.get(application);
        return known != null ? known : applications.computeIfAbsent(applications.size() < MOST_APPLICATIONS ? application : OTHER,
                name -> new Counts());
    }

    Counts of(String application, String process) {
        Place place = new Place(application, process);
        Counts known = processes.get(place);
        if (known == null && processes.size() >= MOST_PROCESSES) {
            long nowNs = System.nanoTime();
            processes.values().removeIf(counts -> counts.connections.get() == 0 && counts.lately(nowNs) < 0.5);
        }
        if (known == null && processes.size() >= MOST_PROCESSES) {
            return new Counts(); // counted with its application
        }
        return known != null ? known : processes.computeIfAbsent(place, each -> new Counts());
    }

    /** A connection has. Its process may be forgotten by now. */
    void closed(String application, String process) {
        of(application).connections.decrementAndGet();
        Counts known = processes.get(new Place(application, process));
        if (known != null) {
            known.connections.updateAndGet(open -> Math.max(0, open - 1));
        }
    }

    /** Of its processes; the application's own counts go on. */
    void forget(String application) {
        processes.keySet().removeIf(place -> place.application.equals(application));
    }

    void forget(String application, String process) {
        processes.remove(new Place(application, process));
    }

    /** By application. */
    public List<Reading> read() {
        return applications.entrySet().stream().map(each -> each.getValue().read(each.getKey(), null)).toList();
    }

    /** Of one process, for who pays for it and for who decides what is swapped out. */
    public Reading read(String application, String process) {
        Counts counts = processes.get(new Place(application, process));
        return counts == null ? new Reading(application, process, 0, 0, 0, 0, 0, 0, 0, Long.MAX_VALUE) : counts.read(application, process);
    }

    DataPlaneUse use(String application, String process) {
        Counts counts = processes.get(new Place(application, process));
        if (counts == null) {
            return new DataPlaneUse(0, 0, 0, 0, 0, 0, 0, null);
        }
        Reading read = counts.read(application, process);
        return new DataPlaneUse(read.connections(), read.invocations(), read.failed(), read.ms(), read.mbMs(), read.bytesIn(),
                read.bytesOut(), read.quietMs());
    }

    Map<String, Long> lately() {
        long nowNs = System.nanoTime();
        Map<String, Long> found = new HashMap<>();
        processes.forEach((place, counts) -> {
            long invoked = Math.round(counts.lately(nowNs));
            if (invoked > 0) {
                found.put(place.application() + "/" + place.process(), invoked);
            }
        });
        return found;
    }

    /** Connections that were turned away. */
    public long refused() {
        return refused.sum();
    }
}
