package dev.sand.hostagent;

import dev.sand.dataplane.Grant;
import dev.sand.event.ControlPort;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
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
import dev.sand.globalbus.Membership;
import dev.sand.hostagent.control.ControlCalls;
import dev.sand.hostagent.core.Allowance;
import dev.sand.hostagent.core.Figures;
import dev.sand.hostagent.journal.JournalAdapter;
import dev.sand.hostagent.journal.JournalFigures;
import dev.sand.hostagent.sandbox.SandboxException;
import dev.sand.hostagent.sandbox.Sandboxes;
import dev.sand.hostagent.shard.ShardGroup;
import dev.sand.hostagent.slots.SlotKeeper;
import dev.sand.hostagent.slots.SlotTable;
import dev.sand.hostagent.work.QueueTails;
import dev.sand.hostagent.work.RemoteWork;
import dev.sand.hostlink.Loop;
import dev.sand.hostlink.SlotEpochs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One host's part of the platform (SAND 4.1): coordinates the local and global buses, launches sandboxes, and tracks the
 * instances that handle event messages. It spreads applications over shards, and starts and stops what they work with.
 */
public final class HostAgent implements HostAgentPort, AutoCloseable {
    /** A start waits so long for slots that it is given; what takes longer goes on behind it. */
    private static final Duration START_PATIENCE = Duration.ofSeconds(30);
    private static final long LAST_LINES_MS = 1_000;
    private static final int CONNECT_ROUNDS = 5;

    private final HostAgentConfiguration configuration;
    private final HostAgentParts parts;
    private final ShardGroup shards;
    private final Sandboxes sandboxes;
    private final SlotTable slots;
    private final RemoteWork remote;
    private final QueueTails queues;
    private final SlotKeeper keeper;
    private final HostReport report;
    private final MemoryWatch memoryWatch;
    private final HeapWatch heapWatch;
    private final RecentFigures recent;
    private final Draining draining;
    private int recovered;
    private volatile ProcessDoor door = ProcessDoor.NONE;
    private volatile Deliveries deliveries = (application, upTo) -> CompletableFuture.completedFuture(null);

    /** What delivers messages of queues to this host, beside it. */
    @FunctionalInterface
    public interface Deliveries {
        /** The application is deleted: completes once nothing of it, up to that version, is delivered or stored any more. */
        CompletableFuture<Void> stop(String application, int upTo);
    }

    private HostAgent(HostAgentConfiguration configuration, HostAgentParts parts, ShardGroup shards, Sandboxes sandboxes,
                      SlotTable slots, RemoteWork remote, Consumer<Throwable> onBroken) {
        this.configuration = configuration;
        this.parts = parts;
        this.shards = shards;
        this.sandboxes = sandboxes;
        this.slots = slots;
        this.remote = remote;
        this.queues = new QueueTails(parts.cluster().bus(), slots, shards, parts.records(), parts.cluster().copies(), remote,
                this::invoke);
        this.keeper = new SlotKeeper(slots, shards, parts.journal(), parts.records(), queues, onBroken);
        this.report = new HostReport(parts.cluster().membership(), configuration, shards);
        this.draining = new Draining(configuration, parts.cluster().membership(), report, shards);
        this.memoryWatch = new MemoryWatch(new HostMemory(Path.of("/")), configuration.memoryReserve(), relief(), MemoryWatch.Time.REAL);
        memoryWatch.start();
        this.heapWatch = new HeapWatch(() -> shards.onMemoryPressure(door.lately(), false), shards::onHeapFull, System::gc);
        heapWatch.start();
        parts.segments().growsInto(memoryWatch);
        this.recent = new RecentFigures(configuration.host(), shards::figures, parts.cluster().membership()::nowMs);
        recent.start();
    }

    private MemoryWatch.Relief relief() {
        // What a container uses is none of what this program may.
        boolean together = sandboxes.runtime().kind().equals("process");
        return new MemoryWatch.Relief() {
            @Override
            public void shrink() {
                parts.segments().shrink();
            }

            @Override
            public void leave(boolean everywhere) {
                shards.onMemoryPressure(door.lately(), everywhere || together);
            }

            @Override
            public boolean leave(String application) {
                return shards.onRoomShort(application, door.lately());
            }
        };
    }

