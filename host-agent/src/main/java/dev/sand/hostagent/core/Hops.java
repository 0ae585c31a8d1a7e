package dev.sand.hostagent.core;

import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Limits;
import java.util.ArrayList;
import java.util.List;

/** The attempts of one execution in the order in which they ended, and the figures of their processes as they come in. */
final class Hops {
    private final int limit;
    private final List<Hop> hops = new ArrayList<>(2);
    private int awaited;
    private long cpuUs;
    private long peakMemoryBytes;
    /** What was last given away; null: something came since. One list serves an execution's answer and its record. */
    private List<Hop> copy;

    Hops(int limit) {
        this.limit = limit;
    }

    /** @return its place, -1 when there are too many to keep */
    int add(Hop hop) {
        if (hops.size() >= limit) {
            return -1;
        }
        hops.add(hop);
        count(hop.cpuUs(), hop.peakMemoryBytes());
        return hops.size() - 1;
    }

    /** Those of the execution before it was redriven. */
    void addBefore(List<Hop> before) {
        before.forEach(this::add);
    }

    void expectFigures() {
        awaited++;
    }

    void figuresLost() {
        awaited--;
    }

    void figures(int place, long cpuUs, long peakMemoryBytes) {
        awaited--;
        if (place >= 0) {
            Hop hop = hops.get(place);
            count(cpuUs - hop.cpuUs(), peakMemoryBytes);
            hops.set(place, new Hop(hop.eventId(), hop.grain(), hop.attempt(), hop.error(), hop.queuedNs(), hop.handedNs(),
                    hop.startedNs(), hop.endedNs(), hop.returnedNs(), cpuUs, peakMemoryBytes));
        }
    }

    private void count(long moreCpuUs, long memoryBytes) {
        cpuUs += moreCpuUs;
        peakMemoryBytes = Math.max(peakMemoryBytes, memoryBytes);
        copy = null;
    }

    int count() {
        return hops.size();
    }

    boolean isComplete() {
        return awaited == 0;
    }

    List<Hop> copy() {
        copy = copy == null ? List.copyOf(hops) : copy;
        return copy;
    }

    /** @param result null while it runs */
    InvocationRecord record(InvocationRequest request, InvocationResult result, long startedMs, long endedMs) {
        boolean runs = result == null;
        return new InvocationRecord(Limits.SCHEMA_VERSION, request.executionId(), request.application(), request.version(),
                request.target(), runs ? Status.RUNNING : result.status(), request.input(), runs ? null : result.output(),
                runs ? null : result.failure(), startedMs, endedMs, cpuUs, peakMemoryBytes, copy(),
                request.redrive() == null ? null : request.redrives(), request.process());
    }
}
