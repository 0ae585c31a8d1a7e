package dev.sand.event;

import dev.sand.event.InvocationResult.Hop;

/**
 * Who is told what spans are made of. Called on hot threads: an implementation answers from its arguments, enqueues, and
 * never blocks. Without one nothing is made at all.
 */
public interface Tracing {
    /** The platform as it is when nobody collects spans: trace contexts that callers sent are passed on as they are. */
    Tracing OFF = new Tracing() {};

    /**
     * A request that was answered.
     *
     * @param traceparent as the caller sent it, or null
     * @param executionId of the execution that it began or asked for
     * @param again its answer was that of an earlier request, under the same Idempotency-Key
     * @param beganNs and endedNs: this host's monotonic clock
     */
    record Request(String traceparent, String executionId, String method, String path, int status, long beganNs, long endedNs,
                   boolean again) {}

    /** Whether any of the rest is worth a call. */
    default boolean isOn() {
        return false;
    }

    /** What an execution carries: the trace of its caller, or one of its own, below the span of its request. */
    default String ofRequest(String traceparent, String executionId) {
        return traceparent;
    }

    /** What an attempt's handler gets: the context below the span of its run. */
    default String ofRun(String traceparent, String eventId, int attempt) {
        return traceparent;
    }

    default void requestEnded(Request request) {}

    /** @param traceparent of the execution, or null */
    default void attemptEnded(String application, int version, Hop hop, String traceparent) {}
}