    /**
     * Starts a host agent; when it returns, what an earlier run left unfinished runs again. Blocks.
     *
     * @param onBroken told when a shard's invariants are broken, or the host can take part no more: the process is to end
     * @throws IllegalArgumentException when it is configured for another number of slots than the platform has
     * @throws SandboxException when sandboxes of the kind that is asked for cannot be had
     */
    public static HostAgent start(HostAgentConfiguration configuration, HostAgentParts parts, Consumer<Throwable> onBroken)
            throws SandboxException {
        Membership membership = parts.cluster().membership();
        checkSlots(membership.slots(), configuration.core().slots(), "its shards are configured for");
        checkSlots(membership.slots(), parts.journal().slots(), "its journals have");
        SlotTable slots = new SlotTable(membership);
        parts.journal().fencedBy(slots::standing);
        ShardGroup shards = new ShardGroup(configuration, parts, slots, onBroken);
        Sandboxes sandboxes;
        try {
            sandboxes = parts.sandboxes().open(shards.sockets());
        } catch (SandboxException | RuntimeException e) {
            shards.close();
            throw e;
        }
        RemoteWork remote = new RemoteWork(parts.cluster().bus(), membership, slots, parts.cluster().copies(), shards);
        shards.start(sandboxes.runtime(), remote);
        HostAgent agent = new HostAgent(configuration, parts, shards, sandboxes, slots, remote, onBroken);
        try {
            agent.report.start(agent.keeper);
        } catch (RuntimeException e) {
            agent.close();
            throw e;
        }
        agent.recovered = agent.keeper.await(START_PATIENCE);
        return agent;
    }

    /** What it began with, for the log. */
    public String described() {
        return "host agent " + configuration.host() + ": " + configuration.shards() + " shards, " + sandboxes.runtime().kind()
                + " sandboxes, " + recovered + " executions recovered";
    }

    /** A request's slot follows from the number of slots: who has another one looks for executions where they are not. */
    private static void checkSlots(int platform, int here, String what) {
        if (here != platform) {
            throw new IllegalArgumentException("this platform has " + platform + " slots, from its first start on, and this host agent does"
                    + " not fit it: " + what + " " + here + "; start it with " + platform);
        }
    }

    @Override
    public void invoke(InvocationRequest request, InvocationListener listener) {
        if (!draining.isServing() && configuration.address() != null) {
            refuse(request, listener, Failure.platform(Errors.MOVED, "host " + configuration.host()
                    + " is draining, and its slots go to others", true));
            return;
        }
        Failure refusal = parts.records().backlog() > configuration.maxBacklog()
                ? Failure.platform(Errors.OVERLOADED, "the host agent is behind with storing what happened; come back later", true)
                : parts.journal().refusal(request.application(), slots.slotOf(request.executionId()));
        if (refusal != null) {
            refuse(request, listener, refusal);
        } else {
            shards.invoke(request, listener);
        }
    }

    private static void refuse(InvocationRequest request, InvocationListener listener, Failure refusal) {
        listener.onEnd(new InvocationResult(request.executionId(), InvocationResult.Status.FAILED, null, refusal, List.of()));
    }

    /** @param delivering is stopped before what runs of a deleted application */
    public void delivers(Deliveries delivering) {
        deliveries = delivering;
    }

    /** For what talks with other machines for this host: the one shard's, or, beside several, one with a thread of that name. */
    public Loop loop(String thread) {
        return shards.loop().map(Loop::of).orElseGet(() -> Loop.own(thread));
    }

    /** Functions here reach cloud processes of other hosts through it. */
    public void reaches(HostAgentPort hosts) {
        shards.reaches(hosts);
    }

    /** Grains here that the operator lets control the platform through it. */
    public void controls(ControlPort operations) {
        shards.control().through(operations);
    }

    /** What each tenant may use of this host from now on. @param limits by tenant; of others there are none */
    public void limit(Map<String, Allowance.Limits> limits) {
        shards.limit(limits);
    }

    @Override
    public CompletableFuture<Void> send(ProcessMessage message, Early early) {
        return shards.send(message, early);
    }

