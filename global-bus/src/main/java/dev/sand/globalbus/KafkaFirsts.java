package dev.sand.globalbus;

import dev.sand.globalbus.KafkaTopics.Topic;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;

/**
 * The first record that a producer has for a partition goes alone, and the next ones once a broker has it. For of a producer that it does
 * not know, a broker takes whatever number comes first: where it refuses the first batch for a moment, since it does not lead the
 * partition yet, and takes the second one, which is on its way by then, the first is out of order for good; the producer tries it again
 * until its time is over. One thread's.
 *
 * @param <A> an append
 */
final class KafkaFirsts<A> {
    /** A broker forgets a producer that is silent for a day (producer.id.expiration.ms). */
    private static final long KNOWN_NS = TimeUnit.HOURS.toNanos(6);

    /** A partition, as far as this producer has written to it. */
    static final class Writing<A> {
        private final ArrayDeque<A> behind = new ArrayDeque<>(0);
        private Uuid topic;
        private boolean isFirstUnderWay;
        private boolean isKnown;
        private long lastNs;

        /** @return whether it is to wait; then {@link #through} gives it */
        boolean holds(A append) {
            if (isFirstUnderWay) {
                behind.add(append);
            }
            return isFirstUnderWay;
        }

        /** One goes. @return whether it goes alone: {@link #through} is to be told of it */
        boolean goes(Uuid of, long nowNs) {
            isKnown &= of.equals(topic) && nowNs - lastNs < KNOWN_NS;
            topic = of;
            lastNs = nowNs;
            isFirstUnderWay = !isKnown;
            return isFirstUnderWay;
        }

        private boolean isIdle(long nowNs) {
            return !isFirstUnderWay && nowNs - lastNs >= KNOWN_NS;
        }

        boolean isFirstUnderWay() {
            return isFirstUnderWay;
        }

        /** It has not gone after all. */
        void stays() {
            isFirstUnderWay = false;
        }

        /** @param isTaken whether a broker has it; @return what waits: all of it may go, if so, or else one goes alone again */
        ArrayDeque<A> through(boolean isTaken) {
            isFirstUnderWay = false;
            isKnown |= isTaken;
            return behind;
        }
    }

    private final Map<String, Writing<A>[]> topics = new HashMap<>();
    private int sweepAt = 1024;

    @SuppressWarnings("unchecked")
    Writing<A> of(String name, Topic topic, int partition) {
        Writing<A>[] partitions = topics.get(name);
        if (partitions == null || partitions.length < topic.partitions()) {
            sweep();
            partitions = partitions == null ? new Writing[topic.partitions()] : Arrays.copyOf(partitions, topic.partitions());
            topics.put(name, partitions);
        }
        Writing<A> found = partitions[partition];
        return found != null ? found : (partitions[partition] = new Writing<>());
    }

    /** Topics go, and nobody says so here: those that would begin anew now are forgotten when there are many. */
    private void sweep() {
        if (topics.size() < sweepAt) {
            return;
        }
        long nowNs = System.nanoTime();
        topics.values().removeIf(partitions -> Arrays.stream(partitions).allMatch(each -> each == null || each.isIdle(nowNs)));
        sweepAt = Math.max(1024, 2 * topics.size());
    }
}
