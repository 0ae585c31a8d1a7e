package dev.sand.hostagent.dataplane;

import dev.sand.dataplane.Grant;
import dev.sand.dataplane.Grants;
import dev.sand.datalayer.LatelyRead;
import dev.sand.datalayer.RecordedResults;
import dev.sand.datalayer.RequestRates;
import dev.sand.event.ApplicationName;
import dev.sand.event.DataPlaneUse;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort;
import dev.sand.event.Slots;
import dev.sand.hostagent.ProcessDoor;
import dev.sand.hostagent.objects.Urgency;
import dev.sand.hostagent.segments.SegmentServer;
import dev.sand.hostagent.usage.UsageCounter;
import dev.sand.hostlink.Loop;
import dev.sand.hostlink.SlotEpochs;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The data plane of a host (PraaS 4.1): clients that have a grant invoke functions in a cloud process of this host, past the frontend.
 * One port for TCP and WebSocket, one event loop for all connections. docs/DATA-PLANE.md has the protocol.
 */
public final class DataPlane implements ProcessDoor, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DataPlane.class);
    /** Clients whose connection is lost come back at once. */
    private static final int MOST_COUNTED = 50_000;

    /**
     * @param host this one's name
     * @param agent what invocations are passed on to
     * @param epochs under which it owns slots
     * @param results of executions that have ended
     * @param live an application's live version, read before what was deleted under its name; blocks
     * @param tls or null: none
     * @param nowMs the time that all programs of the platform agree on
     * @param usage where what clients use is counted for who pays for it
     */
    public record Parts(String host, HostAgentPort agent, SlotEpochs epochs, SegmentServer segments, Grants grants, RecordedResults results,
                        Function<String, Optional<Live>> live, SslContext tls, LongSupplier nowMs, UsageCounter usage) {}

    /** The name of its thread. */
    public static final String THREAD = "data-plane";

    private final Parts parts;
    private final DataPlaneOptions options;
    private final DataPlaneFigures figures = new DataPlaneFigures();
    private final Loop thread;
    private final EventLoop loop;
    private final ExecutorService blocking = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("data-plane-", 0).factory());
    private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final RequestRates rates = new RequestRates(System::nanoTime);
    private volatile Set<String> suspended = Set.of();
    /** Which version of an application is live. */
    private final LatelyRead<String, Live> versions;
    private final InFlight inFlight;
    private final Channel listener;
    private final String advertised;
    // Of the event loop.
    private final Set<DataConnection> open = new HashSet<>();
    private final Departures killed = new Departures();
    /** By hand: of what goes with its slot, the epoch tells. */
    private final Departures moved = new Departures();
    private final CountedOnce counted = new CountedOnce(MOST_COUNTED);
    private final Whereabouts whereabouts;
    private int strangers;
    private final Shares shares = new Shares();

    /**
     * Listens.
     *
     * @param advertised host:port that clients are told, or null: {@code reached} and the port where it listens
     * @param thread is closed with it
     * @throws IOException when it cannot
     */
    public DataPlane(InetSocketAddress address, String advertised, String reached, Parts parts, DataPlaneOptions options, Loop thread)
            throws IOException {
        this.parts = parts;
        this.thread = thread;
        this.loop = thread.events();
        this.whereabouts = new Whereabouts(loop);
        this.options = options;
        this.versions = new LatelyRead<>(parts.live(), application -> false, blocking, System::nanoTime);
        loop.execute(Urgency::soon);
        this.inFlight = new InFlight(options.inFlight(), parts.agent(), versions, blocking, loop);
        try {
            listener = new ServerBootstrap().group(loop).channel(EpollServerSocketChannel.class)
                    .option(ChannelOption.SO_REUSEADDR, true)
                    .childOption(ChannelOption.TCP_NODELAY, true)
                    .childHandler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            accept(channel);
                        }
                    })
                    .bind(address).syncUninterruptibly().channel();
        } catch (Exception e) {
            thread.close();
            blocking.shutdownNow();
            // Netty throws the channel's checked exception as it is.
            throw new IOException("cannot listen for clients of processes on " + address + ": " + e.getMessage(), e);
        }
        this.advertised = (parts.tls() == null ? "" : "tls://") + (advertised != null ? advertised : reached + ":" + port());
    }

    private void accept(Channel channel) {
        if (channels.size() >= options.connections() || strangers >= options.strangers()) {
            LOG.warn("refusing a connection from {}: {} are open, {} of them have shown no grant", channel.remoteAddress(), channels.size(),
                    strangers);
            figures.refused.increment();
            channel.unsafe().closeForcibly();
            return;
        }
        channels.add(channel);
        strangers++;
        PlacedReads reads = new PlacedReads();
        channel.config().setRecvByteBufAllocator(reads);
        channel.pipeline().addLast(new Sniffer(this, reads));
    }

    // --- for connections, on the loop

    Parts parts() {
        return parts;
    }

    DataPlaneOptions options() {
        return options;
    }

    LatelyRead<String, Live> versions() {
        return versions;
    }

    InFlight inFlight() {
        return inFlight;
    }

    ExecutorService blocking() {
        return blocking;
    }

    long nowMs() {
        return parts.nowMs().getAsLong();
    }

    int slots() {
        return parts.epochs().slots();
    }

    /** Whether this host owns the process, under the epoch that the grant was issued for, and has since. */
    boolean isHere(Grant grant) {
        return !moved.endedThe(grant) && grant.host().equals(parts.host()) && grant.slotEpoch() != 0 && parts.epochs().epoch(slotOf(grant)) == grant.slotEpoch();
    }

    /** Where the process lived when the grant was issued. */
    int slotOf(Grant grant) {
        return grant.slot() >= 0 && grant.slot() < slots() ? grant.slot() : Slots.of(grant.process(), slots());
    }

    boolean isKilled(Grant grant) {
        return killed.endedThe(grant);
    }

    void opened(DataConnection connection, Grant grant) {
        strangers--;
        open.add(connection);
        shares.connected(grant.application(), 1);
        figures.of(grant.application()).connections.incrementAndGet();
        figures.of(grant.application(), grant.process()).connections.incrementAndGet();
    }

    /** @param grant or null: it has shown none */
    void closed(DataConnection connection, Grant grant) {
        if (!open.remove(connection)) {
            strangers--;
            return;
        }
        shares.connected(grant.application(), -1);
        figures.closed(grant.application(), grant.process());
    }

    /** Of invocations, whosever connection they come over. */
    public RequestRates rates() {
        return rates;
    }

    /** Nothing of these tenants begins here any more, until they are told again without them; what runs goes on, and so do connections. */
    public void suspend(Set<String> tenants) {
        suspended = tenants;
    }

    /** Why nothing may begin under the grant, or null. */
    Failure suspension(Grant grant) {
        String tenant = ApplicationName.tenant(grant.application());
        return suspended.contains(tenant) ? Failure.caller(Errors.DENIED, "tenant '" + tenant + "' is suspended: until the operator of the"
                + " platform makes it active again, nothing of its applications begins") : null;
    }

    /** Which executions have begun here. */
    CountedOnce counted() {
        return counted;
    }

    Whereabouts whereabouts() {
        return whereabouts;
    }

    /** A connection that was none of ours. */
    void noConnection() {
        strangers--;
    }

    Shares shares() {
        return shares;
    }

    // --- for others, on any thread

    /** Clients are told where their process has moved. @param hosts whichever host owns what is asked for */
    public void reaches(HostAgentPort hosts) {
        whereabouts.reaches(hosts);
    }

    public DataPlaneFigures figures() {
        return figures;
    }

    public int port() {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    @Override
    public String address() {
        return advertised;
    }

    @Override
    public DataPlaneUse use(String application, String process) {
        return figures.use(application, process);
    }

    @Override
    public Map<String, Long> lately() {
        return figures.lately();
    }

    @Override
    public void onKilled(String application, String process) {
        long nowMs = nowMs();
        loop.execute(() -> {
            killed.add(application, process, nowMs);
            List.copyOf(open).stream().filter(each -> each.isFor(application, process))
                    .forEach(each -> each.goAway(Errors.NOT_FOUND, "process " + process + " was killed"));
            figures.forget(application, process);
        });
    }

    @Override
    public void onMoved(String application, String process) {
        long nowMs = nowMs();
        loop.execute(() -> moved.add(application, process, nowMs)); // and its connections find out
    }

    @Override
    public void onDeleted(String application, int upTo) {
        loop.execute(() -> {
            versions.forget(application::equals);
            List.copyOf(open).stream().filter(each -> each.isOfDeleted(application, upTo)).forEach(DataConnection::goAwayDeleted);
            figures.forget(application);
        });
    }

    /** Takes no connection any more, and ends those that are open: their clients ask elsewhere, for what was not answered too. */
    @Override
    public void close() {
        listener.close().syncUninterruptibly();
        loop.submit(() -> List.copyOf(open).forEach(each -> each.goAway(Errors.UNAVAILABLE, "host " + parts.host() + " is stopping")))
                .syncUninterruptibly();
        channels.close().awaitUninterruptibly();
        loop.submit(() -> { }).syncUninterruptibly(); // what its connections had begun before
        thread.close();
        blocking.shutdownNow();
    }
}
