package dev.sand.localbus;

import dev.sand.event.Payload;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Messages by (source, key), as a mailbox has them (PraaS 4.2): each pair is a queue, first in, first out; across pairs the
 * order is that of arrival. Bounded as a whole, in messages and bytes. Owned by one thread.
 */
public final class KeyedQueues {
    /** Matches every source, or every key. */
    public static final String ANY = null;

    /** @param order of arrival, ascending; given by the queues; @param atNs when that was, by whoever offers it */
    public record Message(String source, String key, Payload payload, long order, long atNs) {
        /** The same, having come at another time. */
        public Message at(long otherNs) {
            return new Message(source, key, payload, order, otherNs);
        }
    }

    private record Address(String source, String key) {}

    private final int maxDepth;
    private final long maxBytes;
    private final Map<Address, ArrayDeque<Message>> queues = new LinkedHashMap<>();
    /** All of them, by order. */
    private final TreeMap<Long, Message> arrived = new TreeMap<>();
    /** Null until a trigger asks. */
    private MessagesByKey byKey;
    private long arrivals;
    private int size;
    private long bytes;

    public KeyedQueues(int maxDepth, long maxBytes) {
        this.maxDepth = maxDepth;
        this.maxBytes = maxBytes;
    }

    /** @return null when it was put in, else why not */
    public GrainQueue.Refusal offer(String source, String key, Payload payload) {
        return offer(source, key, payload, 0);
    }

    /** @return as {@link #offer(String, String, Payload)}; @param atNs of the offerer's clock */
    public GrainQueue.Refusal offer(String source, String key, Payload payload, long atNs) {
        GrainQueue.Refusal refusal = refusal(payload.size());
        if (refusal == null) {
            add(new Message(source, key, payload, arrivals++, atNs));
        }
        return refusal;
    }

    /** A message that has its place already: its order is above those of all that are here. There is room for it. */
    public void put(Message message) {
        arrivals = message.order() + 1;
        add(message);
    }

    private void add(Message message) {
        queues.computeIfAbsent(new Address(message.source(), message.key()), address -> new ArrayDeque<>(2)).add(message);
        comes(message);
        count(message.payload(), 1);
    }

    private void comes(Message message) {
        arrived.put(message.order(), message);
        if (byKey != null) {
            byKey.add(message);
        }
    }

    private void goes(Message message) {
        arrived.remove(message.order());
        if (byKey != null) {
            byKey.remove(message);
        }
    }

    /** Takes the message of that order, wherever it stands, or returns null: it is not here. */
    public Message remove(long order) {
        Message message = arrived.get(order);
        if (message == null) {
            return null;
        }
        Address address = new Address(message.source(), message.key());
        ArrayDeque<Message> queue = queues.get(address);
        if (queue.peekFirst() == message) {
            queue.pollFirst(); // as they go mostly: a long queue is not looked through for each
        } else {
            queue.removeIf(each -> each == message);
        }
        if (queue.isEmpty()) {
            queues.remove(address);
        }
        goes(message);
        settle(message);
        return message;
    }

    /** @return null when a message of that size has room now, else why not */
    public GrainQueue.Refusal refusal(long messageBytes) {
        if (size >= maxDepth) {
            return new GrainQueue.Refusal("messages", maxDepth, size + 1L);
        }
        return bytes + messageBytes <= maxBytes ? null : new GrainQueue.Refusal("bytes", maxBytes, bytes + messageBytes);
    }

    private void count(Payload payload, int sign) {
        size += sign;
        bytes += sign * payload.size();
    }

    /** Takes the oldest message that matches, or null. @param source and key: {@link #ANY} matches all */
    public Message poll(String source, String key) {
        Message oldest = peek(source, key);
        if (oldest != null) {
            remove(oldest);
        }
        return oldest;
    }

    public Message peek(String source, String key) {
        if (source != ANY && key != ANY) {
            ArrayDeque<Message> queue = queues.get(new Address(source, key));
            return queue == null ? null : queue.peekFirst();
        }
        if (source == ANY && key == ANY) {
            return arrived.isEmpty() ? null : arrived.firstEntry().getValue();
        }
        Message oldest = null;
        for (Message head : heads()) {
            boolean matches = (source == ANY || source.equals(head.source())) && (key == ANY || key.equals(head.key()));
            if (matches && (oldest == null || head.order() < oldest.order())) {
                oldest = head;
            }
        }
        return oldest;
    }

    /** As {@link #poll}, but its room stays taken until it is given back, or {@link #settle}d. */
    public Message borrow(String source, String key) {
        Message oldest = peek(source, key);
        if (oldest != null) {
            unlink(oldest);
        }
        return oldest;
    }

    /** A message that was borrowed is in its place again: before those of its queue that came after it. */
    public void giveBack(Message message) {
        ArrayDeque<Message> queue = queues.computeIfAbsent(new Address(message.source(), message.key()), address -> new ArrayDeque<>(2));
        ArrayDeque<Message> earlier = new ArrayDeque<>(0);
        while (!queue.isEmpty() && queue.peekFirst().order() < message.order()) {
            earlier.addLast(queue.pollFirst());
        }
        queue.addFirst(message);
        while (!earlier.isEmpty()) {
            queue.addFirst(earlier.pollLast());
        }
        comes(message);
    }

    /** A message that was borrowed is gone. */
    public void settle(Message message) {
        count(message.payload(), -1);
    }

    /** Takes exactly these, each of which must be the first of its queue at its turn; what a {@link Trigger} selected. */
    public void removeAll(List<Message> messages) {
        messages.forEach(this::remove);
    }

    private void remove(Message message) {
        unlink(message);
        settle(message);
    }

    private void unlink(Message message) {
        Address address = new Address(message.source(), message.key());
        ArrayDeque<Message> queue = queues.get(address);
        if (queue == null || queue.peekFirst() != message) {
            throw new IllegalStateException("not the first of its queue: " + message.source() + "/" + message.key());
        }
        queue.pollFirst();
        if (queue.isEmpty()) {
            queues.remove(address);
        }
        goes(message);
    }

    /** The first message of every queue. */
    private List<Message> heads() {
        List<Message> heads = new ArrayList<>(queues.size());
        for (ArrayDeque<Message> queue : queues.values()) {
            heads.add(queue.peekFirst());
        }
        return heads;
    }

    /** All messages in order of arrival, but for those that are borrowed. */
    public List<Message> inOrder() {
        return new ArrayList<>(arrived.values());
    }

    /** The first so many, or none when there are not as many. */
    List<Message> first(int count) {
        return arrived.size() < count ? List.of() : arrived.values().stream().limit(count).toList();
    }

    /** So many messages of one key: of that which was the first to have them. Or none. */
    List<Message> complete(int count) {
        if (byKey == null || byKey.count != count) {
            byKey = new MessagesByKey(count, arrived.values());
        }
        return byKey.first();
    }

    /** Of that key, from all sources, in order of arrival. */
    public List<Message> ofKey(String key) {
        return byKey != null ? byKey.of(key) : arrived.values().stream().filter(message -> message.key().equals(key)).toList();
    }

    /** All messages in no order, but for those that are borrowed. */
    public void forEach(Consumer<Message> each) {
        arrived.values().forEach(each);
    }

    /** With those that are borrowed. */
    public int size() {
        return size;
    }

    public long bytes() {
        return bytes;
    }

    public int borrowed() {
        return size - arrived.size();
    }
}
