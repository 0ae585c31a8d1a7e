package dev.sand.hostagent.triggers;

import dev.sand.datalayer.Registry;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Ids;
import dev.sand.event.Payload;
import dev.sand.event.QueueSpec;
import dev.sand.globalbus.QueueMessage;
import dev.sand.globalbus.Queues;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
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
     * @return the id, once the message is in the global bus; @throws IllegalArgumentException for what cannot be sent
     */
    public CompletableFuture<String> send(String application, String eventId, int number, String queue, String group, Payload payload) {
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
        String id = id(eventId, number);
        return queues.send(application, spec, QueueMessage.of(id, group, payload, Ids.epochMs(id))).thenApply(offset -> id);
    }

    private static String id(String eventId, int number) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest((eventId + "#" + number).getBytes(StandardCharsets.UTF_8));
            ByteBuffer drawn = ByteBuffer.wrap(digest);
            return Ids.encode(Ids.epochMs(eventId.substring(0, Ids.LENGTH)), drawn.getShort(), drawn.getLong());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        } catch (StringIndexOutOfBoundsException e) {
            throw new IllegalArgumentException("'" + eventId + "' is no event's id", e);
        }
    }
}
