package dev.sand.globalbus;

import dev.sand.globalbus.FollowedTopics.Change;
import dev.sand.globalbus.GlobalBus.Tail;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that follows partitions for all tails, with one consumer whose partitions are assigned by hand.
 */
final class KafkaTails implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaTails.class);
    private static final int POLL_RECORDS = 1000;
    private static final Duration WAIT = Duration.ofMillis(100);
    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration NOTHING_ASSIGNED = Duration.ofMillis(200);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);
    private static final Duration OFFSETS = Duration.ofSeconds(5);

    /** A partition and those who follow it. {@code position} is where the consumer goes on. */
    private static final class Followed {
        final List<KafkaTail> tails = new ArrayList<>();
        long position = -1;
    }

    private final KafkaTopics topics;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final LinkedBlockingQueue<Runnable> commands = new LinkedBlockingQueue<>();
    private final Map<TopicPartition, Followed> followed = new HashMap<>();
    private final FollowedTopics names = new FollowedTopics();
    private final Thread thread;
    private volatile boolean closed;
    private String lastFailure;

    KafkaTails(KafkaClients clients, KafkaTopics topics) {
        this.topics = topics;
        this.consumer = clients.consumer("tail", POLL_RECORDS, WAIT);
        this.thread = Thread.ofPlatform().daemon().name("global-bus-tail").start(this);
    }

    Tail open(String topic, int partition, long offset, KafkaTail.Listener listener) {
        KafkaTail tail = new KafkaTail(topic, partition, offset, listener, this);
        submit(() -> {
            followed.computeIfAbsent(topics.partition(topic, partition), p -> new Followed()).tails.add(tail);
            names.add(topic, System.nanoTime());
            if (names.isThere(topic)) {
                follow(tail);
            }
        });
        return tail;
    }

    void changed(KafkaTail tail) {
        submit(() -> {
            if (names.isThere(tail.topic)) {
                follow(tail);
            }
        });
    }

    void closed(KafkaTail tail) {
        submit(() -> {
            TopicPartition partition = topics.partition(tail.topic, tail.partition);
            Followed them = followed.get(partition);
            if (them == null || !them.tails.remove(tail)) {
                return;
            }
            if (them.tails.isEmpty()) {
                followed.remove(partition);
                assign();
            } else {
                pauseOrResume(partition, them);
            }
            if (followed.values().stream().flatMap(f -> f.tails.stream()).noneMatch(other -> other.topic.equals(tail.topic))) {
                names.remove(tail.topic);
            }
        });
    }

    private void submit(Runnable command) {
        if (!closed) {
            commands.add(command);
            consumer.wakeup();
        }
    }

    void close() {
        closed = true;
        consumer.wakeup();
        try {
            thread.join(OFFSETS.multipliedBy(2).toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void run() {
        while (!closed) {
            for (Runnable command = commands.poll(); command != null; command = commands.poll()) {
                command.run();
            }
            askForTopics();
            try {
                if (consumer.assignment().isEmpty()) {
                    waitForCommand(NOTHING_ASSIGNED);
                } else {
                    deliver(consumer.poll(POLL));
                    lastFailure = null;
                }
            } catch (WakeupException e) {
                // a command waits, or it is the end
            } catch (OffsetOutOfRangeException e) {
                e.offsetOutOfRangePartitions().forEach(this::onOutOfRange);
            } catch (KafkaException e) {
                onFailure(e);
            }
        }
        consumer.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(OFFSETS));
    }

    private void deliver(ConsumerRecords<byte[], byte[]> records) {
        for (TopicPartition partition : records.partitions()) {
            var mine = records.records(partition);
            Followed them = followed.get(partition);
            them.position = mine.getLast().offset() + 1;
            them.tails.forEach(tail -> tail.deliver(mine));
        }
    }

    private void askForTopics() {
        List<String> due = names.due(System.nanoTime());
        if (!due.isEmpty()) {
            topics.askAll(due, (topic, found) -> {
                if (names.isNews(topic, found)) {
                    submit(() -> onTopic(topic, names.onAnswer(topic, found)));
                }
            });
        }
    }

    private void onTopic(String topic, Change change) {
        if (change == Change.NONE) {
            return;
        }
        assign();
        if (change == Change.GONE) {
            LOG.warn("global bus: topic {}, which is followed, is not there any more", topic);
            return;
        }
        tailsOf(topic).forEach(tail -> {
            if (change == Change.MADE_AGAIN) {
                tail.next = 0;
            }
            followed.get(topics.partition(topic, tail.partition)).position = -1;
        });
        tailsOf(topic).forEach(this::follow);
    }

    private List<KafkaTail> tailsOf(String topic) {
        return followed.values().stream().flatMap(f -> f.tails.stream()).filter(tail -> tail.topic.equals(topic)).toList();
    }

    /** Positions and pauses of partitions that stay are kept. */
    private void assign() {
        Set<TopicPartition> wanted = followed.entrySet().stream()
                .filter(entry -> names.isThere(entry.getValue().tails.getFirst().topic)).map(Map.Entry::getKey).collect(Collectors.toSet());
        consumer.assign(wanted);
    }

    private void follow(KafkaTail tail) {
        TopicPartition partition = topics.partition(tail.topic, tail.partition);
        Followed them = followed.get(partition);
        if (them == null || !them.tails.contains(tail)) {
            return;
        }
        if (!consumer.assignment().contains(partition)) {
            assign();
        }
        if (them.position < 0 || tail.wants() && tail.next < them.position) {
            seek(partition, them, tail.next);
        }
        pauseOrResume(partition, them);
    }

    private void pauseOrResume(TopicPartition partition, Followed them) {
        if (!consumer.assignment().contains(partition)) {
            return;
        }
        if (them.tails.stream().anyMatch(KafkaTail::wants)) {
            consumer.resume(List.of(partition));
        } else {
            consumer.pause(List.of(partition));
        }
    }

    private void seek(TopicPartition partition, Followed them, long offset) {
        consumer.seek(partition, offset);
        them.position = offset;
    }

    /** Below the beginning: trimmed. Past the end: the topic was made again, or an unclean leader has lost records. */
    private void onOutOfRange(TopicPartition partition, long position) {
        Followed them = followed.get(partition);
        try {
            long begin = consumer.beginningOffsets(List.of(partition), OFFSETS).get(partition);
            if (position > begin) {
                LOG.warn("global bus: {} has no offset {} any more, it is followed from {} again", partition, position, begin);
                them.tails.forEach(tail -> tail.next = begin);
            }
            seek(partition, them, begin);
        } catch (WakeupException e) {
            // a command waits; the next poll finds the partition out of range again
        } catch (KafkaException e) {
            onFailure(e); // asked again by the next poll
        }
    }

    private void onFailure(KafkaException failure) {
        if (!failure.toString().equals(lastFailure)) {
            lastFailure = failure.toString();
            LOG.warn("global bus: partitions cannot be followed now, tried again: {}", lastFailure);
        }
        waitForCommand(PAUSE_AFTER_FAILURE);
    }

    private void waitForCommand(Duration atMost) {
        try {
            Runnable command = commands.poll(atMost.toNanos(), TimeUnit.NANOSECONDS);
            if (command != null) {
                command.run();
            }
        } catch (InterruptedException e) {
            closed = true;
        }
    }
}
