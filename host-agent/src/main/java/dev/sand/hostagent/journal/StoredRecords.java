package dev.sand.hostagent.journal;

import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.StoreException;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Status;

/** Invocation records into the data layer's store, which batches them on a thread of its own. */
public final class StoredRecords implements RecordAdapter {
    private final InvocationStore store;

    public StoredRecords(InvocationStore store) {
        this.store = store;
    }

    @Override
    public void record(InvocationRecord record, StoredListener listener) {
        store.record(record, listener == null ? null : failure -> listener.onStored(failure == null ? null : failure(failure)));
    }

    @Override
    public boolean hasEnded(String application, String executionId) {
        return store.get(application, executionId).filter(record -> record.status() != Status.RUNNING).isPresent();
    }

    private static Failure failure(StoreException e) {
        return Failure.platform(Errors.UNAVAILABLE, "the invocation's record is not stored: " + e.getMessage(), true);
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
