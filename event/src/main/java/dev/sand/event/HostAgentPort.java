package dev.sand.event;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * What a frontend asks of a host agent. In one process this is the host agent itself; across hosts a proxy with the same
 * meaning stands in for it. Every call returns at once; every answer comes exactly once.
 */
public interface HostAgentPort {
    /** In place of a version: the last one that there has been. */
    int LAST_VERSION = Integer.MAX_VALUE;

    /** Called from the owner thread: implementations enqueue, or at most write a small answer where that cannot block. */
    interface InvocationListener {
        /** The request is in the global bus: a 202 may be sent. Called at most once, before onEnd. */
        void onAccepted();

        void onEnd(InvocationResult result);

        /** Whether the end is still waited for: once it is not, and the request is in the global bus, nobody follows it. */
        default boolean wantsEnd() {
            return true;
        }

        /** Whether the request was never given before, so that no host can have begun it; false: it may have been. */
        default boolean isFirst() {
            return false;
        }

        /** Whether who asks counts himself what the execution uses, for who pays for it. */
        default boolean counts() {
            return false;
        }
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

    /**
     * Ends an execution; false when it is not running here. Completes once no crash makes it run on; fails with
     * {@link UnsureException} when that cannot be told now, and may be asked for again.
     *
     * @param error what it ends with, and the cause then stands as it is given; null: {@code Sand.Cancelled}, and the cause in a
     *              sentence
     */
    CompletableFuture<Boolean> cancel(String executionId, String error, String cause);

    default CompletableFuture<Boolean> cancel(String executionId, String cause) {
        return cancel(executionId, null, cause);
    }

    /**
     * Reports on a task that waits for its token, to the owner of its execution. Fails with {@link UnsureException} when that one
     * cannot be told now; then it may be reported again.
     */
    CompletableFuture<TaskCallback.Outcome> callBack(TaskCallback callback);

    /** Nothing is known of what came of what was asked for; it may be asked for again. */
    final class UnsureException extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient Failure failure;

        public UnsureException(Failure failure) {
            super(failure.cause());
            this.failure = failure;
        }

        public Failure failure() {
            return failure;
        }
    }

    /**
     * Asks for something about one cloud process, of whoever owns it. Fails with {@link ProcessException} when that is refused, or
     * cannot be done now.
     */
    default CompletableFuture<ProcessView> process(ProcessCommand command) {
        return CompletableFuture.failedFuture(new ProcessException(
                Failure.platform(Errors.UNAVAILABLE, "there are no cloud processes here", false)));
    }

    /**
     * Moves a process to another host, by hand. Completes once it lives there.
     *
     * @param host null: the least busy one, of the others
     */
    default CompletableFuture<ProcessView> migrate(String application, int version, String process, String host) {
        return process(new ProcessCommand(application, version, process, ProcessCommand.Kind.DESCRIBE)).thenCompose(view ->
                CompletableFuture.failedFuture(new ProcessException(new Failure(Errors.CONFLICT, "process " + process + " is "
                        + view.status() + ": it cannot be migrated, for there is no other host than " + view.host(), Failure.Source.CALLER, false, null,
                        Map.of("state", view.status())))));
    }

    /** In which slot a process lives, as far as is known here: executions that are to run in it have ids that fall into that. */
    default int slotOf(String application, String process, int slots) {
        return Slots.of(process, slots);
    }

    /** The application's processes, on every host that this port stands for. */
    default CompletableFuture<List<ProcessView>> processes(String application) {
        return CompletableFuture.completedFuture(List.of());
    }

    /**
     * Gives a message to the owner of the cloud process that it is for. Completes once it is durable there; given again, it is the
     * same one. Fails with {@link ProcessException} as {@link #process} does.
     */
    default CompletableFuture<Void> send(ProcessMessage message) {
        return send(message, null);
    }

    /** The same. @param early null: its sender waits until it is durable */
    default CompletableFuture<Void> send(ProcessMessage message, Early early) {
        return CompletableFuture.failedFuture(new ProcessException(
                Failure.platform(Errors.UNAVAILABLE, "there are no cloud processes here", false)));
    }

    /**
     * Of a message whose sender goes on once it is in the mailbox, and ends once it is durable there.
     *
     * @param behind the last one that its process has given to the same receiver and does not know to be durable: an owner that has not taken
     *               that, for another had, refuses this one until it has; null: there is none
     * @param taken called once it is in the mailbox, perhaps again when another owner has taken it; never by a host of an earlier platform.
     *              Given null, or, while it is held there for a moment before it is written: what has that done now
     */
    record Early(ProcessMessage.Name behind, Consumer<Runnable> taken) {}

    /** Why a command about a process was not done. */
    final class ProcessException extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient Failure failure;

