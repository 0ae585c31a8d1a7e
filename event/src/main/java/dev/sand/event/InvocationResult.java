package dev.sand.event;

import java.util.List;

/**
 * How an execution ended.
 *
 * @param output of a successful one, else null
 * @param failure of any other, else null
 * @param status how
 * @param hops every attempt in the order in which it ended: where the time went
 */
public record InvocationResult(String executionId, Status status, Payload output, Failure failure, List<Hop> hops) {

    /** RUNNING appears in records only; a result is one of the others. */
    public enum Status { RUNNING, SUCCEEDED, FAILED, TIMED_OUT, CANCELLED }

    /**
     * One attempt of one event. All times are the host's monotonic clock in nanoseconds; 0 where it never got that far.
     *
     * @param queuedNs put on the grain's queue
     * @param handedNs written to an instance: {@code handed - queued} is queue time
     * @param startedNs handler entered, by the instance's clock: {@code started - handed} is dispatch time
     * @param endedNs handler left: {@code ended - started} is run time
     * @param returnedNs output taken by the owner thread: {@code returned - ended} is bus time
     * @param cpuUs CPU time of the process, 0 until its exit is known
     * @param peakMemoryBytes peak resident memory of the process, 0 until its exit is known
     */
    public record Hop(
            String eventId, String grain, int attempt, String error, long queuedNs, long handedNs, long startedNs,
            long endedNs, long returnedNs, long cpuUs, long peakMemoryBytes) {}
}
