package dev.sand.standalone.observe;

import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.TraceContext;
import dev.sand.event.Tracing;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What happened, as spans. One thread's.
 *
 * <pre>
 * the caller's span
 *   └ POST /invoke/…         the request, at the frontend
 *       └ grain              an attempt of an event, from its queue until its output was taken
 *           ├ queue
 *           ├ dispatch       from the hand-over to the handler's first line
 *           └ run            the handler; the user's own spans are below it, and the attempts of what it published
 * </pre>
 */
final class Spans {
    static final String REQUEST = "request";
    private static final String PUBLISHED = ">publish[";
    private static final int MOST_LATER_ATTEMPTS = 10_000;
    private static final AttributeKey<String> APPLICATION = AttributeKey.stringKey("sand.application");
    private static final AttributeKey<Long> VERSION = AttributeKey.longKey("sand.version");
    private static final AttributeKey<String> GRAIN = AttributeKey.stringKey("sand.grain");
    private static final AttributeKey<String> EXECUTION = AttributeKey.stringKey("sand.execution_id");
    private static final AttributeKey<String> EVENT = AttributeKey.stringKey("sand.event_id");
    private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("sand.attempt");
    private static final AttributeKey<String> HOST = AttributeKey.stringKey("sand.host");
    private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");
    private static final AttributeKey<String> METHOD = AttributeKey.stringKey("http.request.method");
    private static final AttributeKey<String> PATH = AttributeKey.stringKey("url.path");
    private static final AttributeKey<Long> STATUS = AttributeKey.longKey("http.response.status_code");

    private final Tracer tracer;
    private final DerivedIds ids;
    private final String host;
    /** Events whose last attempt was not the first, for what that one published. */
    private final Map<String, Integer> laterAttempts = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
            return size() > MOST_LATER_ATTEMPTS;
        }
    };
    private long epochOffsetNs;
    private long clockNs = Long.MIN_VALUE / 2;

    Spans(Tracer tracer, DerivedIds ids, String host) {
        this.tracer = tracer;
        this.ids = ids;
        this.host = host;
    }

    /** Wall clock and monotonic clock drift apart: compared again once a minute. */
    void clock() {
        long nowNs = System.nanoTime();
        if (nowNs - clockNs > TimeUnit.MINUTES.toNanos(1)) {
            Instant now = Instant.now();
            epochOffsetNs = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano() - nowNs;
            clockNs = nowNs;
        }
    }

    void request(Tracing.Request request) {
        TraceContext caller = TraceContext.of(request.traceparent());
        String traceId = caller != null ? caller.traceId() : TraceContext.traceId(request.executionId());
        // The span that the execution is below is the first request's.
        String spanId = TraceContext.spanId(request.executionId(), request.again() ? REQUEST + " " + request.beganNs() : REQUEST);
        SpanBuilder span = begin(request.method() + " " + request.path(), SpanKind.SERVER, caller, traceId, spanId, request.beganNs())
                .setAttribute(METHOD, request.method()).setAttribute(PATH, request.path())
                .setAttribute(STATUS, request.status()).setAttribute(EXECUTION, request.executionId());
        end(span, request.status() >= 500 ? String.valueOf(request.status()) : null, request.endedNs());
    }

    void attempt(String application, int version, Hop hop, String executionId, TraceContext execution) {
        if (hop.attempt() > 1) {
            laterAttempts.put(hop.eventId(), hop.attempt());
        }
        String eventId = hop.eventId();
        TraceContext parent = parent(eventId, execution);
        String prefix = hop.attempt() + " ";
        String spanId = TraceContext.spanId(eventId, prefix + "attempt");
        SpanBuilder span = begin(hop.grain(), SpanKind.INTERNAL, parent.spanId() == null ? null : parent, execution.traceId(),
                spanId, hop.queuedNs())
                .setAttribute(APPLICATION, application).setAttribute(VERSION, (long) version).setAttribute(GRAIN, hop.grain())
                .setAttribute(EXECUTION, executionId).setAttribute(EVENT, eventId)
                .setAttribute(ATTEMPT, (long) hop.attempt()).setAttribute(HOST, host);
        end(span, hop.error(), hop.returnedNs());
        TraceContext own = execution.below(spanId);
        boolean handed = hop.handedNs() != 0;
        part("queue", own, TraceContext.spanId(eventId, prefix + "queue"), hop.queuedNs(), handed ? hop.handedNs() : hop.returnedNs(), null);
        if (!handed) {
            return;
        }
        // Of an attempt that was killed nobody knows when its handler began: all of it was its run then.
        boolean told = hop.startedNs() != 0;
        if (told) {
            part("dispatch", own, TraceContext.spanId(eventId, prefix + "dispatch"), hop.handedNs(), hop.startedNs(), null);
        }
        part("run", own, TraceContext.runSpanId(eventId, hop.attempt()), told ? hop.startedNs() : hop.handedNs(),
                told ? hop.endedNs() : hop.returnedNs(), hop.error());
    }

    /** What published the event, or the request. */
    private TraceContext parent(String eventId, TraceContext execution) {
        int published = eventId.lastIndexOf(PUBLISHED);
        if (published < 0) {
            return execution;
        }
        String publisher = eventId.substring(0, published);
        return execution.below(TraceContext.runSpanId(publisher, laterAttempts.getOrDefault(publisher, 1)));
    }

    private void part(String name, TraceContext parent, String spanId, long beganNs, long endedNs, String error) {
        end(begin(name, SpanKind.INTERNAL, parent, parent.traceId(), spanId, beganNs), error, endedNs);
    }

    private SpanBuilder begin(String name, SpanKind kind, TraceContext parent, String traceId, String spanId, long beganNs) {
        ids.next(traceId, spanId);
        SpanBuilder builder = tracer.spanBuilder(name).setSpanKind(kind)
                .setStartTimestamp(epochOffsetNs + beganNs, TimeUnit.NANOSECONDS);
        return parent == null ? builder.setNoParent()
                : builder.setParent(Context.root().with(Span.wrap(SpanContext.createFromRemoteParent(parent.traceId(),
                        parent.spanId(), parent.sampled() ? TraceFlags.getSampled() : TraceFlags.getDefault(),
                        TraceState.getDefault()))));
    }

    private void end(SpanBuilder builder, String error, long endedNs) {
        Span span = builder.startSpan();
        if (error != null) {
            span.setAttribute(ERROR, error).setStatus(StatusCode.ERROR);
        }
        span.end(epochOffsetNs + endedNs, TimeUnit.NANOSECONDS);
    }
}
