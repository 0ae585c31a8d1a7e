package dev.sand.hostagent.shard;

import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.HostAgentPort.ProgressListener;
import dev.sand.event.HostAgentPort;
import dev.sand.event.HostAgentPort.SandboxStatus;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessMessage;
import dev.sand.event.ProcessView;
import dev.sand.event.QueuedEvents;
import dev.sand.event.TaskCallback;
import dev.sand.hostagent.HostAgentConfiguration;
import dev.sand.hostagent.HostAgentParts;
import dev.sand.hostagent.control.ControlCalls;
import dev.sand.hostagent.core.Allowance;
import dev.sand.hostagent.core.Allowances;
import dev.sand.hostagent.core.CoreConfiguration;
import dev.sand.hostagent.core.Figures;
import dev.sand.hostagent.core.HostCore;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.log.LogCollector;
import dev.sand.hostagent.objects.Urgency;
import dev.sand.hostagent.sandbox.SandboxRuntime;
import dev.sand.hostagent.sandbox.SandboxSockets;
import dev.sand.hostagent.slots.Shards;
import dev.sand.hostagent.slots.SlotTable;
import dev.sand.hostagent.work.RemoteWork;
import dev.sand.localbus.BusCounts;
import dev.sand.localbus.LocalBus;
import dev.sand.localbus.SocketLocalBus;
import dev.sand.workflow.Executions;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** All shards of a host: an application belongs to one of them, by its name. */
public final class ShardGroup implements Shards, AutoCloseable {
    private static final long ROOM_PATIENCE_MS = 2_000;
    private static final int PREFIX_LENGTH = 5;
    /** A value that goes to a store on other machines costs many times what it does in the embedded one; so does waiting for it. */
    private static final long SHARED_HOLD_NS = 250_000_000L;
    /** What is trimmed within a second such a bus never brings to its database. */
    private static final long EMBEDDED_JOURNALED_BYTES = 4L << 20;

    private final HostAgentConfiguration configuration;
    private final HostAgentParts parts;
    private final SlotTable slots;
    private final Consumer<Throwable> onBroken;
    private final MultiThreadIoEventLoopGroup loops;
    private final List<EventLoop> loopByShard = new ArrayList<>();
    private final List<LocalBus> buses = new ArrayList<>();
    private final List<Shard> shards = new ArrayList<>();
    private final LogCollector logs;
    private final Work work;
    private final ExpressionPool expressions = new ExpressionPool(ExpressionPool.Options.DEFAULT);
    private final LargePayloads payloads;
    private final Peers peers;
    private final QueueLooks looks;
    private final ShardSockets sockets;
    private final ControlCalls control;
    private final Withheld withheld = new Withheld();
    private final Allowances allowances = new HostAllowances();
    private final WritesUnderWay writes = new WritesUnderWay();

    /**
     * @param stalls inputs that held a shard for too long
     * @param starved inputs that took long because the shard's thread waited for a processor
     * @param dropped inputs that counted no more
     * @param withheld by effect, see {@link Withheld}
     */
    public record Counts(long stalls, long starved, long dropped, BusCounts bus, Map<String, Long> withheld) {}

    public ShardGroup(HostAgentConfiguration configuration, HostAgentParts parts, SlotTable slots,
                      Consumer<Throwable> onBroken) {
        this.configuration = configuration;
        this.parts = parts;
        this.slots = slots;
        this.onBroken = onBroken;
        // Buffers are written or released in the method that made them; sampling their traces costs the hot path.
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        this.loops = new MultiThreadIoEventLoopGroup(configuration.shards(), new DefaultThreadFactory("sand-shard", true),
                EpollIoHandler.newFactory());
        for (int i = 0; i < configuration.shards(); i++) {
            EventLoop loop = loops.next();
            loopByShard.add(loop);
            loop.execute(Urgency::soon);
            buses.add(new SocketLocalBus(loop, configuration.bus()));
        }
        this.logs = new LogCollector(parts.logs(), configuration.logs(), System::currentTimeMillis);
        this.work = new Work(configuration.maxWork());
        this.control = new ControlCalls(parts.control().tickets(), parts.control().nowMs());
        this.payloads = new LargePayloads(parts.segments(), parts.cluster().copies(), parts.records(), work);
        this.peers = new Peers(parts.segments(), payloads, work);
        this.looks = new QueueLooks(configuration.host(), parts.segments(), work);
        this.sockets = new ShardSockets(buses.getFirst(), logs, parts.segments());
    }

    /** The one that all shards have: there is one shard. */
    public Optional<EventLoop> loop() {
        return loopByShard.size() == 1 ? Optional.of(loopByShard.getFirst()) : Optional.empty();
    }

    public SandboxSockets sockets() {
        return sockets;
    }

