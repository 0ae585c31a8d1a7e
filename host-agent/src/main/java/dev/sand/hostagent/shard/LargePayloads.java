package dev.sand.hostagent.shard;

import dev.sand.datalayer.StoreException;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.hostagent.segments.SegmentServer;
import dev.sand.workflow.data.StatesError;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Between values by reference, which live on this host for as long as their execution, and bytes, which outlive it: bodies
 * of requests become objects, outputs and records become bytes again. Copies are made off the shards.
 */
final class LargePayloads {
    /** A record keeps bytes up to this size; of a larger value it keeps the reference, which ends with its execution. */
    private static final long RECORD_BYTES = 16L << 20;

    private static final Logger LOG = LoggerFactory.getLogger(LargePayloads.class);

    private final SegmentServer segments;
    private final Work work;

    LargePayloads(SegmentServer segments, Work work) {
        this.segments = segments;
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

    /** For a workflow's path that looks into a value; called on the expression pool. @throws StatesError when it is gone */
    byte[] bytes(String application, Payload payload) {
        try {
            return segments.read(application, payload.reference());
        } catch (StoreException e) {
            throw StatesError.runtime("a path looks into a value of " + payload.size() + " bytes that cannot be read: " + e.getMessage());
        }
    }

    /** Gives the caller its result, with the output's bytes. */
    void respond(Caller caller, InvocationResult result) {
        Payload output = result.output();
        run(() -> {
            byte[] bytes = segments.read(caller.application(), output.reference());
            caller.onEnd(new InvocationResult(result.executionId(), result.status(),
                    new Payload(output.contentType(), bytes, null), result.failure(), result.hops()));
        }, failure -> caller.onEnd(new InvocationResult(result.executionId(), InvocationResult.Status.FAILED, null, failure,
                result.hops())));
    }

    /** Gives the record with bytes in place of references. */
    void inline(InvocationRecord record, Consumer<InvocationRecord> then) {
        run(() -> {
            Payload input = inline(record.application(), record.input());
            Payload output = inline(record.application(), record.output());
            then.accept(new InvocationRecord(record.schema(), record.executionId(), record.application(), record.version(),
                    record.target(), record.status(), input, output, record.failure(), record.startedMs(), record.endedMs(),
                    record.cpuUs(), record.peakMemoryBytes(), record.hops()));
        }, failure -> {
            LOG.warn("the record of execution {} keeps references instead of values: {}", record.executionId(), failure.cause());
            then.accept(record);
        });
    }

    private Payload inline(String application, Payload payload) {
        return isReference(payload) && payload.size() <= RECORD_BYTES
                ? new Payload(payload.contentType(), segments.read(application, payload.reference()), null) : payload;
    }

    void release(String application, String executionId) {
        segments.release(application, executionId);
    }

    static InvocationRequest withInput(InvocationRequest request, Payload input) {
        return new InvocationRequest(request.executionId(), request.application(), request.version(), request.target(), input,
                request.timeoutMs(), request.durable(), request.traceparent());
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