    /** Clients reach cloud processes of this host through it. */
    public void opens(ProcessDoor opened) {
        door = opened;
    }

    /** Under which epochs it owns what: its answers carry them. */
    public SlotEpochs epochs() {
        return new SlotEpochs() {
            @Override
            public int slots() {
                return slots.slots();
            }

            @Override
            public long epoch(int slot) {
                return slots.epoch(slot);
            }
        };
    }

    @Override
    public AutoCloseable watch(String executionId, ProgressListener listener) {
        return shards.watch(executionId, listener);
    }

    @Override
    public CompletableFuture<Boolean> cancel(String executionId, String error, String cause) {
        return shards.cancel(executionId, error, cause);
    }

    @Override
    public CompletableFuture<TaskCallback.Outcome> callBack(TaskCallback callback) {
        return shards.callBack(callback);
    }

    @Override
    public CompletableFuture<ProcessView> process(ProcessCommand command) {
        return switch (command.kind()) {
            case CONNECT, LOCATE -> connect(command);
            case KILL -> shards.process(command).thenCompose(view -> {
                door.onKilled(command.application(), command.process());
                // Before anybody makes the next one of its id. A store that takes no lines now holds up nobody.
                return shards.killed(command.application(), command.process()).completeOnTimeout(null, LAST_LINES_MS, TimeUnit.MILLISECONDS)
                        .thenApplyAsync(stored -> view, Thread::startVirtualThread);
            });
            case MIGRATE -> shards.process(command).thenApply(view -> {
                door.onMoved(command.application(), command.process());
                return view;
            });
            case DESCRIBE -> shards.process(command).thenApply(view ->
                    view.used(door.use(command.application(), command.process())));
            default -> shards.process(command);
        };
    }

    /** When the process goes, or its slot does, before the epoch is read, a grant is of no use, and the client asks again. */
    private CompletableFuture<ProcessView> connect(ProcessCommand command) {
        String address = door.address();
        if (address == null) {
            return CompletableFuture.failedFuture(new ProcessException(Failure.platform(Errors.UNAVAILABLE, "host "
                    + configuration.host() + " has no data plane; invoke over HTTP", false)));
        }
        return (command.kind() == ProcessCommand.Kind.CONNECT ? made(command, CONNECT_ROUNDS) : located(command))
                .thenApply(view -> view.at(address, Grant.tenure(view.slot(), slots.epoch(view.slot()))));
    }

    /** Others may make it, or kill it, at the same time. @param rounds in which it is looked for, and made */
    private CompletableFuture<ProcessView> made(ProcessCommand command, int rounds) {
        return shards.process(command.as(ProcessCommand.Kind.DESCRIBE)).exceptionallyCompose(thrown -> !is(Errors.NOT_FOUND, thrown)
                ? CompletableFuture.failedFuture(thrown)
                : shards.process(command.as(ProcessCommand.Kind.CREATE)).exceptionallyCompose(refused ->
                        rounds > 1 && is(Errors.CONFLICT, refused) ? made(command, rounds - 1) : CompletableFuture.failedFuture(refused)));
    }

    /** One that is not there begins at home. */
    private CompletableFuture<ProcessView> located(ProcessCommand command) {
        return shards.process(command.as(ProcessCommand.Kind.DESCRIBE)).exceptionallyCompose(thrown -> is(Errors.NOT_FOUND, thrown)
                ? CompletableFuture.completedFuture(ProcessView.nowhere(command.application(), command.process(), configuration.host())
                        .living(Slots.of(command.process(), slots.slots())))
                : CompletableFuture.failedFuture(thrown));
    }

    private static boolean is(String error, Throwable thrown) {
        Throwable cause = thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        return cause instanceof ProcessException refused && refused.failure().error().equals(error);
    }

    @Override
    public CompletableFuture<List<ProcessView>> processes(String application) {
        return shards.processes(application);
    }

    @Override
    public CompletableFuture<BuildResult> build(BuildRequest request, Consumer<String> progress) {
        return sandboxes.builder().build(request, progress);
    }

    /** Grains have what {@link HostAgentParts#secrets} says now with their next request; what runs goes on with what it has. */
    public void secretsChanged(String application) {
        shards.secretsChanged(application);
    }

