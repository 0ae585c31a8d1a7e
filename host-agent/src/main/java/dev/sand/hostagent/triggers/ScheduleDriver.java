package dev.sand.hostagent.triggers;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.TriggerStore.Pending;
import dev.sand.datalayer.TriggerStore.ScheduleState;
import dev.sand.datalayer.TriggerStore.VersionedSchedule;
import dev.sand.event.BusRecords;
import dev.sand.event.Limits;
import dev.sand.event.LogFields;
import dev.sand.event.TriggerSpec;
import dev.sand.globalbus.AppendFuture;
import dev.sand.globalbus.GlobalBus.BusRecord;
import dev.sand.globalbus.QueueMessage;
import dev.sand.globalbus.Queues;
import dev.sand.hostagent.triggers.TriggerFigures.ScheduleCounts;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fires one scheduled trigger while its slot is this host's. A fire is a message in the trigger's queue, and is there once:
 *
 * <pre>due ─▶ pending, with where the queue ended (conditional write) ─▶ appended ─▶ fired (conditional write)</pre>
 *
 * Whoever finds it pending looks from there on whether it was appended, and goes on. Of fires that were missed while nobody
 * was there, the last one is made up for, when it is no older than the trigger's catch-up.
 */
final class ScheduleDriver {
    private static final Logger LOG = LoggerFactory.getLogger(ScheduleDriver.class);
    /** A fire that is this late was not missed: clocks and threads are never exact. */
    private static final long PUNCTUAL_MS = 5_000;
    private static final int READ_AT_ONCE = 500;

    private final TriggerParts parts;
    private final Crew crew;
    private final String application;
    private final ScheduleCounts counts;
    private TriggerSpec trigger;
    private boolean busy;
    private boolean closed;
    private long dueMs = Long.MAX_VALUE;

    ScheduleDriver(TriggerParts parts, Crew crew, String application, TriggerSpec trigger, ScheduleCounts counts) {
        this.parts = parts;
        this.crew = crew;
        this.application = application;
        this.counts = counts;
        this.trigger = trigger;
    }

    private int partition() {
        return parts.queues().partitionOf(application, trigger.name());
    }

    /** Looks at what is stored: somebody may have armed it, disarmed it, or fired. */
    void refresh(TriggerSpec now) {
        trigger = now;
        if (closed || busy || parts.ownership().epoch(partition()) == 0 || !parts.ownership().mayAct()) {
            return;
        }
        busy = true;
        TriggerSpec current = trigger;
        crew.ask(() -> step(current, parts.clockMs().getAsLong()), (next, failure) -> {
            busy = false;
            if (failure != null) {
                LOG.atWarn().addKeyValue(LogFields.APPLICATION, application).addKeyValue(LogFields.TRIGGER, current.name())
                        .log("trigger {} of {} does not get on: {}", current.name(), application, failure.getMessage());
            } else {
                arm(next);
            }
        });
    }

    /** There is no such trigger any more. */
    void close() {
        closed = true;
    }

    private void arm(Optional<Long> nextMs) {
        if (nextMs.isEmpty() || nextMs.get() >= dueMs && dueMs > parts.clockMs().getAsLong()) {
            return;
        }
        long due = nextMs.get();
        dueMs = due;
        crew.after(Duration.ofMillis(Math.max(0, due - parts.clockMs().getAsLong())), () -> {
            if (dueMs == due) {
                dueMs = Long.MAX_VALUE;
                refresh(trigger);
            }
        });
    }

