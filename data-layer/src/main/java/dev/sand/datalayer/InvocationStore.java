package dev.sand.datalayer;

import dev.sand.datalayer.GlobalStore.Entry;
import dev.sand.datalayer.GlobalStore.Write;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.Codec;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the platform remembers of executions: written by a thread of its own in batches, off every hot path, and visible to
 * readers of this object from the moment it was given. The newest {@link Options#keepPerApplication} of an application stay.
 */
public final class InvocationStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(InvocationStore.class);
    private static final String TABLE = "invocations";
    /** Records looked at for one page: a filter that matches little answers with a short page and where to go on. */
    private static final int MAX_LOOKED_AT = 5000;
    private static final int PAGE = 200;

    /**
     * @param maxWaiting records given and not yet stored; beyond it a record is refused
     * @param maxWaitingBytes of large outputs on their way; beyond it, a record keeps the output's size alone
     * @param linger how long a record that nobody awaits may wait for others, and for its own successor
     * @param maxOutputBytes of an output that is kept; of a larger one, the size is
     * @param outputBytes kept for one application in outputs over the inline limit, the newest
     */
    public record Options(int maxWaiting, long maxWaitingBytes, Duration linger, int keepPerApplication, long maxOutputBytes,
                          long outputBytes) {
        public static final Options DEFAULT = new Options(20_000, 128L << 20, Duration.ofMillis(50), 10_000, 16L << 20, 256L << 20);
    }

    /** Called on the store's thread: implementations only enqueue. */
    public interface StoredListener {
        /** @param failure null when the record is stored */
        void onStored(StoreException failure);
    }

    /** @param status or null for all; @param target or null for all */
    public record Filter(Status status, String target) {
        public static final Filter ALL = new Filter(null, null);

        boolean matches(InvocationRecord record) {
            return (status == null || record.status() == status) && (target == null || record.target().equals(target));
        }
    }

    /** @param next what to give as {@code before} for the next page, or null when there is none */
    public record Page(List<InvocationRecord> records, String next) {}

    private final GlobalStore store;
    private final Options options;
    private final RecordsWaiting waiting;
    private final LargeOutputs outputs;
    private final Map<String, Integer> sinceTrim = new HashMap<>();
    private final Thread thread;

    public InvocationStore(GlobalStore store, Options options) {
        this.store = store;
        this.options = options;
        this.outputs = new LargeOutputs(store, options.outputBytes());
        this.waiting = new RecordsWaiting(options.maxWaiting(), options.linger().toNanos());
        this.thread = new Thread(this::run, "invocation-store");
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns at once. A later record of the same execution replaces it. @param listener null when nobody waits */
    public void record(InvocationRecord record, StoredListener listener) {
        boolean room = waiting.outputBytes() + (record.output() == null ? 0 : record.output().size()) <= options.maxWaitingBytes();
        long maxOutputBytes = room ? options.maxOutputBytes() : Limits.INLINE_BYTES;
        if (!waiting.add(RecordTrimming.trimmed(record, maxOutputBytes), listener)) {
            StoreException failure = new StoreException(Kind.FULL, "the record of " + record.executionId()
                    + " is not kept: " + options.maxWaiting() + " wait already", 0, null);
            LOG.warn(failure.getMessage());
            if (listener != null) {
                listener.onStored(failure);
            }
        }
    }

    public Optional<InvocationRecord> get(String application, String executionId) {
        InvocationRecord given = waiting.get(application, executionId);
        return given != null ? Optional.of(given)
                : store.get(TABLE, application, executionId).map(found -> decode(found.value()));
    }

    /** The output with its bytes; empty when there is none, or it is kept no more. Blocks for a large one. */
    public Optional<Payload> output(InvocationRecord record) {
        Payload output = record.output();
        return output == null || output.bytes() != null ? Optional.ofNullable(output)
                : outputs.read(record).map(bytes -> new Payload(output.contentType(), bytes, null));
    }

    /** Newest first. @param before an execution id, or null for the newest */
    public Page list(String application, Filter filter, String before, int limit) {
        waiting.awaitStored();
        List<InvocationRecord> matching = new ArrayList<>();
        String cursor = before;
        for (int lookedAt = 0; lookedAt < MAX_LOOKED_AT; lookedAt += PAGE) {
            List<Entry> entries = store.scanDescending(TABLE, application, "", cursor, PAGE);
            for (Entry entry : entries) {
                InvocationRecord record = decode(entry.value());
                if (filter.matches(record)) {
                    if (matching.size() == limit) {
                        return new Page(matching, matching.getLast().executionId());
                    }
                    matching.add(record);
                }
            }
            if (entries.size() < PAGE) {
                return new Page(matching, null);
            }
            cursor = entries.getLast().key();
        }
        return new Page(matching, cursor);
    }

    public void deleteApplication(String application) {
        waiting.awaitStored();
        store.deleteScope(TABLE, application);
        outputs.deleteApplication(application);
    }

    /** Records given and not yet stored. */
    public long backlog() {
        return waiting.size();
    }

    /** Stores what was given, then ends. */
    @Override
    public void close() {
        waiting.close();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        for (List<RecordsWaiting.Given> batch = waiting.next(); !batch.isEmpty(); batch = waiting.next()) {
            StoreException failure = store(batch);
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
                InvocationRecord record = outputs.detach(given.record(), writes);
                writes.add(new Write(TABLE, record.application(), record.executionId(), Codec.encode(record)));
                sinceTrim.merge(record.application(), 1, Integer::sum);
            }
            store.writeAll(writes);
            trim();
            outputs.trim();
            return null;
        } catch (StoreException e) {
            outputs.forget();
            return e;
        }
    }

    private void trim() {
        int enough = Math.max(1, options.keepPerApplication() / 10);
        for (Map.Entry<String, Integer> written : sinceTrim.entrySet()) {
            if (written.getValue() >= enough) {
                store.keepLast(TABLE, written.getKey(), options.keepPerApplication());
                written.setValue(0);
            }
        }
        sinceTrim.values().removeIf(count -> count == 0);
    }

    private static InvocationRecord decode(byte[] value) {
        InvocationRecord record = Codec.decode(value, InvocationRecord.class);
        if (record.schema() > Limits.SCHEMA_VERSION) {
            throw new StoreException(Kind.BROKEN, "the record of " + record.executionId() + " has schema " + record.schema()
                    + ", newer than this platform understands", 0, null);
        }
        return record;
    }
}
