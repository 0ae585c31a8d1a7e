package dev.sand.hostagent.journal;

import dev.sand.globalbus.GlobalBus;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32;

/** One journal topic an application, made at its first record; an execution's partition; and which partitions are stopped. */
final class JournalTopics {
    static final String PREFIX = "journal.";

    record Place(String topic, int partition) {}

    private final GlobalBus bus;
    private final int partitions;
    private final Map<String, Integer> known = new ConcurrentHashMap<>();
    private final Map<Place, String> stopped = new ConcurrentHashMap<>();

    JournalTopics(GlobalBus bus, int partitions) {
        this.bus = bus;
        this.partitions = partitions;
    }

    /** Blocks at an application's first record. @throws dev.sand.globalbus.BusException when there is no topic to be had */
    Place place(String application, String executionId) {
        String topic = PREFIX + application;
        int count = known.computeIfAbsent(topic, name -> {
            bus.createTopic(name, partitions);
            return bus.partitions(name);
        });
        return new Place(topic, partition(executionId, count));
    }

    /** The same in every language: CRC-32 of the id, modulo the number of partitions. */
    static int partition(String executionId, int partitions) {
        CRC32 hash = new CRC32();
        hash.update(executionId.getBytes(StandardCharsets.UTF_8));
        return (int) (hash.getValue() % partitions);
    }

    void stop(Place place, String cause) {
        stopped.put(place, cause);
    }

    /** @return why nothing may be written there, or null */
    String stopped(Place place) {
        return stopped.get(place);
    }

    Set<Place> stopped() {
        return stopped.keySet();
    }

    void forget(String application) {
        known.remove(PREFIX + application);
    }
}
