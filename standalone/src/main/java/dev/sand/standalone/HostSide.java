package dev.sand.standalone;

import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.PlatformKeys;
import dev.sand.datalayer.ProcessImages;
import dev.sand.datalayer.RecordedResults;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.Room;
import dev.sand.datalayer.SharedData;
import dev.sand.datalayer.StoredSecrets;
import dev.sand.datalayer.TriggerStore;
import dev.sand.datalayer.UsageStore;
import dev.sand.dataplane.Grants;
import dev.sand.dataplane.Tickets;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.HostAgentPort;
import dev.sand.event.Tracing;
import dev.sand.globalbus.Queues;
import dev.sand.hostagent.HostAgent;
import dev.sand.hostagent.HostAgentConfiguration;
import dev.sand.hostagent.HostAgentParts;
import dev.sand.hostagent.control.Capabilities;
import dev.sand.hostagent.core.CoreConfiguration;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.dataplane.DataPlane;
import dev.sand.hostagent.dataplane.Live;
import dev.sand.hostagent.journal.BusJournal;
import dev.sand.hostagent.journal.StoredRecords;
import dev.sand.hostagent.leftovers.LeftoverCollector;
import dev.sand.hostagent.leftovers.LeftoverParts;
import dev.sand.hostagent.objects.GlobalObjects;
import dev.sand.hostagent.objects.ObjectCopies;
import dev.sand.hostagent.rehearsal.Rehearsal;
import dev.sand.hostagent.sandbox.ApplicationSource;
import dev.sand.hostagent.sandbox.Home;
import dev.sand.hostagent.sandbox.SandboxConfiguration;
import dev.sand.hostagent.sandbox.Sandboxes;
import dev.sand.hostagent.segments.MemfdSegments;
import dev.sand.hostagent.triggers.GrainQueues;
import dev.sand.hostagent.triggers.Ownership;
import dev.sand.hostagent.triggers.TriggerParts;
import dev.sand.hostagent.triggers.TriggerRunner;
import dev.sand.hostagent.usage.UsageWriter;
import dev.sand.hostlink.ClusterKey;
import dev.sand.hostlink.HostLinkServer;
import dev.sand.hostlink.LinkOptions;
import dev.sand.hostlink.Loop;
import dev.sand.workflow.TaskTokens;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The host agent's part of the process: itself, what it works with, and its door for frontends. */
final class HostSide {
    private static final Logger LOG = LoggerFactory.getLogger(HostSide.class);

    final HostAgent agent;
    final DataPlane plane;
    final SharedData data;
    private final Registry registry;
    private final InvocationStore invocations;
    private final Queues queues;
    private final Backends backends;
    private final String hostId;

    private HostSide(HostAgent agent, DataPlane plane, SharedData data, Registry registry, InvocationStore invocations, Queues queues,
                     Backends backends, String hostId) {
        this.agent = agent;
        this.plane = plane;
        this.data = data;
        this.registry = registry;
        this.invocations = invocations;
        this.queues = queues;
        this.backends = backends;
        this.hostId = hostId;
    }

