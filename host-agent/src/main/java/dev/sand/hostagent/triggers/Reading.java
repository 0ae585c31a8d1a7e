package dev.sand.hostagent.triggers;

import dev.sand.event.BusRecords;
import dev.sand.event.LogFields;
import dev.sand.globalbus.GlobalBus.BusRecord;
import dev.sand.globalbus.GlobalBus.Tail;
import dev.sand.globalbus.QueueMessage;
import dev.sand.globalbus.Queues;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One partition of a queue while it is this host's: how far it is read and stored. Owner's thread. */
final class Reading {
    private static final Logger LOG = LoggerFactory.getLogger(Reading.class);
    final int partition;
    final long epoch;
    Tail tail;
    long next;
    long version;
    boolean dirty;
    boolean writing;
    /** At a record that only a newer platform understands. */
    boolean stopped;
    /** Where the partition ended when it was looked at last: while its flow is stopped, what lies there is not held here. */
    long end;
    boolean looking;

    Reading(int partition, long epoch) {
        this.partition = partition;
        this.epoch = epoch;
    }

    long unread() {
        return Math.max(0, end - next);
    }

    void flow(boolean wanted) {
        if (stopped) {
            return;
        }
        if (wanted) {
            tail.resume();
        } else {
            tail.pause();
        }
    }

    /** What the records hold: null in place of what is not ours; up to the first that only a newer platform understands. */
    List<Batch.Held> messages(String application, String queue, List<BusRecord> records) {
        String topic = Queues.topic(application, queue);
        List<Batch.Held> messages = new ArrayList<>(records.size());
        for (BusRecord record : records) {
            try {
                messages.add(new Batch.Held(record.offset(), QueueMessage.decode(record.value())));
            } catch (BusRecords.ForeignException e) {
                // Not skipped in silence: somebody else writes to this topic.
                LOG.atWarn().addKeyValue(LogFields.APPLICATION, application).addKeyValue(LogFields.QUEUE, queue)
                        .addKeyValue(LogFields.SLOT, partition).addKeyValue(LogFields.EPOCH, epoch)
                        .log("{}-{}, offset {}: passed over, {}", topic, partition, record.offset(), e.getMessage());
                messages.add(new Batch.Held(record.offset(), null));
            } catch (BusRecords.NewerException e) {
                LOG.atError().addKeyValue(LogFields.APPLICATION, application).addKeyValue(LogFields.QUEUE, queue)
                        .addKeyValue(LogFields.SLOT, partition).addKeyValue(LogFields.EPOCH, epoch)
                        .log("{}-{} stops at offset {}: {}; it and what follows wait for a platform that understands it", topic, partition,
                        record.offset(), e.getMessage());
                tail.close();
                stopped = true;
                break;
            }
            next = record.offset() + 1;
        }
        return messages;
    }
}
