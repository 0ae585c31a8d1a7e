package dev.sand.globalbus;

import dev.sand.globalbus.BusException.Kind;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/**
 * The global bus of a cluster: Kafka, with its own clients. An idempotent producer behind a bounded backlog, so that no
 * caller ever waits for it; topics that lose nothing by time; no transactions, so that offsets have no gaps.
 */
public final class KafkaBus implements GlobalBus {
    /**
     * @param servers host:port of some brokers, separated by commas
     * @param maxBacklogBytes accepted and not yet durable; beyond it, appends fail with FULL
     * @param maxRecordBytes one record
     * @param linger how long records that nobody waits for may wait for others
     * @param timeout for an answer of a broker; then calls fail with AWAY, appends after twice that at the latest. An append
     *     that fails so may be in the bus all the same, or come into it later
     * @param replication copies of a new topic's partitions, all but one of which an acknowledged record is in; 0: three, or
     *     as many as there are brokers
     * @param prefix of every topic and group of this platform, when it shares the cluster with others
     */
    public record Options(String servers, long maxBacklogBytes, int maxRecordBytes, Duration linger, Duration timeout,
                          int replication, String prefix) {
        public static Options of(String servers) {
            return new Options(servers, 256L << 20, 32 << 20, Duration.ofMillis(2), Duration.ofSeconds(15), 0, "");
        }
    }

    private final Options options;
    private final KafkaClients clients;
    private final KafkaTopics topics;
    private final KafkaExtents extents;
    private final KafkaAppends appends;
    private final KafkaReads reads;
    private final KafkaTrims trims;
    private final KafkaTails tails;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Does not wait for a broker; its name must be known. */
    public KafkaBus(Options options) {
        this.options = options;
        this.clients = new KafkaClients(options);
        this.topics = new KafkaTopics(clients.admin(), options);
        this.extents = new KafkaExtents(topics);
        this.appends = new KafkaAppends(options, topics, clients.producer());
        this.reads = new KafkaReads(options, clients, topics);
        this.trims = new KafkaTrims(topics);
        this.tails = new KafkaTails(clients, topics);
    }

    /** Waits until a broker answers, and says so now and then. @throws BusException AWAY after {@code patience} */
    public static KafkaBus open(Options options, Duration patience) {
        new KafkaClients(options).awaitBroker(patience);
        return new KafkaBus(options);
    }

    @Override
    public void createTopic(String topic, int partitions) {
        if (partitions < 1) {
            throw new IllegalArgumentException("a topic has at least one partition: " + topic);
        }
        requireOpen();
        topics.create(topic, partitions);
    }

    @Override
    public void deleteTopic(String topic) {
        requireOpen();
        topics.delete(topic);
    }

    @Override
    public int partitions(String topic) {
        requireOpen();
        return topics.partitions(topic);
    }

    @Override
    public List<String> topics() {
        requireOpen();
        return topics.list();
    }

    @Override
    public void append(String topic, int partition, byte[] value, AppendListener listener) {
        appends.append(topic, partition, value, true, listener);
    }

    @Override
    public void appendInBackground(String topic, int partition, byte[] value, AppendListener listener) {
        appends.append(topic, partition, value, false, listener);
    }

    @Override
    public List<BusRecord> read(String topic, int partition, long offset, int max) {
        requireOpen();
        return reads.read(topic, partition, offset, max);
    }

    @Override
    public long endOffset(String topic, int partition) {
        requireOpen();
        return topics.offset(topic, partition, OffsetSpec.latest());
    }

    @Override
    public long beginOffset(String topic, int partition) {
        requireOpen();
        return topics.offset(topic, partition, OffsetSpec.earliest());
    }

    @Override
    public List<Extent> extents(String topic) {
        requireOpen();
        return extents.of(topic);
    }

    @Override
    public Map<String, List<Extent>> extents(Collection<String> wanted) {
        requireOpen();
        return extents.of(wanted);
    }

    @Override
    public Tail tail(String topic, int partition, long offset, TailListener listener) {
        return tailWithTimes(topic, partition, offset,
                records -> listener.onRecords(records.stream().map(KafkaReads::record).toList()));
    }

    /** As tail, with the brokers' append times. */
    Tail tailWithTimes(String topic, int partition, long offset, KafkaTail.Listener listener) {
        requireOpen();
        return tails.open(topic, partition, offset, listener);
    }

    @Override
    public void trim(String topic, int partition, long offset) {
        requireOpen();
        trims.trim(topics.partition(topic, partition), offset);
    }

    @Override
    public long backlogBytes() {
        return appends.backlogBytes();
    }

    /** As endOffset and beginOffset, without waiting. */
    CompletableFuture<Long> offsetLater(String topic, int partition, OffsetSpec which) {
        TopicPartition at = topics.partition(topic, partition);
        return topics.admin().listOffsets(Map.of(at, which)).partitionResult(at).toCompletionStage().toCompletableFuture()
                .thenApply(found -> found.offset());
    }

    Options options() {
        return options;
    }

    KafkaClients clients() {
        return clients;
    }

    <T> T await(KafkaFuture<T> answer, String what) {
        return topics.await(answer, what);
    }

    Admin admin() {
        return topics.admin();
    }

    /** Sends what was accepted, as far as a broker answers in time. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        tails.close();
        appends.close();
        reads.close();
        topics.admin().close(options.timeout());
    }

    private void requireOpen() {
        if (closed.get()) {
            throw new BusException(Kind.CLOSED, "the global bus is closed", null);
        }
    }
}
