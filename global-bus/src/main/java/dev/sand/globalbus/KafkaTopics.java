package dev.sand.globalbus;

import dev.sand.globalbus.BusException.Kind;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TopicExistsException;

/** The topics of the cluster: made, deleted, asked about. What is known of one is kept until it turns out to be wrong. */
class KafkaTopics {
    /** @param id tells a topic from one of its name that was made later */
    record Topic(Uuid id, int partitions) {
        boolean has(int partition) {
            return partition >= 0 && partition < partitions;
        }
    }

    private static final int SEGMENT_BYTES = 128 << 20;
    private static final int MOST_REPLICAS = 3;
    private static final Duration AGAIN = Duration.ofMillis(20);

    private final Admin admin;
    private final KafkaBus.Options options;
    private final Map<String, Topic> known = new ConcurrentHashMap<>();
    private final Map<String, CompletableFuture<Optional<Topic>>> asked = new ConcurrentHashMap<>();

    KafkaTopics(Admin admin, KafkaBus.Options options) {
        this.admin = admin;
        this.options = options;
    }

    String physical(String topic) {
        return options.prefix() + topic;
    }

    TopicPartition partition(String topic, int partition) {
        return new TopicPartition(physical(topic), partition);
    }

    /** What was known last, or null; does not block. */
    Topic known(String topic) {
        return known.get(topic);
    }

