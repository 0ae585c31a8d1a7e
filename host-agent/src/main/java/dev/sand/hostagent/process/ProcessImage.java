package dev.sand.hostagent.process;

import dev.sand.event.DedicatedSpec;
import dev.sand.event.Payload;
import dev.sand.localbus.KeyedQueues.Message;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * All of a process that lasts, as of one change (PraaS 3.3): what is swapped out, and what a checkpoint keeps.
 *
 * @param number of the last change that it has
 * @param about what it is beside what functions made of it
 * @param state by key, in its order; values that are {@link InImage} are in the last one, and in this one when it is written
 * @param cold of these, those that are not to be in memory when the process comes back
 * @param messages unread, by number; those that running functions have received among them. The times of those that invoke are of 1970's
 *                 clock, in ns; of others 0
 * @param taken by sender, the numbers of the messages that were taken
 */
public record ProcessImage(long number, About about, Map<String, Payload> state, Set<String> cold, List<Message> messages,
                           Map<String, BitSet> taken) {
    /** @param version of the application that was invoked in it last; the rest as in {@link Change.Made}; counts since it was made */
    public record About(long createdMs, int version, int concurrency, long memoryBytes, DedicatedSpec dedicated, Counts counts) {}

    /** What a process has done. */
    public record Counts(long invocations, long failures, long busyMs, long sent, long received, long swapsOut, long swapsIn,
                         long checkpoints) {
        public static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, 0, 0);
    }

    /** Whether messages in it make invocations, or will. */
    public boolean hasInvoking() {
        return messages.stream().anyMatch(message -> InvokingMessages.isOne(message.key()));
    }

    /** As this, with each value as {@code map} gives it. */
    public ProcessImage map(UnaryOperator<Payload> map) {
        Map<String, Payload> mapped = new LinkedHashMap<>();
        state.forEach((key, value) -> mapped.put(key, map.apply(value)));
        return new ProcessImage(number, about, mapped, cold, messages.stream().map(message -> new Message(message.source(), message.key(),
                map.apply(message.payload()), message.order(), message.atNs())).toList(), taken);
    }
}