    @Override
    public void retire(String application, int version) {
        shards.retire(application, version);
    }

    @Override
    public CompletableFuture<Void> deleteApplication(String application, int upTo) {
        Executor blocking = step -> Thread.ofVirtual().name("delete-" + application).start(step);
        // Synchronous requests too, whom no record tells of while they run: they would go on in the next application of that name.
        return CompletableFuture.supplyAsync(() -> parts.applications().forget(application), blocking)
                .thenCompose(last -> {
                    int gone = Math.min(upTo, last);
                    return deliveries.stop(application, gone)
                            .thenCompose(stopped -> shards.delete(application, gone, "application '" + application + "' is deleted"))
                            .thenRun(() -> door.onDeleted(application, gone))
                            .thenRunAsync(() -> forget(application, gone, last > gone), blocking);
                });
    }

    /** @param anew another application has the name by now, and so the journal */
    private void forget(String application, int upTo, boolean anew) {
        parts.records().forget(application, upTo);
        parts.data().forget(application);
        if (!anew) {
            parts.cluster().images().deleteApplication(application);
            parts.journal().deleteApplication(application);
        }
    }

    @Override
    public CompletableFuture<List<HostStatus>> status() {
        return status(shards.status());
    }

    @Override
    public CompletableFuture<List<HostStatus>> status(String application) {
        return status(shards.status(application));
    }

    private CompletableFuture<List<HostStatus>> status(CompletableFuture<List<SandboxStatus>> told) {
        return told.thenApply(statuses ->
                List.of(new HostStatus(configuration.host(), sandboxes.runtime().kind(), !draining.isServing(), statuses)));
    }

    @Override
    public CompletableFuture<List<QueuedEvents>> queued(QueuedEvents.Look look) {
        return shards.queued(look).thenApply(List::of);
    }

    @Override
    public CompletableFuture<Drain> drain(String host, boolean out) {
        if (!host.equals(configuration.host())) {
            return CompletableFuture.completedFuture(Drain.NO_SUCH_HOST);
        }
        if (configuration.address() == null) {
            return CompletableFuture.completedFuture(out ? Drain.NO_OTHER_HOST : Drain.DONE);
        }
        return (out ? draining.begin() : draining.resume()).thenApply(done -> Drain.DONE);
    }

    @Override
    public CompletableFuture<List<RecentEnds>> recentEnds(long sinceMs) {
        return recent.read(sinceMs).thenApply(List::of);
    }

    /**
     * All that is measured here, for a scrape.
     *
     * @param shards what each has measured
     * @param journalBacklog records given to the global bus and not yet durable
     * @param recordBacklog invocation records not yet stored
     * @param refused journal records that count for nothing
     * @param controlled what grains asked of the platform itself
     * @param journal the same by application, and what was taken over
     */
    public record HostFigures(List<Figures.Reading> shards, ShardGroup.Counts counts, long journalBacklog, long recordBacklog,
                              JournalAdapter.Refused refused, JournalFigures journal, SlotKeeper.Counts slots,
                              ControlCalls.Counts controlled) {}

    public CompletableFuture<HostFigures> figures() {
        return shards.figures().thenApply(readings ->
                new HostFigures(readings, shards.counts(), parts.journal().backlog(), parts.records().backlog(),
                        parts.journal().refused(),
                        parts.journal().figures(), keeper.counts(), shards.control().counts()));
    }

    /** What the shards have counted; see {@link ShardGroup.Counts}. */
    public ShardGroup.Counts counts() {
        return shards.counts();
    }

    /** Takes nothing new, waits for what runs, gives up its slots, then ends all sandboxes. Blocks. */
    @Override
    public void close() {
        memoryWatch.close();
        heapWatch.close();
        recent.close();
        draining.stop();
        report.close();
        keeper.close();
        end();
    }

    /** For tests: ends as a crash would, as far as anybody else can see: nothing is written, given up or answered. */
    void abandon() {
        memoryWatch.close();
        heapWatch.close();
        recent.close();
        keeper.close();
        end();
    }

    private void end() {
        draining.close();
        queues.close();
        remote.close();
        shards.stop();
        sandboxes.runtime().close();
        shards.close();
    }
}
