package dev.sand.hostagent.triggers;

import dev.sand.datalayer.TriggerStore.DeadLetter;
import dev.sand.event.Failure;
import dev.sand.event.Limits;
import dev.sand.event.LogFields;
import dev.sand.globalbus.AppendFuture;
import dev.sand.globalbus.QueueMessage;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Messages of one queue that failed for good: kept, and told to whoever handles them. Blocks; any thread of the crew's. */
final class DeadLetters {
    private static final Logger LOG = LoggerFactory.getLogger(DeadLetters.class);
    private final TriggerParts parts;
    private final String application;
    private final String queue;

    DeadLetters(TriggerParts parts, String application, String queue) {
        this.parts = parts;
        this.application = application;
        this.queue = queue;
    }

    /**
     * First the letter, then who is told of it, then the message is settled by the caller: a crash in between repeats, and loses
     * nothing.
     *
     * @param handler target that is told of each letter, or null
     * @return false: the application is deleted, with its dead letters; these would be found in the next one of that name
     */
    boolean bury(Batch batch, Failure failure, String executionId, String handler) {
        if (!parts.registry().exists(application)) {
            return false;
        }
        for (Batch.Held held : batch.messages()) {
            QueueMessage message = held.message();
            parts.store().bury(application, new DeadLetter(Limits.SCHEMA_VERSION, message.id(), queue, message.group(),
                    message.payload(), message.enqueuedMs(), parts.clockMs().getAsLong(), batch.attempt(), failure, executionId));
            if (handler != null && message.failed() == null) {
                tell(handler, batch, message, failure, executionId);
            }
        }
        return true;
    }

    private void tell(String handler, Batch batch, QueueMessage message, Failure failure, String executionId) {
        CompletableFuture<Long> offset = new CompletableFuture<>();
        parts.queues().append(application, queue, batch.partition(), new QueueMessage(Limits.SCHEMA_VERSION,
                message.id() + ".failed", null, Deliveries.told(queue, message, batch.attempt(), failure, executionId),
                parts.clockMs().getAsLong(), handler, message.id()), AppendFuture.completing(offset));
        offset.join();
    }

    void log(Batch batch, Failure failure, String executionId) {
        LOG.atWarn().addKeyValue(LogFields.APPLICATION, application).addKeyValue(LogFields.QUEUE, queue)
                .addKeyValue(LogFields.EXECUTION_ID, executionId)
                .log("queue {} of {}: {} given up after {} attempts: {}", queue, application, Deliveries.ids(batch), batch.attempt(),
                failure.cause());
    }
}
