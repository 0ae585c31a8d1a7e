package dev.sand.hostagent.shard;

import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.ObjectStore;
import dev.sand.datalayer.StoreException;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Limits;
import dev.sand.event.LogFields;
import dev.sand.event.Payload;
import dev.sand.hostagent.journal.RecordAdapter;
import dev.sand.hostagent.objects.GlobalObjects;
import dev.sand.hostagent.objects.ObjectCopies;
import dev.sand.hostagent.segments.SegmentServer;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.KeptSignals;
import dev.sand.workflow.data.StatesError;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Between values by reference, which live on this host for as long as their execution, and bytes, which outlive it: bodies
 * of requests become objects, outputs and records become bytes again. Copies are made off the shards.
 */
final class LargePayloads {
    /** An output waits this long for a store that is away or full; then its record says that it was not kept. */
    private static final int KEEP_TRIES = 20;
    private static final long KEEP_PAUSE_MS = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(LargePayloads.class);

    private final SegmentServer segments;
    private final ObjectCopies copies;
    private final RecordAdapter records;
    private final Work work;
    /** By execution: records that wait until values are kept. */
    private final Map<String, List<Runnable>> keeping = new ConcurrentHashMap<>();
    /** By execution and object: records with that output that wait until it is kept. */
    private final Map<String, List<Consumer<Payload>>> keepingOutputs = new ConcurrentHashMap<>();
    private final LentOutputs lent = new LentOutputs();
    /** By execution: objects that a path of its workflow has looked into, and that its history is told with; whether they are kept. */
    private final Map<String, Map<String, Boolean>> lookedInto = new ConcurrentHashMap<>();

    LargePayloads(SegmentServer segments, ObjectCopies copies, RecordAdapter records, Work work) {
        this.segments = segments;
        this.copies = copies;
        this.records = records;
        this.work = work;
    }

    static boolean isLarge(Payload payload) {
        return payload != null && payload.bytes() != null && payload.bytes().length > Limits.INLINE_BYTES;
    }

    static boolean isReference(Payload payload) {
        return payload != null && payload.reference() != null;
    }

    /** The same value by reference; @param then gets it, or null and the failure, on another thread */
    void store(String application, String executionId, Payload large, BiConsumer<Payload, Failure> then) {
        run(() -> then.accept(segments.put(application, executionId, large), null), failure -> then.accept(null, failure));
    }

    /** A value that instances cannot map as it is: too large for a frame, or in the global data layer since a recovery. */
    static boolean isElsewhere(Payload payload) {
        return isLarge(payload) || GlobalObjects.isGlobal(payload);
    }

    /** The same value where instances can map it; @param then gets it, or null and the failure, on another thread */
    void bringHere(String application, String executionId, Payload payload, BiConsumer<Payload, Failure> then) {
        if (isLarge(payload)) {
            store(application, executionId, payload, then);
        } else {
            run(() -> then.accept(copies.toLocal(application, executionId, payload), null), failure -> then.accept(null, failure));
        }
    }

    /**
     * The same value for as long as the execution runs, of another one that has ended: what is that one's in memory goes, at any time.
     *
     * @param then gets it, or null and the failure, on another thread
     */
    void bringBeyond(String application, String executionId, Payload ended, BiConsumer<Payload, Failure> then) {
        run(() -> then.accept(GlobalObjects.isGlobal(ended) ? copies.toLocal(application, executionId, ended)
                : segments.put(application, executionId, ended.contentType(), ended.size(),
                        to -> segments.transfer(application, ended.reference(), to)), null), failure -> then.accept(null, failure));
    }

    /** The same value as other hosts can read it; @param then gets it, or null and the failure, on another thread */
    void sendAway(String application, String executionId, String object, Payload payload, BiConsumer<Payload, Failure> then) {
        run(() -> then.accept(copies.portable(application, executionId, object, payload), null),
                failure -> then.accept(null, failure));
    }

    /** For a workflow's path that looks into a value; called on the expression pool. @throws StatesError when it is gone */
    byte[] lookInto(String application, String executionId, Payload payload) {
        if (payload.size() > KeptSignals.VALUE_BYTES) {
            lookedInto.computeIfAbsent(executionId, id -> new ConcurrentHashMap<>()).putIfAbsent(payload.reference().object(), false);
        }
        return bytes(application, payload);
    }

    /** @throws StatesError when it is gone */
    byte[] bytes(String application, Payload payload) {
        try {
            return copies.bytes(application, payload.reference());
        } catch (StoreException e) {
            throw StatesError.runtime("a path looks into a value of " + payload.size() + " bytes that cannot be read: " + e.getMessage());
        }
    }

    /** A value by reference with its bytes; itself when they cannot be had (any more). */
    Payload orSize(String application, Payload payload) {
        try {
            return new Payload(payload.contentType(), copies.bytes(application, payload.reference()), null);
        } catch (StoreException e) {
            return payload;
        }
    }

