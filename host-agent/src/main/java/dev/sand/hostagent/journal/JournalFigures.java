package dev.sand.hostagent.journal;

import dev.sand.event.DurationCounts;
import java.util.Map;

/**
 * What a journal has measured, by application.
 *
 * @param backlog given and not yet durable; applications that have none are left out
 * @param recoveries of journal partitions in which executions were open
 */
public record JournalFigures(Map<String, Backlog> backlog, Map<String, Recovery> recoveries) {
    public static final JournalFigures NONE = new JournalFigures(Map.of(), Map.of());

    public record Backlog(long records, long bytes) {
        public Backlog plus(Backlog other) {
            return new Backlog(records + other.records, bytes + other.bytes);
        }
    }

    /** @param durations from the claim until the partition was read; @param executions that were found open */
    public record Recovery(DurationCounts.Reading durations, long executions) {
        public static final Recovery NONE = new Recovery(new DurationCounts().read(), 0);
    }
}
