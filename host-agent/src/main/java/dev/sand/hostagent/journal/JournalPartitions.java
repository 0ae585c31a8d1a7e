package dev.sand.hostagent.journal;

import dev.sand.event.Topics;
import dev.sand.globalbus.GlobalBus;
import dev.sand.hostagent.journal.JournalQueue.Given;
import dev.sand.hostagent.slots.TopicList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/** The journals' partitions that this host writes to or has written to: one topic an application, a partition a slot. */
final class JournalPartitions {
    private static final String PREFIX = Topics.journal("");

    private record Key(String topic, int number) {}

    private final GlobalBus bus;
    private final TopicList list;
    private final int slots;
    private final Map<Key, JournalPartition> known = new ConcurrentHashMap<>();
    private final AtomicReference<Set<String>> listed = new AtomicReference<>(Set.of());
    private final Map<String, Boolean> topics = new ConcurrentHashMap<>();

    JournalPartitions(GlobalBus bus, int slots) {
        this.bus = bus;
        this.list = new TopicList(bus);
        this.slots = slots;
    }

    /** Blocks at an application's first record. @throws dev.sand.globalbus.BusException when there is no topic to be had */
    JournalPartition of(String application, int slot) {
        String topic = Topics.journal(application);
        topics.computeIfAbsent(topic, name -> {
            bus.createTopic(name, slots);
            return true;
        });
        return partition(topic, slot);
    }

    /** Without making anything; null when nothing is known of it. */
    JournalPartition known(String application, int slot) {
        return known.get(new Key(Topics.journal(application), slot));
    }

    /** Whether {@link #of} has it at once. */
    boolean isKnown(String application, int slot) {
        String topic = Topics.journal(application);
        return topics.containsKey(topic) && known.containsKey(new Key(topic, slot));
    }

    private JournalPartition partition(String topic, int slot) {
        return known.computeIfAbsent(new Key(topic, slot), key -> new JournalPartition(topic, slot));
    }

    /** Of every journal that the bus has, as far as it is known since less than a second; blocks. */
    List<JournalPartition> ofSlot(int slot) {
        for (String topic : list.names()) {
            if (topic.startsWith(PREFIX)) {
                partition(topic, slot);
            }
        }
        return knownOfSlot(slot);
    }

    /** Journals that were there and are not any more: deleted with their applications. Blocks. */
    List<String> gone() {
        Set<String> now = list.names().stream().filter(topic -> topic.startsWith(PREFIX)).collect(Collectors.toSet());
        return listed.getAndSet(now).stream().filter(topic -> !now.contains(topic)).toList();
    }

    List<JournalPartition> knownOfSlot(int slot) {
        return known.values().stream().filter(partition -> partition.number == slot).toList();
    }

    /** Records that wait for a claim. */
    long waiting() {
        return known.values().stream().mapToLong(JournalPartition::waiting).sum();
    }

    /** Acceptances that have waited for a claim since then or longer: they wait no more. */
    Map<JournalPartition, List<Given>> overdue(long sinceNs) {
        Map<JournalPartition, List<Given>> all = new HashMap<>();
        for (JournalPartition partition : known.values()) {
            List<Given> overdue = partition.overdue(sinceNs);
            if (!overdue.isEmpty()) {
                all.put(partition, overdue);
            }
        }
        return all;
    }

    /** @return what is known no more */
    List<JournalPartition> forget(String topic) {
        topics.remove(topic);
        List<JournalPartition> forgotten = known.values().stream().filter(each -> each.topic.equals(topic)).toList();
        forgotten.forEach(each -> known.remove(new Key(topic, each.number), each));
        return forgotten;
    }
}