        public ProcessException(Failure failure) {
            super(failure.cause());
            this.failure = failure;
        }

        public Failure failure() {
            return failure;
        }
    }

    /** Resolves requirements and imports every grain in a build sandbox; fails with {@link BuildException}. */
    CompletableFuture<BuildResult> build(BuildRequest request, Consumer<String> progress);

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

    /**
     * The application is gone: what runs of it ends, and so does what hosts keep of it in memory. Completes once nothing of it is
     * written any more. What is stored of it is the caller's to remove, afterwards.
     *
     * @param upTo the last version that is gone. A host that is told late, when there is another application of that name, leaves
     *     that one alone
     */
    default CompletableFuture<Void> deleteApplication(String application, int upTo) {
        return CompletableFuture.completedFuture(null);
    }

    /** What runs now, on every host that this port stands for; one that does not answer says so in its {@code problem}. */
    CompletableFuture<List<HostStatus>> status();

    /** Of the application's sandboxes alone. */
    default CompletableFuture<List<HostStatus>> status(String application) {
        return status().thenApply(hosts -> hosts.stream().map(host -> host.only(application)).toList());
    }

    /** The first events that wait for a grain in its local queue, of every host that this port stands for. */
    default CompletableFuture<List<QueuedEvents>> queued(QueuedEvents.Look look) {
        return CompletableFuture.completedFuture(List.of());
    }

    /** What came of taking a host out of service or into it: it begins, or why it does not. */
    enum Drain {
        DONE, NO_SUCH_HOST, NO_OTHER_HOST;

        /** Of a host that was asked for itself, as one of several. @throws IllegalStateException when it is not done */
        public Void onlyDone() {
            if (this != DONE) {
                throw new IllegalStateException("it says of itself " + name().toLowerCase(Locale.ROOT).replace('_', ' '));
            }
            return null;
        }
    }

    /**
     * Takes a host out of service by hand, or into it again. One that is out takes nothing new, lets what runs end, and gives its
     * slots, with their processes, to others; it stays there to be asked. Completes once the host has begun and its card
     * says so; asked again, it changes nothing. A host that is started again is in service.
     */
    default CompletableFuture<Drain> drain(String host, boolean out) {
        return CompletableFuture.completedFuture(Drain.NO_SUCH_HOST);
    }

    /** How executions ended lately, of every host that this port stands for. @param sinceMs steps that begin before it are left out */
    default CompletableFuture<List<RecentEnds>> recentEnds(long sinceMs) {
        return CompletableFuture.completedFuture(List.of());
    }

    /**
     * @param sandboxKind docker or process; null when it did not answer
     * @param place what the cluster knows of it, or null: the only host
     * @param problem why it did not answer, or null
     */
    record HostStatus(String host, String sandboxKind, boolean draining, List<SandboxStatus> sandboxes, HostPlace place,
                      String problem) {
        public HostStatus(String host, String sandboxKind, boolean draining, List<SandboxStatus> sandboxes) {
            this(host, sandboxKind, draining, sandboxes, null, null);
        }

        /** In a word: up, draining, drained (no slot is its own, and nothing runs on it any more), or unreachable. */
        public String state() {
            if (problem != null) {
                return "unreachable";
            }
            boolean isEmpty = place != null && place.slots().isEmpty()
                    && sandboxes.stream().allMatch(sandbox -> !sandbox.isThere() && sandbox.executions() == 0);
            return !draining ? "up" : isEmpty ? "drained" : "draining";
        }

        public HostStatus only(String application) {
            return with(sandboxes.stream().filter(sandbox -> sandbox.application().equals(application)).toList());
        }

        public HostStatus with(List<SandboxStatus> others) {
            return new HostStatus(host, sandboxKind, draining, others, place, problem);
        }
    }

    /** @param busy share of its capacity in use; @param slots those it owns */
    record HostPlace(String address, Set<String> labels, double busy, List<Integer> slots) {}

    /** @param memoryBytes that it may use; 0: it does not run */
    record SandboxStatus(String application, int version, String id, String state, long startedMs, int executions, long memoryBytes,
                         List<GrainStatus> grains) {
        /** A host knows an application before, and after, it has a sandbox for it. */
        public boolean isThere() {
            return !state.equals("none");
        }
    }

    /**
     * Depth and age (ms) of the grain's queue, its traffic, and the grain's worker and instances.
     *
     * @param inPerSecond events that came for it, and outPerSecond those that were handed to an instance, in the last
     *                    {@link #RATE_WINDOW_MS} as a mean; also those that found an instance waiting, and were in the queue for no time
     */
    record GrainStatus(String grain, String workerState, int workerPid, int idle, int running, int queued, long oldestMs,
                       long restarts, double inPerSecond, double outPerSecond) {}

    /** What rates are of. */
    long RATE_WINDOW_MS = 10_000;
}
