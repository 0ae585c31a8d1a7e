package dev.sand.hostagent;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.LogStore;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.ProcessImages;
import dev.sand.datalayer.SharedData;
import dev.sand.datalayer.SqliteLogStore;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.GrainSpec;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.event.Placement;
import dev.sand.event.ProcessSpec;
import dev.sand.event.SandboxSpec;
import dev.sand.event.Slots;
import dev.sand.globalbus.EmbeddedMembership;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.Membership;
import dev.sand.globalbus.MemoryBus;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.journal.BusJournal;
import dev.sand.hostagent.journal.StoredRecords;
import dev.sand.hostagent.objects.GlobalObjects;
import dev.sand.hostagent.objects.ObjectCopies;
import dev.sand.hostagent.sandbox.ApplicationSource;
import dev.sand.hostagent.sandbox.Home;
import dev.sand.hostagent.sandbox.SandboxConfiguration;
import dev.sand.hostagent.sandbox.Sandboxes;
import dev.sand.hostagent.segments.MemfdSegments;
import dev.sand.hostagent.usage.UsageCounter;
import dev.sand.hostlink.SlotEpochs;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** A host agent with the real Python runtime in process sandboxes, deployed to by hand; stores are in memory. */
final class TestPlatform implements AutoCloseable {
    private static final Path RUNTIME = Path.of("../grain-worker/src").toAbsolutePath().normalize();

    final Home home;
    final GlobalStore store;
    final InvocationStore invocations;
    final LogStore logs;
    final SharedData data;
    final HostAgent agent;
    final CompletableFuture<Throwable> broken = new CompletableFuture<>();
    private final Map<AppKey, ApplicationVersion> versions = new ConcurrentHashMap<>();
    private final Map<String, ApplicationSecrets> secrets = new ConcurrentHashMap<>();
    private final Path root;
    private final BusJournal journal;
    private final MemfdSegments segments;
    private final ObjectCopies copies;

    TestPlatform() throws Exception {
        this(new MemoryBus(), HostAgentConfiguration.defaults("test"), 1);
    }

    TestPlatform(GlobalBus bus, HostAgentConfiguration configuration, int blank) throws Exception {
        this(bus, configuration, blank, platform -> { });
    }

    /** Something that is to be there when the host agent starts. */
    interface Preparation {
        void prepare(TestPlatform platform) throws IOException;
    }

    TestPlatform(GlobalBus bus, HostAgentConfiguration configuration, int blank, Preparation before) throws Exception {
        this(bus, configuration, SandboxConfiguration.defaults("test").withKind(SandboxConfiguration.Kind.PROCESS)
                .withPython("python3", RUNTIME).withBlank(blank), before);
    }

    TestPlatform(GlobalBus bus, HostAgentConfiguration configuration, SandboxConfiguration sandboxes, Preparation before)
            throws Exception {
        this(bus, new MemoryStore(), new EmbeddedMembership(bus, Slots.DEFAULT), configuration, sandboxes, before);
    }

    /** One of several hosts, which share bus and store. */
    TestPlatform(GlobalBus bus, GlobalStore store, Membership membership, HostAgentConfiguration configuration) throws Exception {
        this(bus, store, membership, configuration, platform -> { });
    }

    TestPlatform(GlobalBus bus, GlobalStore store, Membership membership, HostAgentConfiguration configuration, Preparation before)
            throws Exception {
        this(bus, store, membership, configuration, SandboxConfiguration.defaults("test")
                .withKind(SandboxConfiguration.Kind.PROCESS).withPython("python3", RUNTIME).withBlank(0), before);
    }

    volatile String key = "key";
    volatile UsageCounter usage = UsageCounter.NONE;

    private TestPlatform(GlobalBus bus, GlobalStore store, Membership membership, HostAgentConfiguration configuration,
                         SandboxConfiguration sandboxes, Preparation before) throws Exception {
        this.store = store;
        invocations = new InvocationStore(store, InvocationStore.Options.DEFAULT);
        root = Files.createTempDirectory(Path.of("/tmp"), "sand-");
        home = new Home(root).prepare();
        logs = new SqliteLogStore(root.resolve("logs.db"), SqliteLogStore.DEFAULT_BYTES_AN_APPLICATION);
        segments = new MemfdSegments(MemfdSegments.Options.DEFAULT);
        copies = new ObjectCopies(new GlobalObjects(store), segments);
        journal = new BusJournal(bus, copies, configuration.host(), BusJournal.Options.DEFAULT);
        data = new SharedData(store, segments, SharedData.Options.DEFAULT);
        before.prepare(this);
        agent = HostAgent.start(configuration, new HostAgentParts(source(),
                sockets -> Sandboxes.open(sandboxes, home, sockets), journal, new StoredRecords(invocations), segments,
                data, logs,
                application -> secrets.compute(application, (name, earlier) -> (earlier == null ? ApplicationSecrets.NONE : earlier)
                        .renewed(Map.of("API_KEY", key + "-of-" + application), Map.of())),
                new HostAgentParts.Cluster(bus, membership, copies, new ProcessImages(faulty(), System::currentTimeMillis)))
                .counting((application, kind, use) -> usage.add(application, kind, use)), broken::complete);
    }

