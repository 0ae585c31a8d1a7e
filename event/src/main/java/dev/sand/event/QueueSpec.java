package dev.sand.event;

/**
 * A durable queue of an application and what happens to its messages: {@code queues} of sand.yaml, and behind every trigger.
 * Messages of one group are worked on in order; across groups there is none.
 *
 * @param target a grain or a workflow
 * @param concurrency most invocations at once on one host
 * @param groupConcurrency most invocations at once of one group; 1: first in, first out, each after the one before has ended
 * @param batch most messages of one invocation; with 1 the event is the message itself, else a list of messages
 * @param lingerMs how long an invocation that is not full waits for more messages; {@link #FOREVER_MS}: one of a group until it is full
 * @param retries attempts after the first, before a message goes to the dead letters
 * @param backoffMs pause before the first of them; each further one is twice as long
 * @param maxBackoffMs longest pause
 * @param timeoutMs deadline of one invocation
 * @param depth most messages waiting in one partition
 * @param onFailure the grain or workflow that is told of a dead letter, or null
 */
public record QueueSpec(
        String name, String target, int concurrency, int groupConcurrency, int batch, long lingerMs, int retries, long backoffMs,
        long maxBackoffMs, long timeoutMs, int depth, String onFailure) {
    /** Bytes of one message. */
    public static final int MESSAGE_BYTES = 256 * 1024;
    public static final int GROUP_CHARS = 256;
    public static final int MAX_BATCH = 1000;
    /** A number that every language has. */
    public static final long FOREVER_MS = 1L << 52;

    public static QueueSpec withDefaults(String name, String target) {
        return new QueueSpec(name, target, 10, 1, 1, 0, 2, 1_000, 300_000, 60_000, 10_000, null);
    }

    /** The pause before the attempt of that number, from 2 on. */
    public long pauseMs(int attempt) {
        int doublings = Math.clamp(attempt - 2L, 0, 40);
        long pause = backoffMs > Long.MAX_VALUE >> doublings ? Long.MAX_VALUE : backoffMs << doublings;
        return Math.min(pause, maxBackoffMs);
    }
}
