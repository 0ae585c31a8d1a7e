package dev.sand.hostagent.triggers;

import dev.sand.datalayer.StoreException;
import dev.sand.datalayer.TriggerStore.Progress;
import dev.sand.event.LogFields;
import dev.sand.globalbus.Queues;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores how far one queue's partitions are settled, and trims them there. Owner's thread; what blocks goes to the crew. A
 * partition's progress is written under the version that was read: a host that lost it without noticing meets a conflict and
 * lets go.
 */
final class QueueProgress {
    private static final Logger LOG = LoggerFactory.getLogger(QueueProgress.class);
    /** Settled messages share a write. */
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final TriggerParts parts;
    private final Crew crew;
    private final String application;
    private final String queue;
    private final QueueRun run;
    private final Predicate<Reading> isCurrent;
    private final Consumer<Reading> lose;

    /** @param isCurrent whether the partition is still this host's; @param lose gives it up */
    QueueProgress(TriggerParts parts, Crew crew, String application, QueueRun run, Predicate<Reading> isCurrent,
                  Consumer<Reading> lose) {
        this.parts = parts;
        this.crew = crew;
        this.application = application;
        this.queue = run.spec().name();
        this.run = run;
        this.isCurrent = isCurrent;
        this.lose = lose;
    }

    /** @param reading null: the partition was lost meanwhile */
    void changed(Reading reading) {
        if (reading == null) {
            return;
        }
        boolean first = !reading.dirty;
        reading.dirty = true;
        if (first && !reading.writing) {
            crew.after(PAUSE, () -> store(reading));
        }
    }

    void store(Reading reading) {
        Progress progress = run.progress(reading.partition);
        if (!isCurrent.test(reading) || !reading.dirty || reading.writing || progress == null) {
            return;
        }
        reading.dirty = false;
        reading.writing = true;
        crew.ask(() -> {
            long stored = parts.store().putProgress(application, queue, reading.partition, progress, reading.version);
            parts.bus().trim(Queues.topic(application, queue), reading.partition, progress.low());
            return stored;
        }, (stored, failure) -> {
            reading.writing = false;
            if (failure == null) {
                reading.version = stored;
                if (reading.dirty) {
                    store(reading);
                }
            } else if (failure instanceof StoreException refused && refused.kind() == StoreException.Kind.CONFLICT) {
                LOG.atWarn().addKeyValue(LogFields.APPLICATION, application).addKeyValue(LogFields.QUEUE, queue)
                        .addKeyValue(LogFields.SLOT, reading.partition).addKeyValue(LogFields.EPOCH, reading.epoch)
                        .log("partition {} of queue {} of {} is somebody else's: {}", reading.partition, queue, application,
                        failure.getMessage());
                lose.accept(reading);
            } else {
                reading.dirty = true; // again with the next refresh
                LOG.atWarn().addKeyValue(LogFields.APPLICATION, application).addKeyValue(LogFields.QUEUE, queue)
                        .addKeyValue(LogFields.SLOT, reading.partition).addKeyValue(LogFields.EPOCH, reading.epoch)
                        .log("progress of queue {} of {} cannot be stored: {}", queue, application, failure.getMessage());
            }
        });
    }
}
