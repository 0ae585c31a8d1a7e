package dev.sand.globalbus;

import dev.sand.globalbus.BusException.Kind;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Kafka's own clients with the settings that the bus depends on. */
final class KafkaClients {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaClients.class);
    private static final int RECORD_OVERHEAD_BYTES = 1024;
    private static final int BATCH_BYTES = 64 << 10;
    /** Beyond the backlog's own bound, for batches that are not full. */
    private static final long BUFFER_SLACK_BYTES = 64L << 20;
    private static final int RECONNECT_MS = 50;
    private static final int RECONNECT_MAX_MS = 500;
    private static final int CONNECT_MS = 2000;
    /** The producer's send holds up the appends of all topics so long at most. */
    private static final long BLOCK_MS = 1000;
    private static final int REQUEST_MS = 5000;
    private static final Duration AGAIN = Duration.ofMillis(200);
    private static final Duration SAY_AGAIN = Duration.ofSeconds(5);

    private final KafkaBus.Options options;

    KafkaClients(KafkaBus.Options options) {
        this.options = options;
    }

    /** Waits until a broker answers, and says so now and then. @throws BusException AWAY after {@code patience} */
    void awaitBroker(Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        long said = System.nanoTime() - SAY_AGAIN.toNanos();
        while (true) {
            String why = whyAway();
            if (why == null) {
                return;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new BusException(Kind.AWAY, "no Kafka broker answered at " + options.servers() + " for " + patience.toSeconds()
                        + " s: " + why, null);
            }
            if (System.nanoTime() - said >= SAY_AGAIN.toNanos()) {
                LOG.warn("waiting for Kafka: no broker answers at {}: {}", options.servers(), why);
                said = System.nanoTime();
            }
            LockSupport.parkNanos(AGAIN.toNanos());
        }
    }

    private String whyAway() {
        Map<String, Object> settings = common("probe");
        settings.put("request.timeout.ms", CONNECT_MS);
        settings.put("default.api.timeout.ms", CONNECT_MS);
        try (Admin admin = Admin.create(settings)) {
            admin.describeCluster().nodes().get();
            return null;
        } catch (KafkaException e) {
            if (e.getCause() instanceof ConfigException unresolved) { // a name that is not known yet may be known soon
                return unresolved.getMessage();
            }
            throw e;
        } catch (ExecutionException e) {
            return e.getCause().getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BusException(Kind.BROKEN, "interrupted while waiting for a Kafka broker", e);
        }
    }

    Admin admin() {
        Map<String, Object> settings = common("admin");
        settings.put("default.api.timeout.ms", (int) options.timeout().toMillis());
        return Admin.create(settings);
    }

    /** Idempotent: what is sent again is there once, and in its place. */
    KafkaProducer<byte[], byte[]> producer() {
        Map<String, Object> settings = common("producer");
        settings.put("enable.idempotence", true);
        settings.put("acks", "all");
        settings.put("linger.ms", 0); // records that may linger do so before they come here
        settings.put("batch.size", BATCH_BYTES);
        settings.put("buffer.memory", options.maxBacklogBytes() + BUFFER_SLACK_BYTES);
        settings.put("max.request.size", options.maxRecordBytes() + RECORD_OVERHEAD_BYTES);
        settings.put("max.block.ms", Math.min(BLOCK_MS, options.timeout().toMillis()));
        settings.put("delivery.timeout.ms", (int) options.timeout().toMillis());
        settings.put("compression.type", "none");
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /**
     * For partitions assigned by hand, positions set by hand.
     *
     * @param wait of the broker when there is nothing new; a partition that is assigned meanwhile waits as long
     */
    KafkaConsumer<byte[], byte[]> consumer(String purpose, int maxPollRecords, Duration wait) {
        Map<String, Object> settings = common(purpose);
        settings.put("default.api.timeout.ms", (int) options.timeout().toMillis());
        settings.put("enable.auto.commit", false);
        settings.put("auto.offset.reset", "none");
        settings.put("allow.auto.create.topics", false);
        settings.put("max.poll.records", maxPollRecords);
        settings.put("fetch.max.wait.ms", (int) wait.toMillis());
        return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** For a member of the group that shares slots out. @param request how long an answer may be waited for */
    KafkaConsumer<byte[], byte[]> member(String group, Duration request, Duration maxPollInterval) {
        Map<String, Object> settings = common("member");
        settings.put("group.id", group);
        settings.put("group.protocol", "consumer");
        settings.put("request.timeout.ms", (int) request.toMillis());
        settings.put("socket.connection.setup.timeout.ms", request.toMillis());
        settings.put("socket.connection.setup.timeout.max.ms", request.toMillis());
        settings.put("default.api.timeout.ms", (int) options.timeout().toMillis());
        settings.put("max.poll.interval.ms", (int) maxPollInterval.toMillis());
        settings.put("enable.auto.commit", false);
        settings.put("auto.offset.reset", "earliest");
        settings.put("allow.auto.create.topics", false);
        return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private Map<String, Object> common(String purpose) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", options.servers());
        settings.put("client.id", "sand-" + purpose);
        settings.put("reconnect.backoff.ms", RECONNECT_MS);
        settings.put("reconnect.backoff.max.ms", RECONNECT_MAX_MS);
        settings.put("socket.connection.setup.timeout.ms", (long) CONNECT_MS);
        settings.put("request.timeout.ms", (int) Math.min(REQUEST_MS, options.timeout().toMillis()));
        settings.put("retry.backoff.max.ms", (long) RECONNECT_MAX_MS);
        settings.put("enable.metrics.push", false);
        settings.put("metric.reporters", ""); // no JMX
        return settings;
    }

    /** The largest record with what Kafka adds to it. */
    static int maxMessageBytes(int maxRecordBytes) {
        return maxRecordBytes + RECORD_OVERHEAD_BYTES;
    }
}
