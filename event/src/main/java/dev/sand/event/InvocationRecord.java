package dev.sand.event;

import java.util.List;

/**
 * What the platform remembers of an execution; kept in the global data layer and served by any frontend.
 *
 * @param schema version of this record's shape
 * @param startedMs wall clock at acceptance
 * @param endedMs wall clock at the end, 0 while it runs
 * @param cpuUs of all attempts
 * @param peakMemoryBytes of the largest attempt
 * @param redriveCount how often it was redriven; null: never
 * @param process the cloud process that it runs in; null: in none, or an older version wrote it
 */
public record InvocationRecord(
        short schema,
        String executionId,
        String application,
        int version,
        String target,
        InvocationResult.Status status,
        Payload input,
        Payload output,
        Failure failure,
        long startedMs,
        long endedMs,
        long cpuUs,
        long peakMemoryBytes,
        List<InvocationResult.Hop> hops,
        Integer redriveCount,
        String process) {
    public InvocationRecord(short schema, String executionId, String application, int version, String target,
                            InvocationResult.Status status, Payload input, Payload output, Failure failure, long startedMs,
                            long endedMs, long cpuUs, long peakMemoryBytes, List<InvocationResult.Hop> hops) {
        this(schema, executionId, application, version, target, status, input, output, failure, startedMs, endedMs, cpuUs,
                peakMemoryBytes, hops, null, null);
    }

    public InvocationRecord inProcess(String of) {
        return new InvocationRecord(schema, executionId, application, version, target, status, input, output, failure, startedMs, endedMs,
                cpuUs, peakMemoryBytes, hops, redriveCount, of);
    }

    public InvocationRecord with(Payload otherInput, Payload otherOutput) {
        return new InvocationRecord(schema, executionId, application, version, target, status, otherInput, otherOutput, failure, startedMs,
                endedMs, cpuUs, peakMemoryBytes, hops, redriveCount, process);
    }

    public int redrives() {
        return redriveCount == null ? 0 : redriveCount;
    }
}