    /** Nothing but {@link #sockets} is used before. */
    public void start(SandboxRuntime sandboxes, RemoteWork remote) {
        Executions executions = new Executions(payloads::lookInto, parts.tokens());
        ShardAdapters adapters = new ShardAdapters(new PreparedApplications(parts.applications(), executions), sandboxes,
                parts.journal(), parts.records(), expressions, payloads, new GrainData(parts.data(), work, writes, parts.queues(), parts.segments()),
                new GrainProcesses(parts.segments(), parts.cluster().copies(),
                        new ProcessStore(parts.cluster().images(), parts.segments(), work, () -> parts.cluster().bus().sync()), work), peers,
                new ObjectWork(parts.data().objects(), slots, work, writes, withheld), parts.secrets(), slots,
                remote, new Questions(parts.records(), parts.queues(), payloads, work, writes), work, parts.tracing(), withheld,
                parts.control().capabilities(), control, parts.usage(), this::submitAll);
        SecureRandom random = new SecureRandom();
        long epochOffsetMs = System.currentTimeMillis() - System.nanoTime() / 1_000_000;
        CoreConfiguration core = parts.cluster().bus().isEmbedded() ? configuration.core().withJournaledBytes(EMBEDDED_JOURNALED_BYTES)
                : configuration.core().withMessageHold(SHARED_HOLD_NS);
        for (int i = 0; i < configuration.shards(); i++) {
            HostCore host = new HostCore(core, executions::create, configuration.host(), idPrefix(random, i),
                    epochOffsetMs, allowances);
            shards.add(new Shard("shard " + i, loopByShard.get(i), buses.get(i), host, adapters, configuration.stallLimit(),
                    onBroken));
        }
    }

    private static String idPrefix(SecureRandom random, int shard) {
        StringBuilder prefix = new StringBuilder();
        for (int i = 0; i < PREFIX_LENGTH; i++) {
            prefix.append(Character.forDigit(random.nextInt(Character.MAX_RADIX), Character.MAX_RADIX));
        }
        return prefix.substring(0, PREFIX_LENGTH - 1) + Character.forDigit(shard % Character.MAX_RADIX, Character.MAX_RADIX);
    }

    private Shard shardOf(String application) {
        return shards.size() == 1 ? shards.getFirst() : shards.get(Math.floorMod(application.hashCode(), shards.size()));
    }

    public void invoke(InvocationRequest request, InvocationListener listener) {
        Shard shard = shardOf(request.application());
        Caller caller = new Caller(request.application(), listener);
        if (!LargePayloads.isLarge(request.input())) {
            shard.invoke(new Input.Invoke(request, caller));
            return;
        }
        if (request.redrive() != null) {
            payloads.reopen(request.application(), request.executionId());
        }
        payloads.store(request.application(), request.executionId(), request.input(), (reference, failure) -> {
            if (failure == null) {
                shard.invoke(new Input.Invoke(LargePayloads.withInput(request, reference), caller));
            } else {
                listener.onEnd(new InvocationResult(request.executionId(), InvocationResult.Status.FAILED, null, failure,
                        List.of()));
            }
        });
    }

    @Override
    public void submit(String application, Input input) {
        shardOf(application).submit(input);
    }

    @Override
    public CompletableFuture<Void> submitAll(Input input) {
        return all(shards.stream().map(shard -> shard.submitAndTell(input)).toList());
    }

    public AutoCloseable watch(String executionId, ProgressListener listener) {
        // The application is not known here: each shard is asked, and all but one answer that it does not run there.
        AtomicInteger open = new AtomicInteger(shards.size());
        ProgressListener once = new ProgressListener() {
            @Override
            public void onHop(InvocationResult.Hop hop) {
                listener.onHop(hop);
            }

            @Override
            public void onEnd() {
                if (open.decrementAndGet() == 0) {
                    listener.onEnd();
                }
            }
        };
        shards.forEach(shard -> shard.submit(new Input.Watch(executionId, once)));
        return () -> shards.forEach(shard -> shard.submit(new Input.Unwatch(executionId, once)));
    }

    public CompletableFuture<Boolean> cancel(String executionId, String error, String cause) {
        List<CompletableFuture<Boolean>> answers = shards.stream().map(shard -> shard.cancel(executionId, error, cause)).toList();
        return all(answers).thenApply(done -> answers.stream().anyMatch(CompletableFuture::join));
    }

    /**
     * Ends what runs of the application here, and takes nothing of these versions any more: no request, no call about data, no line of
     * output. Completes when that is so, and what was being written has been.
     */
    public CompletableFuture<Void> delete(String application, int upTo, String cause) {
        return shardOf(application).submitAndTell(new Input.Delete(application, upTo, cause))
                .thenCompose(ended -> all(List.of(logs.forget(application, upTo), writes.settled(application))));
    }

    public CompletableFuture<TaskCallback.Outcome> callBack(TaskCallback callback) {
        return parts.tokens().read(callback.token()).map(place -> shardOf(place.application()).callBack(place, callback))
                .orElseGet(() -> CompletableFuture.completedFuture(TaskCallback.Outcome.UNKNOWN_TOKEN));
    }