    /** What every use of the processes' images fails with; null: nothing. */
    volatile RuntimeException imageFault;
    /** Told of each call of the store for an image before it is made, on its thread: it may hold it up, or let it fail. */
    volatile Consumer<String> onImageCall = call -> { };

    private GlobalStore faulty() {
        return (GlobalStore) Proxy.newProxyInstance(GlobalStore.class.getClassLoader(), new Class<?>[] {GlobalStore.class},
                (proxy, method, arguments) -> {
                    if (imageFault != null) {
                        throw imageFault;
                    }
                    onImageCall.accept(method.getName());
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    MemfdSegments segments() {
        return segments;
    }

    private ApplicationSource source() {
        return new ApplicationSource() {
            @Override
            public Optional<ApplicationVersion> load(AppKey app) {
                return Optional.ofNullable(versions.get(app));
            }

            @Override
            public int forget(String application) {
                return versions.keySet().stream().filter(key -> key.application().equals(application)).mapToInt(AppKey::version).max()
                        .orElse(0);
            }
        };
    }

    /** The same version, deployed with other limits of its processes. */
    ApplicationVersion change(ApplicationVersion of, ProcessSpec processes) {
        ApplicationVersion changed = new ApplicationVersion(of.schema(), of.application(), of.version(), of.bundle(), of.dependencies(),
                of.sandbox(), of.grains(), of.workflows(), of.routes(), of.placements(), of.durability(), of.createdMs(), of.queues(),
                of.triggers(), processes);
        versions.put(new AppKey(of.application(), of.version()), changed);
        return changed;
    }

    /** Deploys grains given by their handlers' code. */
    ApplicationVersion deploy(String application, Map<String, String> handlers, Map<String, String> workflows,
                              UnaryOperator<GrainSpec> change) throws IOException {
        int number = 1 + (int) versions.keySet().stream().filter(key -> key.application().equals(application)).count();
        String bundle = application + "-" + number;
        Map<String, GrainSpec> grains = new HashMap<>();
        for (Map.Entry<String, String> handler : handlers.entrySet()) {
            Path folder = home.bundles().resolve(bundle).resolve("grains").resolve(handler.getKey());
            Files.createDirectories(folder);
            Files.writeString(folder.resolve("handler.py"), handler.getValue());
            grains.put(handler.getKey(), change.apply(GrainSpec.withDefaults(handler.getKey())));
        }
        Map<String, ApplicationVersion.WorkflowSpec> machines = new HashMap<>();
        workflows.forEach((name, definition) ->
                machines.put(name, new ApplicationVersion.WorkflowSpec(name, definition, 60_000)));
        Files.createFile(home.bundles().resolve(bundle).resolve("application-" + application));
        ApplicationVersion version = new ApplicationVersion(Limits.SCHEMA_VERSION, application, number, bundle, null,
                SandboxSpec.DEFAULT, grains, machines, List.of(), Map.of(), ApplicationVersion.Durability.RELAXED, 0);
        versions.put(new AppKey(application, number), version);
        return version;
    }

    ApplicationVersion deploy(String application, Map<String, String> handlers) throws IOException {
        return deploy(application, handlers, Map.of(), spec -> spec);
    }

    /** The same version, deployed with another durability and placement. */
    ApplicationVersion change(ApplicationVersion version, ApplicationVersion.Durability durability,
                              Map<String, Placement> placements) {
        ApplicationVersion changed = new ApplicationVersion(version.schema(), version.application(), version.version(),
                version.bundle(), version.dependencies(), version.sandbox(), version.grains(), version.workflows(),
                version.routes(), placements, durability, version.createdMs());
        versions.put(new AppKey(version.application(), version.version()), changed);
        return changed;
    }

    CompletableFuture<InvocationResult> start(ApplicationVersion version, String target, String json, long timeoutMs) {
        return start(request(version, target, Payload.json(json.getBytes(StandardCharsets.UTF_8)), timeoutMs, false),
                new CompletableFuture<>());
    }

    CompletableFuture<InvocationResult> start(InvocationRequest request, CompletableFuture<Void> accepted) {
        CompletableFuture<InvocationResult> result = new CompletableFuture<>();
        agent.invoke(request,
                new InvocationListener() {
                    @Override
                    public void onAccepted() {
                        accepted.complete(null);
                    }

                    @Override
                    public void onEnd(InvocationResult end) {
                        result.complete(end);
                    }
                });
        return result;
    }

    /** As a frontend does: asks again while this host has not yet taken the slot that the group gave it. */
    InvocationResult end(InvocationRequest request) throws Exception {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
        while (true) {
            InvocationResult end = start(request, new CompletableFuture<>()).get(90, TimeUnit.SECONDS);
            if (end.failure() == null || !end.failure().error().equals(Errors.MOVED) || System.nanoTime() - until > 0) {
                return end;
            }
        }
    }

    /** Whether the host has what the group gave it; it is alone in its group. */
    boolean everySlotIsGiven() {
        SlotEpochs epochs = agent.epochs();
        return IntStream.range(0, epochs.slots()).allMatch(slot -> epochs.epoch(slot) != 0);
    }

    static InvocationRequest request(ApplicationVersion version, String target, Payload input, long timeoutMs, boolean durable) {
        return new InvocationRequest(Ids.next(System.currentTimeMillis(), ThreadLocalRandom.current()), version.application(),
                version.version(), target, input, timeoutMs, durable, null);
    }

    InvocationResult invoke(ApplicationVersion version, String target, String json) throws Exception {
        return start(version, target, json, 30_000).get(60, TimeUnit.SECONDS);
    }

    static String text(InvocationResult result) {
        if (result.failure() != null) {
            throw new AssertionError(result.failure().toString());
        }
        return new String(result.output().bytes(), StandardCharsets.UTF_8);
    }

    /**
     * The supervisor (depth 0) or a worker (1) of the application's sandbox. Pids that the platform knows are the sandbox's
     * own, so the process is looked for by what only this platform started: its folder in the environment.
     */
    ProcessHandle process(String application, int depth) throws IOException {
        Map<Long, Long> parents = new HashMap<>();
        try (var folders = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path folder : folders) {
                long pid = Long.parseLong(folder.getFileName().toString());
                if (isOurs(folder, application)) {
                    parents.put(pid, ProcessHandle.of(pid).flatMap(ProcessHandle::parent).map(ProcessHandle::pid).orElse(0L));
                }
            }
        }
        return parents.keySet().stream().filter(pid -> depth(parents, pid) == depth).findFirst()
                .flatMap(ProcessHandle::of).orElseThrow();
    }

    /**
     * A worker or an instance of one grain.
     *
     * @param role worker or instance; @param pid as the process itself knows it; 0: any
     */
    ProcessHandle process(String application, String role, String grain, long pid) throws IOException {
        try (var folders = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path folder : folders) {
                if (isOurs(folder, application) && Files.readString(folder.resolve("cmdline")).startsWith("sand " + role + " " + grain + "\0")
                        && (pid == 0 || Files.readString(folder.resolve("status")).matches("(?s).*\nNSpid:[\t0-9]*\t" + pid + "\n.*"))) {
                    return ProcessHandle.of(Long.parseLong(folder.getFileName().toString())).orElseThrow();
                }
            }
        }
        throw new IllegalStateException("there is no " + role + " of grain " + grain);
    }

    private static int depth(Map<Long, Long> parents, long pid) {
        return parents.containsKey(parents.get(pid)) ? 1 + depth(parents, parents.get(pid)) : 0;
    }

    /** A Python process of a sandbox below our own folder, which holds that application. */
    private boolean isOurs(Path process, String application) {
        try {
            String environment = Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1);
            int start = environment.indexOf("SAND_DIRECTORY=" + root + "/");
            if (start < 0 || !Files.readString(process.resolve("comm")).matches("(?s)(python|supervisor|worker|instance).*")) {
                return false;
            }
            String directory = environment.substring(start + "SAND_DIRECTORY=".length(), environment.indexOf('\0', start));
            return Files.isDirectory(Path.of(directory, "app", "grains"))
                    && Files.exists(Path.of(directory, "app", "application-" + application));
        } catch (IOException e) {
            return false;
        }
    }

    /** Ends as a crash would: what others see is that nothing comes any more. */
    void abandon() throws IOException {
        agent.abandon();
        closeParts();
    }

    @Override
    public void close() throws IOException {
        agent.close();
        closeParts();
    }

    private void closeParts() throws IOException {
        journal.close();
        copies.close();
        invocations.close();
        logs.close();
        segments.close();
        try (var files = Files.walk(root)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        }
    }
}
