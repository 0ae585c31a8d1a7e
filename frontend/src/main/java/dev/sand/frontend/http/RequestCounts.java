package dev.sand.frontend.http;

import dev.sand.event.DurationBuckets;
import dev.sand.event.Tracing;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.RequestLog;
import org.eclipse.jetty.server.Response;

/** Counts requests as they end, and tells whoever makes spans of them. Adders alone: many threads, no lock between them. */
public final class RequestCounts implements RequestLog {
    /** Which part of the interface a request was for. */
    public enum Plane { INVOKE, WEB, CONTROL }

    private static final int STATUS_CLASSES = 6;
    private final Tracing tracing;
    private final LongAdder[][] ended = new LongAdder[Plane.values().length][STATUS_CLASSES];
    private final LongAdder[] invokeBuckets = new LongAdder[DurationBuckets.BOUNDS + 1];
    private final LongAdder invokeNs = new LongAdder();

    /**
     * @param ended by plane and the first digit of the status
     * @param invokeBuckets of invocations and routed requests, from their first byte to the end of their answer
     */
    public record Reading(long[][] ended, long[] invokeBuckets, long invokeNs) {}

    public RequestCounts(Tracing tracing) {
        this.tracing = tracing;
        for (LongAdder[] plane : ended) {
            fill(plane);
        }
        fill(invokeBuckets);
    }

    private static void fill(LongAdder[] adders) {
        for (int i = 0; i < adders.length; i++) {
            adders[i] = new LongAdder();
        }
    }

    @Override
    public void log(Request request, Response response) {
        String path = request.getHttpURI().getPath();
        Plane plane = path == null ? Plane.CONTROL : path.startsWith("/invoke/") ? Plane.INVOKE
                : path.startsWith("/web/") ? Plane.WEB : Plane.CONTROL;
        int status = response.getStatus();
        ended[plane.ordinal()][Math.clamp(status / 100, 0, STATUS_CLASSES - 1)].increment();
        if (plane == Plane.CONTROL) {
            return;
        }
        long beganNs = request.getBeginNanoTime();
        long endedNs = System.nanoTime();
        invokeBuckets[DurationBuckets.of(endedNs - beganNs)].increment();
        invokeNs.add(endedNs - beganNs);
        if (tracing.isOn() && response.getHeaders().get("Sand-Execution-Id") instanceof String id) {
            tracing.requestEnded(new Tracing.Request(request.getHeaders().get("traceparent"), id, request.getMethod(), path,
                    status, beganNs, endedNs, response.getHeaders().contains("Idempotent-Replayed")));
        }
    }

    public Reading read() {
        long[][] counts = new long[ended.length][];
        for (int plane = 0; plane < ended.length; plane++) {
            counts[plane] = sums(ended[plane]);
        }
        return new Reading(counts, sums(invokeBuckets), invokeNs.sum());
    }

    private static long[] sums(LongAdder[] adders) {
        long[] sums = new long[adders.length];
        for (int i = 0; i < adders.length; i++) {
            sums[i] = adders[i].sum();
        }
        return sums;
    }
}
