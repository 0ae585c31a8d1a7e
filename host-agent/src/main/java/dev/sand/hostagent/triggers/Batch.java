package dev.sand.hostagent.triggers;

import dev.sand.globalbus.QueueMessage;
import java.util.List;

/**
 * Messages of one group that make one invocation, in order.
 *
 * @param attempt from 1
 * @param recovered some of them may have been worked on by an earlier owner of the partition
 */
record Batch(int partition, String group, List<Held> messages, int attempt, boolean recovered) {
    /** A message with its place in the partition. */
    record Held(long offset, QueueMessage message) {}

    Batch again(int nextAttempt) {
        return new Batch(partition, group, messages, nextAttempt, recovered);
    }
}
