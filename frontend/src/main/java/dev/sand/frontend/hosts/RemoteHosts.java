package dev.sand.frontend.hosts;

import dev.sand.datalayer.RecordedResults;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.LogFields;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessMessage;
import dev.sand.event.ProcessView;
import dev.sand.event.QueuedEvents;
import dev.sand.event.RecentEnds;
import dev.sand.event.TaskCallback;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.Membership;
import dev.sand.hostlink.HostLinks;
import dev.sand.hostlink.HostPeer;
import dev.sand.hostlink.SlotEpochs;
import dev.sand.workflow.TaskTokens;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All hosts of a cluster as one host agent: each execution is its slot's owner's, directly. The frontend only watches the
 * membership. Everything here happens on the links' event loop; calls from other threads are put there.
 */
public final class RemoteHosts implements HostAgentPort, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteHosts.class);
    private static final Duration LOOK = Duration.ofMillis(100);
    private static final Duration CLOSE = Duration.ofSeconds(5);

    /**
     * @param bus for requests whose slot has no reachable owner
     * @param local the host agent in this process, or null; @param localHost its id; @param localEpochs what it owns
     */
    public record Parts(Membership membership, GlobalBus bus, RecordedResults results, HostLinks links, HostAgentPort local,
                        String localHost, SlotEpochs localEpochs) {
        /** A frontend by itself. */
        public static Parts remote(Membership membership, GlobalBus bus, RecordedResults results, HostLinks links) {
            return new Parts(membership, bus, results, links, null, null, null);
        }
    }

    private final Parts parts;
    private final HostLinks links;
    private final RoutingOptions options;
    private final BusRequests overBus;
    private final Builds builds;
    private final HostTable table;
    private final ProcessRoutes routes;
    private final OwnerQuestions owners;
    private final EveryHost every;
    private final ProcessMoves moves;
    private final RoutingCounts counts = new RoutingCounts();
    private final List<Set<RoutedRequest>> requests = new ArrayList<>();
    private final Set<RoutedWatch> watches = new HashSet<>();
    private final AutoCloseable viewWatch;
    private boolean closed;

    public RemoteHosts(Parts parts, RoutingOptions options) {
        this.parts = parts;
        this.links = parts.links();
        this.options = options;
        this.overBus = new BusRequests(parts, options.mostOverBus());
        int slots = parts.membership().slots();
        HostPeer local = parts.local() == null ? null : new DirectPeer(parts.local(), parts.localEpochs(), links);
        this.table = new HostTable(links, slots, parts.localHost(), local, this::onLinkChanged);
        this.routes = new ProcessRoutes(slots);
        this.owners = new OwnerQuestions(table, routes, links, options, () -> closed);
        this.every = new EveryHost(table, links, () -> closed);
        this.moves = new ProcessMoves(this, table);
        for (int slot = 0; slot < slots; slot++) {
            requests.add(new HashSet<>());
        }
        this.builds = new Builds(table, links, options, parts.localHost(), () -> closed);
        this.viewWatch = parts.membership().watch(view -> links.execute(() -> onView(view)));
        links.execute(this::look);
    }

    // --- for requests and watches, on the loop

    HostTable table() {
        return table;
    }

    ProcessRoutes routes() {
        return routes;
    }

    OwnerQuestions owners() {
        return owners;
    }

    RoutingOptions options() {
        return options;
    }

    public RoutingCounts counts() {
        return counts;
    }

    void after(Duration delay, Runnable task) {
        links.after(delay, task);
    }

    boolean isDraining(int slot) {
        return table.owner(slot) != null && table.isDraining(table.owner(slot).host().host());
    }

    /** @param then on the loop: the execution's end, or null; @param unread on the loop: whether it has one cannot be told */
    void lookUp(InvocationRequest request, Consumer<InvocationResult> then, Runnable unread) {
        links.blocking().execute(() -> {
            InvocationResult found;
            try {
                found = parts.results().find(request).orElse(null);
            } catch (RuntimeException e) {
                LOG.atWarn().addKeyValue(LogFields.APPLICATION, request.application())
                        .addKeyValue(LogFields.EXECUTION_ID, request.executionId())
                        .log("the record of execution {} cannot be read: {}", request.executionId(), e.getMessage());
                links.execute(unread);
                return;
            }
            links.execute(() -> then.accept(found));
        });
    }

    /** @param then on the loop: null once the request is in the global bus, else why it is not */
    void append(InvocationRequest request, int slot, Consumer<BusException> then) {
        overBus.append(request, slot, then);
    }

    void remove(RoutedRequest request) {
        requests.get(request.slot()).remove(request);
    }

    void remove(RoutedWatch watch) {
        watches.remove(watch);
    }

    // --- what changes

    private void onView(Membership.View view) {
        if (closed) {
            return;
        }
        table.onView(view, slot -> {
            for (RoutedRequest request : List.copyOf(requests.get(slot))) {
                request.onOwnerChanged(table.owner(slot));
            }
            List.copyOf(watches).stream().filter(watch -> watch.slot() == slot).forEach(RoutedWatch::onMoved);
        });
    }

    private void onLinkChanged(String host) {
        for (int slot : table.slotsOf(host)) {
            List.copyOf(requests.get(slot)).forEach(RoutedRequest::route);
        }
        List.copyOf(watches).forEach(RoutedWatch::route);
    }

    private void look() {
        if (closed) {
            return;
        }
        long nowNs = System.nanoTime();
        for (Set<RoutedRequest> ofSlot : requests) {
            List.copyOf(ofSlot).forEach(request -> request.look(nowNs));
        }
        links.after(LOOK, this::look);
    }

    // --- the port

    @Override
    public void invoke(InvocationRequest request, InvocationListener listener) {
        int slot = table.slot(request.executionId());
        long nowNs = System.nanoTime();
        links.execute(() -> {
            RoutedRequest routed = new RoutedRequest(this, request, listener, slot, nowNs);
            if (closed) {
                routed.abandon();
                return;
            }
            requests.get(slot).add(routed);
            routed.route();
        });
    }

    @Override
    public AutoCloseable watch(String executionId, ProgressListener listener) {
        RoutedWatch watch = new RoutedWatch(this, executionId, listener, table.slot(executionId));
        links.execute(() -> {
            watches.add(watch);
            watch.route();
        });
        return () -> links.execute(watch::close);
    }

    @Override
    public CompletableFuture<Boolean> cancel(String executionId, String error, String cause) {
        return owners.ofExecution(executionId, owner -> owner.cancel(executionId, error, cause)).exceptionallyCompose(RemoteHosts::unsure);
    }

    private static <T> CompletableFuture<T> unsure(Throwable thrown) {
        return CompletableFuture.failedFuture(new UnsureException(Failure.platform(Errors.UNAVAILABLE,
                OwnerQuestions.cause(thrown).getMessage(), true)));
    }

    /** Asked again, it may have been taken the first time: then it is said to be awaited no more. */
    @Override
    public CompletableFuture<TaskCallback.Outcome> callBack(TaskCallback callback) {
        return TaskTokens.claimed(callback.token()).map(place -> owners.ofExecution(place.executionId(), owner -> owner.callBack(callback))
                .exceptionallyCompose(RemoteHosts::unsure))
                .orElseGet(() -> CompletableFuture.completedFuture(TaskCallback.Outcome.UNKNOWN_TOKEN));
    }

    /** Of its slot's owner; one that says it is not, or not yet, is asked again, or the next one. */
    @Override
    public CompletableFuture<ProcessView> process(ProcessCommand command) {
        return owners.ofProcess(command.application(), command.process(), owner -> owner.process(command)).thenApply(view -> {
            if (view.slot() != null) {
                routes.heard(view.application(), view.process(), view.slot());
            }
            return view;
        });
    }

    @Override
    public CompletableFuture<ProcessView> migrate(String application, int version, String process, String host) {
        return moves.move(application, version, process, host);
    }

    @Override
    public int slotOf(String application, String process, int slots) {
        return routes.slotOf(application, process);
    }

    @Override
    public CompletableFuture<Void> send(ProcessMessage message, Early early) {
        return owners.ofProcess(message.application(), message.destination(), owner -> owner.send(message, early)).thenApply(view -> null);
    }

    @Override
    public CompletableFuture<List<ProcessView>> processes(String application) {
        return every.processes(application);
    }

    @Override
    public CompletableFuture<BuildResult> build(BuildRequest request, Consumer<String> progress) {
        return builds.build(request, progress);
    }

    @Override
    public void retire(String application, int version) {
        every.tell(host -> host.peer().retire(application, version));
    }

    @Override
    public CompletableFuture<Void> deleteApplication(String application, int upTo) {
        return every.tell(host -> host.peer().deleteApplication(application, upTo));
    }

    @Override
    public CompletableFuture<List<HostStatus>> status() {
        return every.ask(host -> Statuses.of(host, table.slotsOf(host.card().host()), HostPeer::status));
    }

    @Override
    public CompletableFuture<List<HostStatus>> status(String application) {
        return every.ask(host -> Statuses.of(host, table.slotsOf(host.card().host()),
                peer -> peer.status(application).thenApply(told -> told.only(application))));
    }

    @Override
    public CompletableFuture<List<QueuedEvents>> queued(QueuedEvents.Look look) {
        return every.ask(host -> Statuses.queued(host, look));
    }

    @Override
    public CompletableFuture<Drain> drain(String host, boolean out) {
        return every.drain(host, out);
    }

    @Override
    public CompletableFuture<List<RecentEnds>> recentEnds(long sinceMs) {
        return every.ask(host -> Statuses.recentEnds(host, sinceMs));
    }

    /** Nobody is left to answer to: requests under way end as failed here, and go on where they run. The links stay the giver's. */
    @Override
    public void close() {
        try {
            viewWatch.close();
        } catch (Exception e) {
            LOG.warn("the membership is still watched", e);
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        links.execute(() -> {
            closed = true;
            requests.forEach(ofSlot -> List.copyOf(ofSlot).forEach(RoutedRequest::abandon));
            table.close();
            done.complete(null);
        });
        done.completeOnTimeout(null, CLOSE.toMillis(), TimeUnit.MILLISECONDS).join();
    }
}
