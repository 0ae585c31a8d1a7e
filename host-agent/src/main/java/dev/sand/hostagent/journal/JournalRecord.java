package dev.sand.hostagent.journal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.sand.event.Codec;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.workflow.Execution.Published;
import dev.sand.workflow.Execution.Signal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * One journal record as it is stored (event/vectors/journal): JSON, the schema first, values by value. The mapping from and to
 * the sealed types is written out, so that renaming a class changes nothing that is on a disk.
 *
 * @param kind accepted (with request), advanced (with signal) or ended (with status)
 */
record JournalRecord(short schema, String executionId, long sequence, String kind, InvocationRequest request, StoredSignal signal,
                     InvocationResult.Status status) {
    private static final JsonFactory JSON = new JsonFactory();
    private static final String ACCEPTED = "accepted";
    private static final String ADVANCED = "advanced";
    private static final String ENDED = "ended";

    /** @param type started, taskSucceeded, taskFailed, timerFired or stopped; the others as that signal has them, or null */
    record StoredSignal(String type, String step, Payload input, Payload output, List<StoredPublication> published, String error,
                        String cause, long atMs) {}

    record StoredPublication(String grain, Payload payload) {}

    /** A record that only a newer platform understands: what follows it in its partition cannot be told either. */
    static final class NewerSchemaException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NewerSchemaException(int schema) {
            super("a record has schema " + schema + ", this platform understands " + Limits.SCHEMA_VERSION);
        }
    }

    static JournalRecord of(String executionId, long sequence, Backup backup) {
        short schema = Limits.SCHEMA_VERSION;
        return switch (backup) {
            case Backup.Accepted accepted ->
                    new JournalRecord(schema, executionId, sequence, ACCEPTED, accepted.request(), null, null);
            case Backup.Advanced advanced ->
                    new JournalRecord(schema, executionId, sequence, ADVANCED, null, stored(advanced.signal()), null);
            case Backup.Ended ended -> new JournalRecord(schema, executionId, sequence, ENDED, null, null, ended.status());
        };
    }

    Backup backup() {
        return switch (kind) {
            case ACCEPTED -> new Backup.Accepted(request);
            case ADVANCED -> new Backup.Advanced(signal(signal));
            case ENDED -> new Backup.Ended(status);
            default -> throw new UncheckedIOException(new IOException("not a kind of journal record: " + kind));
        };
    }

    byte[] encode() {
        return Codec.encode(this);
    }

    /** @throws NewerSchemaException or UncheckedIOException when it is no journal record */
    static JournalRecord decode(byte[] bytes) {
        int schema = schema(bytes);
        if (schema > Limits.SCHEMA_VERSION) {
            throw new NewerSchemaException(schema);
        }
        return Codec.decode(bytes, JournalRecord.class);
    }

    /** The first field: read before the rest, which a newer schema may have changed. */
    private static int schema(byte[] bytes) {
        try (JsonParser parser = JSON.createParser(bytes)) {
            boolean first = parser.nextToken() == JsonToken.START_OBJECT && "schema".equals(parser.nextFieldName());
            if (!first) {
                throw new IOException("a journal record begins with its schema");
            }
            return parser.nextIntValue(Integer.MAX_VALUE);
        } catch (IOException e) {
            throw new UncheckedIOException("not a journal record", e);
        }
    }

    private static StoredSignal stored(Signal signal) {
        return switch (signal) {
            case Signal.Started started ->
                    new StoredSignal("started", null, started.input(), null, null, null, null, started.atMs());
            case Signal.TaskSucceeded done -> new StoredSignal("taskSucceeded", done.step(), null, done.output(),
                    done.published().stream().map(p -> new StoredPublication(p.grain(), p.payload())).toList(), null, null,
                    done.atMs());
            case Signal.TaskFailed failed ->
                    new StoredSignal("taskFailed", failed.step(), null, null, null, failed.error(), failed.cause(), failed.atMs());
            case Signal.TimerFired fired ->
                    new StoredSignal("timerFired", fired.step(), null, null, null, null, null, fired.atMs());
            case Signal.Stopped stopped ->
                    new StoredSignal("stopped", null, null, null, null, stopped.error(), stopped.cause(), stopped.atMs());
        };
    }

    private static Signal signal(StoredSignal stored) {
        return switch (stored.type()) {
            case "started" -> new Signal.Started(stored.input(), stored.atMs());
            case "taskSucceeded" -> new Signal.TaskSucceeded(stored.step(), stored.output(),
                    stored.published().stream().map(p -> new Published(p.grain(), p.payload())).toList(), stored.atMs());
            case "taskFailed" -> new Signal.TaskFailed(stored.step(), stored.error(), stored.cause(), stored.atMs());
            case "timerFired" -> new Signal.TimerFired(stored.step(), stored.atMs());
            case "stopped" -> new Signal.Stopped(stored.error(), stored.cause(), stored.atMs());
            default -> throw new UncheckedIOException(new IOException("not a signal: " + stored.type()));
        };
    }
}
