package dev.sand.frontend.hosts;

import dev.sand.event.HostAgentPort.BuildRequest;
import dev.sand.event.HostAgentPort.BuildResult;
import dev.sand.event.HostAgentPort.HostStatus;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.HostAgentPort.ProgressListener;
import dev.sand.event.HostAgentPort;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessMessage;
import dev.sand.event.ProcessView;
import dev.sand.event.QueuedEvents;
import dev.sand.event.RecentEnds;
import dev.sand.event.Slots;
import dev.sand.event.TaskCallback;
import dev.sand.hostlink.HostPeer;
import dev.sand.hostlink.SlotEpochs;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The host agent of the frontend's own process: reached without a network, and fenced like any other. */
final class DirectPeer implements HostPeer {
    private static final Logger LOG = LoggerFactory.getLogger(DirectPeer.class);
    private final HostAgentPort host;
    private final SlotEpochs epochs;
    private final Executor loop;

    DirectPeer(HostAgentPort host, SlotEpochs epochs, Executor loop) {
        this.host = host;
        this.epochs = epochs;
        this.loop = loop;
    }

    @Override
    public boolean isUp() {
        return true;
    }

    @Override
    public Runnable invoke(InvocationRequest request, Answers answers) {
        int slot = Slots.of(request.executionId(), epochs.slots());
        host.invoke(request, new InvocationListener() {
            @Override
            public void onAccepted() {
                long epoch = epochs.epoch(slot);
                loop.execute(() -> answers.onAccepted(slot, epoch));
            }

            @Override
            public void onEnd(InvocationResult result) {
                long epoch = epochs.epoch(slot);
                loop.execute(() -> answers.onEnd(slot, epoch, result));
            }
        });
        return () -> { };
    }

    @Override
    public Runnable watch(String executionId, Progress progress) {
        int slot = Slots.of(executionId, epochs.slots());
        AutoCloseable watch = host.watch(executionId, new ProgressListener() {
            @Override
            public void onHop(InvocationResult.Hop hop) {
                loop.execute(() -> progress.onHop(hop));
            }

            @Override
            public void onEnd() {
                long epoch = epochs.epoch(slot);
                loop.execute(() -> progress.onEnd(epoch));
            }
        });
        return () -> {
            try {
                watch.close();
            } catch (Exception e) {
                LOG.warn("a watch could not be ended", e);
            }
        };
    }

    @Override
    public CompletableFuture<Boolean> cancel(String executionId, String error, String cause) {
        return host.cancel(executionId, error, cause);
    }

    @Override
    public CompletableFuture<TaskCallback.Outcome> callBack(TaskCallback callback) {
        return host.callBack(callback);
    }

    @Override
    public CompletableFuture<ProcessOutcome> process(ProcessCommand command) {
        return outcome(host.process(command));
    }

    @Override
    public CompletableFuture<ProcessOutcome> send(ProcessMessage message, HostAgentPort.Early early) {
        return outcome(host.send(message, early).thenApply(done -> null));
    }

    private static CompletableFuture<ProcessOutcome> outcome(CompletableFuture<ProcessView> done) {
        return done.thenApply(view -> new ProcessOutcome(view, null)).exceptionallyCompose(thrown -> {
            Throwable cause = thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
            return cause instanceof HostAgentPort.ProcessException refused
                    ? CompletableFuture.completedFuture(new ProcessOutcome(null, refused.failure())) : CompletableFuture.failedFuture(cause);
        });
    }

    @Override
    public CompletableFuture<List<ProcessView>> processes(String application) {
        return host.processes(application);
    }

    @Override
    public CompletableFuture<BuildResult> build(BuildRequest request, Consumer<String> progress) {
        return host.build(request, progress);
    }

    @Override
    public CompletableFuture<Void> retire(String application, int version) {
        host.retire(application, version);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> deleteApplication(String application, int upTo) {
        return host.deleteApplication(application, upTo);
    }

    @Override
    public CompletableFuture<HostStatus> status() {
        return host.status().thenApply(List::getFirst);
    }

    @Override
    public CompletableFuture<HostStatus> status(String application) {
        return host.status(application).thenApply(List::getFirst);
    }

    @Override
    public CompletableFuture<QueuedEvents> queued(QueuedEvents.Look look) {
        return host.queued(look).thenApply(List::getFirst);
    }

    @Override
    public CompletableFuture<Void> drain(String drained, boolean out) {
        return host.drain(drained, out).thenApply(HostAgentPort.Drain::onlyDone);
    }

    @Override
    public CompletableFuture<RecentEnds> recentEnds(long sinceMs) {
        return host.recentEnds(sinceMs).thenApply(List::getFirst);
    }

    @Override
    public void close() {}
}
