package dev.sand.frontend;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.AccessTables;
import dev.sand.datalayer.AuditLog;
import dev.sand.datalayer.BundleArchive;
import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.LargeValues;
import dev.sand.datalayer.LogStore;
import dev.sand.datalayer.PlatformKeys;
import dev.sand.datalayer.QuotaWatch;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.SavedEvents;
import dev.sand.datalayer.SharedData;
import dev.sand.datalayer.StoredBytes;
import dev.sand.datalayer.StoredSecrets;
import dev.sand.datalayer.TriggerStore;
import dev.sand.datalayer.UsageStore;
import dev.sand.dataplane.Grants;
import dev.sand.dataplane.Tickets;
import dev.sand.event.ControlPort;
import dev.sand.event.HostAgentPort;
import dev.sand.event.Tracing;
import dev.sand.frontend.access.AccessRing;
import dev.sand.frontend.access.AccessThread;
import dev.sand.frontend.access.Accounts;
import dev.sand.frontend.access.ClosingDoor;
import dev.sand.frontend.access.KeyedDoor;
import dev.sand.frontend.access.OpenDoor;
import dev.sand.frontend.access.Sealing;
import dev.sand.frontend.access.Quotas;
import dev.sand.frontend.control.ApplicationsApi;
import dev.sand.frontend.control.AuditApi;
import dev.sand.frontend.control.ConnectApi;
import dev.sand.frontend.control.DataApi;
import dev.sand.frontend.control.DeploymentApi;
import dev.sand.frontend.control.FiguresApi;
import dev.sand.frontend.control.FilesApi;
import dev.sand.frontend.control.HostsApi;
import dev.sand.frontend.control.InvocationsApi;
import dev.sand.frontend.control.LocalQueuesApi;
import dev.sand.frontend.control.LogsApi;
import dev.sand.frontend.control.ManagementApi;
import dev.sand.frontend.control.ProcessLooksApi;
import dev.sand.frontend.control.ProcessesApi;
import dev.sand.frontend.control.ProgressApi;
import dev.sand.frontend.control.QueuesApi;
import dev.sand.frontend.control.SavedEventsApi;
import dev.sand.frontend.control.SecretsApi;
import dev.sand.frontend.control.StateTrialsApi;
import dev.sand.frontend.control.StatusApi;
import dev.sand.frontend.control.TaskTokensApi;
import dev.sand.frontend.control.TopicRates;
import dev.sand.frontend.control.TopicsApi;
import dev.sand.frontend.control.TriggersApi;
import dev.sand.frontend.control.UsageApi;
import dev.sand.frontend.control.UseApi;
import dev.sand.frontend.deployment.ApplicationTopics;
import dev.sand.frontend.deployment.Bundles;
import dev.sand.frontend.deployment.Deletion;
import dev.sand.frontend.deployment.Deployer;
import dev.sand.frontend.deployment.UnfinishedDeletions;
import dev.sand.frontend.deployment.VersionFiles;
import dev.sand.frontend.http.Auditing;
import dev.sand.frontend.http.Door;
import dev.sand.frontend.http.Gate;
import dev.sand.frontend.http.HttpServer;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Operations;
import dev.sand.frontend.http.RequestCounts;
import dev.sand.frontend.http.Router;
import dev.sand.frontend.interior.ControlDoor;
import dev.sand.frontend.interior.MadeChanges;
import dev.sand.frontend.invoke.DataPlanes;
import dev.sand.frontend.invoke.Directory;
import dev.sand.frontend.management.ManagementPlane;
import dev.sand.frontend.management.ManagementService;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.Queues;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** A frontend, wired: HTTP in front, the registry and the stores beside, host agents behind. */
public final class Frontend implements AutoCloseable {
    /**
     * What a frontend works with; all of it is the caller's to close.
     *
     * @param deleteData removes an application's shared data from the global layer
     * @param bus where applications get their topics; @param slots partitions of each
     * @param bundles where hosts share applications' files, or null: they are on this machine
     * @param trouble why the platform below is not ready, or null; may block a moment
     * @param metrics the page that {@code /metrics} answers, in Prometheus's text format
     * @param tracing who makes spans
     * @param secrets of applications, which are set here and never read
     * @param data what grains share; @param stored how much of that and more tenants have
     * @param clockMs the time that all frontends and hosts agree on: of ids, of keys and of what is sent
     */
    public record Parts(HostAgentPort host, Registry registry, InvocationStore records, LogStore logs, GlobalStore store,
                        Consumer<String> deleteData, GlobalBus bus, int slots, BundleArchive bundles, Supplier<String> trouble,
                        Supplier<String> metrics, Tracing tracing, StoredSecrets secrets, SharedData data,
                        StoredBytes stored, LongSupplier clockMs) {

        /** Unobserved, alone on this machine, without a key for secrets. */
        public Parts(HostAgentPort host, Registry registry, InvocationStore records, LogStore logs, GlobalStore store,
                     Consumer<String> deleteData, GlobalBus bus, int slots) {
            this(host, registry, records, logs, store, deleteData, bus, slots, null, () -> null, () -> "", Tracing.OFF,
                    new StoredSecrets(store, null), new SharedData(store, LargeValues.NONE, SharedData.Options.DEFAULT),
                    new StoredBytes(store, registry), System::currentTimeMillis);
        }
    }

