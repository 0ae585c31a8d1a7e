package dev.sand.globalbus;

import dev.sand.globalbus.BusException.Kind;
import dev.sand.globalbus.GlobalBus.BusRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Reads of a page at a time, by a few consumers that callers share. */
final class KafkaReads {
    private static final int READERS = 3;
    private static final int POLL_RECORDS = 2000;
    /** The consumer asks for more than was wanted, and the next read of another partition waits for that. */
    private static final Duration WAIT = Duration.ofMillis(1);
    /** A read ends after this many bytes, with at least one record. */
    private static final long READ_BYTES = 16L << 20;

    private final KafkaBus.Options options;
    private final KafkaClients clients;
    private final KafkaTopics topics;
    private final BlockingQueue<KafkaConsumer<byte[], byte[]>> idle = new ArrayBlockingQueue<>(READERS);
    private final AtomicInteger made = new AtomicInteger();

    KafkaReads(KafkaBus.Options options, KafkaClients clients, KafkaTopics topics) {
        this.options = options;
        this.clients = clients;
        this.topics = topics;
    }

    List<BusRecord> read(String topic, int partition, long offset, int max) {
        topics.require(topic, partition);
        if (max <= 0) {
            return List.of();
        }
        KafkaConsumer<byte[], byte[]> consumer = take();
        try {
            consumer.assign(List.of(topics.partition(topic, partition)));
            return read(consumer, topics.partition(topic, partition), offset, max);
        } catch (KafkaException e) {
            throw topics.goneOr(topic, partition, KafkaErrors.of("read " + topic, e));
        } finally {
            consumer.unsubscribe();
            idle.add(consumer);
        }
    }

    private List<BusRecord> read(KafkaConsumer<byte[], byte[]> consumer, TopicPartition at, long offset, int max) {
        long deadline = System.nanoTime() + options.timeout().toNanos();
        long end = consumer.endOffsets(List.of(at)).get(at);
        long from = Math.max(offset, consumer.beginningOffsets(List.of(at)).get(at));
        List<BusRecord> records = new ArrayList<>();
        if (from >= end) {
            return records;
        }
        consumer.seek(at, from);
        long bytes = 0;
        while (records.size() < max && bytes < READ_BYTES && from < end) {
            if (System.nanoTime() - deadline > 0) {
                if (records.isEmpty()) {
                    throw new BusException(Kind.AWAY, "cannot read " + at + " from " + from + ": no answer from the global bus in "
                            + options.timeout(), null);
                }
                return records;
            }
            try {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100)).records(at)) {
                    if (records.size() < max && record.offset() < end) {
                        records.add(record(record));
                        bytes += record.serializedValueSize();
                    }
                    from = record.offset() + 1;
                }
            } catch (OffsetOutOfRangeException e) { // trimmed meanwhile
                from = Math.max(from, consumer.beginningOffsets(List.of(at)).get(at));
                consumer.seek(at, from);
            }
        }
        return records;
    }

    /** A record without a value is somebody else's; ours all have one. */
    static BusRecord record(ConsumerRecord<byte[], byte[]> record) {
        return new BusRecord(record.offset(), record.value() == null ? new byte[0] : record.value(), Math.max(0, record.timestamp()));
    }

    private KafkaConsumer<byte[], byte[]> take() {
        KafkaConsumer<byte[], byte[]> consumer = idle.poll();
        if (consumer == null && made.getAndUpdate(n -> Math.min(READERS, n + 1)) < READERS) {
            try {
                return clients.consumer("reader", POLL_RECORDS, WAIT);
            } catch (RuntimeException e) { // as when the brokers' names are not known now: its place is free again
                made.decrementAndGet();
                throw e;
            }
        }
        try {
            return consumer != null ? consumer : waitForOne();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BusException(Kind.BROKEN, "interrupted while waiting for a reader", e);
        }
    }

    private KafkaConsumer<byte[], byte[]> waitForOne() throws InterruptedException {
        KafkaConsumer<byte[], byte[]> consumer = idle.poll(2 * options.timeout().toMillis(), TimeUnit.MILLISECONDS);
        if (consumer == null) {
            throw new BusException(Kind.AWAY, "all " + READERS + " readers of the global bus wait for it", null);
        }
        return consumer;
    }

    void close() {
        for (int i = made.getAndSet(READERS); i > 0; i--) {
            try {
                waitForOne().close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
