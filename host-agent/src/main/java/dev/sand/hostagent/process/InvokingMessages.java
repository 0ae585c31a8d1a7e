package dev.sand.hostagent.process;

import dev.sand.event.ProcessSpec;
import dev.sand.localbus.KeyedQueues.Message;
import dev.sand.localbus.KeyedQueues;
import dev.sand.localbus.Trigger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Messages whose key is {@code invoke:<function>:<key>} (PraaS 4.3): they feed the function's trigger, and nobody receives them. By
 * function, each in a queue whose keys are the invocations'.
 */
public final class InvokingMessages {
    static final String PREFIX = "invoke:";

    private ProcessSpec spec;
    private final Map<String, KeyedQueues> byFunction = new LinkedHashMap<>();
    private int size;
    private long bytes;

    InvokingMessages(ProcessSpec spec) {
        this.spec = spec;
    }

    void renew(ProcessSpec renewed) {
        spec = renewed;
    }

    /**
     * What is wrong with the name of a message.
     *
     * @return null: nothing; the name of a function that is not there; or empty, when it names none
     */
    public static String unknown(String key, Set<String> functions) {
        if (!isOne(key)) {
            return null;
        }
        int end = key.indexOf(':', PREFIX.length());
        String function = end < 0 ? "" : key.substring(PREFIX.length(), end);
        return functions.contains(function) ? null : function;
    }

    public static boolean isOne(String key) {
        return key.startsWith(PREFIX);
    }

    private static String function(String key) {
        return key.substring(PREFIX.length(), key.indexOf(':', PREFIX.length()));
    }

    void put(Message message) {
        String function = function(message.key());
        int end = PREFIX.length() + function.length();
        byFunction.computeIfAbsent(function, added -> new KeyedQueues(Integer.MAX_VALUE, Long.MAX_VALUE))
                .put(new Message(message.source(), message.key().substring(end + 1), message.payload(), message.order(), message.atNs()));
        size++;
        bytes += message.payload().size();
    }

    /** Null: it is not here. */
    Message remove(long number) {
        for (KeyedQueues queue : byFunction.values()) {
            Message found = queue.remove(number);
            if (found != null) {
                size--;
                bytes -= found.payload().size();
                return found;
            }
        }
        return null;
    }

    /** With the names under which they came. */
    List<Message> all() {
        List<Message> all = new ArrayList<>(size);
        byFunction.forEach((function, queue) -> queue.inOrder().forEach(message -> all.add(named(function, message))));
        return all;
    }

    /** The same in no order. */
    void forEach(Consumer<Message> each) {
        byFunction.forEach((function, queue) -> queue.forEach(message -> each.accept(named(function, message))));
    }

    static Message named(String function, Message message) {
        return new Message(message.source(), PREFIX + function + ":" + message.key(), message.payload(), message.order(), message.atNs());
    }

    /** @param sinceNs when it became due */
    private record Ready(String function, List<Message> messages, long sinceNs) {
        boolean isBefore(Ready other) {
            return sinceNs != other.sinceNs ? sinceNs - other.sinceNs < 0
                    : messages.getLast().order() < other.messages.getLast().order(); // both came back with their process
        }
    }

    /**
     * Taken out: the messages of the invocation that is due the longest, or null. So no function waits for another one's messages to
     * end. Those of functions that nobody has stay.
     */
    CloudProcess.Due poll(long nowNs, Predicate<String> exists) {
        Ready first = null;
        for (Map.Entry<String, KeyedQueues> each : byFunction.entrySet()) {
            if (exists.test(each.getKey()) && ready(each.getKey(), each.getValue(), nowNs) instanceof Ready ready
                    && (first == null || ready.isBefore(first))) {
                first = ready;
            }
        }
        if (first == null) {
            return null;
        }
        KeyedQueues queue = byFunction.get(first.function);
        queue.removeAll(first.messages);
        size -= first.messages.size();
        first.messages.forEach(message -> bytes -= message.payload().size());
        if (queue.size() == 0) {
            byFunction.remove(first.function);
        }
        boolean alone = spec.function(first.function).trigger() == ProcessSpec.Trigger.STANDARD;
        return new CloudProcess.Due(first.function, first.messages.getFirst().key(), first.messages, alone);
    }

    /** Null: nothing of the function's is due. */
    private Ready ready(String name, KeyedQueues queue, long nowNs) {
        ProcessSpec.Function function = spec.function(name);
        List<Message> complete = trigger(function).select(queue);
        if (!complete.isEmpty()) {
            long completeNs = complete.getLast().atNs();
            return new Ready(name, complete, function.timeoutMs() == 0 ? completeNs : Math.min(completeNs, dueNs(function, complete.getFirst())));
        }
        Message oldest = function.timeoutMs() == 0 ? null : queue.peek(KeyedQueues.ANY, KeyedQueues.ANY);
        if (oldest == null || dueNs(function, oldest) > nowNs) {
            return null;
        }
        List<Message> there = function.trigger() == ProcessSpec.Trigger.BATCH ? queue.inOrder() : queue.ofKey(oldest.key());
        return new Ready(name, there, dueNs(function, oldest));
    }

    private static Trigger trigger(ProcessSpec.Function function) {
        return switch (function.trigger()) {
            case STANDARD -> new Trigger.Standard();
            case MULTI_SOURCE -> new Trigger.MultiSource(function.count());
            case BATCH -> new Trigger.Batch(function.count());
        };
    }

    private static long dueNs(ProcessSpec.Function function, Message oldest) {
        return oldest.atNs() + function.timeoutMs() * 1_000_000;
    }

    /** When an invocation becomes due with what is there; Long.MAX_VALUE: none does. */
    long nextDueNs() {
        long next = Long.MAX_VALUE;
        for (Map.Entry<String, KeyedQueues> each : byFunction.entrySet()) {
            ProcessSpec.Function function = spec.function(each.getKey());
            Message oldest = each.getValue().peek(KeyedQueues.ANY, KeyedQueues.ANY);
            if (function.timeoutMs() > 0 && oldest != null) {
                next = Math.min(next, dueNs(function, oldest));
            }
        }
        return next;
    }

    /** When the last of those has become due that are there now; Long.MIN_VALUE: none does. */
    long lastDueNs() {
        long[] last = {Long.MIN_VALUE};
        byFunction.forEach((name, queue) -> {
            ProcessSpec.Function function = spec.function(name);
            if (function.timeoutMs() > 0) {
                queue.forEach(message -> last[0] = Math.max(last[0], dueNs(function, message)));
            }
        });
        return last[0];
    }

    int size() {
        return size;
    }

    long bytes() {
        return bytes;
    }
}
