package dev.sand.event;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The first events that wait in a grain's local queue on one host; nothing is taken out.
 *
 * @param host whose they are, or who does not answer
 * @param problem why it told nothing, or null
 * @param events those that have waited for longest first
 * @param more there are more than these
 */
public record QueuedEvents(String host, String problem, List<Queued> events, boolean more) {
    /** What is asked for. @param limit most events of a host, 1 to {@link #MOST_EVENTS} */
    public record Look(String application, String grain, int limit) {
        public Look {
            if (limit < 1 || limit > MOST_EVENTS) {
                throw new IllegalArgumentException("of events that wait 1 to " + MOST_EVENTS + " are told, not " + limit);
            }
        }
    }

    /** With as many previews an answer is one frame between hosts. */
    public static final int MOST_EVENTS = 100;
    /** Of an input, its beginning. */
    public static final int PREVIEW_BYTES = 2048;

    /**
     * @param queuedMs wall clock of the host, when it came into the queue: again, when its attempt before was lost
     * @param attempt that it waits for, from 1
     * @param bytes of the whole input
     * @param preview its first {@link #PREVIEW_BYTES}, or null: they are not on the host any more
     */
    public record Queued(int version, String executionId, String eventId, long queuedMs, int attempt, long bytes, String contentType,
                         byte[] preview) {}

    /** Across versions of an application, and hosts, the clocks tell. */
    public static final Comparator<Queued> ORDER = Comparator.comparingLong(Queued::queuedMs).thenComparing(Queued::eventId);

    /** @param all in any order */
    public static QueuedEvents first(String host, List<Queued> all, int limit) {
        List<Queued> sorted = new ArrayList<>(all);
        sorted.sort(ORDER);
        return new QueuedEvents(host, null, List.copyOf(sorted.subList(0, Math.min(limit, sorted.size()))), sorted.size() > limit);
    }

    public static QueuedEvents silent(String host, String why) {
        return new QueuedEvents(host, why, List.of(), false);
    }
}
