package dev.sand.hostagent.journal;

import dev.sand.event.BusRecords;
import dev.sand.event.Codec;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.RecordBodies;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.objects.GlobalObjects.Stored;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessChange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * One journal record as it is stored (event/vectors/journal, docs/GLOBAL-BUS.md): JSON, the schema first. The mapping from and
 * to the sealed types is written out, so that renaming a class changes nothing that is on a disk. Values over what a record may have
 * ({@link ValueCopying}) are objects of the global data layer, and references here name those.
 *
 * @param schema 2, 3 of one with a request to be redriven, 4 of one about a cloud process, or whose request runs in one, and 5 of
 *               one with which a process begins that has a sandbox of its own, 6 of one that moves, 7 of a redrive from a state that is
 *               named, 8 of one with values behind it ({@link RecordBodies}), 9 of one that has messages which have no record of their own; 1 is that of the platform of one host, whose records had no epoch
 *               and all values in them
 * @param epoch of the slot's owner that wrote it
 * @param kind claim (with host), processing (with request), storing (with signal and values), finished (with signal and the
 *             steps that are processing from then on), resumed (with attempts), ended (with status) or changed (with change); in
 *             schema 1 processing was called accepted, and finished advanced
 * @param change of the process in which the execution runs, made with it
 */
record JournalRecord(short schema, long epoch, String kind, String executionId, long sequence, InvocationRequest request,
                     StoredSignal signal, List<String> processing, Map<String, Integer> attempts, List<Stored> values,
                     InvocationResult.Status status, String host, StoredChange change) {
    static final short SCHEMA = 2;
    /** Of a redriven execution's beginning: whoever did not know it would begin it from the start. */
    private static final short OF_REDRIVES = 3;
    /** Of what runs in a process: whoever did not know it would run it in none. */
    private static final short OF_PROCESSES = 4;
    /** Of a process with a sandbox of its own: whoever did not know it would run it in its application's. */
    private static final short OF_DEDICATED = 5;
    /** Of a process that goes to another slot: whoever did not know it would go on with it. */
    private static final short OF_MOVED = 6;
    /** Of a redrive that begins from another state than the one that failed: whoever did not know it would go on from that one. */
    private static final short OF_BEGINNINGS = 7;
    /** With values behind its JSON. */
    private static final short OF_BODIES = 8;
    /** Of an end that has messages which have no record of their own: whoever did not know it would miss their numbers. */
    private static final short OF_PASSED = Change.Passed.SCHEMA;
    static final short NEWEST = OF_PASSED;
    private static final String CLAIM = "claim";
    private static final String PROCESSING = "processing";
    private static final String STORING = "storing";
    private static final String FINISHED = "finished";
    private static final String RESUMED = "resumed";
    private static final String ENDED = "ended";
    private static final String CHANGED = "changed";

    /** A record that only a newer platform understands: what follows it in its partition cannot be told either. */
    static final class NewerSchemaException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NewerSchemaException(int schema) {
            super("a record has schema " + schema + ", this platform understands " + NEWEST);
        }
    }

    static JournalRecord of(long epoch, String executionId, long sequence, Backup backup, ProcessChange change) {
        JournalRecord record = switch (backup) {
            case Backup.Accepted accepted -> new JournalRecord(schema(accepted.request()), epoch, PROCESSING, executionId, sequence,
                    accepted.request(), null, null, null, null, null, null, null);
            case Backup.Finished finished -> finished(epoch, FINISHED, executionId, sequence, finished, null);
            case Backup.Resumed resumed -> new JournalRecord(SCHEMA, epoch, RESUMED, executionId, sequence, null, null, null,
                    resumed.attempts(), null, null, null, null);
            case Backup.Ended ended -> new JournalRecord(SCHEMA, epoch, ENDED, executionId, sequence, null, null, null, null, null,
                    ended.status(), null, null);
            case Backup.Changed _ -> new JournalRecord(SCHEMA, epoch, CHANGED, executionId, sequence, null, null, null, null, null, null,
                    null, null);
        };
        return change == null ? record : record.with(change);
    }

    private JournalRecord with(ProcessChange change) {
        short of = switch (change.change()) {
            case Change.Made made when made.dedicated() != null -> OF_DEDICATED;
            case Change.Left _ -> OF_MOVED;
            case Change.Killed killed when killed.place() != null -> OF_MOVED;
            case Change.Done done when !done.passed().isEmpty() -> OF_PASSED;
            default -> OF_PROCESSES;
        };
        return with(of, StoredChange.of(change));
    }

    private static short schema(InvocationRequest request) {
        if (request.redrive() != null && request.redrive().from() != null) {
            return OF_BEGINNINGS;
        }
        return request.process() != null ? OF_PROCESSES : request.redrive() != null ? OF_REDRIVES : SCHEMA;
    }

    /** The copy of the signal's values to the global data layer begins (SAND 4.3). */
    static JournalRecord storing(long epoch, String executionId, long sequence, Backup.Finished finished, List<Stored> values) {
        return finished(epoch, STORING, executionId, sequence, finished, values);
    }

    private static JournalRecord finished(long epoch, String kind, String executionId, long sequence, Backup.Finished finished,
                                          List<Stored> values) {
        List<String> processing = finished.processing();
        return new JournalRecord(SCHEMA, epoch, kind, executionId, sequence, null, StoredSignal.of(finished.signal()),
                processing.isEmpty() ? null : processing, null, values, null, null, null);
    }

    /** What a storing record says, once its values are found to be there. */
    JournalRecord asFinished(long byEpoch) {
        return new JournalRecord(SCHEMA, byEpoch, FINISHED, executionId, sequence, null, signal, processing, null, null, null, null, null);
    }

    /** From here on the partition is the host's, under this epoch: what a lower one writes after it is void. */
    static JournalRecord claim(long epoch, String host) {
        return new JournalRecord(SCHEMA, epoch, CLAIM, null, 0, null, null, null, null, null, null, host, null);
    }

    boolean isClaim() {
        return CLAIM.equals(kind);
    }

    boolean isStoring() {
        return STORING.equals(kind);
    }

    Backup backup() {
        return switch (String.valueOf(kind)) {
            case PROCESSING, "accepted" -> new Backup.Accepted(request);
            case FINISHED, STORING, "advanced" -> new Backup.Finished(signal.signal(), List.of());
            case RESUMED -> new Backup.Resumed(attempts);
            case ENDED -> new Backup.Ended(status);
            case CHANGED -> new Backup.Changed();
            default -> throw new UncheckedIOException(new IOException("not a kind of journal record: " + kind));
        };
    }

    byte[] encode() {
        return Codec.encode(this);
    }

    /** Whose change stands for values by these. */
    byte[] encode(RecordBodies bodies) {
        return bodies.isEmpty() ? encode() : bodies.behind(with((short) Math.max(OF_BODIES, schema), change).encode());
    }

    private JournalRecord with(short of, StoredChange other) {
        return new JournalRecord(of, epoch, kind, executionId, sequence, request, signal, processing, attempts, values, status, host, other);
    }

    /**
     * @throws NewerSchemaException or UncheckedIOException when it is ours and not understood; BusRecords.ForeignException when it
     *     does not begin with a schema, as all of ours do
     */
    static JournalRecord decode(byte[] bytes) {
        int schema = BusRecords.schema(bytes);
        BusRecords.require(schema > 0, bytes.length + " bytes that do not begin with a schema");
        if (schema > NEWEST) {
            throw new NewerSchemaException(schema);
        }
        JournalRecord record = Codec.decode(bytes, JournalRecord.class);
        if (!record.isWhole()) {
            throw new UncheckedIOException(new IOException("a field is missing of a record of kind " + record.kind));
        }
        if (record.change == null || schema < OF_BODIES) {
            return record;
        }
        ProcessChange read = record.change.change();
        Collection<Payload> values = read.change().values();
        boolean hasBodies = schema == OF_BODIES || RecordBodies.areIn(values);
        return hasBodies ? record.with(record.schema, StoredChange.of(read.map(RecordBodies.of(bytes, values)::take))) : record;
    }

    private boolean isWhole() {
        return switch (String.valueOf(kind)) {
            case CLAIM -> true;
            case PROCESSING, "accepted" -> executionId != null && request != null && request.application() != null;
            case FINISHED, "advanced" -> executionId != null && signal != null;
            case STORING -> executionId != null && signal != null && values != null;
            case RESUMED -> executionId != null && attempts != null;
            case ENDED -> executionId != null;
            case CHANGED -> executionId != null && change != null;
            default -> true; // backup() says what is wrong with it
        };
    }
}
