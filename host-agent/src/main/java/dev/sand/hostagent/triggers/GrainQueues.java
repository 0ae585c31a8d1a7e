package dev.sand.hostagent.triggers;

import dev.sand.datalayer.Registry;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Digests;
import dev.sand.event.Ids;
import dev.sand.event.Payload;
import dev.sand.event.QueueSpec;
import dev.sand.event.Slots;
import dev.sand.globalbus.QueueMessage;
import dev.sand.globalbus.Queues;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** What grains send to queues of their application. */
public final class GrainQueues {
    private final Registry registry;
    private final Queues queues;

    public GrainQueues(Registry registry, Queues queues) {
        this.registry = registry;
        this.queues = queues;
    }

    /**
     * Blocks a moment.
     *
     * @param eventId of the attempt, and {@code number} of its message: together the message's id, the same in each attempt
     * @param remainingMs what the attempt has left: it is told of a bus that does not answer in half of that, or in
     *     {@link Queues#PATIENCE}, so that it can still act on it
     * @return the id, once the message is in the global bus; @throws IllegalArgumentException for what cannot be sent
     */
    public CompletableFuture<String> send(String application, String eventId, int number, String queue, String group, Payload payload,
            long remainingMs) {
        QueueSpec spec = spec(application, queue, group);
        String id = id(eventId, number);
        Duration patience = Duration.ofMillis(Math.min(Queues.PATIENCE.toMillis(), remainingMs / 2));
        return send(application, spec, QueueMessage.of(id, group, payload, Ids.epochMs(id)), number, patience);
    }

    /** As above for the one message of a workflow's step. */
    public CompletableFuture<String> send(String application, String eventId, String queue, String group, Payload payload) {
        QueueSpec spec = spec(application, queue, group);
        String id = id(eventId, 0);
        return send(application, spec, QueueMessage.of(id, group, payload, Ids.epochMs(id)), 0, Queues.PATIENCE);
    }

    private CompletableFuture<String> send(String application, QueueSpec spec, QueueMessage message, int number, Duration patience) {
        return queues.sendOnce(application, spec, message, place(spec, message.id(), number), patience).thenApply(offset -> message.id());
    }

    /** The same in each attempt. Where messages are worked on together, those of executions that began together are neighbours. */
    static String place(QueueSpec queue, String id, int number) {
        return queue.batch() == 1 ? id : Ids.epochMs(id) / Math.max(1, queue.lingerMs()) + "#" + number / queue.batch();
    }

    private QueueSpec spec(String application, String queue, String group) {
        ApplicationVersion live = registry.resolve(application, Registry.LIVE).orElse(null);
        QueueSpec spec = live == null ? null : live.queues().get(queue);
        if (spec == null) {
            throw new IllegalArgumentException("application " + application + " has no queue " + queue
                    + (live == null ? "" : "; it has " + live.queues().keySet()));
        }
        String refusal = Queues.refusal(group);
        if (refusal != null) {
            throw new IllegalArgumentException(refusal);
        }
        return spec;
    }

    private static String id(String eventId, int number) {
        try {
            ByteBuffer drawn = ByteBuffer.wrap(Digests.sha256(Slots.request(eventId) + "#" + number));
            return Ids.encode(Ids.epochMs(eventId.substring(0, Ids.LENGTH)), drawn.getShort(), drawn.getLong());
        } catch (StringIndexOutOfBoundsException e) {
            throw new IllegalArgumentException("'" + eventId + "' is no event's id", e);
        }
    }
}
