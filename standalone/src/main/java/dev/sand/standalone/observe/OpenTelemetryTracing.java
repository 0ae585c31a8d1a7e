package dev.sand.standalone.observe;

import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.TraceContext;
import dev.sand.event.Tracing;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.samplers.SamplingDecision;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spans by OpenTelemetry's SDK, sent by OTLP; the SDK's own environment variables say where and which. The threads that serve
 * requests only put what happened into a bounded queue: one thread looks there from time to time and makes the spans, so that
 * none of them is woken, and none waits.
 */
public final class OpenTelemetryTracing implements Tracing, AutoCloseable {
    public static final String ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
    public static final String TRACES_ENDPOINT = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
    /** Told and not yet made into spans; more are dropped and counted. */
    static final int MOST_WAITING = 16_384;
    private static final Logger LOG = LoggerFactory.getLogger(OpenTelemetryTracing.class);
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long FLUSH_SECONDS = 5;

    private record Attempt(String application, int version, Hop hop, String traceparent) {}

    private final SdkTracerProvider provider;
    private final Spans spans;
    private final ArrayBlockingQueue<Record> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
    private final AtomicLong dropped = new AtomicLong();
    private final Thread thread;
    private volatile boolean closed;

    private OpenTelemetryTracing(SdkTracerProvider provider, DerivedIds ids, String host) {
        this.provider = provider;
        this.spans = new Spans(provider.get("dev.sand"), ids, host);
        this.thread = Thread.ofPlatform().name("sand-traces").daemon().start(this::run);
    }

    /** Spans when the environment says where to, else none at all. */
    public static Tracing of(Map<String, String> environment, String host) {
        if (isEmpty(environment.get(ENDPOINT)) && isEmpty(environment.get(TRACES_ENDPOINT))) {
            return OFF;
        }
        DerivedIds ids = new DerivedIds();
        SdkTracerProvider provider = AutoConfiguredOpenTelemetrySdk.builder()
                .disableShutdownHook()
                .addPropertiesSupplier(() -> properties(environment))
                .addPropertiesSupplier(() -> Map.of("otel.service.name", "sand", "otel.metrics.exporter", "none",
                        "otel.logs.exporter", "none", "otel.exporter.otlp.protocol", "http/protobuf"))
                .addTracerProviderCustomizer((builder, _) -> builder.setIdGenerator(ids))
                .build().getOpenTelemetrySdk().getSdkTracerProvider();
        LOG.info("spans go to {}", environment.getOrDefault(TRACES_ENDPOINT, environment.get(ENDPOINT)));
        return new OpenTelemetryTracing(provider, ids, host);
    }

    /** As the SDK itself would read them from the process's environment. */
    private static Map<String, String> properties(Map<String, String> environment) {
        Map<String, String> properties = new HashMap<>();
        environment.forEach((name, value) -> {
            if (name.startsWith("OTEL_")) {
                properties.put(name.toLowerCase(Locale.ROOT).replace('_', '.'), value);
            }
        });
        return properties;
    }

    private static boolean isEmpty(String value) {
        return value == null || value.isBlank();
    }

    @Override
    public boolean isOn() {
        return true;
    }

    @Override
    public String ofRequest(String traceparent, String executionId) {
        TraceContext caller = TraceContext.of(traceparent);
        TraceContext own = caller != null ? caller : root(executionId);
        return own.below(TraceContext.spanId(executionId, Spans.REQUEST)).toString();
    }

    private TraceContext root(String executionId) {
        String traceId = TraceContext.traceId(executionId);
        boolean sampled = provider.getSampler().shouldSample(Context.root(), traceId, Spans.REQUEST, SpanKind.SERVER,
                Attributes.empty(), List.of()).getDecision() == SamplingDecision.RECORD_AND_SAMPLE;
        return new TraceContext(traceId, null, sampled);
    }

    @Override
    public String ofRun(String traceparent, String eventId, int attempt) {
        TraceContext execution = TraceContext.of(traceparent);
        TraceContext own = execution != null ? execution : root(eventId.substring(0, eventId.indexOf('/')));
        return own.below(TraceContext.runSpanId(eventId, attempt)).toString();
    }

    @Override
    public void requestEnded(Request request) {
        tell(request);
    }

    @Override
    public void attemptEnded(String application, int version, Hop hop, String traceparent) {
        tell(new Attempt(application, version, hop, traceparent));
    }

    private void tell(Record what) {
        if (!waiting.offer(what)) {
            dropped.incrementAndGet();
        }
    }

    /** What found the queue full; any thread. */
    public long dropped() {
        return dropped.get();
    }

    private void run() {
        List<Record> batch = new ArrayList<>();
        while (!closed || !waiting.isEmpty()) {
            if (waiting.drainTo(batch) == 0) {
                LockSupport.parkNanos(LOOK_NS);
            }
            spans.clock();
            for (Record one : batch) {
                try {
                    make(one);
                } catch (RuntimeException e) {
                    LOG.warn("no span of {}: {}", one, e.toString());
                }
            }
            batch.clear();
        }
    }

    private void make(Record one) {
        switch (one) {
            case Request request -> spans.request(request);
            case Attempt attempt -> {
                TraceContext execution = TraceContext.of(attempt.traceparent());
                String executionId = attempt.hop().eventId().substring(0, attempt.hop().eventId().indexOf('/'));
                spans.attempt(attempt.application(), attempt.version(), attempt.hop(), executionId,
                        execution != null ? execution : root(executionId));
            }
            default -> throw new IllegalStateException("not told here: " + one);
        }
    }

    /** Sends what has been told so far. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            thread.join(TimeUnit.SECONDS.toMillis(FLUSH_SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        provider.shutdown().join(FLUSH_SECONDS, TimeUnit.SECONDS);
    }
}
