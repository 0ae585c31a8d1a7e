package dev.sand.standalone.observe;

import dev.sand.hostagent.triggers.TriggerFigures;
import dev.sand.hostagent.triggers.TriggerRunner;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What a host has measured of queues and schedules, as metrics. */
public final class TriggerMetrics {
    private static final long ANSWER_MS = 2_000;
    private static final double MS = 1e-3;

    private TriggerMetrics() {}

    public static void addTo(Metrics metrics, TriggerRunner triggers) {
        metrics.add(() -> triggers.figures().get(ANSWER_MS, TimeUnit.MILLISECONDS), TriggerMetrics::families);
    }

    static List<Family> families(TriggerFigures.Reading reading) {
        Family depth = Family.gauge("sand_queue_messages", "Messages of this host's partitions that are not worked off.");
        Family oldest = Family.gauge("sand_queue_oldest_seconds", "How long ago the first of them was sent.");
        Family deliveries = Family.counter("sand_queue_deliveries", "Invocations with messages.");
        Family retries = Family.counter("sand_queue_retries", "Invocations with messages that had failed before.");
        Family refused = Family.counter("sand_queue_refused", "Deliveries that the platform could not take just then.");
        Family dead = Family.counter("sand_queue_dead_letters", "Messages that were given up on.");
        for (TriggerFigures.QueueReading queue : reading.queues()) {
            String[] labels = {"application", queue.application(), "queue", queue.queue()};
            depth.add(queue.depth(), labels);
            oldest.add(queue.oldestMs() * MS, labels);
            deliveries.add(queue.deliveries(), labels);
            retries.add(queue.retries(), labels);
            refused.add(queue.refused(), labels);
            dead.add(queue.deadLetters(), labels);
        }
        Family fires = Family.counter("sand_schedule_fires", "Scheduled fires, and those that were missed for good.");
        for (TriggerFigures.ScheduleReading schedule : reading.schedules()) {
            fires.add(schedule.fired(), "application", schedule.application(), "trigger", schedule.trigger(), "outcome", "fired");
            fires.add(schedule.missed(), "application", schedule.application(), "trigger", schedule.trigger(), "outcome", "missed");
        }
        return List.of(depth, oldest, deliveries, retries, refused, dead, fires);
    }
}