    /** Gives the caller its result, with the output's bytes, or for one who reads it where it is, its memory. */
    void respond(Caller caller, InvocationResult result) {
        Payload output = result.output();
        if (caller.listener() instanceof MappedListener reader && !GlobalObjects.isGlobal(output)) {
            reader.onEnd(result, lend(caller.application(), result.executionId(), output));
            return;
        }
        run(() -> {
            byte[] bytes = copies.bytes(caller.application(), output.reference());
            caller.onEnd(new InvocationResult(result.executionId(), result.status(),
                    new Payload(output.contentType(), bytes, null), result.failure(), result.hops()));
        }, failure -> caller.onEnd(new InvocationResult(result.executionId(), InvocationResult.Status.FAILED, null,
                failure.mayHaveRun(), result.hops()))); // it has, and its record says how it ended
    }

    private LentOutput lend(String application, String executionId, Payload output) {
        Consumer<Boolean> back = lent.lend(executionId);
        return new LentOutput() {
            private SegmentServer.Mapped mapped;
            private boolean isBack;

            @Override
            public synchronized SegmentServer.Mapped memory() {
                mapped = mapped == null ? segments.map(application, output.reference()) : mapped;
                return mapped;
            }

            @Override
            public void delivered() {
                back(true);
            }

            @Override
            public void undelivered() {
                back(false);
            }

            private synchronized void back(boolean delivered) {
                if (isBack) {
                    return;
                }
                isBack = true;
                back.accept(delivered); // what keeps it holds it first
                if (mapped != null) {
                    mapped.close();
                }
            }
        };
    }

    /**
     * Gives the record as it can be stored: its output is in the global data layer, of a large input it says the size. One whose
     * output need not be copied is given before this returns: what was recorded while it ran never comes behind its end.
     */
    void inline(InvocationRecord record, Consumer<InvocationRecord> then) {
        if (!isReference(record.output())) {
            then.accept(withOutput(record, record.output()));
            return;
        }
        boolean waits = lent.await(record.executionId(), delivered -> {
            if (delivered) {
                then.accept(withOutput(record, record.output().notKept()));
                segments.releaseAtOnce(record.application(), record.executionId());
            } else {
                // The one who had it lent holds it no more once this returns.
                boolean held = retain(record.application(), record.output());
                keep(record, kept -> {
                    then.accept(kept);
                    if (held) {
                        segments.forget(record.application(), record.output().reference());
                    }
                });
            }
        });
        if (!waits) {
            keep(record, then);
        }
    }

    /** One that comes while its output is being kept (with the figures of an instance that has ended, say) goes behind the other. */
    private void keep(InvocationRecord record, Consumer<InvocationRecord> then) {
        String output = record.executionId() + ' ' + record.output().reference().object();
        Consumer<Payload> give = kept -> then.accept(withOutput(record, kept));
        if (keepingOutputs.putIfAbsent(output, new ArrayList<>()) == null) {
            run(() -> isKept(output, kept(record), give), failure -> {
                LOG.atWarn().addKeyValue(LogFields.APPLICATION, record.application())
                        .addKeyValue(LogFields.EXECUTION_ID, record.executionId())
                        .log("the output of execution {} is not kept: {}", record.executionId(), failure.cause());
                isKept(output, record.output().notKept(), give);
            });
        } else if (keepingOutputs.computeIfPresent(output, (name, behind) -> {
            behind.add(give);
            return behind;
        }) == null) {
            keep(record, then); // the other has gone in this moment
        }
    }

    private void isKept(String output, Payload kept, Consumer<Payload> first) {
        List<Consumer<Payload>> next = new ArrayList<>(List.of(first));
        do {
            next.forEach(each -> each.accept(kept));
            next.clear();
        } while (keepingOutputs.computeIfPresent(output, (name, behind) -> {
            next.addAll(behind);
            return next.isEmpty() ? null : new ArrayList<>();
        }) != null);
    }

    private static InvocationRecord withOutput(InvocationRecord record, Payload output) {
        Payload input = isReference(record.input()) ? record.input().notKept() : record.input();
        return record.with(input, output);
    }

    private Payload kept(InvocationRecord record) {
        Payload output = record.output();
        return outliving(record, List.of(output), () -> patiently(record, "the output", output, content ->
                records.keepOutput(record.application(), record.executionId(), output, content), output.notKept()));
    }

    /**
     * Values of an execution that has failed go into the global data layer, so that it can be redriven; of another one those that its
     * workflow has looked into, with which its history is told.
     *
     * @param signals all of the execution's, or null: those that were kept before are all of them
     * @param isAwaited somebody waits for the record: then the values are there before it is stored; else they come behind it
     */
    void keepValues(InvocationRecord record, List<Signal> signals, boolean isAwaited, Runnable store) {
        boolean mayBeRedriven = record.status() != InvocationResult.Status.SUCCEEDED && record.status() != InvocationResult.Status.RUNNING;
        Map<String, Boolean> looked = lookedInto.get(record.executionId());
        Map<String, Payload> large = signals == null || !mayBeRedriven && looked == null ? Map.of() : KeptSignals.large(signals);
        if (!mayBeRedriven) {
            large.values().removeIf(value -> !looked.replace(value.reference().object(), false, true));
        }
        if (large.isEmpty()) {
            behindValues(record, store);
        } else if (!isAwaited || !mayBeRedriven) {
            behindValues(record, store);
            keepValues(record, large, () -> {});
        } else if (keeping.putIfAbsent(record.executionId(), new ArrayList<>()) == null) {
            keepValues(record, large, () -> {
                store.run();
                letGo(record.executionId());
            });
        } else {
            behindValues(record, store); // the same values are being kept
        }
    }

