package dev.sand.hostagent.core;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.HostAgentPort.ProgressListener;
import dev.sand.event.InvocationRequest;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution;
import java.util.List;

/**
 * Everything that can happen to a shard. Inputs that answer an action carry the attempt or id that the action carried, so
 * that a stale one is known, counted and dropped.
 */
public sealed interface Input {
    /** An application's version on this host: the unit that has a sandbox. */
    record AppKey(String application, int version) {}

    // --- requests

    record Invoke(InvocationRequest request, InvocationListener listener) implements Input {}

    /** Tell the listener of every hop from now on, and of the end; at once when it runs nowhere here. */
    record Watch(String executionId, ProgressListener listener) implements Input {}

    record Unwatch(String executionId, ProgressListener listener) implements Input {}

    record Cancel(String executionId, String cause) implements Input {}

    /** Answer to LoadApplication; failure set when there is no such version. */
    record ApplicationLoaded(AppKey app, ApplicationVersion version, Failure failure) implements Input {}

    record Retire(AppKey app) implements Input {}

    /** Take nothing new, end what runs; answered with Drained. */
    record Drain() implements Input {}

    // --- sandboxes and workers

    /** @param sandbox the id given in StartSandbox; @param warm it came from the blank pool */
    record SandboxStarted(AppKey app, String sandbox, boolean warm) implements Input {}

    record SandboxFailed(AppKey app, String sandbox, String cause) implements Input {}

    /** The sandbox is gone: the container ended, the supervisor's connection closed, the engine said so. */
    record SandboxEnded(AppKey app, String sandbox, String cause) implements Input {}

    record WorkerReady(AppKey app, String worker, int pid) implements Input {}

    record WorkerFailed(AppKey app, String worker, Failure failure) implements Input {}

    record WorkerExited(AppKey app, String worker, String cause) implements Input {}

    /** Memory on the host is short: stop idle sandboxes, least recently used first. */
    record MemoryPressure() implements Input {}

    // --- instances (from the local bus)

    /** An instance waits for an event on its connection. */
    record Take(AppKey app, String instance, int pid) implements Input {}

    record Finish(AppKey app, String instance, String eventId, int attempt, Payload output,
                  List<Execution.Published> published, long startedNs, long endedNs) implements Input {}

    record Fail(AppKey app, String instance, String eventId, int attempt, Failure failure, long startedNs, long endedNs)
            implements Input {}

    /** Buffered until the attempt finishes. */
    record Publish(AppKey app, String instance, String eventId, int attempt, Execution.Published published)
            implements Input {}

    /** The instance's socket closed: the process is gone or past use. */
    record InstanceClosed(AppKey app, String instance) implements Input {}

    /** The worker reaped the instance. Comes before or after InstanceClosed; the first of the two counts as death. */
    record InstanceExited(AppKey app, String instance, int exitCode, int signal, long cpuUs, long peakMemoryBytes, String note)
            implements Input {}

    record ForkFailed(AppKey app, String instance, String cause) implements Input {}

    /**
     * The event of a HandOver could not be written: the instance was gone before its handler saw it, so the event is run
     * again. Comes before the InstanceClosed of that instance.
     */
    record HandOverFailed(AppKey app, String instance, String eventId, int attempt) implements Input {}

    // --- the engine, off the shard

    /** Answer to Evaluate: the commands that the signal gave. */
    record Evaluated(String executionId, List<Execution.Command> commands, Failure failure) implements Input {}

    // --- the global bus

    /** Answer to Journal. */
    record Journaled(String executionId, long sequence, Failure failure) implements Input {}

    /** Answer to an awaited Record. */
    record Recorded(String executionId, Failure failure) implements Input {}

    /**
     * An execution that an earlier run of this host agent accepted and did not end: its journal, in order. Given before any
     * Invoke; not given when its record says that it has ended (then only Ended is missing in the journal).
     */
    record Recover(InvocationRequest request, List<Execution.Signal> replay) implements Input {}

    /** Time passed: the clock's reading comes with every input; this one has nothing else. */
    record Tick() implements Input {}
}
