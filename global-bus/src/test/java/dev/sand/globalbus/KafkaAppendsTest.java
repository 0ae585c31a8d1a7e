package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** In which order records go to the producer, and when: with one that does as it is told. */
class KafkaAppendsTest {
    private static final KafkaBus.Options OPTIONS = new KafkaBus.Options("nowhere:1", 1 << 20, 1 << 18, Duration.ZERO, Duration.ofSeconds(30), 0, "");

    /** All topics are there, with two partitions, and are made anew when a test says so. */
    private static final class Topics extends KafkaTopics {
        private volatile Topic topic = new Topic(Uuid.randomUuid(), 2);

        Topics() {
            super(null, OPTIONS);
        }

        @Override
        Topic known(String name) {
            return topic;
        }

        @Override
        CompletableFuture<Optional<Topic>> ask(String name) {
            return CompletableFuture.completedFuture(Optional.of(topic));
        }
    }

    private final Topics topics = new Topics();
    private final MockProducer<byte[], byte[]> producer = new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
    private final KafkaAppends appends = new KafkaAppends(OPTIONS, topics, producer);
    private final List<String> told = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        if (producer.closed()) {
            return;
        }
        Thread completing = Thread.startVirtualThread(() -> {
            while (!producer.closed()) {
                producer.completeNext();
                Thread.onSpinWait();
            }
        });
        appends.close();
        completing.interrupt();
    }

    private void append(int partition, String... values) {
        for (String value : values) {
            appends.append("t", partition, GlobalBusContract.bytes(value), true, new GlobalBus.AppendListener() {
                @Override
                public void onAppended(long offset) {
                    told.add(value);
                }

                @Override
                public void onFailed(BusException failure) {
                    told.add(value + " failed");
                }
            });
        }
    }

    private List<String> sent() {
        return producer.history().stream().map(record -> new String(record.value())).toList();
    }

    private void awaitSent(String... values) {
        await().until(() -> sent().size() >= values.length);
        assertThat(sent()).containsExactly(values);
    }

    /** All that was given has been looked at: what goes to another partition has gone. */
    private void awaitTurn(int partition, String value, String... before) {
        append(partition, value);
        await().until(() -> sent().contains(value));
        assertThat(sent()).filteredOn(each -> !each.equals(value)).containsExactly(before);
    }

    @Test
    void theFirstRecordOfAPartitionGoesAloneAndTheOthersOnceABrokerHasIt() {
        append(0, "a", "b", "c");
        awaitTurn(1, "other", "a");
        producer.completeNext();
        awaitSent("a", "other", "b", "c");
        append(0, "d");
        awaitSent("a", "other", "b", "c", "d");
    }

    @Test
    void ifItIsNotTakenTheNextOneGoesAlone() {
        append(0, "a", "b", "c");
        awaitTurn(1, "other", "a");
        producer.errorNext(new NotLeaderOrFollowerException("of nothing any more"));
        await().until(() -> sent().contains("b"));
        await().until(() -> told.contains("a failed"));
        producer.completeNext();
        awaitTurn(1, "another", "a", "other", "b");
        producer.completeNext();
        await().until(() -> sent().contains("c"));
    }

    @Test
    void aTopicThatWasMadeAnewBeginsAnew() {
        append(0, "a");
        awaitSent("a");
        producer.completeNext();
        await().until(() -> told.contains("a"));
        topics.topic = new KafkaTopics.Topic(Uuid.randomUuid(), 2);
        append(0, "b", "c");
        awaitTurn(1, "other", "a", "b");
        producer.completeNext();
        awaitSent("a", "b", "other", "c");
    }

    @Test
    void whatWaitsBehindTheFirstOneIsSentBeforeTheEnd() {
        append(0, "a", "b", "c");
        awaitSent("a");
        close();
        assertThat(sent()).containsExactly("a", "b", "c");
    }
}
