package dev.sand.standalone.observe;

import dev.sand.event.InvocationResult.Status;
import dev.sand.globalbus.GlobalBus;
import dev.sand.hostagent.HostAgent;
import dev.sand.hostagent.HostAgent.HostFigures;
import dev.sand.hostagent.core.Durations;
import dev.sand.hostagent.core.Figures;
import dev.sand.hostagent.core.GrainFigures;
import dev.sand.hostagent.journal.JournalFigures.Backlog;
import dev.sand.hostagent.journal.JournalFigures.Recovery;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** What a host agent has measured, as metrics. */
public final class HostMetrics {
    /** A shard answers within half a millisecond or is not well: then this part of the page is left out. */
    private static final long ANSWER_MS = 2_000;
    private static final String[] SLOTS = {"elsewhere", "recovering", "ours"};
    private static final Pattern HUMP = Pattern.compile("(?<=[a-z])(?=[A-Z])");

    private HostMetrics() {}

    public static void addTo(Metrics metrics, HostAgent host, GlobalBus bus) {
        metrics.add(() -> host.figures().get(ANSWER_MS, TimeUnit.MILLISECONDS), figures -> families(figures, bus.backlogBytes()));
    }

    static List<Family> families(HostFigures figures, long backlogBytes) {
        List<Family> all = new ArrayList<>(grains(figures.shards()));
        all.addAll(executions(figures.shards()));
        all.addAll(backup(figures, backlogBytes));
        all.addAll(fences(figures));
        all.addAll(backupByApplication(figures));
        all.addAll(shards(figures));
        return all;
    }

    private static List<Family> grains(List<Figures.Reading> shards) {
        Family queued = Family.gauge("sand_grain_queue_events", "Events that wait for an instance.");
        Family bytes = Family.gauge("sand_grain_queue_bytes", "Inputs of the events that wait.");
        Family oldest = Family.gauge("sand_grain_queue_oldest_seconds", "Age of the event that waits for longest.");
        Family instances = Family.gauge("sand_grain_instances", "Instances: idle, running, or being forked.");
        Family attempts = Family.counter("sand_grain_attempts", "Attempts of events that ended.");
        Family failures = Family.counter("sand_grain_attempt_failures", "Attempts that failed, crashed or were killed.");
        Family queue = Family.histogram("sand_grain_queue_seconds", "From the queue to an instance.");
        Family handOver = Family.histogram("sand_grain_handover_seconds",
                "From the queue to the handler's first line, of events that found an instance waiting.");
        Family dispatch = Family.histogram("sand_grain_dispatch_seconds", "From an instance to the handler's first line.");
        Family run = Family.histogram("sand_grain_run_seconds", "The handler.");
        Family returned = Family.histogram("sand_grain_bus_seconds", "From the handler's end back to the host agent.");
        Family fork = Family.histogram("sand_grain_fork_seconds", "From the order to fork until the instance waits, rehearsed.");
        for (Figures.Reading shard : shards) {
            for (GrainFigures.Reading grain : shard.grains()) {
                String[] labels = {"application", grain.application(), "grain", grain.grain()};
                queued.add(grain.queued(), labels);
                bytes.add(grain.queuedBytes(), labels);
                oldest.add(grain.oldestNs() * 1e-9, labels);
                instances.add(grain.idle(), "application", grain.application(), "grain", grain.grain(), "state", "idle");
                instances.add(grain.running(), "application", grain.application(), "grain", grain.grain(), "state", "running");
                instances.add(grain.spawning(), "application", grain.application(), "grain", grain.grain(), "state", "forking");
                attempts.add(grain.attempts(), labels);
                failures.add(grain.failures(), labels);
                add(queue, grain.queue(), labels);
                add(handOver, grain.handOver(), labels);
                add(dispatch, grain.dispatch(), labels);
                add(run, grain.run(), labels);
                add(returned, grain.bus(), labels);
                add(fork, grain.fork(), labels);
            }
        }
        return List.of(queued, bytes, oldest, instances, attempts, failures, queue, handOver, dispatch, run, returned, fork);
    }

    private static void add(Family family, Durations.Reading reading, String... labels) {
        family.add(reading.counts(), reading.sumNs(), labels);
    }

    /** An application is one shard's; only what has no place of its own may come from several. */
    private static List<Family> executions(List<Figures.Reading> shards) {
        Family ended = Family.counter("sand_executions_ended", "Executions that ended, by how.");
        Family open = Family.gauge("sand_executions_open", "Executions that run.");
        Map<String, long[]> ends = new TreeMap<>();
        Map<String, Integer> running = new TreeMap<>();
        for (Figures.Reading shard : shards) {
            for (Figures.Ends one : shard.ends()) {
                long[] sums = ends.computeIfAbsent(one.application(), _ -> new long[Status.values().length]);
                for (int i = 0; i < sums.length; i++) {
                    sums[i] += one.ends()[i];
                }
                running.merge(one.application(), one.open(), Integer::sum);
            }
        }
        ends.forEach((application, counts) -> {
            for (Status status : Status.values()) {
                if (status != Status.RUNNING) {
                    ended.add(counts[status.ordinal()], "application", application, "status",
                            status.name().toLowerCase(Locale.ROOT));
                }
            }
        });
        running.forEach((application, count) -> open.add(count, "application", application));
        return List.of(ended, open);
    }

