package dev.sand.datalayer;

import dev.sand.datalayer.GlobalStore.Entry;
import dev.sand.datalayer.GlobalStore.Versioned;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Limits;
import dev.sand.event.LogFields;
import dev.sand.event.Payload;
import dev.sand.event.Slots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the platform remembers of executions: written by a thread of its own in batches, off every hot path, and visible to
 * readers of this object from the moment it was given. The newest {@link Options#keepPerApplication} of an application stay.
 */
public final class InvocationStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(InvocationStore.class);
    static final String TABLE = "invocations";
    static final String HISTORIES = "histories";
    /** Records looked at for one page: a filter that matches little answers with a short page and where to go on. */
    private static final int MAX_LOOKED_AT = 5000;
    private static final int PAGE = 200;

    /**
     * @param maxWaiting records given and not yet stored; beyond it a record is refused
     * @param maxWaitingBytes of large outputs that come in records; beyond it, a record keeps the output's size alone: whoever
     *                        has large ones gives them to {@link InvocationStore#keepOutput} first
     * @param linger how long a record that nobody awaits may wait for others, and for its own successor
     * @param keepPerApplication the newest, reckoned in each part by itself
     * @param outputBytes kept for one application in outputs over the inline limit, the newest
     * @param parts that an application's records are kept in; the same for all who share a store
     */
    public record Options(int maxWaiting, long maxWaitingBytes, Duration linger, int keepPerApplication, long outputBytes,
                          ScopeParts parts) {
        public static final Options DEFAULT = new Options(20_000, 128L << 20, Duration.ofMillis(50), 10_000, 4L << 30,
                new ScopeParts(Slots.DEFAULT));

        public Options keeping(int perApplication) {
            return new Options(maxWaiting, maxWaitingBytes, linger, perApplication, outputBytes, parts);
        }
    }

    /** An output that can be read, in a stream or whole. */
    public record Output(String contentType, long size, ObjectStore.Content content) {
        /** All of it in memory. Blocks for a large one. */
        public Payload payload() throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream((int) size);
            content.writeTo(bytes);
            return new Payload(contentType, bytes.toByteArray(), null);
        }
    }

    /** Called on the store's thread: implementations only enqueue. */
    public interface StoredListener {
        /** @param failure null when the record is stored */
        void onStored(StoreException failure);

        /** All that was stored with it was told of. */
        default void onAllTold() {}
    }

    /** @param status or null for all; @param target or null for all; @param process that they ran in, or null for all and none */
    public record Filter(Status status, String target, String process) {
        public static final Filter ALL = new Filter(null, null);

        public Filter(Status status, String target) {
            this(status, target, null);
        }

        boolean matches(InvocationRecord record) {
            return (status == null || record.status() == status) && (target == null || record.target().equals(target))
                    && (process == null || process.equals(record.process()));
        }
    }

    /** @param next what to give as {@code before} for the next page, or null when there is none */
    public record Page(List<InvocationRecord> records, String next) {}

    private final GlobalStore store;
    private final Options options;
    private final RecordsWaiting waiting;
    private final LargeOutputs outputs;
    private final ExecutionNames names;
    private final Thread thread;

    public InvocationStore(GlobalStore store, Options options) {
        this.store = store;
        this.options = options;
        this.outputs = new LargeOutputs(store, options.outputBytes());
        this.waiting = new RecordsWaiting(options.maxWaiting(), options.linger().toNanos());
        this.names = new ExecutionNames(store);
        this.thread = new Thread(new RecordWriter(store, options, waiting, outputs), "invocation-store");
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns at once. A later record of the same execution replaces it. @param listener null when nobody waits */
    public void record(InvocationRecord record, StoredListener listener) {
        record(record, 0, listener);
    }

    /**
     * As above, from an owner of the execution's slot: under a higher epoch's record it changes nothing, and that is no failure.
     *
     * @param epoch of the ownership, from 1; 0: there is one owner only
     */
    public void record(InvocationRecord record, long epoch, StoredListener listener) {
        record(record, epoch, listener, null);
    }

    /**
     * As above.
     *
     * @param history makes what is kept beside the record, on the store's thread (null: nothing any more); or null: as it was
     */
    public void record(InvocationRecord record, long epoch, StoredListener listener, Supplier<byte[]> history) {
        boolean room = waiting.outputBytes() + (record.output() == null ? 0 : record.output().size()) <= options.maxWaitingBytes();
        long maxOutputBytes = room ? options.outputBytes() : Limits.INLINE_BYTES;
        if (!waiting.add(RecordTrimming.trimmed(record, maxOutputBytes), epoch, listener, history)) {
            StoreException failure = new StoreException(Kind.FULL, "the record of " + record.executionId()
                    + " is not kept: " + options.maxWaiting() + " wait already", 0, null);
            LOG.atWarn().addKeyValue(LogFields.APPLICATION, record.application())
                    .addKeyValue(LogFields.EXECUTION_ID, record.executionId())
                    .log(failure.getMessage());
            if (listener != null) {
                listener.onStored(failure);
            }
        }
    }

    /**
     * For a new owner of the execution's slot: whether a record says that it has ended, after as many redrives as it runs with.
     * When none does, a record that it runs is there afterwards, in the same step, under the epoch: an end that an earlier owner
     * meant to write comes too late. Of a deleted application all has ended. Blocks.
     *
     * @param running the record that it runs, when there is none yet
     */
    public boolean endedOrFenced(InvocationRecord running, long epoch) {
        String application = running.application();
        String id = running.executionId();
        String scope = options.parts().of(application, id);
        while (true) {
            if (waiting.isDeleted(running) || waiting.hasEnd(application, id, epoch, running.redrives())) {
                return true;
            }
            Optional<Versioned> found = store.get(TABLE, scope, id);
            if (found.map(each -> RecordCodec.decode(each.value())).filter(each -> hasEnd(each, running.redrives())).isPresent()) {
                return true;
            }
            try {
                byte[] value = found.map(Versioned::value).orElseGet(() -> encoded(running, options.outputBytes()));
                store.putFenced(TABLE, scope, id, value, epoch, found.map(Versioned::version).orElse(GlobalStore.ABSENT));
                return false;
            } catch (StoreException e) {
                if (e.kind() != Kind.CONFLICT) {
                    throw e; // otherwise: somebody wrote between the two, perhaps the end
                }
            }
        }
    }

    /** Whether it is the end of the execution after that many redrives, or after more. */
    static boolean hasEnd(InvocationRecord record, int redrives) {
        return record.status() != Status.RUNNING && record.redrives() >= redrives;
    }

    /** The record of an execution that no host has begun, unless it has one: whoever owns it replaces this one. Blocks. */
    public void announce(InvocationRecord record) {
        String scope = options.parts().of(record.application(), record.executionId());
        try {
            store.put(TABLE, scope, record.executionId(), encoded(record, Limits.INLINE_BYTES), GlobalStore.ABSENT);
        } catch (StoreException e) {
            if (e.kind() != Kind.CONFLICT) {
                throw e;
            }
        }
    }

    private byte[] encoded(InvocationRecord record, long maxOutputBytes) {
        return RecordCodec.encode(RecordTrimming.trimmed(record, maxOutputBytes), store.isOfOneProgram());
    }

    public Optional<InvocationRecord> get(String application, String executionId) {
        InvocationRecord given = waiting.get(application, executionId);
        return given != null ? Optional.of(given) : stored(application, executionId);
    }

    /** As {@link #get}, but what this object was given counts once it is stored: what others read, and this one when it begins anew. */
    public Optional<InvocationRecord> stored(String application, String executionId) {
        return store.get(TABLE, options.parts().of(application, executionId), executionId).map(found -> RecordCodec.decode(found.value()));
    }

    /** What was kept beside the execution's record; empty when nothing was. Blocks. */
    public Optional<byte[]> history(String application, String executionId) {
        Supplier<byte[]> given = waiting.history(application, executionId);
        return given != null ? Optional.ofNullable(given.get())
                : store.get(HISTORIES, options.parts().of(application, executionId), executionId).map(Versioned::value);
    }

    /**
     * Keeps a large output before its record is given, in a stream. Blocks.
     *
     * @return the output as the record is to have it
     * @throws StoreException BAD_VALUE when it is larger than what an application may keep; @throws IOException the content's
     */
    public Payload keepOutput(String application, String executionId, String contentType, long size, ObjectStore.Content content)
            throws IOException {
        return outputs.keep(application, executionId, contentType, size, content);
    }

    /**
     * Keeps a large value of an execution that may be redriven, like a large output and among these. Blocks.
     *
     * @param value its name, unique in the execution
     */
    public void keepValue(String application, String executionId, String value, String contentType, long size, ObjectStore.Content content)
            throws IOException {
        outputs.keep(application, valueOf(executionId, value), contentType, size, content);
    }

    /** Empty when it is not kept (any more). Blocks. */
    public Optional<Output> value(String application, String executionId, String value, String contentType, long size) {
        return outputs.find(application, valueOf(executionId, value), contentType, size);
    }

    private static String valueOf(String executionId, String value) {
        return executionId + "~" + value;
    }

    /** Whether the output of a successful execution was kept at all, when it is to be had no more. */
    public static boolean wasKept(InvocationRecord record) {
        Payload output = record.output();
        return output == null || !output.isNotKept();
    }

    /** Empty when there is none, or it is not kept (any more). Blocks for a large one. */
    public Optional<Output> output(InvocationRecord record) {
        Payload output = record.output();
        if (output == null || output.bytes() == null) {
            return output == null ? Optional.empty() : outputs.find(record);
        }
        return Optional.of(new Output(output.contentType(), output.size(), out -> out.write(output.bytes())));
    }

    /** Newest first. @param before an execution id, or null for the newest */
    public Page list(String application, Filter filter, String before, int limit) {
        waiting.awaitStored();
        List<InvocationRecord> matching = new ArrayList<>();
        String cursor = before;
        Iterator<Entry> newest = options.parts().descending(store, TABLE, application, before, PAGE / options.parts().count() + 1);
        for (int lookedAt = 0; lookedAt < MAX_LOOKED_AT; lookedAt++) {
            if (!newest.hasNext()) {
                return new Page(matching, null);
            }
            Entry entry = newest.next();
            cursor = entry.key();
            InvocationRecord record = RecordCodec.decode(entry.value());
            if (filter.matches(record)) {
                if (matching.size() == limit) {
                    return new Page(matching, matching.getLast().executionId());
                }
                matching.add(record);
            }
        }
        return new Page(matching, cursor);
    }

    public ExecutionNames names() {
        return names;
    }

    /**
     * The application is deleted: once this returns, no record of it up to that version is on its way to the store, and none is
     * taken any more. Blocks.
     */
    public void forget(String application, int upTo) {
        waiting.forget(application, upTo);
        waiting.awaitStored();
    }

    public void deleteApplication(String application) {
        waiting.awaitStored();
        options.parts().delete(store, TABLE, application);
        options.parts().delete(store, HISTORIES, application);
        names.deleteApplication(application);
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
}
