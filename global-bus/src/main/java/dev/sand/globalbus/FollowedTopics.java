package dev.sand.globalbus;

import dev.sand.globalbus.KafkaTopics.Topic;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;

/**
 * The ids of the topics that are followed, asked for now and then: only so is a topic known that was deleted, or made again
 * under its name. All but {@link #isNews} is called by the tails' thread.
 */
final class FollowedTopics {
    /** What an answer of the cluster says of a topic. */
    enum Change { NONE, FOUND, GONE, MADE_AGAIN }

    private static final long ASK_AGAIN_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long ASK_FOR_UNKNOWN_NS = TimeUnit.MILLISECONDS.toNanos(200);
    /** Of a topic that was deleted: so one made later is known for another. */
    private static final Uuid GONE = Uuid.ZERO_UUID;

    /** The id under which the topic is followed, or GONE; absent when it was never there. */
    private final Map<String, Uuid> ids = new ConcurrentHashMap<>();
    private final Map<String, Long> nextAskNs = new HashMap<>();

    void add(String topic, long nowNs) {
        nextAskNs.putIfAbsent(topic, nowNs);
    }

    void remove(String topic) {
        ids.remove(topic);
        nextAskNs.remove(topic);
    }

    boolean isThere(String topic) {
        return !ids.getOrDefault(topic, GONE).equals(GONE);
    }

    /** Topics to ask for now. */
    List<String> due(long nowNs) {
        List<String> due = nextAskNs.entrySet().stream().filter(next -> nowNs - next.getValue() >= 0).map(Map.Entry::getKey).toList();
        due.forEach(topic -> nextAskNs.put(topic, nowNs + (isThere(topic) ? ASK_AGAIN_NS : ASK_FOR_UNKNOWN_NS)));
        return due;
    }

    /** Whether the answer may change something; most do not. On any thread. */
    boolean isNews(String topic, Optional<Topic> found) {
        return !found.map(Topic::id).equals(Optional.ofNullable(ids.get(topic)));
    }

    Change onAnswer(String topic, Optional<Topic> found) {
        Uuid before = ids.get(topic);
        Uuid now = found.map(Topic::id).orElse(before == null ? null : GONE);
        if (!nextAskNs.containsKey(topic) || now == null || now.equals(before)) {
            return Change.NONE;
        }
        ids.put(topic, now);
        if (now.equals(GONE)) {
            return Change.GONE;
        }
        return before == null ? Change.FOUND : Change.MADE_AGAIN;
    }
}
