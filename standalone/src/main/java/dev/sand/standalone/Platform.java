package dev.sand.standalone;

import dev.sand.datalayer.AccessTables;
import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.LargeValues;
import dev.sand.datalayer.ProcessImages;
import dev.sand.datalayer.RecordedResults;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.SecretsKey;
import dev.sand.datalayer.SharedData;
import dev.sand.datalayer.StoredBytes;
import dev.sand.datalayer.StoredSecrets;
import dev.sand.datalayer.TriggerStore;
import dev.sand.event.HostAgentPort;
import dev.sand.event.Tracing;
import dev.sand.frontend.Frontend;
import dev.sand.frontend.FrontendConfiguration;
import dev.sand.frontend.hosts.RemoteHosts;
import dev.sand.frontend.hosts.RoutingCounts;
import dev.sand.frontend.http.Proxies;
import dev.sand.globalbus.Queues;
import dev.sand.hostagent.control.Capabilities;
import dev.sand.hostagent.objects.GlobalObjects;
import dev.sand.hostagent.sandbox.Home;
import dev.sand.hostagent.triggers.TriggerRunner;
import dev.sand.hostlink.ClusterKey;
import dev.sand.hostlink.HostLinks;
import dev.sand.hostlink.LinkOptions;
import dev.sand.hostlink.Loop;
import dev.sand.standalone.observe.BackendMetrics;
import dev.sand.standalone.observe.DataPlaneMetrics;
import dev.sand.standalone.observe.FrontendMetrics;
import dev.sand.standalone.observe.HostMetrics;
import dev.sand.standalone.observe.MembershipMetrics;
import dev.sand.standalone.observe.Metrics;
import dev.sand.standalone.observe.OpenTelemetryTracing;
import dev.sand.standalone.observe.RoutingMetrics;
import dev.sand.standalone.observe.TriggerMetrics;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The parts of the platform that run in this process (DESIGN, decisions 7 and the roles of a cluster): by default all of it,
 * embedded bus and store below, the host agent over them, the frontend in front; in a cluster a host agent, a frontend or both
 * over Kafka and Cassandra. Parts are opened from the bottom up and closed from the top down.
 */
final class Platform implements AutoCloseable {
    private final Options options;
    private final Map<String, String> environment;
    private final Opened opened = new Opened();
    private final Readiness readiness = new Readiness();
    private Frontend frontend;
    private Health health;

    /** How the bus and the store are come by. */
    interface BackendsOpener {
        Backends open(Options options, Opened opened, Readiness readiness);
    }

    /** @param onBroken told when the platform cannot go on: the process is to end */
    Platform(Options options, Consumer<Throwable> onBroken) throws Exception {
        this(options, System.getenv(), Backends::open, onBroken);
    }

