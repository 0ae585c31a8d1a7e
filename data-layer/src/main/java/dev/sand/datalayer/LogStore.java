package dev.sand.datalayer;

import java.util.List;

/** What grains wrote, by application and invocation, bounded: the oldest lines of an application go first. */
public interface LogStore extends AutoCloseable {
    /**
     * @param sequence position in the store, ascending; 0 on append
     * @param epochMs wall clock of the host when the line was read
     * @param stream stdout, stderr or platform (the supervisor's and worker's own words)
     * @param level of a structured line ({"level", "message", …} as one JSON object), or null
     * @param text the line without its end, cut at 16 KiB
     */
    record Line(long sequence, long epochMs, String application, int version, String grain, String executionId,
                String eventId, int attempt, String stream, String level, String text) {}

    /** Blocks; called by the log collector's thread with batches. */
    void append(List<Line> lines);

    /** Lines after {@code afterSequence}, oldest first; executionId and grain may be null for all. */
    List<Line> read(String application, String executionId, String grain, long afterSequence, int limit);

    /** The last lines, oldest first. */
    List<Line> tail(String application, String executionId, String grain, int limit);

    void deleteApplication(String application);

    @Override
    void close();
}
