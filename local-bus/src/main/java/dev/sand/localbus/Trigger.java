package dev.sand.localbus;

import dev.sand.localbus.KeyedQueues.Message;
import java.util.List;

/**
 * When waiting messages make an invocation (PraaS 4.3, table 3): a pure predicate on queues. It selects and takes nothing;
 * whoever acts on the selection removes it.
 */
public sealed interface Trigger {
    /** @return the messages of the next invocation in order of arrival, or an empty list: not yet */
    List<Message> select(KeyedQueues queues);

    /** Every message is an invocation. */
    record Standard() implements Trigger {
        @Override
        public List<Message> select(KeyedQueues queues) {
            Message oldest = queues.peek(KeyedQueues.ANY, KeyedQueues.ANY);
            return oldest == null ? List.of() : List.of(oldest);
        }
    }

    /**
     * Waits for {@code count} messages with the same key, wherever they come from: a reduction, a join. Of several keys that
     * are complete, the one whose last message arrived first goes first.
     */
    record MultiSource(int count) implements Trigger {
        public MultiSource {
            requirePositive(count);
        }

        @Override
        public List<Message> select(KeyedQueues queues) {
            return queues.complete(count);
        }

        /** The predicate itself, for an owner that counts in its own way: the join of a workflow. */
        public boolean isComplete(int arrived) {
            return arrived >= count;
        }
    }

    /** Waits for {@code count} messages with any key. */
    record Batch(int count) implements Trigger {
        public Batch {
            requirePositive(count);
        }

        @Override
        public List<Message> select(KeyedQueues queues) {
            return queues.first(count);
        }
    }

    private static void requirePositive(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("a trigger waits for at least one message, not " + count);
        }
    }
}
