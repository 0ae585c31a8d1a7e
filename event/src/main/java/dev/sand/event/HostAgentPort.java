package dev.sand.event;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * What a frontend asks of a host agent. In one process this is the host agent itself; across hosts a proxy with the same
 * meaning stands in for it. Every call returns at once; every answer comes exactly once.
 */
public interface HostAgentPort {
    /** Called from the owner thread: implementations enqueue, or at most write a small answer where that cannot block. */
    interface InvocationListener {
        /** The request is in the global bus: a 202 may be sent. Called at most once, before onEnd. */
        void onAccepted();

        void onEnd(InvocationResult result);
    }

    /** Called from the owner thread: implementations only enqueue. */
    interface ProgressListener {
        void onHop(InvocationResult.Hop hop);

        /** It ended, or does not run here (any more): the record has the rest. */
        void onEnd();
    }

    /** Follows an execution until it ends or the returned handle is closed. */
    AutoCloseable watch(String executionId, ProgressListener listener);

    /** Starts an execution, or joins one that runs already under the same id. */
    void invoke(InvocationRequest request, InvocationListener listener);

    /** Ends an execution; false when it is not running here. */
    CompletableFuture<Boolean> cancel(String executionId, String cause);

    /** Resolves requirements and imports every grain in a build sandbox; fails with {@link BuildException}. */
    CompletableFuture<BuildResult> build(BuildRequest request, java.util.function.Consumer<String> progress);

    /** @param source unpacked application folder, readable by this process */
    record BuildRequest(String application, Path source, SandboxSpec sandbox, Map<String, GrainSpec> grains) {}

    /** @param bundle and dependencies: content addresses, see {@link ApplicationVersion} */
    record BuildResult(String bundle, String dependencies, List<String> resolved) {}

    /** The application's files do not make a working version: the failure names the grain and has the traceback. */
    final class BuildException extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient Failure failure;

        public BuildException(Failure failure) {
            super(failure.cause());
            this.failure = failure;
        }

        public Failure failure() {
            return failure;
        }
    }

    /** The application's version is gone or superseded: its sandbox ends when its executions have. */
    void retire(String application, int version);

    /** What runs here now. */
    CompletableFuture<HostStatus> status();

    /** @param sandboxKind docker or process */
    record HostStatus(String host, String sandboxKind, boolean draining, List<SandboxStatus> sandboxes) {}

    record SandboxStatus(String application, int version, String id, String state, long startedMs, int executions,
                         List<GrainStatus> grains) {}

    /** Depth and age (ms) of the grain's queue, and its worker and instances. */
    record GrainStatus(String grain, String workerState, int workerPid, int idle, int running, int queued, long oldestMs,
                       long restarts) {}
}