    /** Asks the cluster; those who ask at the same time share the answer. Empty: there is no such topic. */
    CompletableFuture<Optional<Topic>> ask(String topic) {
        CompletableFuture<Optional<Topic>> answer = new CompletableFuture<>();
        CompletableFuture<Optional<Topic>> earlier = asked.putIfAbsent(topic, answer);
        if (earlier != null) {
            return earlier;
        }
        answer.whenComplete((t, e) -> asked.remove(topic, answer));
        describe(List.of(topic)).get(physical(topic)).whenComplete((found, failure) -> {
            try {
                answer.complete(keep(topic, found, failure));
            } catch (BusException e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    /** As ask, with one request; nothing is said of those for which it failed. */
    void askAll(Collection<String> all, BiConsumer<String, Optional<Topic>> answer) {
        Map<String, KafkaFuture<TopicDescription>> described = describe(all);
        for (String topic : all) {
            described.get(physical(topic)).whenComplete((found, failure) -> {
                if (failure == null || KafkaErrors.isUnknownTopic(failure)) {
                    answer.accept(topic, keep(topic, found, failure));
                }
            });
        }
    }

    private Map<String, KafkaFuture<TopicDescription>> describe(Collection<String> all) {
        return admin.describeTopics(all.stream().map(this::physical).toList()).topicNameValues();
    }

    private Optional<Topic> keep(String topic, TopicDescription found, Throwable failure) {
        if (failure == null) {
            Topic now = topic(found);
            known.put(topic, now);
            return Optional.of(now);
        }
        if (KafkaErrors.isUnknownTopic(failure)) {
            known.remove(topic);
            return Optional.empty();
        }
        throw KafkaErrors.of("ask for topic " + topic, failure);
    }

    private static Topic topic(TopicDescription found) {
        return new Topic(found.topicId(), found.partitions().size());
    }

    /** @throws BusException UNKNOWN_TOPIC when there is no such partition; blocks when the topic is not known yet */
    void require(String topic, int partition) {
        Topic found = known.get(topic);
        if (found == null || !found.has(partition)) {
            found = await(ask(topic), "ask for topic " + topic).orElse(null);
        }
        if (found == null || !found.has(partition)) {
            throw unknown(topic, partition, found);
        }
    }

    static BusException unknown(String topic, int partition, Topic found) {
        return new BusException(Kind.UNKNOWN_TOPIC, "no partition " + partition + " of topic " + topic + ", which has "
                + (found == null ? 0 : found.partitions()), null);
    }

    void create(String topic, int partitions) {
        int replicas = options.replication() > 0 ? options.replication()
                : Math.min(MOST_REPLICAS, await(admin.describeCluster().nodes(), "ask for the brokers").size());
        NewTopic wanted = new NewTopic(physical(topic), Optional.of(partitions), Optional.of((short) replicas)).configs(Map.of(
                "cleanup.policy", "delete",
                "retention.ms", "-1", // nothing goes by time or size: only what was trimmed
                "retention.bytes", "-1",
                "min.insync.replicas", Integer.toString(Math.max(1, replicas - 1)),
                "unclean.leader.election.enable", "false",
                "message.timestamp.type", "LogAppendTime",
                "max.message.bytes", Integer.toString(KafkaClients.maxMessageBytes(options.maxRecordBytes())),
                "segment.bytes", Integer.toString(SEGMENT_BYTES)));
        try {
            await(admin.createTopics(List.of(wanted)).all(), "create topic " + topic);
        } catch (BusException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw e;
            }
        }
        awaitThat(() -> await(admin.describeTopics(List.of(physical(topic))).allTopicNames().toCompletionStage()
                .handle((found, failure) -> failure == null && found.values().stream().allMatch(KafkaTopics::isLed))
                .toCompletableFuture(), "see topic " + topic), "see topic " + topic);
        // A leader that the cluster names may not know yet that it is one. There may be fewer partitions than that: it was there before.
        int found = await(ask(topic), "see topic " + topic).map(Topic::partitions).orElse(0);
        Map<TopicPartition, OffsetSpec> all = IntStream.range(0, found).boxed()
                .collect(Collectors.toMap(partition -> partition(topic, partition), partition -> OffsetSpec.latest()));
        await(admin.listOffsets(all).all(), "see topic " + topic);
    }

    private static boolean isLed(TopicDescription topic) {
        return topic.partitions().stream().allMatch(partition -> partition.leader() != null && !partition.leader().isEmpty());
    }

    void delete(String topic) {
        try {
            await(admin.deleteTopics(List.of(physical(topic))).all(), "delete topic " + topic);
        } catch (BusException e) {
            if (e.kind() != Kind.UNKNOWN_TOPIC) {
                throw e;
            }
        }
        awaitThat(() -> await(ask(topic), "see that topic " + topic + " is gone").isEmpty(), "see that topic " + topic + " is gone");
    }

    int partitions(String topic) {
        return await(ask(topic), "ask for topic " + topic).map(Topic::partitions).orElse(0);
    }

    /** Of those that are there, asked for together. */
    Map<String, Integer> partitions(Collection<String> topics) {
        Map<String, KafkaFuture<TopicDescription>> described = describe(topics);
        Map<String, Integer> found = new HashMap<>();
        for (String topic : topics) {
            try {
                found.put(topic, await(described.get(physical(topic)), "ask for topic " + topic).partitions().size());
            } catch (BusException e) {
                if (e.kind() != Kind.UNKNOWN_TOPIC) {
                    throw e;
                }
            }
        }
        return found;
    }

    List<String> list() {
        return await(admin.listTopics().names(), "list topics").stream().filter(name -> name.startsWith(options.prefix()))
                .map(name -> name.substring(options.prefix().length())).sorted().toList();
    }

    long offset(String topic, int partition, OffsetSpec which) {
        require(topic, partition);
        TopicPartition at = partition(topic, partition);
        try {
            return await(admin.listOffsets(Map.of(at, which)).partitionResult(at), "ask for the offsets of " + topic).offset();
        } catch (BusException e) {
            throw goneOr(topic, partition, e);
        }
    }

    /** What is away for the client may be a topic that was deleted. */
    BusException goneOr(String topic, int partition, BusException failure) {
        if (failure.kind() != Kind.AWAY) {
            return failure;
        }
        try {
            return await(ask(topic), "ask for topic " + topic).isEmpty() ? unknown(topic, partition, null) : failure;
        } catch (BusException e) {
            return failure;
        }
    }

    Admin admin() {
        return admin;
    }

    private void awaitThat(BooleanSupplier condition, String what) {
        long deadline = System.nanoTime() + options.timeout().toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new BusException(Kind.AWAY, "cannot " + what + " in " + options.timeout(), null);
            }
            LockSupport.parkNanos(AGAIN.toNanos());
        }
    }

    <T> T await(KafkaFuture<T> answer, String what) {
        return await(answer.toCompletionStage().toCompletableFuture(), what);
    }

    /** The client's own time-out comes first, as a rule, and says more. */
    <T> T await(Future<T> answer, String what) {
        try {
            return answer.get(2 * options.timeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw KafkaErrors.of(what, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BusException(Kind.BROKEN, "interrupted: cannot " + what, e);
        }
    }
}