    private static List<Family> backup(HostFigures figures, long backlogBytes) {
        Family recovery = Family.histogram("sand_recovery_seconds", "From acquiring a slot until its executions run on here.");
        Family slots = Family.gauge("sand_slots", "Slots of the platform, as this host sees them.");
        long[] counts = new long[0];
        long sumNs = 0;
        for (Figures.Reading shard : figures.shards()) {
            long[] more = shard.recovery().counts();
            counts = counts.length == 0 ? more : sum(counts, more);
            sumNs += shard.recovery().sumNs();
        }
        if (counts.length > 0) {
            recovery.add(counts, sumNs);
            for (int i = 0; i < SLOTS.length; i++) {
                slots.add(figures.shards().getFirst().slots()[i], "state", SLOTS[i]);
            }
        }
        return List.of(recovery, slots,
                Family.gauge("sand_backup_lag_records", "Backups given to the global bus and not yet durable.")
                        .add(figures.journalBacklog()),
                Family.gauge("sand_backup_lag_bytes", "Bytes given to the global bus and not yet durable.").add(backlogBytes),
                Family.gauge("sand_record_lag_records", "Invocation records not yet stored.").add(figures.recordBacklog()));
    }

    /** What was refused since its slot is not, or not surely, that of the host that acted in it. */
    private static List<Family> fences(HostFigures figures) {
        Family withheld = Family.counter("sand_withheld", "Effects that did not leave this host, since their slot is another's or may be.");
        figures.counts().withheld().forEach((effect, count) -> withheld.add(count, "effect", effect));
        Family control = Family.counter("sand_control_calls", "Calls of grains to control the platform.")
                .add(figures.controlled().made(), "outcome", "made").add(figures.controlled().denied(), "outcome", "denied");
        return List.of(withheld, control, Family.counter("sand_journal_refused", "Journal records that count for nothing: their slot was another's.")
                .add(figures.refused().moved(), "why", "moved").add(figures.refused().voided(), "why", "void"));
    }

    /** An application that this host knows and that has nothing under way is told as 0, so that its line does not break off. */
    private static List<Family> backupByApplication(HostFigures figures) {
        Family records = Family.gauge("sand_application_backup_records", "Backups of the application that are not yet durable.");
        Family bytes = Family.gauge("sand_application_backup_bytes", "Their bytes.");
        Map<String, Backlog> backlog = new TreeMap<>();
        figures.shards().forEach(shard -> shard.ends().forEach(one -> backlog.put(one.application(), new Backlog(0, 0))));
        figures.journal().recoveries().keySet().forEach(application -> backlog.put(application, new Backlog(0, 0)));
        figures.journal().backlog().forEach((application, open) -> {
            boolean fits = backlog.size() < Figures.MOST_APPLICATIONS || backlog.containsKey(application);
            backlog.merge(fits ? application : Figures.OTHER, open, Backlog::plus);
        });
        backlog.forEach((application, open) -> {
            records.add(open.records(), "application", application);
            bytes.add(open.bytes(), "application", application);
        });
        Family recovery = Family.histogram("sand_application_recovery_seconds",
                "From claiming a slot's journals until the application's, with executions open in it, was read.");
        Family recovered = Family.counter("sand_application_recovered", "Executions of the application that were found open.");
        backlog.keySet().forEach(application -> {
            Recovery taken = figures.journal().recoveries().getOrDefault(application, Recovery.NONE);
            recovery.add(taken.durations().counts(), taken.durations().sumNs(), "application", application);
            recovered.add(taken.executions(), "application", application);
        });
        return List.of(records, bytes, recovery, recovered);
    }

    private static long[] sum(long[] one, long[] other) {
        return IntStream.range(0, one.length).mapToLong(i -> one[i] + other[i]).toArray();
    }

    private static List<Family> shards(HostFigures figures) {
        Family events = Family.counter("sand_host_events", "What the host agent's shards have counted, by what.");
        Map<String, Long> sums = new TreeMap<>();
        int sandboxes = 0;
        for (Figures.Reading shard : figures.shards()) {
            shard.counters().forEach((name, value) ->
                    sums.merge(HUMP.matcher(name).replaceAll("_").toLowerCase(Locale.ROOT), value, Long::sum));
            sandboxes += shard.sandboxes();
        }
        sums.forEach((name, value) -> events.add(value, "event", name));
        return List.of(events,
                Family.counter("sand_host_slots", "Slots that became this host's, were given up in order, or were lost at once.")
                        .add(figures.slots().acquired(), "event", "acquired").add(figures.slots().released(), "event", "released")
                        .add(figures.slots().lost(), "event", "lost"),
                Family.gauge("sand_sandboxes", "Sandboxes of applications.").add(sandboxes),
                Family.counter("sand_shard_stalls", "Inputs that held a shard for too long.").add(figures.counts().stalls()),
                Family.counter("sand_shard_starved", "Inputs that took long since the shard's thread waited for a processor.")
                        .add(figures.counts().starved()),
                Family.counter("sand_shard_dropped", "Inputs that counted no more.").add(figures.counts().dropped()),
                Family.gauge("sand_local_bus_connections", "Connections of processes in sandboxes.")
                        .add(figures.counts().bus().connections()),
                Family.counter("sand_local_bus_refused", "Connections over the limit of a sandbox.")
                        .add(figures.counts().bus().refused()),
                Family.counter("sand_local_bus_violations", "Connections closed for what they sent.")
                        .add(figures.counts().bus().violations()));
    }
}
