package dev.sand.datalayer;

import java.util.List;
import java.util.Locale;
import java.util.Set;

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
    record Which(String executionId, String grain, String process, Words words) {
        public static final Which ALL = new Which(null, null);

        public Which(String executionId, String grain) {
            this(executionId, grain, null);
        }

        public Which(String executionId, String grain, String process) {
            this(executionId, grain, process, Words.ANY);
        }

        public boolean has(Line line) {
            return (executionId == null || executionId.equals(line.executionId())) && (grain == null || grain.equals(line.grain()))
                    && (process == null || process.equals(line.process())) && words.has(line);
        }
    }

    /**
     * What is asked of the lines themselves; null for all.
     *
     * @param text that they have, in capital or small letters
     * @param least level
     */
    record Words(String text, LogLevel least, Set<String> streams) {
        public static final Words ANY = new Words(null, null, null);

        public Words {
            text = text == null ? null : text.toLowerCase(Locale.ROOT);
        }

        boolean has(Line line) {
            return (streams == null || streams.contains(line.stream())) && (least == null || LogLevel.of(line).compareTo(least) >= 0)
                    && (text == null || line.text().toLowerCase(Locale.ROOT).contains(text));
        }
    }

    /**
     * Lines, oldest first.
     *
     * @param cursor where to look on: the sequence behind which newer ones are, or before which older ones
     * @param more whether there is, or may be, one like these beyond it now; fewer than were asked for are given where many others
     *     were looked at
     */
    record Page(List<Line> lines, long cursor, boolean more) {}

    /** Of one look: who looks for what is rare looks again, from the cursor on. */
    int MOST_LOOKED_AT = 20_000;

    /** Blocks; called by the log collector's thread with batches. */
    void append(List<Line> lines);

    /** The first lines behind {@code afterSequence}. */
    Page after(String application, Which which, long afterSequence, int limit);

    /** The last lines before {@code beforeSequence}, oldest first. */
    Page before(String application, Which which, long beforeSequence, int limit);

    /** The last lines of all. */
    default Page last(String application, Which which, int limit) {
        return before(application, which, Long.MAX_VALUE, limit);
    }

    void deleteApplication(String application);

    /** What was written in that cloud process so far is found under its name no more. */
    void deleteProcess(String application, String process);

    @Override
    void close();
}
