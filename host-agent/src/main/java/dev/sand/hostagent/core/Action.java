package dev.sand.hostagent.core;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.GrainSpec;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.HostAgentPort.ProgressListener;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.workflow.Execution;
import java.util.List;

/** What a shard wants done. Adapters perform actions on other threads and report every outcome as an input. */
public sealed interface Action {
    /** Read the version from the registry. Answer: ApplicationLoaded. */
    record LoadApplication(AppKey app) implements Action {}

    /** Answer: SandboxStarted or SandboxFailed, later SandboxEnded. The id is new for every start. */
    record StartSandbox(AppKey app, String sandbox, ApplicationVersion version) implements Action {}

    record StopSandbox(AppKey app, String sandbox) implements Action {}

    /** Fork a worker from the supervisor. Answer: WorkerReady, WorkerFailed or WorkerExited. */
    record StartWorker(AppKey app, String sandbox, String worker, GrainSpec grain) implements Action {}

    record StopWorker(AppKey app, String sandbox, String worker) implements Action {}

    /** Fork instances ahead of need. Answer: a Take of each, or ForkFailed, or InstanceExited. */
    record Spawn(AppKey app, String worker, List<String> instances) implements Action {}

    /** Answers the instance's take: the one hop of the hot path. */
    record HandOver(AppKey app, String instance, String eventId, String executionId, String grain, int attempt,
                    long remainingMs, Payload payload, String traceparent) implements Action {}

    /** Answers the instance's take with nothing: it ends. */
    record Dismiss(AppKey app, String instance) implements Action {}

    /** SIGKILL to the instance's process group, through the supervisor; then, when it does not end, through the engine. */
    record Kill(AppKey app, String sandbox, String instance, int pid) implements Action {}

    /** A backup for the global bus. Answered with Journaled only when {@code awaited}. */
    record Journal(String executionId, String application, long sequence, Backup backup, boolean awaited) implements Action {}

    /** What is backed up: the accepted request, a signal with its effects, or the end. */
    sealed interface Backup {
        record Accepted(InvocationRequest request) implements Backup {}

        record Advanced(Execution.Signal signal) implements Backup {}

        record Ended(InvocationResult.Status status) implements Backup {}
    }

    /** Run {@code execution.on(signal)} on the expression pool. Answer: Evaluated. */
    record Evaluate(String executionId, Execution execution, Execution.Signal signal) implements Action {}

    /** The execution's one answer. */
    record Respond(InvocationListener listener, InvocationResult result) implements Action {}

    /** Progress for a watcher; {@code hop} null: the execution has ended, or does not run here. */
    record Notify(ProgressListener listener, InvocationResult.Hop hop) implements Action {}

    record Accepted(InvocationListener listener) implements Action {}

    /**
     * Keep what happened for the invocation API. Written again when CPU time and memory of late exits are known.
     * Answered with Recorded only when {@code awaited}: a durable execution's end is journaled once its record is stored,
     * so that no crash loses a result.
     */
    record Record(InvocationRecord record, boolean awaited) implements Action {}

    /** An attempt begins or ends: the log collector ties the instance's output to it. */
    record LogScope(AppKey app, String instance, String executionId, String eventId, int attempt, boolean begins) implements Action {}

    /** Nothing runs any more. */
    record Drained() implements Action {}

    /** An illegal or stale input, for the log and a counter. */
    record Dropped(String reason, Input input) implements Action {}
}