    /** An address that cannot be had is told before anything runs. */
    static void checkAddress(InetSocketAddress address, String option) throws IOException {
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(address);
        } catch (IOException | IllegalArgumentException e) {
            throw new IOException("cannot listen on " + address.getHostString() + ":" + address.getPort() + ": " + e.getMessage()
                    + "; choose another " + option);
        }
    }

    /** @param key null: no frontend comes from outside of this process; @param room for what grains store */
    static HostSide open(Options options, Home home, Backends backends, InvocationStore invocations, ClusterKey key,
                         StoredSecrets stored, Tracing tracing, Capabilities capabilities, VouchedCapabilities vouched, Room room, Opened opened,
                         Consumer<Throwable> onBroken) throws Exception {
        ClusterOptions cluster = options.cluster();
        if (cluster.agentListen() != null) {
            checkAddress(cluster.agentListen(), "--agent-listen");
        }
        BenchOptions bench = BenchOptions.of(System.getProperties());
        StoredRecords records = opened.add(new StoredRecords(invocations));
        MemfdSegments segments = opened.add(new MemfdSegments(MemfdSegments.Options.ofThisMachine()));
        ObjectCopies copies = opened.add(new ObjectCopies(new GlobalObjects(backends.store()), segments));
        BusJournal journal = opened.add(new BusJournal(backends.bus(), copies, cluster.hostId(),
                BusJournal.Options.DEFAULT.withSlots(backends.membership().slots())));
        Registry registry = new Registry(backends.store());
        SharedData data = new SharedData(backends.store(), segments, SharedData.Options.DEFAULT, room);
        HostSecrets secrets = new HostSecrets(new OperatorsSecrets(options.secrets()), stored);
        Queues queues = new Queues(backends.bus(), backends.membership().slots());
        // Closed after the host agent: what runs until the end is still counted.
        UsageWriter usage = opened.add(UsageWriter.start(cluster.hostId(), new UsageStore(backends.store()), backends.membership()::nowMs,
                options.usageInterval()));
        HostAgentParts parts = new HostAgentParts(source(registry, secrets, vouched),
                sockets -> Sandboxes.open(sandboxes(options), home, sockets, backends.bundles())
                        .collecting(home, registry::contentAddresses),
                bench.journal(journal), records, segments, data, backends.logs(), secrets::of,
                new HostAgentParts.Cluster(backends.bus(), backends.membership(), copies,
                        new ProcessImages(backends.store(), System::currentTimeMillis)), new GrainQueues(registry, queues),
                new TaskTokens(PlatformKeys.of(backends.store(), "task-tokens")), tracing,
                new HostAgentParts.Control(capabilities, new Tickets(PlatformKeys.of(backends.store(), Tickets.KEY)),
                        backends.membership()::nowMs), usage.meter());
        Door door = opened.add(new Door()); // Closed after the host agent, or by its one loop: what runs until the end is still answered.
        if (bench.rehearses()) {
            Rehearsal.play(home.run("rehearsal"));
        }
        HostAgent agent = opened.add(HostAgent.start(configuration(options, backends.membership().slots()), parts, onBroken));
        opened.add(secrets);
        secrets.tell(agent::secretsChanged);
        secrets.start(registry::applications);
        LOG.info("{}", agent.described());
        if (cluster.agentListen() != null) {
            door.server = new HostLinkServer(cluster.agentListen(), new HostLinkServer.Parts(cluster.hostId(), agent, agent.epochs(),
                    key, home.root().resolve("builds")), LinkOptions.DEFAULT, agent.loop(HostLinkServer.THREAD));
        }
        SslContext tls = options.dataPlane().tls();
        DataPlane plane = opened.add(options.dataPlane().open(options, new DataPlane.Parts(cluster.hostId(), agent, agent.epochs(), segments,
                new Grants(PlatformKeys.of(backends.store(), Grants.KEY)), new RecordedResults(invocations),
                application -> live(registry, application), tls, backends.membership()::nowMs,
                usage.meter()), tls == null ? agent.loop(DataPlane.THREAD) : Loop.own(DataPlane.THREAD))); // to encrypt takes long
        agent.opens(plane);
        opened.add(LeftoverCollector.start(new LeftoverParts(backends.store(), backends.bus(), registry, backends.bundles(),
                data.objects(), parts.journal(), Ownership.of(backends.membership(), cluster.hostId()), backends.membership()::nowMs)));
        return new HostSide(agent, plane, data, registry, invocations, queues, backends, cluster.hostId());
    }

    /** A version that was deleted while this was read is none. */
    private static Optional<Live> live(Registry registry, String application) {
        return registry.resolveNow(application, Registry.LIVE).map(version -> new Live(version, registry.deletedUpTo(application)))
                .filter(live -> live.version().version() > live.deletedUpTo());
    }

    private static ApplicationSource source(Registry registry, HostSecrets secrets, VouchedCapabilities vouched) {
        return new ApplicationSource() {
            @Override
            public Optional<ApplicationVersion> load(AppKey app) {
                Optional<ApplicationVersion> version = registry.version(app.application(), app.version());
                version.ifPresent(vouched::load);
                if (version.stream().flatMap(each -> each.grains().values().stream()).anyMatch(grain -> !grain.secrets().isEmpty())) {
                    secrets.load(app.application());
                }
                return version;
            }

            @Override
            public int forget(String application) {
                secrets.forget(application);
                return registry.forget(application);
            }
        };
    }

    private static final class Door implements AutoCloseable {
        private HostLinkServer server;

        @Override
        public void close() {
            if (server != null) {
                server.close();
            }
        }
    }

    /** @param hosts where what is triggered runs: whichever host owns it */
    TriggerRunner startTriggers(HostAgentPort hosts, Opened opened) {
        TriggerRunner triggers = opened.add(new TriggerRunner(new TriggerParts(hosts, registry, invocations, backends.bus(), queues,
                new TriggerStore(backends.store()), data, Ownership.of(backends.membership(), hostId),
                backends.membership()::nowMs)));
        agent.delivers(triggers::stop);
        return triggers;
    }

    private static SandboxConfiguration sandboxes(Options options) {
        SandboxConfiguration configuration = SandboxConfiguration.defaults(options.cluster().hostId()).withKind(options.sandbox())
                .withImage(options.image()).withBlank(options.pool()).withPython(options.python(), options.pythonPath())
                .withWheels(Checkout.wheels());
        return options.engine() == null ? configuration
                : configuration.withEngine(options.engine(), configuration.engineTimeout());
    }

    private static HostAgentConfiguration configuration(Options options, int slots) {
        ClusterOptions cluster = options.cluster();
        HostAgentConfiguration configuration = HostAgentConfiguration.defaults(cluster.hostId()).withDrainTimeout(options.drain())
                .withAddress(cluster.advertise()).withLabels(cluster.labels())
                .withCore(CoreConfiguration.DEFAULT.withSlots(slots)
                        .withProcessors(Runtime.getRuntime().availableProcessors()));
        return options.shards() == 0 ? configuration : configuration.withShards(options.shards());
    }
}