    /** Blocks. @return when it fires next, or empty: not as it is */
    private Optional<Long> step(TriggerSpec spec, long nowMs) {
        VersionedSchedule found = parts.store().schedule(application, spec.name()).orElse(null);
        ScheduleState state = found == null ? ScheduleState.first(spec, nowMs) : found.state();
        long version = found == null ? GlobalStore.ABSENT : found.version();
        if (found == null) {
            version = put(state, version);
        }
        if (state.pending() != null) {
            if (!isAppended(spec, state.pending())) {
                append(spec, state.pending().timeMs());
            }
            state = fired(state, state.pending().timeMs());
            version = put(state, version);
            counts.fired.incrementAndGet(); // behind the conditional write: over all hosts, one has made it
        }
        if (!state.text().equals(spec.schedule().text())) {
            state = new ScheduleState(Limits.SCHEMA_VERSION, spec.schedule().text(), state.armed(), nowMs, 0, null);
            version = put(state, version);
        }
        if (!state.armed()) {
            return Optional.empty();
        }
        Optional<Long> due = spec.schedule().last(state.sinceMs(), state.firedMs(), nowMs);
        if (due.isPresent()) {
            fire(spec, state, version, due.get(), nowMs);
        }
        return spec.schedule().next(state.sinceMs(), nowMs);
    }

    private void fire(TriggerSpec spec, ScheduleState state, long version, long timeMs, long nowMs) {
        long lateMs = nowMs - timeMs;
        if (lateMs > Math.max(PUNCTUAL_MS, spec.catchUpMs())) {
            LOG.atWarn().addKeyValue(LogFields.APPLICATION, application).addKeyValue(LogFields.TRIGGER, spec.name())
                    .log("trigger {} of {}: its fire of {} ms ago is not made up for, catch-up is {} ms", spec.name(), application,
                    lateMs, spec.catchUpMs());
            put(fired(state, timeMs), version);
            counts.missed.incrementAndGet();
            return;
        }
        Pending pending = new Pending(timeMs, parts.bus().endOffset(topic(), partition()));
        ScheduleState begun = new ScheduleState(Limits.SCHEMA_VERSION, state.text(), true, state.sinceMs(), state.firedMs(), pending);
        long begunVersion = put(begun, version);
        append(spec, timeMs);
        put(fired(begun, timeMs), begunVersion);
        counts.fired.incrementAndGet();
    }

    private boolean wasDelivered(TriggerSpec spec, Pending pending, String id) {
        QueueMessage message = QueueMessage.of(id, spec.name(), Deliveries.fire(spec.name(), pending.timeMs(), null), pending.timeMs());
        Batch batch = new Batch(partition(), spec.name(), List.of(new Batch.Held(0, message)), 1, true);
        return parts.records().get(application, Deliveries.executionId(application, spec.name(), batch, parts.ownership().slots()))
                .isPresent();
    }

    private static ScheduleState fired(ScheduleState state, long timeMs) {
        return new ScheduleState(Limits.SCHEMA_VERSION, state.text(), state.armed(), state.sinceMs(), timeMs, null);
    }

    private long put(ScheduleState state, long expected) {
        return parts.store().putSchedule(application, trigger.name(), state, expected);
    }

    private String topic() {
        return Queues.topic(application, trigger.name());
    }

    private static String id(String trigger, long timeMs) {
        return trigger + "-" + timeMs;
    }

    private void append(TriggerSpec spec, long timeMs) {
        if (!parts.ownership().mayAct()) {
            throw new IllegalStateException("this host may not act now");
        }
        CompletableFuture<Long> offset = new CompletableFuture<>();
        parts.queues().append(application, spec.name(), partition(), QueueMessage.of(id(spec.name(), timeMs), spec.name(),
                Deliveries.fire(spec.name(), timeMs, spec.input()), timeMs), AppendFuture.completing(offset));
        offset.join();
    }

    /** What somebody else wrote there is not. */
    private static boolean isMessage(BusRecord record, String id) {
        try {
            return QueueMessage.decode(record.value()).id().equals(id);
        } catch (BusRecords.ForeignException e) {
            return false;
        }
    }

    private boolean isAppended(TriggerSpec spec, Pending pending) {
        String wanted = id(spec.name(), pending.timeMs());
        if (wasDelivered(spec, pending, wanted)) {
            return true; // and is trimmed, perhaps
        }
        long offset = pending.offset();
        while (true) {
            List<BusRecord> records = parts.bus().read(topic(), partition(), offset, READ_AT_ONCE);
            if (records.isEmpty()) {
                return false;
            }
            for (BusRecord record : records) {
                if (isMessage(record, wanted)) {
                    return true;
                }
            }
            offset = records.getLast().offset() + 1;
        }
    }
}
