package dev.sand.datalayer;

import dev.sand.datalayer.GlobalStore.Write;
import dev.sand.event.InvocationRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread that stores records as they were given, in batches, and lets the oldest of a part go now and then. */
final class RecordWriter implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(RecordWriter.class);

    private final GlobalStore store;
    private final InvocationStore.Options options;
    private final RecordsWaiting waiting;
    private final LargeOutputs outputs;
    /** Records written, by the part of an application that they are in. */
    private final Map<String, Integer> sinceTrim = new HashMap<>();

    RecordWriter(GlobalStore store, InvocationStore.Options options, RecordsWaiting waiting, LargeOutputs outputs) {
        this.store = store;
        this.options = options;
        this.waiting = waiting;
        this.outputs = outputs;
    }

    @Override
    public void run() {
        for (List<RecordsWaiting.Given> batch = waiting.next(); batch != null; batch = waiting.next()) {
            StoreException failure = batch.isEmpty() ? null : store(batch);
            if (failure != null) {
                LOG.warn("{} invocation records wait: {}", batch.size(), failure.getMessage());
            }
            waiting.stored(failure);
        }
    }

    private StoreException store(List<RecordsWaiting.Given> batch) {
        try {
            List<Write> writes = new ArrayList<>(batch.size());
            for (RecordsWaiting.Given given : batch) {
                InvocationRecord record = outputs.detach(given.record());
                String scope = options.parts().of(record.application(), record.executionId());
                byte[] encoded = RecordCodec.encode(record, store.isOfOneProgram());
                writes.add(new Write(InvocationStore.TABLE, scope, record.executionId(), encoded, given.epoch()));
                if (given.history() != null) {
                    byte[] history = given.history().get();
                    writes.add(new Write(InvocationStore.HISTORIES, scope, record.executionId(), history, history == null ? 0 : given.epoch()));
                }
                sinceTrim.merge(scope, 1, Integer::sum);
            }
            store.writeAll(writes);
            trim();
            return null;
        } catch (StoreException e) {
            return e;
        }
    }

    private void trim() {
        int keep = Math.ceilDiv(options.keepPerApplication(), options.parts().count());
        int enough = Math.max(1, keep / 10);
        for (Map.Entry<String, Integer> written : sinceTrim.entrySet()) {
            if (written.getValue() >= enough) {
                store.keepLast(InvocationStore.TABLE, written.getKey(), keep);
                store.keepLast(InvocationStore.HISTORIES, written.getKey(), keep);
                written.setValue(0);
            }
        }
        sinceTrim.values().removeIf(count -> count == 0);
    }
}