    public void retire(String application, int version) {
        shardOf(application).submit(new Input.Retire(new AppKey(application, version)));
    }

    /** Those of {@link HostAgentParts#secrets} are others now. */
    public void secretsChanged(String application) {
        shardOf(application).secretsChanged(application);
    }

    public CompletableFuture<List<SandboxStatus>> status() {
        List<CompletableFuture<List<SandboxStatus>>> answers = shards.stream().map(Shard::status).toList();
        return all(answers).thenApply(done -> answers.stream().flatMap(answer -> answer.join().stream()).toList());
    }

    /** Of one application: one shard is asked. */
    public CompletableFuture<List<SandboxStatus>> status(String application) {
        return shardOf(application).status().thenApply(all -> all.stream().filter(each -> each.application().equals(application)).toList());
    }

    public CompletableFuture<QueuedEvents> queued(QueuedEvents.Look look) {
        return looks.queued(shardOf(look.application()), look);
    }

    /** What every shard has measured. */
    public CompletableFuture<List<Figures.Reading>> figures() {
        List<CompletableFuture<Figures.Reading>> answers = shards.stream().map(Shard::figures).toList();
        return all(answers).thenApply(done -> answers.stream().map(CompletableFuture::join).toList());
    }

    public CompletableFuture<ProcessView> process(ProcessCommand command) {
        return shardOf(command.application()).process(command);
    }

    /** What functions write that still run in it is not of its log any more. @return done once what they wrote before is stored */
    public CompletableFuture<Void> killed(String application, String process) {
        return logs.killed(application, process);
    }

    /** A message of another host's process. */
    public CompletableFuture<Void> send(ProcessMessage message, HostAgentPort.Early early) {
        return shardOf(message.application()).send(message, early);
    }

    /** Functions here reach processes of other hosts through it. */
    public void reaches(HostAgentPort hosts) {
        peers.reaches(hosts);
    }

    public CompletableFuture<List<ProcessView>> processes(String application) {
        return shardOf(application).processes(application);
    }

    /** @param invoked clients' invocations lately, by {@code application/process}; @param sandboxes whether to stop one would help */
    public void onMemoryPressure(Map<String, Long> invoked, boolean sandboxes) {
        shards.forEach(shard -> shard.submit(new Input.MemoryPressure(invoked, sandboxes)));
    }

    /** Blocks. @return whether some of the application's large values are about to go, with processes in which nothing runs */
    public boolean onRoomShort(String application, Map<String, Long> invoked) {
        CompletableFuture<Integer> leaving = new CompletableFuture<>();
        submit(application, new Input.RoomShort(application, invoked, leaving::complete));
        return leaving.completeOnTimeout(0, ROOM_PATIENCE_MS, TimeUnit.MILLISECONDS).join() > 0;
    }

    public void onHeapFull(boolean isFull) {
        shards.forEach(shard -> shard.submit(new Input.HeapFull(isFull)));
    }

    /** What each tenant may use of this host from now on. @param limits by tenant; of others there are none */
    public void limit(Map<String, Allowance.Limits> limits) {
        limits.keySet().forEach(allowances::of);
        for (Allowance allowance : allowances.all()) {
            Allowance.Limits now = limits.getOrDefault(allowance.tenant(), Allowance.Limits.NONE);
            if (!now.equals(allowance.limits())) {
                allowance.limit(now);
                submitAll(new Input.InstancesFreed(allowance.tenant()));
            }
        }
    }

    public ControlCalls control() {
        return control;
    }

    public Counts counts() {
        List<BusCounts> counts = buses.stream().map(LocalBus::counts).toList();
        return new Counts(shards.stream().mapToLong(Shard::stalls).sum(),
                shards.stream().mapToLong(Shard::starved).sum(), shards.stream().mapToLong(Shard::dropped).sum(),
                new BusCounts(counts.stream().mapToLong(BusCounts::connections).sum(),
                        counts.stream().mapToLong(BusCounts::accepted).sum(),
                        counts.stream().mapToLong(BusCounts::refused).sum(),
                        counts.stream().mapToLong(BusCounts::violations).sum()), withheld.read());
    }

    /** Completes when nothing runs any more. */
    public CompletableFuture<Void> drain() {
        return all(shards.stream().map(Shard::drain).toList());
    }

    /** Takes work again. */
    public void resume() {
        shards.forEach(shard -> shard.submit(new Input.Resume()));
    }

    /** From now on nothing counts any more: sandboxes may be ended without failing what runs in them. */
    public void stop() {
        shards.forEach(Shard::stop);
    }

    private static <T> CompletableFuture<Void> all(List<CompletableFuture<T>> futures) {
        return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new));
    }

    /** Called when no sandbox is left. */
    @Override
    public void close() {
        buses.forEach(LocalBus::close);
        expressions.close();
        work.close();
        control.close();
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
        logs.close();
    }
}
