package dev.sand.hostagent.shard;

import dev.sand.datalayer.StoreException;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.hostagent.journal.RecordAdapter;
import dev.sand.hostagent.objects.GlobalObjects;
import dev.sand.hostagent.objects.ObjectCopies;
import dev.sand.hostagent.segments.SegmentServer;
import dev.sand.workflow.KeptSignals;
import dev.sand.workflow.data.StatesError;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Between values by reference, which live on this host for as long as their execution, and bytes, which outlive it: bodies
 * of requests become objects, outputs and records become bytes again. Copies are made off the shards.
 */
final class LargePayloads {
    private final SegmentServer segments;
    private final ObjectCopies copies;
    private final Work work;
    private final KeptValues kept;
    private final LentOutputs lent = new LentOutputs();

    LargePayloads(SegmentServer segments, ObjectCopies copies, RecordAdapter records, Work work) {
        this.segments = segments;
        this.copies = copies;
        this.work = work;
        this.kept = new KeptValues(segments, copies, records, work);
    }

    KeptValues kept() {
        return kept;
    }

    static boolean isLarge(Payload payload) {
        return payload != null && payload.bytes() != null && payload.bytes().length > Limits.INLINE_BYTES;
    }

    static boolean isReference(Payload payload) {
        return payload != null && payload.reference() != null;
    }

    /** The same value by reference; @param then gets it, or null and the failure, on another thread */
    void store(String application, String executionId, Payload large, BiConsumer<Payload, Failure> then) {
        work.run(() -> then.accept(segments.put(application, executionId, large), null), failure -> then.accept(null, failure));
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
            work.run(() -> then.accept(copies.toLocal(application, executionId, payload), null), failure -> then.accept(null, failure));
        }
    }

    /**
     * The same value for as long as the execution runs, of another one that has ended: what is that one's in memory goes, at any time.
     *
     * @param then gets it, or null and the failure, on another thread
     */
    void bringBeyond(String application, String executionId, Payload ended, BiConsumer<Payload, Failure> then) {
        work.run(() -> then.accept(GlobalObjects.isGlobal(ended) ? copies.toLocal(application, executionId, ended)
                : segments.put(application, executionId, ended.contentType(), ended.size(),
                        to -> segments.transfer(application, ended.reference(), to)), null), failure -> then.accept(null, failure));
    }

    /** The same value as other hosts can read it; @param then gets it, or null and the failure, on another thread */
    void sendAway(String application, String executionId, String object, Payload payload, BiConsumer<Payload, Failure> then) {
        work.run(() -> then.accept(copies.portable(application, executionId, object, payload), null),
                failure -> then.accept(null, failure));
    }

    /** For a workflow's path that looks into a value; called on the expression pool. @throws StatesError when it is gone */
    byte[] lookInto(String application, String executionId, Payload payload) {
        if (payload.size() > KeptSignals.VALUE_BYTES) {
            kept.lookedInto(executionId, payload.reference().object());
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
        work.run(() -> {
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
                boolean held = kept.retain(record.application(), record.output());
                keep(record, inlined -> {
                    then.accept(inlined);
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

    private void keep(InvocationRecord record, Consumer<InvocationRecord> then) {
        kept.keep(record, output -> then.accept(withOutput(record, output)));
    }

    private static InvocationRecord withOutput(InvocationRecord record, Payload output) {
        Payload input = isReference(record.input()) ? record.input().notKept() : record.input();
        return record.with(input, output);
    }

    /** The execution had ended, and is redriven: values of it may be here again. */
    void reopen(String application, String executionId) {
        segments.reopen(application, executionId);
    }

    void release(String application, String executionId) {
        lent.forget(executionId);
        kept.forget(executionId);
        segments.release(application, executionId);
    }

    /** As {@link #release}, of one whose values nobody will open any more. */
    void releaseAtOnce(String application, String executionId) {
        lent.forget(executionId);
        kept.forget(executionId);
        segments.releaseAtOnce(application, executionId);
    }

    static InvocationRequest withInput(InvocationRequest request, Payload input) {
        return request.withInput(input);
    }
}
