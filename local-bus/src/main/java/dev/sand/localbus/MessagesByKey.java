package dev.sand.localbus;

import dev.sand.localbus.KeyedQueues.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Of the messages of {@link KeyedQueues}, which keys have enough of them, kept as messages come and go: a trigger that waits on many keys
 * looks at none of the others. Owned by one thread.
 */
final class MessagesByKey {
    final int count;
    /** In order of arrival. */
    private final Map<String, List<Message>> keys = new HashMap<>();
    /** Keys with {@link #count} or more, by the order of the message that made them so many. */
    private final TreeMap<Long, String> complete = new TreeMap<>();

    MessagesByKey(int count, Iterable<Message> inOrder) {
        this.count = count;
        inOrder.forEach(this::add);
    }

    void add(Message message) {
        List<Message> same = keys.computeIfAbsent(message.key(), key -> new ArrayList<>(Math.min(count, 16)));
        changes(same, () -> same.add(place(same, message.order()), message));
    }

    void remove(Message message) {
        List<Message> same = keys.get(message.key());
        changes(same, () -> same.remove(place(same, message.order())));
        if (same.isEmpty()) {
            keys.remove(message.key());
        }
    }

    private void changes(List<Message> same, Runnable change) {
        if (same.size() >= count) {
            complete.remove(same.get(count - 1).order());
        }
        change.run();
        if (same.size() >= count) {
            Message last = same.get(count - 1);
            complete.put(last.order(), last.key());
        }
    }

    /** Where the message of that order is, or belongs: mostly at an end. */
    private static int place(List<Message> same, long order) {
        if (same.isEmpty() || same.getFirst().order() >= order) {
            return 0;
        }
        int low = 1;
        int high = same.getLast().order() < order ? low = same.size() : same.size() - 1;
        while (low < high) {
            int middle = low + high >>> 1;
            if (same.get(middle).order() < order) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The messages of the key that was complete first, or none. */
    List<Message> first() {
        return complete.isEmpty() ? List.of() : List.copyOf(keys.get(complete.firstEntry().getValue()).subList(0, count));
    }

    List<Message> of(String key) {
        return List.copyOf(keys.getOrDefault(key, List.of()));
    }
}
