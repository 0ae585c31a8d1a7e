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
     * @param process the cloud process that the function ran in, or null
     */
    record Line(long sequence, long epochMs, String application, int version, String grain, String executionId,
                String eventId, int attempt, String stream, String level, String text, String process) {
        public Line(long sequence, long epochMs, String application, int version, String grain, String executionId, String eventId,
                    int attempt, String stream, String level, String text) {
            this(sequence, epochMs, application, version, grain, executionId, eventId, attempt, stream, level, text, null);
        }

        public Line numbered(long number) {
            return new Line(number, epochMs, application, version, grain, executionId, eventId, attempt, stream, level, text, process);
        }
    }

    /** Which lines are asked for; null for all. */
    record Which(String executionId, String grain, String process) {
        public static final Which ALL = new Which(null, null);

        public Which(String executionId, String grain) {
            this(executionId, grain, null);
        }

        public boolean has(Line line) {
            return (executionId == null || executionId.equals(line.executionId())) && (grain == null || grain.equals(line.grain()))
                    && (process == null || process.equals(line.process()));
        }
    }

    /** Blocks; called by the log collector's thread with batches. */
    void append(List<Line> lines);

    /** Lines after {@code afterSequence}, oldest first. */
    List<Line> read(String application, Which which, long afterSequence, int limit);

    /** The last lines, oldest first. */
    List<Line> tail(String application, Which which, int limit);

    void deleteApplication(String application);

    /** What was written in that cloud process so far is found under its name no more. */
    void deleteProcess(String application, String process);

    @Override
    void close();
}
