package dev.sand.globalbus;

import dev.sand.event.BusRecords;
import dev.sand.event.Codec;
import dev.sand.event.Limits;
import dev.sand.event.Payload;

/**
 * One message of an application's queue, as it stands in topic {@code queue.<application>.<queue>}.
 *
 * @param schema version of this record's shape
 * @param id the same for the same message sent twice: the second one is dropped
 * @param group its messages are worked on in order; null: in no order
 * @param payload always with its bytes
 * @param enqueuedMs wall clock of whoever sent it
 * @param target instead of the queue's own, or null
 * @param failed the message that this one tells of, by id, or null: this one has no dead letter's handler of its own
 */
public record QueueMessage(short schema, String id, String group, Payload payload, long enqueuedMs, String target, String failed) {

    public static QueueMessage of(String id, String group, Payload payload, long enqueuedMs) {
        return new QueueMessage(Limits.SCHEMA_VERSION, id, group, payload, enqueuedMs, null, null);
    }

    public byte[] encode() {
        return Codec.encode(this);
    }

    /** @throws BusRecords.NewerException or BusRecords.ForeignException when it is none that is understood */
    public static QueueMessage decode(byte[] value) {
        QueueMessage message = BusRecords.decode(value, QueueMessage.class, Limits.SCHEMA_VERSION);
        BusRecords.require(message.id != null && message.payload != null && message.payload.bytes() != null
                && Queues.refusal(message.group) == null, "a message lacks what it must have");
        return message;
    }
}
