package dev.sand.hostagent.triggers;

import dev.sand.datalayer.TriggerStore.Progress;
import dev.sand.datalayer.TriggerStore.VersionedProgress;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Failure;
import dev.sand.event.LogFields;
import dev.sand.event.QueueSpec;
import dev.sand.globalbus.GlobalBus.BusRecord;
import dev.sand.globalbus.Queues;
import dev.sand.hostagent.triggers.TriggerFigures.QueueCounts;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives one {@link QueueRun}: reads the partitions of this host's slots, has its batches invoked ({@link QueueInvocations}) and
 * buried ({@link DeadLetters}), and its progress stored ({@link QueueProgress}). Owner's thread; what blocks goes to the crew.
 */
final class QueueDriver {
    private static final Logger LOG = LoggerFactory.getLogger(QueueDriver.class);
    private static final Duration BURY_AGAIN = Duration.ofSeconds(1);

    private final TriggerParts parts;
    private final Crew crew;
    private final String application;
    private final String queue;
    private final QueueRun run;
    private final QueueCounts counts;
    private final QueueInvocations invocations;
    private final DeadLetters deadLetters;
    private final QueueProgress progress;
    private final Map<Integer, Reading> readings = new HashMap<>();
    private ApplicationVersion version;
    private long tickMs = Long.MAX_VALUE;

    /** @param counts added to on the owner's thread */
    QueueDriver(TriggerParts parts, Crew crew, ApplicationVersion version, QueueSpec spec, QueueCounts counts) {
        this.parts = parts;
        this.crew = crew;
        this.application = version.application();
        this.queue = spec.name();
        this.version = version;
        this.run = new QueueRun(spec);
        this.counts = counts;
        this.invocations = new QueueInvocations(parts, crew, counts);
        this.deadLetters = new DeadLetters(parts, application, queue);
        this.progress = new QueueProgress(parts, crew, application, run, this::isCurrent, this::lose);
    }

    QueueCounts counts() {
        return counts;
    }

    /** What of this host's partitions is not settled, whether it was read or not. */
    TriggerFigures.Level level() {
        long unread = readings.values().stream().mapToLong(Reading::unread).sum();
        long nowMs = parts.clockMs().getAsLong();
        return new TriggerFigures.Level(run.held() + unread, nowMs - run.oldestMs(nowMs));
    }

    /** As the application is now, and with the slots that this host has now. */
    void refresh(ApplicationVersion now, QueueSpec spec) {
        version = now;
        run.onSpec(spec);
        for (int slot = 0; slot < parts.ownership().slots(); slot++) {
            long epoch = parts.ownership().epoch(slot);
            Reading reading = readings.get(slot);
            if (reading != null && reading.epoch != epoch) {
                lose(reading);
                reading = null;
            }
            if (reading == null && epoch != 0) {
                own(new Reading(slot, epoch));
            } else if (reading != null && reading.dirty) {
                progress.store(reading);
            }
            if (reading != null && (reading.stopped || run.isStopped(slot))) {
                look(reading);
            }
        }
        perform(run.onTick(parts.clockMs().getAsLong()));
    }

    /** How much lies behind what is held. */
    private void look(Reading reading) {
        if (reading.looking) {
            return;
        }
        reading.looking = true;
        crew.ask(() -> parts.bus().endOffset(Queues.topic(application, queue), reading.partition), (end, failure) -> {
            reading.looking = false;
            if (failure == null) {
                reading.end = end;
            }
        });
    }

    void close() {
        List.copyOf(readings.values()).forEach(this::lose);
    }

    private void own(Reading reading) {
        readings.put(reading.partition, reading);
        String topic = Queues.topic(application, queue);
        record Found(VersionedProgress progress, long end) {}
        crew.ask(() -> {
            if (parts.bus().partitions(topic) == 0) {
                parts.queues().create(application, queue);
            }
            return new Found(parts.store().progress(application, queue, reading.partition),
                    parts.bus().endOffset(topic, reading.partition));
        }, (found, failure) -> {
            if (readings.get(reading.partition) != reading) {
                return;
            }
            if (failure != null) {
                LOG.atWarn().addKeyValue(LogFields.APPLICATION, application).addKeyValue(LogFields.QUEUE, queue)
                        .addKeyValue(LogFields.SLOT, reading.partition)
                        .log("partition {} of {} cannot be read yet: {}", reading.partition, topic, failure.getMessage());
                readings.remove(reading.partition);
                return;
            }
            reading.version = found.progress.version();
            Progress stored = found.progress.progress();
            // A topic that was made again begins anew.
            Progress known = stored.low() <= found.end ? stored : Progress.NONE;
            run.onOwned(reading.partition, known, found.end);
            reading.next = known.low();
            reading.tail = parts.bus().tail(topic, reading.partition, known.low(),
                    records -> crew.own(() -> onRecords(reading, records)));
        });
    }