    /** A record is not stored before one that was given earlier. */
    void behindValues(InvocationRecord record, Runnable store) {
        if (keeping.computeIfPresent(record.executionId(), (id, behind) -> {
            behind.add(store);
            return behind;
        }) == null) {
            store.run();
        }
    }

    private void letGo(String executionId) {
        List<Runnable> next = new ArrayList<>();
        do {
            next.forEach(Runnable::run);
            next.clear();
        } while (keeping.computeIfPresent(executionId, (id, behind) -> {
            next.addAll(behind);
            return next.isEmpty() ? null : new ArrayList<>();
        }) != null);
    }

    private void keepValues(InvocationRecord record, Map<String, Payload> large, Runnable then) {
        run(() -> {
            outliving(record, large.values(), () -> {
                large.forEach((name, value) -> patiently(record, "value " + name, value, content -> {
                    records.keepValue(record.application(), record.executionId(), name, value, content);
                    return value;
                }, value));
                return null;
            });
            then.run();
        }, failure -> {
            LOG.atWarn().addKeyValue(LogFields.APPLICATION, record.application()).addKeyValue(LogFields.EXECUTION_ID, record.executionId())
                    .log("values of execution {} are not kept, so that it cannot be redriven: {}", record.executionId(), failure.cause());
            then.run();
        });
    }

    /** The execution had ended, and is redriven: values of it may be here again. */
    void reopen(String application, String executionId) {
        segments.reopen(application, executionId);
    }

    /** A value of an execution that is redriven, in this host's memory for as long as it runs; blocks. @return null: it is not kept (any more) */
    Payload redriven(String application, String executionId, String name, Payload size) {
        InvocationStore.Output kept = records.value(application, executionId, name, size).orElse(null);
        return kept == null ? null : segments.put(application, executionId, size.contentType(), size.size(), kept.content()::writeTo);
    }

    /** The values outlive their execution until their bytes are in the global data layer. */
    private <T> T outliving(InvocationRecord record, Collection<Payload> values, Supplier<T> task) {
        List<Payload> retained = values.stream().filter(value -> !GlobalObjects.isGlobal(value) && retain(record.application(), value)).toList();
        try {
            return task.get();
        } finally {
            retained.forEach(value -> segments.forget(record.application(), value.reference()));
        }
    }

    private interface Keeping {
        Payload keep(ObjectStore.Content content) throws IOException;
    }

    private Payload patiently(InvocationRecord record, String what, Payload value, Keeping keeping, Payload otherwise) {
        try {
            for (int tries = 1;; tries++) {
                try {
                    return keeping.keep(out -> copies.transfer(record.application(), value.reference(), out));
                } catch (StoreException | IOException e) {
                    boolean mayPass = e instanceof StoreException store && store.kind() != StoreException.Kind.BAD_VALUE;
                    if (!mayPass || tries == KEEP_TRIES) {
                        LOG.atWarn().addKeyValue(LogFields.APPLICATION, record.application())
                                .addKeyValue(LogFields.EXECUTION_ID, record.executionId())
                                .log("{} of execution {}, {} bytes, is not kept: {}", what, record.executionId(), value.size(), e.getMessage());
                        return otherwise;
                    }
                }
                Thread.sleep(KEEP_PAUSE_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return otherwise;
        }
    }

    /** @return false when it has gone: a record that was written again, whose values are kept already */
    private boolean retain(String application, Payload value) {
        try {
            segments.retain(application, value.reference());
            return true;
        } catch (StoreException e) {
            return false;
        }
    }

    void release(String application, String executionId) {
        lent.forget(executionId);
        lookedInto.remove(executionId);
        segments.release(application, executionId);
    }

    /** As {@link #release}, of one whose values nobody will open any more. */
    void releaseAtOnce(String application, String executionId) {
        lent.forget(executionId);
        lookedInto.remove(executionId);
        segments.releaseAtOnce(application, executionId);
    }

    static InvocationRequest withInput(InvocationRequest request, Payload input) {
        return request.withInput(input);
    }

    private void run(Runnable task, Consumer<Failure> failed) {
        boolean taken = work.tryRun(() -> {
            try {
                task.run();
            } catch (StoreException e) {
                failed.accept(Failure.platform(Errors.UNAVAILABLE, e.getMessage(), false));
            }
        });
        if (!taken) {
            failed.accept(Failure.platform(Errors.OVERLOADED, "the host agent has too many large values to copy", true));
        }
    }
}
