package dev.sand.frontend.management;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.HostAgentPort;
import dev.sand.event.HostAgentPort.HostStatus;
import dev.sand.event.Ids;
import dev.sand.event.Slots;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * Where grains of the management application run: each host decides by its own options whether they may control the platform. An
 * execution runs on the host that owns its slot, so that an id is drawn for the host which is meant.
 */
final class ManagedHosts {
    private static final long STATUS_MS = 2_000;
    private final HostAgentPort host;
    private final int slots;
    private final LongSupplier clockMs;

    /** Whether one grain can be had, and can control. */
    interface Question {
        /** @return why not, or null */
        String ask(ApplicationVersion version, String grain, String id);
    }

    /** @param slots of the platform */
    ManagedHosts(HostAgentPort host, int slots, LongSupplier clockMs) {
        this.host = host;
        this.slots = slots;
        this.clockMs = clockMs;
    }

    /** Of an execution, wherever it runs. */
    String id() {
        return Ids.next(clockMs.getAsLong(), ThreadLocalRandom.current());
    }

    private String idOn(HostStatus at) {
        List<Integer> own = at.place().slots();
        return Slots.placed(id(), own.get(ThreadLocalRandom.current().nextInt(own.size())), slots);
    }

    /** For each host but the one that an execution ran on, an id of one that runs there. */
    List<String> elsewhere(String id) {
        int slot = Slots.of(id, slots);
        return placed().stream().filter(each -> !each.place().slots().contains(slot)).map(this::idOn).toList();
    }

    /** Whether one takes work now, as far as they say so. */
    boolean isThere() {
        return !takingWork().isEmpty();
    }

    private List<HostStatus> takingWork() {
        try {
            return host.status().get(STATUS_MS, TimeUnit.MILLISECONDS).stream().filter(each -> each.problem() == null && !each.draining()).toList();
        } catch (ExecutionException | TimeoutException e) {
            return List.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }

    /** None where there is but one host. */
    private List<HostStatus> placed() {
        return takingWork().stream().filter(each -> each.place() != null && !each.place().slots().isEmpty()).toList();
    }

    /**
     * Asks every grain of that version, and on every host at least one, all at once.
     *
     * @return names of those that are not ready, by why and where
     */
    Map<String, Set<String>> notReady(ApplicationVersion version, Question question) {
        List<HostStatus> hosts = placed();
        List<String> grains = List.copyOf(new TreeSet<>(version.grains().keySet()));
        Map<String, Set<String>> broken = new ConcurrentSkipListMap<>();
        try (ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < Math.max(grains.size(), hosts.size()); i++) {
                String grain = grains.get(i % grains.size());
                HostStatus at = hosts.isEmpty() ? null : hosts.get(i % hosts.size());
                calls.execute(() -> {
                    String why;
                    try {
                        why = question.ask(version, grain, at == null ? id() : idOn(at));
                    } catch (RuntimeException e) { // whatever it is, an unanswered question is no yes
                        why = e.toString();
                    }
                    if (why != null) {
                        broken.computeIfAbsent(at == null ? why : "on " + at.host() + ": " + why, _ -> new ConcurrentSkipListSet<>()).add(grain);
                    }
                });
            }
        }
        return broken;
    }
}
