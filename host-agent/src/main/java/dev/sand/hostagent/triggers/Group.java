package dev.sand.hostagent.triggers;

import dev.sand.event.QueueSpec;
import dev.sand.localbus.KeyedQueues;
import dev.sand.localbus.KeyedQueues.Message;
import dev.sand.localbus.Trigger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The messages of one group in one partition that wait, and how many of its invocations are under way. Whether those that
 * wait make an invocation is the triggers' to say (PraaS 4.3): every one, or a batch; a batch that has lingered goes as it is.
 */
final class Group {
    /** Where each message waits is what tells it apart: the source of its place in the keyed queue. */
    private final KeyedQueues queue = new KeyedQueues(Integer.MAX_VALUE, Long.MAX_VALUE);
    private final Map<Long, Batch.Held> held = new HashMap<>();
    private final Map<Long, Long> arrivedMs = new HashMap<>();
    final int partition;
    /** Null: messages without order. */
    final String name;
    /** Tells of dead letters: never together with others. */
    final boolean alone;
    int underWay;

    Group(int partition, String name, boolean alone) {
        this.partition = partition;
        this.name = name;
        this.alone = alone;
    }

    void add(Batch.Held message, long nowMs) {
        queue.offer(Long.toString(message.offset()), "", message.message().payload());
        held.put(message.offset(), message);
        arrivedMs.put(message.offset(), nowMs);
    }

    boolean isEmpty() {
        return queue.size() == 0;
    }

    /** Only the order of messages with a group's name needs the bound on one group. */
    boolean hasRoom(QueueSpec spec) {
        return name == null || underWay < spec.groupConcurrency();
    }

    /** @return the messages of the next invocation, taken out; empty: not yet */
    List<Batch.Held> take(QueueSpec spec, long nowMs) {
        if (isEmpty()) {
            return List.of();
        }
        int batch = alone ? 1 : spec.batch();
        List<Message> selected = trigger(batch).select(queue);
        if (selected.isEmpty() && nowMs >= lingersUntilMs(spec)) {
            selected = queue.inOrder();
        }
        return takeOut(selected);
    }

    /** What waits, though it is no whole batch. */
    List<Batch.Held> takeAll() {
        return takeOut(queue.inOrder());
    }

    private List<Batch.Held> takeOut(List<Message> selected) {
        queue.removeAll(selected);
        List<Batch.Held> taken = new ArrayList<>(selected.size());
        for (Message message : selected) {
            long offset = Long.parseLong(message.source());
            arrivedMs.remove(offset);
            taken.add(held.remove(offset));
        }
        return taken;
    }

    private static Trigger trigger(int batch) {
        return batch == 1 ? new Trigger.Standard() : new Trigger.Batch(batch);
    }

    /** Of what waits here. */
    long oldestMs() {
        return arrivedMs.get(oldestOffset());
    }

    long oldestOffset() {
        return Long.parseLong(queue.peek(KeyedQueues.ANY, KeyedQueues.ANY).source());
    }

    /** When what waits goes even if it is no whole batch. Messages without a group are of no key that others could complete. */
    long lingersUntilMs(QueueSpec spec) {
        if (isEmpty() || name != null && !alone && spec.lingerMs() == QueueSpec.FOREVER_MS) {
            return Long.MAX_VALUE;
        }
        return alone || spec.lingerMs() == QueueSpec.FOREVER_MS ? 0 : oldestMs() + spec.lingerMs();
    }
}
