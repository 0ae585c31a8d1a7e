package dev.sand.hostagent.triggers;

import dev.sand.datalayer.StoreException;
import dev.sand.datalayer.TriggerStore.DeadLetter;
import dev.sand.datalayer.TriggerStore.Progress;
import dev.sand.datalayer.TriggerStore.VersionedProgress;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.BusRecords;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Limits;
import dev.sand.event.LogFields;
import dev.sand.event.QueueSpec;
import dev.sand.globalbus.AppendFuture;
import dev.sand.globalbus.GlobalBus.BusRecord;
import dev.sand.globalbus.GlobalBus.Tail;
import dev.sand.globalbus.QueueMessage;
import dev.sand.globalbus.Queues;
import dev.sand.hostagent.triggers.TriggerFigures.QueueCounts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives one {@link QueueRun}: reads the partitions of this host's slots, invokes, stores progress and dead letters. Owner's
 * thread; what blocks goes to the crew. A partition's progress is written under the version that was read: a host that lost
 * it without noticing meets a conflict and lets go.
 */
final class QueueDriver {
    private static final Logger LOG = LoggerFactory.getLogger(QueueDriver.class);
    /** Settled messages share a write. */
    private static final Duration PROGRESS_PAUSE = Duration.ofMillis(20);
    private static final Duration BURY_AGAIN = Duration.ofSeconds(1);
    private static final Set<String> REFUSALS = Set.of(Errors.MOVED, Errors.UNAVAILABLE, Errors.OVERLOADED);

    /** One partition while it is this host's. */
    private static final class Reading {
        final int partition;
        final long epoch;
        Tail tail;
        long next;
        long version;
        boolean dirty;
        boolean writing;
        /** At a record that only a newer platform understands. */
        boolean stopped;
        /** Where the partition ended when it was looked at last: while its flow is stopped, what lies there is not held here. */
        long end;
        boolean looking;

        Reading(int partition, long epoch) {
            this.partition = partition;
            this.epoch = epoch;
        }
    }

