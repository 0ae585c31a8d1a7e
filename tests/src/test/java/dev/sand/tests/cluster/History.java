package dev.sand.tests.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What callers were answered and what they read, in the order in which they saw it; {@link HistoryCheck} judges it. Any thread. */
final class History {
    sealed interface Seen {}

    /** The platform promised to answer this one. */
    record Accepted(int request, String execution) implements Seen {}

    /**
     * An answer that says "come back later": it was asked again under the same key.
     *
     * @param execution as the answer named it, or null
     * @param mayHaveRun whether the answer said so; otherwise it said that nothing was begun
     */
    record TurnedAway(int request, String execution, boolean mayHaveRun, String how) implements Seen {}

    /**
     * @param execution as the answer named it, or null
     * @param right whether the output is what the input gives
     * @param how the output, or the cause that was told
     */
    record Ended(int request, String execution, boolean succeeded, boolean right, String how) implements Seen {}

    /** Everything was over, and it was asked once more under its key. @param replayed whether the answer said that it is the old one */
    record AskedAgain(int request, String execution, boolean replayed, String how) implements Seen {}

    /** The execution's record had its end. @param finished its events that succeeded, one entry for each time */
    record Recorded(String execution, String status, long endedMs, List<String> finished) implements Seen {}

    private final Collection<Seen> seen = new ConcurrentLinkedQueue<>();

    void add(Seen one) {
        seen.add(one);
    }

    /** @param record as the platform shows an invocation */
    void recorded(JsonNode record) {
        List<String> finished = new ArrayList<>();
        record.path("hops").forEach(hop -> {
            if (!hop.hasNonNull("error")) {
                finished.add(hop.path("eventId").asText());
            }
        });
        add(new Recorded(record.path("executionId").asText(), record.path("status").asText(), record.path("endedMs").asLong(), finished));
    }

    <T extends Seen> List<T> all(Class<T> kind) {
        return seen.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    int succeeded() {
        return (int) all(Ended.class).stream().filter(Ended::succeeded).count();
    }

    List<Ended> failures() {
        return all(Ended.class).stream().filter(end -> !end.succeeded()).toList();
    }
}
