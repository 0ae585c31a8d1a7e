package dev.sand.globalbus;

import dev.sand.globalbus.BusException.Kind;
import dev.sand.globalbus.GlobalBus.AppendListener;
import dev.sand.globalbus.KafkaFirsts.Writing;
import dev.sand.globalbus.KafkaTopics.Topic;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that gives records to Kafka's producer, whose {@code send} may block: callers only add to a bounded backlog.
 * Records of a topic that the client does not know, or knows no more, wait in order until the cluster was asked for it; others
 * pass them. So do those behind the first one for a partition ({@link KafkaFirsts}).
 */
final class KafkaAppends implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaAppends.class);

    private sealed interface Command extends Backlog.Entry {
        record Append(String topic, int partition, byte[] value, boolean isUrgent, long addedNs, AppendListener listener)
                implements Command {
            @Override
            public int size() {
                return value.length;
            }
        }

        /** @param found null when the cluster could not be asked */
        record Asked(String topic, Optional<Topic> found, BusException failure) implements Command {}

        /** The first record for a partition has an answer. */
        record Through(Writing<Append> to, boolean isTaken) implements Command {}

        /** The last one. */
        record Close() implements Command {}

        @Override
        default boolean isUrgent() {
            return true;
        }

        @Override
        default int size() {
            return 0;
        }
    }

    private final KafkaBus.Options options;
    private final KafkaTopics topics;
    private final Producer<byte[], byte[]> producer;
    private final Backlog<Command> backlog;
    /** By topic, in order: what waits for an answer of the cluster about the topic, of which one is always under way. */
    private final Map<String, ArrayDeque<Command.Append>> parked = new HashMap<>();
    private final KafkaFirsts<Command.Append> firsts = new KafkaFirsts<>();
    private int firstsUnderWay;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private boolean closing;
    private volatile boolean closed;
    private volatile boolean away;

    KafkaAppends(KafkaBus.Options options, KafkaTopics topics, Producer<byte[], byte[]> producer) {
        this.options = options;
        this.topics = topics;
        this.producer = producer;
        this.backlog = new Backlog<>(options.maxBacklogBytes(), options.linger().toNanos());
        Thread thread = Thread.ofPlatform().daemon().name("global-bus").unstarted(this);
        backlog.consumedBy(thread);
        thread.start();
    }

    void append(String topic, int partition, byte[] value, boolean urgent, AppendListener listener) {
        if (closed) {
            listener.onFailed(isClosed());
        } else if (partition < 0) {
            listener.onFailed(KafkaTopics.unknown(topic, partition, topics.known(topic)));
        } else if (value.length > options.maxRecordBytes()) {
            listener.onFailed(new BusException(Kind.TOO_LARGE, "a record of " + value.length + " bytes for " + topic
                    + " is over the limit of " + options.maxRecordBytes(), null));
        } else if (!backlog.reserve(value.length)) {
            listener.onFailed(new BusException(Kind.FULL, "the global bus's backlog is full: " + backlog.bytes() + " of "
                    + options.maxBacklogBytes() + " bytes wait for Kafka", null));
        } else {
            backlog.add(new Command.Append(topic, partition, value, urgent, System.nanoTime(), listener));
            if (ended.isDone()) {
                failTheRest();
            }
        }
    }

    long backlogBytes() {
        return backlog.bytes();
    }

    @Override
    public void run() {
        while (!closing || !parked.isEmpty() || firstsUnderWay > 0) {
            for (Command command : backlog.next(Long.MAX_VALUE)) {
                switch (command) {
                    case Command.Append append -> accept(append);
                    case Command.Asked answer -> onAsked(answer);
                    case Command.Through through -> onThrough(through);
                    case Command.Close _ -> closing = true;
                }
            }
        }
        closed = true;
        producer.close(options.timeout());
        ended.complete(null);
        failTheRest();
    }

    private void accept(Command.Append append) {
        ArrayDeque<Command.Append> before = parked.get(append.topic());
        Topic topic = topics.known(append.topic());
        if (before != null) {
            before.add(append);
            return;
        }
        boolean isKnown = topic != null && topic.has(append.partition());
        Writing<Command.Append> to = isKnown ? firsts.of(append.topic(), topic, append.partition()) : null;
        if (to != null && to.holds(append)) {
            return;
        }
        if (to == null || !isSent(append, topic, to)) {
            parked.computeIfAbsent(append.topic(), t -> new ArrayDeque<>()).add(append);
            ask(append.topic());
        }
    }

    private void ask(String topic) {
        topics.ask(topic).whenComplete((found, failure) -> backlog.add(new Command.Asked(topic, found,
                failure == null ? null : KafkaErrors.of("append to " + topic, failure))));
    }

    /** In order; the first one that has to wait again makes the others wait behind it. */
    private void onAsked(Command.Asked answer) {
        ArrayDeque<Command.Append> waiting = parked.remove(answer.topic());
        if (answer.failure() != null) {
            while (!waiting.isEmpty() && (closing || isTooOld(waiting.peek()))) {
                fail(waiting.remove(), answer.failure());
            }
            if (!waiting.isEmpty()) {
                parked.put(answer.topic(), waiting);
                ask(answer.topic());
            }
            return;
        }
        for (Command.Append append : waiting) {
            if (answer.found().isEmpty() || !answer.found().get().has(append.partition())) {
                fail(append, KafkaTopics.unknown(append.topic(), append.partition(), answer.found().orElse(null)));
            } else {
                accept(append);
            }
        }
    }

    private void onThrough(Command.Through through) {
        firstsUnderWay--;
        ArrayDeque<Command.Append> waiting = through.to().through(through.isTaken());
        for (Command.Append next = waiting.poll(); next != null; next = waiting.poll()) {
            accept(next);
            if (through.to().isFirstUnderWay()) {
                return;
            }
        }
    }

    private boolean isTooOld(Command.Append append) {
        return System.nanoTime() - append.addedNs() > options.timeout().toNanos();
    }

    /** @return false when the producer has lost sight of the topic: it forgets all it knows while no broker answers */
    private boolean isSent(Command.Append append, Topic topic, Writing<Command.Append> to) {
        if (isTooOld(append)) {
            fail(append, new BusException(Kind.AWAY, "cannot append to " + append.topic() + ": the global bus has not answered for "
                    + options.timeout(), null));
            return true;
        }
        boolean isAlone = to.goes(topic.id(), append.addedNs());
        firstsUnderWay += isAlone ? 1 : 0;
        AtomicBoolean refused = new AtomicBoolean();
        Thread sender = Thread.currentThread();
        try {
            producer.send(new ProducerRecord<>(topics.physical(append.topic()), append.partition(), null, append.value()),
                    (metadata, failure) -> {
                        if (failure instanceof TimeoutException && Thread.currentThread() == sender) {
                            refused.set(true);
                        } else {
                            if (isAlone) {
                                backlog.add(new Command.Through(to, failure == null));
                            }
                            onSent(append, metadata == null ? -1 : metadata.offset(), failure);
                        }
                    });
        } catch (KafkaException | IllegalStateException e) {
            if (isAlone) {
                backlog.add(new Command.Through(to, false));
            }
            onSent(append, -1, e);
        }
        if (refused.get() && isAlone) {
            to.stays();
            firstsUnderWay--;
        }
        return !refused.get();
    }

    /** On the producer's thread, as a rule. */
    private void onSent(Command.Append append, long offset, Exception failure) {
        if (failure == null) {
            if (away) {
                away = false;
                LOG.warn("global bus: Kafka answers again");
            }
            backlog.release(append.size());
            tell(append, () -> append.listener().onAppended(offset));
            return;
        }
        BusException reason = KafkaErrors.of("append to " + append.topic(), failure);
        if (reason.kind() != Kind.AWAY || closed) {
            fail(append, reason);
            return;
        }
        // The producer waits for a topic that was deleted as it does for a broker that is away.
        topics.ask(append.topic()).whenComplete((found, e) -> fail(append, e == null && found.isEmpty()
                ? KafkaTopics.unknown(append.topic(), append.partition(), null) : reason));
    }

    private void fail(Command.Append append, BusException reason) {
        if (reason.kind() == Kind.AWAY && !away) {
            away = true;
            LOG.warn("global bus: Kafka at {} does not answer: {}", options.servers(), reason.getMessage());
        }
        backlog.release(append.size());
        tell(append, () -> append.listener().onFailed(reason));
    }

    private static void tell(Command.Append append, Runnable call) {
        try {
            call.run();
        } catch (RuntimeException e) {
            LOG.error("global bus: a listener failed on {}", append.topic(), e);
        }
    }

    /** Sends what was accepted, as far as Kafka answers in time; returns when every listener was told. */
    void close() {
        closed = true;
        backlog.add(new Command.Close());
        ended.join();
    }

    /** What slipped in while the bus was closed. */
    private void failTheRest() {
        for (Command command = backlog.poll(); command != null; command = backlog.poll()) {
            if (command instanceof Command.Append append) {
                fail(append, isClosed());
            }
        }
    }

    private static BusException isClosed() {
        return new BusException(Kind.CLOSED, "the global bus is closed", null);
    }
}
