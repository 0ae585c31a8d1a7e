package dev.sand.hostagent.shard;

import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.ObjectStore;
import dev.sand.datalayer.StoreException;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult;
import dev.sand.event.LogFields;
import dev.sand.event.Payload;
import dev.sand.hostagent.journal.RecordAdapter;
import dev.sand.hostagent.objects.GlobalObjects;
import dev.sand.hostagent.objects.ObjectCopies;
import dev.sand.hostagent.segments.SegmentServer;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.KeptSignals;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Values that are to outlive their execution, on their way into the global data layer: its output, those of one that has failed, so that it
 * can be redriven, and those that its history is told with. A record is not stored before one that was given earlier.
 */
final class KeptValues {
    /** A value waits this long for a store that is away or full; then its record says that it was not kept. */
    private static final int KEEP_TRIES = 20;
    private static final long KEEP_PAUSE_MS = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(KeptValues.class);

    private final SegmentServer segments;
    private final ObjectCopies copies;
    private final RecordAdapter records;
    private final Work work;
    /** By execution: records that wait until values are kept. */
    private final Map<String, List<Runnable>> keeping = new ConcurrentHashMap<>();
    /** By execution and object: records with that output that wait until it is kept. */
    private final Map<String, List<Consumer<Payload>>> keepingOutputs = new ConcurrentHashMap<>();
    /** By execution: objects that a path of its workflow has looked into, and that its history is told with; whether they are kept. */
    private final Map<String, Map<String, Boolean>> lookedInto = new ConcurrentHashMap<>();

    KeptValues(SegmentServer segments, ObjectCopies copies, RecordAdapter records, Work work) {
        this.segments = segments;
        this.copies = copies;
        this.records = records;
        this.work = work;
    }

    void lookedInto(String executionId, String object) {
        lookedInto.computeIfAbsent(executionId, id -> new ConcurrentHashMap<>()).putIfAbsent(object, false);
    }

    /** What is in memory of its values goes. */
    void forget(String executionId) {
        lookedInto.remove(executionId);
    }

    /** One that comes while its output is being kept (with the figures of an instance that has ended, say) goes behind the other. */
    void keep(InvocationRecord record, Consumer<Payload> then) {
        String output = record.executionId() + ' ' + record.output().reference().object();
        if (keepingOutputs.putIfAbsent(output, new ArrayList<>()) == null) {
            work.run(() -> isKept(output, kept(record), then), failure -> {
                LOG.atWarn().addKeyValue(LogFields.APPLICATION, record.application())
                        .addKeyValue(LogFields.EXECUTION_ID, record.executionId())
                        .log("the output of execution {} is not kept: {}", record.executionId(), failure.cause());
                isKept(output, record.output().notKept(), then);
            });
        } else if (keepingOutputs.computeIfPresent(output, (name, behind) -> {
            behind.add(then);
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
        work.run(() -> {
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
    boolean retain(String application, Payload value) {
        try {
            segments.retain(application, value.reference());
            return true;
        } catch (StoreException e) {
            return false;
        }
    }
}