    /** @param environment says where spans go */
    Platform(Options options, Map<String, String> environment, BackendsOpener backends, Consumer<Throwable> onBroken)
            throws Exception {
        this.options = options;
        this.environment = environment;
        ClusterOptions cluster = options.cluster();
        try {
            Home home = new Home(options.home()).prepare();
            opened.add(HomeLock.take(home.root()));
            if (cluster.role().hasFrontend()) {
                HostSide.checkAddress(new InetSocketAddress(options.host(), options.port()), "--listen");
            }
            ClusterKey key = cluster.clusterKey() == null ? null : ClusterKey.read(cluster.clusterKey());
            SecretsKey secrets = SecretsKeyFile.of(options, home);
            Metrics metrics = opened.add(new Metrics());
            BackendMetrics.addTo(metrics, () -> readiness.read().ready(), () -> readiness.read().bus(), () -> readiness.read().store());
            if (cluster.healthListen() != null) {
                // Before anything that is waited for, so that whoever watches over it sees what.
                health = opened.add(new Health(cluster.healthListen(), readiness, metrics::page));
            }
            Backends found = backends.open(options, opened, readiness);
            if (cluster.role().hasFrontend()) {
                Doors.check(options, new AccessTables(found.store()).accounts());
            }
            BackendMetrics.addTo(metrics, found.bus(), found.store());
            opened.add(new MembershipMetrics(metrics, found.membership(), cluster.role().hasHost()));
            open(home, found, key, new StoredSecrets(found.store(), secrets), metrics, onBroken);
            readiness.open(found, cluster.role().hasHost());
            if (frontend != null) {
                frontend.start();
            }
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    private void open(Home home, Backends backends, ClusterKey key, StoredSecrets secrets, Metrics metrics,
                      Consumer<Throwable> onBroken) throws Exception {
        ClusterOptions cluster = options.cluster();
        InvocationStore invocations = new InvocationStore(backends.store(), InvocationStore.Options.DEFAULT.keeping(options.keepExecutions()));
        Tracing tracing = OpenTelemetryTracing.of(environment, cluster.hostId());
        if (tracing instanceof AutoCloseable closeable) {
            opened.add(closeable);
        }
        VouchedCapabilities vouched = new VouchedCapabilities(backends.store(), key);
        Capabilities capabilities = CapabilitiesFile.read(options.management(), vouched);
        StoredBytes stored = new StoredBytes(backends.store(), new Registry(backends.store()));
        HostSide host = null;
        if (cluster.role().hasHost()) {
            host = HostSide.open(options, home, backends, invocations, key, secrets, tracing, capabilities, vouched, stored, opened, onBroken);
            HostMetrics.addTo(metrics, host.agent, backends.bus());
            DataPlaneMetrics.addTo(metrics, host.plane.figures());
        } else {
            opened.add(invocations);
        }
        HostAgentPort hosts = cluster.isCluster() ? remote(backends, invocations, key, host) : host.agent;
        RoutingMetrics.addTo(metrics, hosts instanceof RemoteHosts remote ? remote.counts() : new RoutingCounts());
        if (host != null) {
            host.agent.reaches(hosts);
            host.plane.reaches(hosts);
            TriggerMetrics.addTo(metrics, host.startTriggers(hosts, opened));
        }
        opened.add(HeldQuotas.watch(backends.store(), stored, host));
        if (cluster.role().hasFrontend() || !capabilities.byName().isEmpty()) {
            SharedDataOf data = new SharedDataOf(backends, host);
            Registry registry = new Registry(backends.store());
            Frontend operations = opened.add(new Frontend(configuration(home), new Frontend.Parts(hosts, registry,
                    invocations, backends.logs(), backends.store(), data::delete, backends.bus(), backends.membership().slots(),
                    backends.bundles(), readiness, metrics::page, tracing, secrets,
                    host == null ? sharedData(backends, registry, stored) : host.data, stored, backends.membership()::nowMs)));
            CapabilitiesFile.check(capabilities, operations.control());
            if (host != null) {
                host.agent.controls(operations.control()); // of a host alone too: its grains reach no other's
            }
            if (cluster.role().hasFrontend()) {
                frontend = operations;
                FrontendMetrics.addTo(metrics, frontend);
            }
        }
    }

    /** Shared data where no grains are; triggers on data hear of what is changed here, too. */
    private static SharedData sharedData(Backends backends, Registry registry, StoredBytes stored) {
        SharedData data = new SharedData(backends.store(), LargeValues.NONE, SharedData.Options.SMALL, stored);
        data.listen(TriggerRunner.changes(registry, new Queues(backends.bus(), backends.membership().slots()),
                new TriggerStore(backends.store())));
        return data;
    }

    /** Every host of the cluster; the one in this process without a network between. */
    private HostAgentPort remote(Backends backends, InvocationStore invocations, ClusterKey key, HostSide host) {
        String id = options.cluster().hostId();
        HostLinks links = opened.add(new HostLinks(id, key, LinkOptions.DEFAULT,
                host == null ? Loop.own(HostLinks.THREAD) : host.agent.loop(HostLinks.THREAD)));
        RecordedResults results = new RecordedResults(invocations);
        return opened.add(new RemoteHosts(host == null
                ? RemoteHosts.Parts.remote(backends.membership(), backends.bus(), results, links)
                : new RemoteHosts.Parts(backends.membership(), backends.bus(), results, links, host.agent, id, host.agent.epochs()),
                BenchOptions.of(System.getProperties()).routing()));
    }

    /** What an application has stored, its shared data, large values and images of processes: on the host's side its memory goes too. */
    private record SharedDataOf(Backends backends, HostSide host) {
        void delete(String application) {
            if (host != null) {
                host.data.deleteApplication(application);
            } else {
                SharedData.deleteApplication(backends.store(), application);
            }
            new GlobalObjects(backends.store()).deleteApplication(application);
            ProcessImages.deleteApplication(backends.store(), application);
        }
    }

    private FrontendConfiguration configuration(Home home) throws IOException {
        return FrontendConfiguration.defaults(options.host(), options.port(), home.root().resolve("uploads"), home.bundles())
                .withBodyBytes(options.bodyBytes()).withFolderDeploy(options.folderDeploy()).withDrain(options.drain())
                .withIdempotencyWindow(options.idempotencyWindow()).withAlone(!options.cluster().isCluster())
                .withDoor(Doors.of(options)).withProxies(Proxies.of(options.trustedProxies())).withManagement(options.management().folder());
    }

    /** Of the frontend. */
    InetSocketAddress address() {
        return frontend.address();
    }

    /** What whoever started it is told. */
    String readyLine() {
        if (frontend != null) {
            return "ready http://" + options.host() + ":" + frontend.address().getPort();
        }
        ClusterOptions cluster = options.cluster();
        return "ready host " + cluster.hostId() + " at " + cluster.advertise()
                + (health == null ? "" : ", health http://" + cluster.healthListen().getHostString() + ":" + health.address().getPort());
    }

    /** Takes no new requests, waits for those in flight, then closes everything from the top down. */
    void stop() throws InterruptedException {
        readiness.stopping();
        if (frontend != null) {
            frontend.drain();
        }
        close();
    }

    @Override
    public void close() {
        opened.close();
    }
}
