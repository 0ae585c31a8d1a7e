package dev.sand.datalayer;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.InvocationResult;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;

/** Ends of executions as their records have them, whichever host they ended on and whichever frontend had asked. */
public final class RecordedResults {
    private final InvocationStore records;

    public RecordedResults(InvocationStore records) {
        this.records = records;
    }

    /** Whether a failure says how the execution ended, and not only that its frontend heard no more of it. */
    public static boolean isKnown(Failure failure) {
        return failure == null || failure.details() == null || !failure.details().containsKey(Failure.MAY_HAVE_RUN);
    }

    /** Blocks. Empty: it has not ended, or its record is not stored (yet, or any more). */
    public Optional<InvocationResult> find(String application, String executionId) {
        return records.get(application, executionId).filter(record -> record.status() != Status.RUNNING)
                .map(this::result);
    }

    /** The same, after as many redrives as the request says. */
    public Optional<InvocationResult> find(InvocationRequest request) {
        return records.get(request.application(), request.executionId())
                .filter(record -> record.status() != Status.RUNNING && record.redrives() >= request.redrives()).map(this::result);
    }

    /** Whoever is told that the request is accepted finds its invocation, before a host has begun it. Blocks. */
    public void announce(InvocationRequest request) {
        records.announce(new InvocationRecord(Limits.SCHEMA_VERSION, request.executionId(), request.application(),
                request.version(), request.target(), Status.RUNNING, request.input(), null, null, System.currentTimeMillis(), 0, 0, 0,
                List.of()).inProcess(request.process()));
    }

    private InvocationResult result(InvocationRecord record) {
        Payload output = record.output();
        Failure failure = record.failure();
        Status status = record.status();
        if (output != null && output.bytes() == null) {
            output = bytes(record);
            if (output == null) {
                status = Status.FAILED;
                failure = Failure.platform(Errors.NOT_FOUND, "the execution succeeded, but its output of " + record.output().size()
                        + " bytes is not kept (any more)", false);
            }
        }
        return new InvocationResult(record.executionId(), status, output, failure, record.hops());
    }

    private Payload bytes(InvocationRecord record) {
        Optional<InvocationStore.Output> kept = records.output(record);
        try {
            return kept.isEmpty() ? null : kept.get().payload();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