    private final TriggerParts parts;
    private final Crew crew;
    private final String application;
    private final String queue;
    private final QueueRun run;
    private final QueueCounts counts;
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
    }

    QueueCounts counts() {
        return counts;
    }

    /** What of this host's partitions is not settled, whether it was read or not. */
    TriggerFigures.Level level() {
        long unread = readings.values().stream().mapToLong(reading -> Math.max(0, reading.end - reading.next)).sum();
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
                store(reading);
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
            Progress progress = found.progress.progress();
            // A topic that was made again begins anew.
            Progress known = progress.low() <= found.end ? progress : Progress.NONE;
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
        List<Batch.Held> messages = new ArrayList<>(records.size());
        for (BusRecord record : records) {
            try {
                messages.add(new Batch.Held(record.offset(), QueueMessage.decode(record.value())));
            } catch (BusRecords.ForeignException e) {
                // Not skipped in silence: somebody else writes to this topic.
                LOG.atWarn().addKeyValue(LogFields.APPLICATION, application).addKeyValue(LogFields.QUEUE, queue)
                        .addKeyValue(LogFields.SLOT, reading.partition).addKeyValue(LogFields.EPOCH, reading.epoch)
                        .log("{}-{}, offset {}: passed over, {}", Queues.topic(application, queue), reading.partition, record.offset(),
                        e.getMessage());
                messages.add(new Batch.Held(record.offset(), null));
            } catch (BusRecords.NewerException e) {
                LOG.atError().addKeyValue(LogFields.APPLICATION, application).addKeyValue(LogFields.QUEUE, queue)
                        .addKeyValue(LogFields.SLOT, reading.partition).addKeyValue(LogFields.EPOCH, reading.epoch)
                        .log("{}-{} stops at offset {}: {}; it and what follows wait for a platform that understands it",
                        Queues.topic(application, queue), reading.partition, record.offset(), e.getMessage());
                reading.tail.close();
                reading.stopped = true;
                break;
            }
            reading.next = record.offset() + 1;
        }
        perform(run.onMessages(reading.partition, messages, parts.clockMs().getAsLong()));
    }

    private void perform(List<QueueAction> actions) {
        for (QueueAction action : actions) {
            switch (action) {
                case QueueAction.Deliver(Batch batch) -> deliver(readings.get(batch.partition()), batch);
                case QueueAction.Bury(Batch batch, Failure failure, String executionId) ->
                        bury(readings.get(batch.partition()), batch, failure, executionId);
                case QueueAction.Progressed(int partition) -> progressed(readings.get(partition));
                case QueueAction.Flow(int partition, boolean wanted) -> flow(readings.get(partition), wanted);
            }
        }
        armTick();
    }

    private static void flow(Reading reading, boolean wanted) {
        if (reading.stopped) {
            return;
        }
        if (wanted) {
            reading.tail.resume();
        } else {
            reading.tail.pause();
        }
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
        if (!parts.ownership().mayAct()) {
            // Suspended: it comes again here, under the same epoch, or with whoever owns the partition next.
            crew.own(() -> refused(reading, batch));
            return;
        }
        String own = batch.messages().getFirst().message().target();
        String target = own == null ? run.spec().target() : own;
        if (!version.hasTarget(target)) {
            crew.own(() -> ended(reading, batch, Failure.caller(Errors.NOT_FOUND, application + " version " + version.version()
                    + " has no grain or workflow " + target), null));
            return;
        }
        String id = Deliveries.executionId(application, queue, batch, parts.ownership().slots());
        InvocationRequest request = new InvocationRequest(id, application, version.version(), target,
                Deliveries.event(batch, own == null && run.spec().batch() > 1), run.spec().timeoutMs(), false, null);
        if (!batch.recovered()) {
            invoke(reading, batch, request);
            return;
        }
        crew.ask(() -> parts.records().get(application, id).filter(record -> record.status() != Status.RUNNING).orElse(null),
                (record, failure) -> {
                    if (failure != null) { // the store is away: it is not known whether it ended
                        refused(reading, batch);
                    } else if (record != null) {
                        ended(reading, batch, failureOf(record), id);
                    } else if (isCurrent(reading)) {
                        invoke(reading, batch, request);
                    }
                });
    }

    private static Failure failureOf(InvocationRecord record) {
        return failureOf(new InvocationResult(record.executionId(), record.status(), record.output(), record.failure(), record.hops()));
    }

    private static Failure failureOf(InvocationResult result) {
        return result.status() == Status.SUCCEEDED ? null : result.failure() != null ? result.failure()
                : Failure.platform(Errors.UNAVAILABLE, "execution " + result.executionId() + " ended as " + result.status(), false);
    }

    private void invoke(Reading reading, Batch batch, InvocationRequest request) {
        counts.deliveries++;
        if (batch.attempt() > 1) {
            counts.retries++;
        }
        parts.host().invoke(request, new InvocationListener() {
            @Override
            public void onAccepted() {}

            @Override
            public void onEnd(InvocationResult result) {
                crew.own(() -> onResult(reading, batch, result));
            }
        });
    }

    private void onResult(Reading reading, Batch batch, InvocationResult result) {
        Failure failure = failureOf(result);
        if (failure != null && failure.retryable() && REFUSALS.contains(failure.error())) {
            refused(reading, batch);
        } else {
            ended(reading, batch, failure, result.executionId());
        }
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

    /** First the letter, then who is told of it, then the message is settled: a crash in between repeats, and loses nothing. */
    private void bury(Reading reading, Batch batch, Failure failure, String executionId) {
        String handler = run.spec().onFailure();
        crew.ask(() -> {
            if (!parts.registry().exists(application)) {
                return false; // Deleted, with its dead letters: these would be found in the next application of that name.
            }
            for (Batch.Held held : batch.messages()) {
                QueueMessage message = held.message();
                parts.store().bury(application, new DeadLetter(Limits.SCHEMA_VERSION, message.id(), queue, message.group(),
                        message.payload(), message.enqueuedMs(), parts.clockMs().getAsLong(), batch.attempt(), failure, executionId));
                if (handler != null && message.failed() == null) {
                    tell(handler, batch, message, failure, executionId);
                }
            }
            return true;
        }, (buried, wrong) -> {
            if (!isCurrent(reading)) {
                return;
            }
            if (wrong == null && !buried) {
                lose(reading);
            } else if (wrong == null) {
                counts.deadLetters += batch.messages().size();
                LOG.atWarn().addKeyValue(LogFields.APPLICATION, application).addKeyValue(LogFields.QUEUE, queue)
                        .addKeyValue(LogFields.EXECUTION_ID, executionId)
                        .log("queue {} of {}: {} given up after {} attempts: {}", queue, application, Deliveries.ids(batch),
                        batch.attempt(), failure.cause());
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

    private void tell(String handler, Batch batch, QueueMessage message, Failure failure, String executionId) {
        CompletableFuture<Long> offset = new CompletableFuture<>();
        parts.queues().append(application, queue, batch.partition(), new QueueMessage(Limits.SCHEMA_VERSION,
                message.id() + ".failed", null, Deliveries.told(queue, message, batch.attempt(), failure, executionId),
                parts.clockMs().getAsLong(), handler, message.id()), AppendFuture.completing(offset));
        offset.join();
    }

    // --- progress

    private void progressed(Reading reading) {
        if (reading == null) {
            return;
        }
        boolean first = !reading.dirty;
        reading.dirty = true;
        if (first && !reading.writing) {
            crew.after(PROGRESS_PAUSE, () -> store(reading));
        }
    }

    private void store(Reading reading) {
        Progress progress = run.progress(reading.partition);
        if (!isCurrent(reading) || !reading.dirty || reading.writing || progress == null) {
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
                lose(reading);
            } else {
                reading.dirty = true; // again with the next refresh
                LOG.atWarn().addKeyValue(LogFields.APPLICATION, application).addKeyValue(LogFields.QUEUE, queue)
                        .addKeyValue(LogFields.SLOT, reading.partition).addKeyValue(LogFields.EPOCH, reading.epoch)
                        .log("progress of queue {} of {} cannot be stored: {}", queue, application, failure.getMessage());
            }
        });
    }
}
