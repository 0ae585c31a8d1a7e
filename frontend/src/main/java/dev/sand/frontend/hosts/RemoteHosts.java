package dev.sand.frontend.hosts;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.TaskCallback;
import dev.sand.event.LogFields;
import dev.sand.event.RequestRecord;
import dev.sand.event.Topics;
import dev.sand.frontend.hosts.HostTable.Known;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.Membership;
import dev.sand.globalbus.WaitingCounts;
import dev.sand.hostlink.HostLink;
import dev.sand.hostlink.HostLinks;
import dev.sand.hostlink.HostPeer;
import dev.sand.hostlink.LinkException;
import dev.sand.hostlink.SlotEpochs;
import dev.sand.workflow.TaskTokens;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
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

    /** What was counted. Written on the loop, read by any thread. */
    public static final class Counts {
        private final AtomicLong resent = new AtomicLong();
        private final AtomicLong refused = new AtomicLong();
        private final AtomicLong overBus = new AtomicLong();

        void resent() {
            resent.incrementAndGet();
        }

        void refused() {
            refused.incrementAndGet();
        }

        void overBus() {
            overBus.incrementAndGet();
        }

        /** Requests sent again under the same id. */
        public long timesResent() {
            return resent.get();
        }

        /** Answers refused for their epoch, or since the request has been sent to another owner. */
        public long timesRefused() {
            return refused.get();
        }

        public long timesOverBus() {
            return overBus.get();
        }
    }

    private final Parts parts;
    private final HostLinks links;
    private final RoutingOptions options;
    private final WaitingCounts overBus;
    private final HostTable table;
    private final Counts counts = new Counts();
    private final List<Set<RoutedRequest>> requests = new ArrayList<>();
    private final Set<RoutedWatch> watches = new HashSet<>();
    private final AutoCloseable viewWatch;
    private boolean closed;

    public RemoteHosts(Parts parts, RoutingOptions options) {
        this.parts = parts;
        this.links = parts.links();
        this.options = options;
        this.overBus = new WaitingCounts(parts.bus());
        int slots = parts.membership().slots();
        HostPeer local = parts.local() == null ? null : new DirectPeer(parts.local(), parts.localEpochs(), links);
        this.table = new HostTable(links, slots, parts.localHost(), local, this::onLinkChanged);
        for (int slot = 0; slot < slots; slot++) {
            requests.add(new HashSet<>());
        }
        this.viewWatch = parts.membership().watch(view -> links.execute(() -> onView(view)));
        links.execute(this::look);
    }

    // --- for requests and watches, on the loop

    HostTable table() {
        return table;
    }

    RoutingOptions options() {
        return options;
    }

    public Counts counts() {
        return counts;
    }

    void after(Duration delay, Runnable task) {
        links.after(delay, task);
    }

    boolean isDraining(int slot) {
        return table.owner(slot) != null && table.isDraining(table.owner(slot).host().host());
    }

    /** @param then on the loop: the execution's end, or null */
    void lookUp(InvocationRequest request, Consumer<InvocationResult> then) {
        links.blocking().execute(() -> {
            InvocationResult found = null;
            try {
                found = parts.results().find(request.application(), request.executionId()).orElse(null);
            } catch (RuntimeException e) {
                LOG.atWarn().addKeyValue(LogFields.APPLICATION, request.application())
                        .addKeyValue(LogFields.EXECUTION_ID, request.executionId())
                        .log("the record of execution {} cannot be read: {}", request.executionId(), e.getMessage());
            }
            InvocationResult result = found;
            links.execute(() -> then.accept(result));
        });
    }

    /** @param then on the loop: null once the request is in the global bus, else why it is not */
    void append(InvocationRequest request, int slot, Consumer<BusException> then) {
        links.blocking().execute(() -> {
            String topic = Topics.requests(request.application());
            try {
                if (overBus.withOneMore(topic, slot) > options.mostOverBus()) {
                    throw new BusException(BusException.Kind.TOO_MANY, "as many requests for " + request.application()
                            + " wait for an owner of slot " + slot + " as may, " + options.mostOverBus(), null);
                }
            } catch (BusException e) {
                links.execute(() -> then.accept(e));
                return;
            }
            parts.bus().append(topic, slot, RequestRecord.of(request).encode(), new GlobalBus.AppendListener() {
                @Override
                public void onAppended(long offset) {
                    links.blocking().execute(() -> {
                        announce(request);
                        links.execute(() -> then.accept(null));
                    });
                }

                @Override
                public void onFailed(BusException failure) {
                    links.execute(() -> then.accept(failure));
                }
            });
        });
    }

    private void announce(InvocationRequest request) {
        try {
            parts.results().announce(request);
        } catch (RuntimeException e) {
            LOG.atWarn().addKeyValue(LogFields.APPLICATION, request.application())
                    .addKeyValue(LogFields.EXECUTION_ID, request.executionId())
                    .log("execution {} has no record until a host begins it: {}", request.executionId(), e.getMessage());
        }
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
    public CompletableFuture<Boolean> cancel(String executionId, String cause) {
        return askOwner(executionId, owner -> owner.cancel(executionId, cause));
    }

    /** Asked again, it may have been taken the first time: then it is said to be awaited no more. */
    @Override
    public CompletableFuture<TaskCallback.Outcome> callBack(TaskCallback callback) {
        return TaskTokens.claimed(callback.token()).map(place -> askOwner(place.executionId(), owner -> owner.callBack(callback))
                .exceptionallyCompose(e -> CompletableFuture.failedFuture(new CallbackException(Failure.platform(Errors.UNAVAILABLE,
                        e instanceof CompletionException && e.getCause() != null ? e.getCause().getMessage() : e.getMessage(), true)))))
                .orElseGet(() -> CompletableFuture.completedFuture(TaskCallback.Outcome.UNKNOWN_TOKEN));
    }

    /** Until it answers, or has been looked for long enough. */
    private <T> CompletableFuture<T> askOwner(String executionId, Function<HostPeer, CompletableFuture<T>> question) {
        CompletableFuture<T> result = new CompletableFuture<>();
        long untilNs = System.nanoTime() + options.cancel().toNanos();
        links.execute(() -> askOwner(executionId, question, untilNs, result));
        return result;
    }

    private <T> void askOwner(String executionId, Function<HostPeer, CompletableFuture<T>> question, long untilNs,
                              CompletableFuture<T> result) {
        HostPeer owner = table.reachable(table.slot(executionId));
        CompletableFuture<T> asked = owner == null
                ? CompletableFuture.failedFuture(new LinkException("the owner of execution " + executionId + " cannot be reached"))
                : question.apply(owner);
        asked.whenComplete((answer, thrown) -> {
            if (thrown == null) {
                result.complete(answer);
            } else if (System.nanoTime() < untilNs && !closed) {
                links.after(options.slowestBackOff(), () -> askOwner(executionId, question, untilNs, result));
            } else {
                result.completeExceptionally(thrown);
            }
        });
    }

    @Override
    public CompletableFuture<BuildResult> build(BuildRequest request, Consumer<String> progress) {
        CompletableFuture<BuildResult> result = new CompletableFuture<>();
        long untilNs = System.nanoTime() + options.build().toNanos();
        links.execute(() -> build(request, progress, new TreeSet<>(), "none is known", untilNs, result));
        return result;
    }

    /** A build has no effect but its result, so that it may be tried on one host after the other. */
    private void build(BuildRequest request, Consumer<String> progress, Set<String> tried, String trouble, long untilNs,
                       CompletableFuture<BuildResult> result) {
        Known builder = table.hosts().stream()
                .filter(host -> host.live() && !host.card().draining() && host.peer().isUp() && !tried.contains(host.card().host()))
                .min(Comparator.comparing((Known host) -> !host.card().host().equals(parts.localHost()))
                        .thenComparing(host -> host.card().busy())).orElse(null);
        if (builder == null && System.nanoTime() < untilNs && !closed) {
            // A connection that broke is made again soon.
            links.after(options.slowestBackOff(), () -> build(request, progress, new TreeSet<>(), trouble, untilNs, result));
            return;
        }
        if (builder == null) {
            result.completeExceptionally(new BuildException(Failure.platform(Errors.UNAVAILABLE,
                    "no host can build application " + request.application() + " now: " + trouble, true)));
            return;
        }
        tried.add(builder.card().host());
        builder.peer().build(request, progress).whenComplete((built, thrown) -> links.execute(() -> {
            Throwable cause = thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
            if (cause == null) {
                result.complete(built);
            } else if (cause instanceof LinkException) {
                progress.accept("host " + builder.card().host() + " did not build it (" + cause.getMessage() + "); trying another");
                build(request, progress, tried, cause.getMessage(), untilNs, result);
            } else {
                result.completeExceptionally(cause);
            }
        }));
    }

    @Override
    public void retire(String application, int version) {
        onEach(host -> host.peer().retire(application, version));
    }

    @Override
    public CompletableFuture<Void> deleteApplication(String application) {
        return onEach(host -> host.peer().deleteApplication(application));
    }

    /** Hosts that cannot be told are left out: what they keep in memory ends with them. */
    private CompletableFuture<Void> onEach(Function<Known, CompletableFuture<Void>> operation) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        links.execute(() -> CompletableFuture.allOf(table.hosts().stream().map(host -> operation.apply(host).exceptionally(e -> {
            LOG.atWarn().addKeyValue(LogFields.PEER, host.card().host())
                    .log("host {}: {}", host.card().host(), e.getMessage());
            return null;
        })).toArray(CompletableFuture[]::new)).thenRun(() -> done.complete(null)));
        return done;
    }

    @Override
    public CompletableFuture<List<HostStatus>> status() {
        CompletableFuture<List<HostStatus>> result = new CompletableFuture<>();
        links.execute(() -> {
            List<CompletableFuture<HostStatus>> asked = table.hosts().stream()
                    .sorted(Comparator.comparing(host -> host.card().host())).map(this::status).toList();
            CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                    .thenRun(() -> result.complete(asked.stream().map(CompletableFuture::join).toList()));
        });
        return result;
    }

    private CompletableFuture<HostStatus> status(Known host) {
        String id = host.card().host();
        HostPlace place = new HostPlace(host.card().address(), new TreeSet<>(host.card().labels()), host.card().busy(),
                table.slotsOf(id));
        if (!host.peer().isUp() && host.peer() instanceof HostLink link) {
            return CompletableFuture.completedFuture(silent(host, place, link.trouble()));
        }
        return host.peer().status().handle((status, thrown) -> thrown != null ? silent(host, place, thrown.getMessage())
                : new HostStatus(id, status.sandboxKind(), status.draining(), status.sandboxes(), place, null));
    }

    private static HostStatus silent(Known host, HostPlace place, String why) {
        return new HostStatus(host.card().host(), null, host.card().draining(), List.of(), place, why);
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