    private void lose(Reading reading) {
        readings.remove(reading.partition, reading);
        run.onLost(reading.partition);
        if (reading.tail != null) {
            reading.tail.close();
        }
    }

    private boolean isCurrent(Reading reading) {
        return readings.get(reading.partition) == reading;
    }

    private void onRecords(Reading reading, List<BusRecord> records) {
        if (!isCurrent(reading) || records.isEmpty() || reading.stopped) {
            return;
        }
        if (records.getFirst().offset() < reading.next) {
            // The application was deleted and deployed again: another topic under the same name, with progress of its own.
            lose(reading);
            own(new Reading(reading.partition, reading.epoch));
            return;
        }
        List<Batch.Held> messages = reading.messages(application, queue, records);
        perform(run.onMessages(reading.partition, messages, parts.clockMs().getAsLong()));
    }

    private void perform(List<QueueAction> actions) {
        for (QueueAction action : actions) {
            switch (action) {
                case QueueAction.Deliver(Batch batch) -> deliver(readings.get(batch.partition()), batch);
                case QueueAction.Bury(Batch batch, Failure failure, String executionId) ->
                        bury(readings.get(batch.partition()), batch, failure, executionId);
                case QueueAction.Progressed(int partition) -> progress.changed(readings.get(partition));
                case QueueAction.Flow(int partition, boolean wanted) -> readings.get(partition).flow(wanted);
            }
        }
        armTick();
    }

    private void armTick() {
        long dueMs = run.nextDueMs();
        if (dueMs < tickMs) {
            tickMs = dueMs;
            crew.after(Duration.ofMillis(Math.max(0, dueMs - parts.clockMs().getAsLong())), () -> {
                if (tickMs == dueMs) {
                    tickMs = Long.MAX_VALUE;
                }
                perform(run.onTick(parts.clockMs().getAsLong()));
            });
        }
    }

    // --- invocations

    private void deliver(Reading reading, Batch batch) {
        invocations.deliver(version, run.spec(), batch, new QueueInvocations.Outcome() {
            @Override
            public boolean isWanted() {
                return isCurrent(reading);
            }

            @Override
            public void onRefused() {
                refused(reading, batch);
            }

            @Override
            public void onEnded(Failure failure, String executionId) {
                ended(reading, batch, failure, executionId);
            }
        });
    }

    private void refused(Reading reading, Batch batch) {
        counts.refused++;
        if (isCurrent(reading)) {
            perform(run.onRefused(batch, parts.clockMs().getAsLong()));
        }
    }

    private void ended(Reading reading, Batch batch, Failure failure, String executionId) {
        if (isCurrent(reading)) {
            perform(run.onEnded(batch, failure, executionId, parts.clockMs().getAsLong()));
        }
    }

    // --- dead letters

    private void bury(Reading reading, Batch batch, Failure failure, String executionId) {
        crew.ask(() -> deadLetters.bury(batch, failure, executionId, run.spec().onFailure()), (buried, wrong) -> {
            if (!isCurrent(reading)) {
                return;
            }
            if (wrong == null && !buried) {
                lose(reading);
            } else if (wrong == null) {
                counts.deadLetters += batch.messages().size();
                deadLetters.log(batch, failure, executionId);
                perform(run.onBuried(batch, parts.clockMs().getAsLong()));
            } else {
                LOG.atWarn().addKeyValue(LogFields.APPLICATION, application).addKeyValue(LogFields.QUEUE, queue)
                        .addKeyValue(LogFields.EXECUTION_ID, executionId)
                        .log("a dead letter of queue {} of {} cannot be stored: {}", queue, application, wrong.getMessage());
                crew.after(BURY_AGAIN, () -> {
                    if (isCurrent(reading)) {
                        bury(reading, batch, failure, executionId);
                    }
                });
            }
        });
    }
}
