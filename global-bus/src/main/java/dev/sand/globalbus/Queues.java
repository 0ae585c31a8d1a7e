package dev.sand.globalbus;

import dev.sand.event.Payload;
import dev.sand.event.QueueSpec;
import dev.sand.event.Slots;
import dev.sand.globalbus.BusException.Kind;
import dev.sand.globalbus.GlobalBus.AppendListener;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Applications' queues on the global bus: their topics, and sending to them. Used by frontends (HTTP), host agents (grains,
 * changes of data, schedules) and whoever replays a dead letter. A queue has one partition a slot; a message's is that of its
 * group, so that who owns the slot has all of a group. Any thread.
 */
public final class Queues {
    private static final String PREFIX = "queue.";
    private static final int MOST_REMEMBERED = 10_000;

    /** Messages without a group stay on one partition for a while: there they can share an invocation. */
    private record Sticky(int partition, int left, long untilNs) {}

    private final GlobalBus bus;
    private final int slots;
    private final WaitingCounts waiting;
    private final Map<String, Sticky> sticky = new ConcurrentHashMap<>();

    /** @param slots of the platform, see {@link Membership#slots()} */
    public Queues(GlobalBus bus, int slots) {
        this.bus = bus;
        this.slots = slots;
        this.waiting = new WaitingCounts(bus);
    }

    public static String topic(String application, String queue) {
        return PREFIX + application + "." + queue;
    }

    /** Makes the queue where there is none; blocks. */
    public void create(String application, String queue) {
        bus.createTopic(topic(application, queue), slots);
    }

    /** Removes all queues of the application; blocks. */
    public void deleteApplication(String application) {
        String prefix = PREFIX + application + ".";
        bus.topics().stream().filter(topic -> topic.startsWith(prefix)).forEach(bus::deleteTopic);
    }

    public int partitionOf(String application, String group) {
        return Slots.of(application + "/" + group, slots);
    }

    /**
     * Sends a message; completes with its offset once it is in the bus. Blocks a moment where a queue is sent to for the first
     * time in a while, to count what waits there.
     *
     * @return fails with {@link BusException} TOO_MANY when the queue's depth is reached, FULL where there is no room for any record, TOO_LARGE over the limit of a message
     */
    public CompletableFuture<Long> send(String application, QueueSpec queue, QueueMessage message) {
        CompletableFuture<Long> offset = new CompletableFuture<>();
        Payload payload = message.payload();
        if (payload.bytes() == null || payload.size() > QueueSpec.MESSAGE_BYTES) {
            offset.completeExceptionally(new BusException(Kind.TOO_LARGE, "a message of " + payload.size() + " bytes for queue "
                    + queue.name() + " is over the limit of " + QueueSpec.MESSAGE_BYTES
                    + "; put the value into shared data and send its key", null));
            return offset;
        }
        String topic = topic(application, queue.name());
        int partition = message.group() == null ? ungrouped(topic, queue) : partitionOf(application, message.group());
        try {
            if (waiting.withOneMore(topic, partition) > queue.depth()) {
                throw new BusException(Kind.TOO_MANY, "queue " + queue.name() + " of " + application + " has " + queue.depth()
                        + " messages waiting where this one would go, as many as its depth allows; come back later", null);
            }
            bus.append(topic, partition, message.encode(), AppendFuture.completing(offset));
        } catch (BusException e) {
            offset.completeExceptionally(e);
        }
        return offset;
    }

    /** To a partition of the sender's choice, whatever waits there: for messages that follow from messages. */
    public void append(String application, String queue, int partition, QueueMessage message, AppendListener listener) {
        bus.append(topic(application, queue), partition, message.encode(), listener);
    }

    private int ungrouped(String topic, QueueSpec queue) {
        long nowNs = System.nanoTime();
        Sticky next = sticky.compute(topic, (name, before) -> before != null && before.left > 0 && nowNs < before.untilNs
                ? new Sticky(before.partition, before.left - 1, before.untilNs)
                : new Sticky(ThreadLocalRandom.current().nextInt(slots), queue.batch() - 1,
                        nowNs + Math.max(1, queue.lingerMs()) * 1_000_000));
        if (sticky.size() > MOST_REMEMBERED) {
            sticky.clear();
        }
        return next.partition;
    }

    /** @return null when the group may be used, else a sentence */
    public static String refusal(String group) {
        return group == null || group.length() <= QueueSpec.GROUP_CHARS && !group.isEmpty()
                && StandardCharsets.UTF_8.newEncoder().canEncode(group) ? null
                : "a group's name has 1 to " + QueueSpec.GROUP_CHARS + " characters, not " + group.length();
    }

    /** Messages waiting over all partitions; blocks. */
    public long depth(String application, String queue) {
        String topic = topic(application, queue);
        long depth = 0;
        for (int partition = 0; partition < bus.partitions(topic); partition++) {
            depth += bus.endOffset(topic, partition) - bus.beginOffset(topic, partition);
        }
        return depth;
    }
}
