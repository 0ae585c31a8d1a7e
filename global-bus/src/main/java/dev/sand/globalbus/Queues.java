package dev.sand.globalbus;

import dev.sand.event.BusRecords;
import dev.sand.event.Payload;
import dev.sand.event.QueueSpec;
import dev.sand.event.Slots;
import dev.sand.event.Topics;
import dev.sand.globalbus.BusException.Kind;
import dev.sand.globalbus.GlobalBus.AppendListener;
import dev.sand.globalbus.GlobalBus.Extent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Applications' queues on the global bus: their topics, and sending to them. Used by frontends (HTTP), host agents (grains,
 * changes of data, schedules) and whoever replays a dead letter. A queue has one partition a slot; a message's is that of its
 * group, so that who owns the slot has all of a group. Any thread.
 */
public final class Queues {
    private static final int MOST_REMEMBERED = 10_000;
    /** Longest time for which a sender waits for the bus to take a message; as long as callers wait for the global store. */
    public static final Duration PATIENCE = Duration.ofSeconds(5);

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
        return Topics.queue(application, queue);
    }

    /** Makes the queue where there is none; blocks. */
    public void create(String application, String queue) {
        bus.createTopic(topic(application, queue), slots);
    }

    /** Removes all queues of the application; blocks. */
    public void deleteApplication(String application) {
        String prefix = topic(application, "");
        bus.topics().stream().filter(topic -> topic.startsWith(prefix)).forEach(bus::deleteTopic);
    }

    public int partitionOf(String application, String group) {
        return Slots.of(application + "/" + group, slots);
    }

    /** As send with {@link #PATIENCE}. */
    public CompletableFuture<Long> send(String application, QueueSpec queue, QueueMessage message) {
        return send(application, queue, message, PATIENCE);
    }

    /**
     * Sends a message; completes with its offset once it is in the bus. Blocks a moment where a queue is sent to for the first
     * time in a while, to count what waits there.
     *
     * @param patience then it fails, the counting included
     * @return fails with {@link BusException} TOO_MANY when the queue's depth is reached, FULL where there is no room for any
     *     record, TOO_LARGE over the limit of a message, AWAY when the bus has not taken it in time: then it may be there all the same
     */
    public CompletableFuture<Long> send(String application, QueueSpec queue, QueueMessage message, Duration patience) {
        String topic = topic(application, queue.name());
        return send(application, queue, message, message.group() == null ? ungrouped(topic, queue) : partitionOf(application, message.group()),
                patience);
    }

    /**
     * As send, of a message that may be sent again under its id: a partition knows the ids that it had lately.
     *
     * @param place the same each time that it is sent; messages without a group go to one partition if they have the same
     */
    public CompletableFuture<Long> sendOnce(String application, QueueSpec queue, QueueMessage message, String place, Duration patience) {
        return send(application, queue, message, message.group() == null ? Slots.of(place, slots) : partitionOf(application, message.group()),
                patience);
    }

    private CompletableFuture<Long> send(String application, QueueSpec queue, QueueMessage message, int partition, Duration patience) {
        long untilNs = System.nanoTime() + patience.toNanos();
        CompletableFuture<Long> offset = new CompletableFuture<>();
        Payload payload = message.payload();
        if (payload.bytes() == null || payload.size() > QueueSpec.MESSAGE_BYTES) {
            offset.completeExceptionally(new BusException(Kind.TOO_LARGE, "a message of " + payload.size() + " bytes for queue "
                    + queue.name() + " is over the limit of " + QueueSpec.MESSAGE_BYTES
                    + "; put the value into shared data and send its key", null));
            return offset;
        }
        String topic = topic(application, queue.name());
        try {
            if (waiting.withOneMore(topic, partition, patience) > queue.depth()) {
                throw new BusException(Kind.TOO_MANY, "queue " + queue.name() + " of " + application + " has " + queue.depth()
                        + " messages waiting where this one would go, as many as its depth allows; come back later", null);
            }
            CompletableFuture<Long> appended = new CompletableFuture<>();
            bus.append(topic, partition, message.encode(), AppendFuture.completing(appended));
            appended.orTimeout(untilNs - System.nanoTime(), TimeUnit.NANOSECONDS).whenComplete((at, failure) -> {
                if (failure == null) {
                    offset.complete(at);
                } else {
                    offset.completeExceptionally(failure instanceof TimeoutException
                            ? unconfirmed(queue.name(), message, patience) : failure);
                }
            });
        } catch (BusException e) {
            offset.completeExceptionally(e);
        }
        return offset;
    }

    private static BusException unconfirmed(String queue, QueueMessage message, Duration patience) {
        return new BusException(Kind.AWAY, "the global bus has not confirmed message " + message.id() + " for queue " + queue + " in "
                + patience.toMillis() + " ms; it may be in the queue all the same: sent again under this id it is there once", null);
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

    /** A message, and where it lies in its partition. */
    public record Held(long offset, QueueMessage message) {}

    /** What a part of a partition holds. @param next where the following part begins; the same as before: there is none */
    public record Part(List<Held> messages, long next) {}

    public int partitions(String application, String queue) {
        return bus.partitions(topic(application, queue));
    }

    /** Some messages from that offset on, in order, without those of somebody else and what only a newer platform understands; blocks. */
    public Part read(String application, String queue, int partition, long offset, int max) {
        List<Held> messages = new ArrayList<>();
        long next = offset;
        for (GlobalBus.BusRecord record : bus.read(topic(application, queue), partition, offset, max)) {
            try {
                messages.add(new Held(record.offset(), QueueMessage.decode(record.value())));
            } catch (BusRecords.ForeignException e) {
                // It is no message.
            } catch (BusRecords.NewerException e) {
                return new Part(messages, next);
            }
            next = record.offset() + 1;
        }
        return new Part(messages, next);
    }

    /** Messages kept over all partitions, of which some may be worked off; blocks as {@link #extents}. */
    public long depth(String application, String queue) {
        return extents(application, queue).stream().mapToLong(Extent::kept).sum();
    }

    /** What each partition keeps; blocks. @throws BusException AWAY when the bus does not say within {@link #PATIENCE} */
    public List<Extent> extents(String application, String queue) {
        CompletableFuture<List<Extent>> extents = CompletableFuture.supplyAsync(() -> bus.extents(topic(application, queue)),
                question -> Thread.ofVirtual().name("queue-depth").start(question));
        return AppendFuture.join(extents.orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS),
                "count what waits in queue " + queue + " of " + application);
    }
}
