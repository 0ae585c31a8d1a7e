package dev.sand.hostagent.work;

import dev.sand.event.BusRecords;
import dev.sand.event.Codec;
import dev.sand.event.Failure;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.core.RemoteEvent;
import dev.sand.hostagent.core.RemoteResult;
import dev.sand.workflow.Execution.Published;
import java.util.List;
import java.util.Set;

/**
 * A record of a work queue or of the returns (event/vectors/work, docs/GLOBAL-BUS.md): JSON, the schema first. Values over the
 * inline limit are objects of the global data layer, and references here name those.
 *
 * @param kind run (an event, to be run by the owner of this partition), done (it was returned; in the same partition) or
 *             returned (how it ended; in the returns of its application)
 * @param slot of the execution, and the epoch under which its owner sent the event
 * @param hop of a returned one, by the clock of the host that ran it; null: it was never handed over
 */
record WorkRecord(short schema, String kind, String application, int version, String executionId, String eventId, String grain,
                  int attempt, long remainingMs, Payload payload, String traceparent, int slot, long epoch, String host,
                  Payload output, List<StoredPublication> published, Failure failure, boolean lost, Hop hop) {
    static final String RUN = "run";
    static final String DONE = "done";
    static final String RETURNED = "returned";
    private static final Set<String> KINDS = Set.of(RUN, DONE, RETURNED);

    record StoredPublication(String grain, Payload payload) {}

    static WorkRecord run(RemoteEvent event) {
        return new WorkRecord(Limits.SCHEMA_VERSION, RUN, event.app().application(), event.app().version(), event.executionId(),
                event.eventId(), event.grain(), event.attempt(), event.remainingMs(), event.payload(), event.traceparent(),
                event.slot(), event.epoch(), null, null, null, null, false, null);
    }

    /** So that whoever owns the partition next does not run it again. */
    static WorkRecord done(RemoteEvent event) {
        return new WorkRecord(Limits.SCHEMA_VERSION, DONE, event.app().application(), event.app().version(), event.executionId(),
                event.eventId(), event.grain(), event.attempt(), 0, null, null, event.slot(), event.epoch(), null, null, null, null,
                false, null);
    }

    static WorkRecord returned(RemoteResult result) {
        RemoteEvent event = result.event();
        List<StoredPublication> published = result.published() == null ? null
                : result.published().stream().map(each -> new StoredPublication(each.grain(), each.payload())).toList();
        return new WorkRecord(Limits.SCHEMA_VERSION, RETURNED, event.app().application(), event.app().version(),
                event.executionId(), event.eventId(), event.grain(), event.attempt(), event.remainingMs(), null, null, event.slot(),
                event.epoch(), result.host(), result.output(), published, result.failure(), result.lost(), result.hop());
    }

    RemoteEvent event() {
        return new RemoteEvent(new AppKey(application, version), executionId, eventId, grain, attempt, remainingMs,
                payload == null ? Payload.nullJson() : payload, traceparent, slot, epoch);
    }

    /** The event's input is not in it: its owner has it. */
    RemoteResult result() {
        List<Published> events = published == null ? null
                : published.stream().map(each -> new Published(each.grain(), each.payload())).toList();
        return new RemoteResult(event(), host, output, events, failure, lost, hop);
    }

    byte[] encode() {
        return Codec.encode(this);
    }

    /** @throws BusRecords.NewerException or BusRecords.ForeignException when it is none that is understood */
    static WorkRecord decode(byte[] bytes) {
        WorkRecord record = BusRecords.decode(bytes, WorkRecord.class, Limits.SCHEMA_VERSION);
        BusRecords.require(KINDS.contains(String.valueOf(record.kind)), "its kind is " + record.kind);
        BusRecords.require(record.application != null && record.executionId != null && record.eventId != null && record.grain != null,
                "an event lacks what it must have");
        return record;
    }
}
