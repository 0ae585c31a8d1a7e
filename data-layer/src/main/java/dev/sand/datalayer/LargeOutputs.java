package dev.sand.datalayer;

import dev.sand.datalayer.GlobalStore.Write;
import dev.sand.event.InvocationRecord;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Outputs too large for a record, beside the records: so that the output of an invocation can be fetched after its execution
 * is gone. Bounded for each application, the oldest first out. Used by the invocation store's thread; reads by anyone.
 */
final class LargeOutputs {
    private static final String TABLE = "outputs";
    private static final int PAGE = 1000;

    private final GlobalStore store;
    private final long bytesAnApplication;
    /** Of applications written to in this run. */
    private final Map<String, Long> bytes = new HashMap<>();
    /** Keys written last: a record is written again when late figures are known, its output is not. */
    private final Map<String, Boolean> written = new LatestKeys();

    LargeOutputs(GlobalStore store, long bytesAnApplication) {
        this.store = store;
        this.bytesAnApplication = bytesAnApplication;
    }

    static boolean isLarge(Payload output) {
        return output != null && output.bytes() != null && output.bytes().length > Limits.INLINE_BYTES;
    }

    /** Puts a large output's write on the list. @return the record as it is to be stored */
    InvocationRecord detach(InvocationRecord record, List<Write> writes) {
        if (!isLarge(record.output())) {
            return record;
        }
        String key = key(record);
        if (written.put(key, true) == null) {
            long before = bytes.computeIfAbsent(record.application(), this::stored);
            bytes.put(record.application(), before + record.output().size());
            writes.add(new Write(TABLE, record.application(), key, record.output().bytes()));
        }
        return RecordTrimming.withOutput(record, new Payload(record.output().contentType(), null,
                new Payload.Reference(key, record.output().size())));
    }

    /** After a failed write: what was noted as written may not be. */
    void forget() {
        written.clear();
        bytes.clear();
    }

    /** Deletes the oldest outputs of the applications that are over the bound. */
    void trim() {
        for (Map.Entry<String, Long> application : bytes.entrySet()) {
            if (application.getValue() > bytesAnApplication) {
                application.setValue(application.getValue() - deleteOldest(application.getKey(),
                        application.getValue() - bytesAnApplication));
            }
        }
    }

    private long deleteOldest(String application, long surplus) {
        List<Write> deletions = new ArrayList<>();
        long freed = 0;
        for (String key : store.keys(TABLE, application, "", null, PAGE)) {
            if (freed >= surplus) {
                break;
            }
            freed += size(key);
            deletions.add(new Write(TABLE, application, key, null));
        }
        store.writeAll(deletions);
        return freed;
    }

    private long stored(String application) {
        return store.keys(TABLE, application, "", null, Integer.MAX_VALUE).stream().mapToLong(LargeOutputs::size).sum();
    }

    /** With the size in it: summed up without the values. */
    private static String key(InvocationRecord record) {
        return record.executionId() + "/" + record.output().size();
    }

    private static long size(String key) {
        return Long.parseLong(key.substring(key.indexOf('/') + 1));
    }

    Optional<byte[]> read(InvocationRecord record) {
        return store.get(TABLE, record.application(), key(record)).map(GlobalStore.Versioned::value);
    }

    void deleteApplication(String application) {
        store.deleteScope(TABLE, application);
    }

    private static final class LatestKeys extends LinkedHashMap<String, Boolean> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > PAGE;
        }
    }
}
