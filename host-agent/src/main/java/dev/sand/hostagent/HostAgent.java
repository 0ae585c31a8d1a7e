package dev.sand.hostagent;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.journal.JournalAdapter.Unfinished;
import dev.sand.hostagent.sandbox.SandboxException;
import dev.sand.hostagent.sandbox.Sandboxes;
import dev.sand.hostagent.shard.ShardGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One host's part of the platform (SAND 4.1): coordinates the local and global buses, launches sandboxes, and tracks the
 * instances that handle event messages. It spreads applications over shards, and starts and stops what they work with.
 */
public final class HostAgent implements HostAgentPort, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HostAgent.class);

    private final HostAgentConfiguration configuration;
    private final HostAgentParts parts;
    private final ShardGroup shards;
    private final Sandboxes sandboxes;
    private final MemoryWatch memoryWatch;
    private volatile boolean draining;

    private HostAgent(HostAgentConfiguration configuration, HostAgentParts parts, ShardGroup shards, Sandboxes sandboxes) {
        this.configuration = configuration;
        this.parts = parts;
        this.shards = shards;
        this.sandboxes = sandboxes;
        this.memoryWatch = new MemoryWatch(configuration.memoryReserve(), shards::onMemoryPressure);
    }

    /**
     * Starts a host agent; when it returns, what an earlier run left unfinished runs again. Blocks.
     *
     * @param onBroken told when a shard's invariants are broken: the process is to end
     * @throws SandboxException when sandboxes of the kind that is asked for cannot be had
     */
    public static HostAgent start(HostAgentConfiguration configuration, HostAgentParts parts, Consumer<Throwable> onBroken)
            throws SandboxException {
        ShardGroup shards = new ShardGroup(configuration, parts, onBroken);
        Sandboxes sandboxes;
        try {
            sandboxes = parts.sandboxes().open(shards.sockets());
        } catch (SandboxException | RuntimeException e) {
            shards.close();
            throw e;
        }
        shards.start(sandboxes.runtime());
        HostAgent agent = new HostAgent(configuration, parts, shards, sandboxes);
        int recovered = shards.recover(unfinished(parts));
        LOG.info("host agent {}: {} shards, {} sandboxes, {} executions recovered", configuration.host(),
                configuration.shards(), sandboxes.runtime().kind(), recovered);
        return agent;
    }

    /** What has a record of its end lacks only the mark in the journal: run again, it could end in another way. */
    private static List<Unfinished> unfinished(HostAgentParts parts) {
        List<Unfinished> unfinished = new ArrayList<>();
        for (Unfinished execution : parts.journal().recover()) {
            InvocationRequest request = execution.request();
            if (parts.records().hasEnded(request.application(), request.executionId())) {
                parts.journal().append(request.application(), request.executionId(), execution.signals().size() + 1,
                        new Backup.Ended(Status.SUCCEEDED), null);
            } else {
                unfinished.add(execution);
            }
        }
        return unfinished;
    }

    @Override
    public void invoke(InvocationRequest request, InvocationListener listener) {
        if (parts.journal().backlog() > configuration.maxBacklog() || parts.records().backlog() > configuration.maxBacklog()) {
            listener.onEnd(new InvocationResult(request.executionId(), InvocationResult.Status.FAILED, null,
                    Failure.platform(Errors.OVERLOADED, "the host agent is behind with storing what happened; come back later",
                            true), List.of()));
        } else {
            shards.invoke(request, listener);
        }
    }

    @Override
    public AutoCloseable watch(String executionId, ProgressListener listener) {
        return shards.watch(executionId, listener);
    }

    @Override
    public CompletableFuture<Boolean> cancel(String executionId, String cause) {
        return shards.cancel(executionId, cause);
    }

    @Override
    public CompletableFuture<BuildResult> build(BuildRequest request, Consumer<String> progress) {
        return sandboxes.builder().build(request, progress);
    }

    @Override
    public void retire(String application, int version) {
        shards.retire(application, version);
    }

    @Override
    public CompletableFuture<HostStatus> status() {
        return shards.status().thenApply(statuses ->
                new HostStatus(configuration.host(), sandboxes.runtime().kind(), draining, statuses));
    }

    /** What the shards have counted; see {@link ShardGroup.Counts}. */
    public ShardGroup.Counts counts() {
        return shards.counts();
    }

    /** Takes nothing new, waits for what runs, then ends all sandboxes. Blocks. */
    @Override
    public void close() {
        draining = true;
        memoryWatch.close();
        boolean drained = shards.drain().thenApply(done -> true)
                .completeOnTimeout(false, configuration.drainTimeout().toMillis(), TimeUnit.MILLISECONDS).join();
        if (!drained) {
            LOG.warn("some executions still run after {} s; those that were accepted durably run again at the next start",
                    configuration.drainTimeout().toSeconds());
        }
        shards.stop();
        sandboxes.runtime().close();
        shards.close();
    }
}
