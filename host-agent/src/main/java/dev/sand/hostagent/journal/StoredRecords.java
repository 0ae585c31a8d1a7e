package dev.sand.hostagent.journal;

import dev.sand.datalayer.ExecutionNames;
import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.ObjectStore;
import dev.sand.datalayer.StoreException;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.hostagent.core.Question.Answer;
import dev.sand.hostagent.core.Question.Answer.Claimed;
import dev.sand.hostagent.core.Question.Answer.Found;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.KeptSignals;
import dev.sand.workflow.data.WorkflowLimits;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Invocation records into the data layer's store, which batches them on a thread of its own. */
public final class StoredRecords implements RecordAdapter {
    private final InvocationStore store;

    public StoredRecords(InvocationStore store) {
        this.store = store;
    }

    @Override
    public void record(InvocationRecord record, long epoch, StoredListener listener, Supplier<byte[]> history) {
        store.record(record, epoch, listener == null ? null : new InvocationStore.StoredListener() {
            @Override
            public void onStored(StoreException failure) {
                listener.onStored(failure == null ? null : failure(failure));
            }

            @Override
            public void onAllTold() {
                listener.onAllTold();
            }
        }, history);
    }

    @Override
    public Payload keepOutput(String application, String executionId, Payload output, ObjectStore.Content content) throws IOException {
        return store.keepOutput(application, executionId, output.contentType(), output.size(), content);
    }

    @Override
    public void keepValue(String application, String executionId, String name, Payload value, ObjectStore.Content content) throws IOException {
        store.keepValue(application, executionId, name, value.contentType(), value.size(), content);
    }

    @Override
    public Optional<InvocationStore.Output> value(String application, String executionId, String name, Payload size) {
        return store.value(application, executionId, name, size.contentType(), size.size());
    }

    @Override
    public boolean hasEnded(String application, String executionId) {
        return store.get(application, executionId).filter(record -> record.status() != Status.RUNNING).isPresent();
    }

    @Override
    public boolean endedOrFenced(InvocationRequest request, long epoch) {
        long startedMs = Ids.epochMs(request.executionId(), System.currentTimeMillis());
        Payload input = request.input().reference() == null ? request.input() : request.input().notKept();
        return store.endedOrFenced(new InvocationRecord(Limits.SCHEMA_VERSION, request.executionId(), request.application(),
                request.version(), request.target(), Status.RUNNING, input, null, null, startedMs, 0, 0, 0, List.of(),
                request.redrive() == null ? null : request.redrives(), request.process()), epoch);
    }

    @Override
    public Claimed claimName(String application, String workflow, String name, String executionId, Payload input) {
        ExecutionNames.Claim claim = store.names().claim(application, workflow, name, executionId, input);
        return new Claimed(claim.executionId(), claim.isOf(input));
    }

    @Override
    public Found find(String application, String executionId) {
        InvocationRecord record = store.get(application, executionId).orElse(null);
        if (record == null) {
            return new Found(null, null, null, 0);
        }
        Payload output = null;
        if (record.output() != null && record.output().size() <= WorkflowLimits.DOCUMENT_BYTES) {
            try {
                InvocationStore.Output kept = store.output(record).orElse(null);
                output = kept == null ? null : kept.payload();
            } catch (IOException e) {
                throw new StoreException(StoreException.Kind.AWAY, "the output of " + executionId + " cannot be read: " + e.getMessage(), 0, e);
            }
        }
        return new Found(record.status(), output, record.failure(), record.endedMs());
    }

    @Override
    public Answer before(String application, String executionId, int redrive, boolean isBegun, KeptSignals.LargeValues values) {
        InvocationRecord record = store.get(application, executionId).orElse(null);
        if (record == null) {
            return new Answer.Failed(Errors.NOT_FOUND, "the record of execution " + executionId + " is kept no more", false);
        }
        if (!isBegun && record.redrives() >= redrive) {
            return new Answer.Failed(Errors.MOVED, "execution " + executionId + " was redriven before; its record says how it goes",
                    false);
        }
        boolean isOver = record.status() != Status.RUNNING && record.status() != Status.SUCCEEDED;
        if (!isBegun && (record.redrives() != redrive - 1 || !isOver)) {
            return new Answer.Failed(Errors.CONFLICT, "its status is " + record.status(), false);
        }
        List<Signal> before = null;
        try {
            byte[] kept = store.history(application, executionId).orElse(null);
            before = kept == null ? null : KeptSignals.before(redrive, KeptSignals.decode(kept), values);
        } catch (IOException e) {
            return new Answer.Failed(Errors.CONFLICT, "what it did is not understood: " + e.getMessage(), false);
        }
        return before == null || before.isEmpty() ? new Answer.Failed(Errors.CONFLICT,
                "what it did is not kept (any more), or not whole", false) : new Answer.Before(before, record.hops());
    }

    private static Failure failure(StoreException e) {
        return Failure.platform(Errors.UNAVAILABLE, "the invocation's record is not stored: " + e.getMessage(), true);
    }

    @Override
    public void forget(String application, int upTo) {
        store.forget(application, upTo);
    }

    @Override
    public long backlog() {
        return store.backlog();
    }

    @Override
    public void close() {
        store.close();
    }
}
