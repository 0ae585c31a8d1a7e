package dev.sand.globalbus;

import dev.sand.globalbus.GlobalBus.Tail;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One tail of the Kafka bus; {@code next} belongs to the tails' thread. */
final class KafkaTail implements Tail {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaTail.class);

    /** As {@link GlobalBus.TailListener}, with all that Kafka knows of a record. */
    interface Listener {
        void onRecords(List<ConsumerRecord<byte[], byte[]>> records);
    }

    final String topic;
    final int partition;
    long next;
    private final Listener listener;
    private final KafkaTails tails;
    private final ReentrantLock delivery = new ReentrantLock();
    private volatile boolean paused;
    private volatile boolean closed;

    KafkaTail(String topic, int partition, long offset, Listener listener, KafkaTails tails) {
        this.topic = topic;
        this.partition = partition;
        this.next = offset;
        this.listener = listener;
        this.tails = tails;
    }

    boolean wants() {
        return !paused && !closed;
    }

    /** Several tails share a partition's records: each takes what it has not had. */
    void deliver(List<ConsumerRecord<byte[], byte[]>> records) {
        delivery.lock();
        try {
            if (!wants()) {
                return;
            }
            List<ConsumerRecord<byte[], byte[]>> mine = records.getFirst().offset() >= next ? records
                    : records.stream().filter(record -> record.offset() >= next).toList();
            if (!mine.isEmpty()) {
                next = mine.getLast().offset() + 1;
                listener.onRecords(mine);
            }
        } catch (RuntimeException e) {
            LOG.error("global bus: the listener of {}-{} failed before {}", topic, partition, next, e);
        } finally {
            delivery.unlock();
        }
    }

    @Override
    public void pause() {
        paused = true;
        tails.changed(this);
    }

    @Override
    public void resume() {
        paused = false;
        tails.changed(this);
    }

    @Override
    public void close() {
        delivery.lock(); // waits for a delivery under way, unless it is that delivery that closes
        try {
            closed = true;
        } finally {
            delivery.unlock();
        }
        tails.closed(this);
    }
}
