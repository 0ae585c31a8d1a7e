package dev.sand.hostlink;

import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.BuildRequest;
import dev.sand.event.HostAgentPort.BuildResult;
import dev.sand.event.HostAgentPort.HostStatus;
import dev.sand.event.HostAgentPort;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessMessage;
import dev.sand.event.ProcessView;
import dev.sand.event.QueuedEvents;
import dev.sand.event.RecentEnds;
import dev.sand.event.TaskCallback;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * One host agent as a frontend reaches it. Called on the links' event loop, and calls back there. Every call ends once: with
 * its answer, or as broken when the connection went or was not there, which says nothing of what the host did with it.
 */
public interface HostPeer extends AutoCloseable {
    /** @see dev.sand.event.HostAgentPort.InvocationListener */
    interface Answers {
        void onAccepted(int slot, long epoch);

        void onEnd(int slot, long epoch, InvocationResult result);

        void onBroken(String why);
    }

    interface Progress {
        void onHop(InvocationResult.Hop hop);

        /** @param epoch under which the host owns the execution's slot; 0: it does not */
        void onEnd(long epoch);

        void onBroken(String why);
    }

    boolean isUp();

    /** @return run it to hear no more of the call; the execution goes on */
    Runnable invoke(InvocationRequest request, Answers answers);

    /** @return run it to hear no more of the call */
    Runnable watch(String executionId, Progress progress);

    /** Futures end with a {@link LinkException} when the connection broke or the host was silent for too long. */
    CompletableFuture<Boolean> cancel(String executionId, String error, String cause);

    /** @see dev.sand.event.HostAgentPort#callBack */
    CompletableFuture<TaskCallback.Outcome> callBack(TaskCallback callback);

    /** What has come of a command about a process: its view, or why it was refused. */
    record ProcessOutcome(ProcessView view, Failure failure) {}

    /** @see dev.sand.event.HostAgentPort#process */
    CompletableFuture<ProcessOutcome> process(ProcessCommand command);

    /** @param early null: only the end is told; @see dev.sand.event.HostAgentPort#send; without a view */
    CompletableFuture<ProcessOutcome> send(ProcessMessage message, HostAgentPort.Early early);

    /** Those that are there. */
    CompletableFuture<List<ProcessView>> processes(String application);

    CompletableFuture<BuildResult> build(BuildRequest request, Consumer<String> progress);

    CompletableFuture<Void> retire(String application, int version);

    CompletableFuture<Void> deleteApplication(String application, int upTo);

    CompletableFuture<HostStatus> status();

    /** @see dev.sand.event.HostAgentPort#status(String); a host of an earlier platform tells of all applications */
    CompletableFuture<HostStatus> status(String application);

    /** @see dev.sand.event.HostAgentPort#queued; a host of an earlier platform does not tell */
    CompletableFuture<QueuedEvents> queued(QueuedEvents.Look look);

    /** @see dev.sand.event.HostAgentPort#drain; one that does not do it fails it */
    CompletableFuture<Void> drain(String host, boolean out);

    /** @see dev.sand.event.HostAgentPort#recentEnds; a host of an earlier platform does not tell */
    CompletableFuture<RecentEnds> recentEnds(long sinceMs);

    @Override
    void close();
}