    /** What is measured here. */
    public record Figures(RequestCounts.Reading requests, int inFlight, int inFlightLimit) {}

    /** Entries of the audit log that are kept. */
    private static final int MOST_AUDITED = 100_000;
    private final FrontendConfiguration configuration;
    private final ExecutorService blocking = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("http-", 0).factory());
    private final DataPlanes planes;
    private final Router router;
    private final ControlDoor control;
    /** Null: there is none. */
    private final ManagementPlane management;
    private ManagementService service;
    private final Registry registry;
    private final HttpServer server;
    private final RequestCounts counts;
    private final AccessThread access;
    private final Accounts accounts;
    private final Quotas quotas = new Quotas(System::nanoTime);
    private final QuotaWatch quotaWatch;
    private final TopicRates topicRates;
    private UnfinishedDeletions deletions;

    public Frontend(FrontendConfiguration configuration, Parts parts) throws IOException {
        this.configuration = configuration;
        this.registry = parts.registry;
        Directory directory = new Directory(parts.registry, blocking, configuration.alone());
        planes = new DataPlanes(configuration, parts.host, parts.records, parts.store, parts.registry, directory,
                parts.slots, blocking, parts.tracing, parts.clockMs);
        counts = new RequestCounts(parts.tracing);
        AuditLog audit = new AuditLog(parts.store, MOST_AUDITED);
        Auditing auditing = new Auditing(audit, parts.clockMs);
        AccessTables tables = new AccessTables(parts.store);
        AccessRing ring = new AccessRing(tables, parts.clockMs, System::nanoTime);
        accounts = new Accounts(tables);
        access = new AccessThread(ring, accounts);
        Door door = door(configuration.door(), ring);
        Sealing sealing = new Sealing(() -> PlatformKeys.of(parts.store, Sealing.KEY));
        quotaWatch = new QuotaWatch(tables, quotas::are);
        management = configuration.management() == null ? null : new ManagementPlane(parts.host, directory,
                () -> PlatformKeys.of(parts.store, Tickets.KEY), parts.clockMs, parts.slots, door::isOpen, () -> {
                    ring.forget();
                    accounts.forget();
                }, sealing);
        topicRates = new TopicRates(parts.bus, System::nanoTime);
        router = router(parts, directory, audit);
        Gate.Managed managed = management == null ? Gate.Managed.NONE : management;
        control = new ControlDoor(router, auditing, new MadeChanges(parts.store, parts.clockMs), sealing);
        int selectors = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        server = new HttpServer(configuration.host(), configuration.port(), selectors,
                new Gate(door, auditing, quotas.limiting(planes.invoke()), quotas.limiting(planes.web()), router, managed, quotas, blocking,
                        () -> System.nanoTime() / 1_000_000, configuration.proxies()), counts);
    }

    /** Keys and sessions count at every one but that of nobody's. */
    private Door door(Door asked, AccessRing ring) {
        return switch (asked) {
            case KeyedDoor keyed -> keyed.with(ring, accounts);
            case OpenDoor open -> new ClosingDoor(open, new KeyedDoor(null).with(ring, accounts), accounts);
            default -> asked;
        };
    }

    private Router router(Parts parts, Directory directory, AuditLog audit) throws IOException {
        Operations operations = Operations.ofThisServer();
        Router routes = new Router(operations);
        ApplicationTopics applicationTopics = new ApplicationTopics(parts.bus, parts.slots);
        Queues queues = new Queues(parts.bus, parts.slots);
        TriggerStore triggers = new TriggerStore(parts.store);
        Bundles bundles = new Bundles(configuration.bundles(), parts.bundles);
        Deployer deployer = new Deployer(parts.registry, parts.store, parts.host, applicationTopics, queues, directory, bundles, configuration,
                parts.records, quotas);
        Deletion deletion = new Deletion(parts.registry, parts.records, parts.logs, parts.store, parts.host, directory,
                application -> {
                    parts.deleteData.accept(application);
                    queues.deleteApplication(application);
                    triggers.deleteApplication(application);
                    StoredSecrets.deleteApplication(parts.store, application);
                    SavedEvents.deleteApplication(parts.store, application);
                }, applicationTopics);
        deletions = new UnfinishedDeletions(parts.registry, deployer, deletion);
        InvocationsApi invocations = new InvocationsApi(parts.registry, parts.records, parts.host, parts.clockMs);
        new ApplicationsApi(parts.registry, directory, deployer, deletion).addTo(routes);
        TopicsApi topics = new TopicsApi(parts.bus, topicRates, parts.clockMs);
        topics.addTo(routes);
        new QueuesApi(parts.registry, queues, triggers, topics, parts.clockMs).addTo(routes);
        new LocalQueuesApi(parts.registry, parts.host).addTo(routes);
        new SecretsApi(parts.registry, parts.secrets, parts.clockMs).addTo(routes);
        new TriggersApi(parts.registry, triggers, parts.clockMs).addTo(routes);
        new DeploymentApi(deployer, configuration).addTo(routes);
        VersionFiles files = new VersionFiles(bundles);
        new FilesApi(parts.registry, directory, files).addTo(routes);
        new SavedEventsApi(parts.registry, directory, files, new SavedEvents(parts.store)).addTo(routes);
        invocations.addTo(routes);
        new ProgressApi(invocations, parts.records, parts.host).addTo(routes);
        new TaskTokensApi(parts.host).addTo(routes);
        new StateTrialsApi().addTo(routes);
        ProcessesApi processes = new ProcessesApi(parts.host, directory, planes, parts.logs, parts.clockMs);
        processes.addTo(routes);
        new ConnectApi(parts.host, directory, () -> PlatformKeys.of(parts.store, Grants.KEY), parts.clockMs).addTo(routes);
        new LogsApi(parts.registry, parts.logs, invocations, processes).addTo(routes);
        new StatusApi(parts.host, parts.trouble, this::status, parts.metrics, operations.document()).addTo(routes);
        new HostsApi(parts.host).addTo(routes);
        new ProcessLooksApi(parts.host, directory).addTo(routes);
        new DataApi(parts.registry, parts.data).addTo(routes);
        new UseApi(parts.host, parts.stored).addTo(routes);
        new UsageApi(parts.registry, new UsageStore(parts.store), parts.clockMs).addTo(routes);
        new FiguresApi(parts.registry, parts.host, parts.clockMs).addTo(routes);
        new AuditApi(audit).addTo(routes);
        service = management == null ? null : new ManagementService(configuration.management(), deployer, parts.registry, directory, management);
        new ManagementApi(service).addTo(routes, operations);
        return routes.complete(Set.of("invoke", "invokeApplication", "web"));
    }

    private ObjectNode status() {
        return Json.object().put("draining", planes.isDraining()).put("inFlight", planes.inFlight())
                .put("inFlightLimit", configuration.inFlight());
    }

    public Figures figures() {
        return new Figures(counts.read(), planes.inFlight(), configuration.inFlight());
    }

    /** Listens. @throws Exception when the address cannot be listened on */
    public void start() throws Exception {
        accounts.look(); // before anybody is let in for there being none
        server.start();
        access.start();
        quotaWatch.start();
        topicRates.start();
        deletions.start();
        if (service != null) {
            service.start();
        } else if (!configuration.alone()) {
            ManagementService.warnWithout(registry);
        }
    }

    UnfinishedDeletions deletions() {
        return deletions;
    }

    public InetSocketAddress address() {
        return server.address();
    }

    /** The control plane's operations: what the OpenAPI document must have. */
    public Router router() {
        return router;
    }

    /** The same operations for grains that control the platform. */
    public ControlPort control() {
        return control;
    }

    /** Takes no new invocations; waits for those in flight, as long as configured. */
    public void drain() throws InterruptedException {
        planes.drain(configuration.drain());
    }

    @Override
    public void close() throws Exception {
        server.close();
        access.close();
        quotaWatch.close();
        topicRates.close();
        deletions.close();
        if (service != null) {
            service.close();
        }
        planes.close();
        blocking.shutdownNow();
    }
}
