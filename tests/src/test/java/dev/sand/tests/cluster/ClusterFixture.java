package dev.sand.tests.cluster;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.HostConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.core.ConditionTimeoutException;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.lifecycle.Startables;
import org.testcontainers.utility.DockerImageName;

/**
 * deploy/compose/three-hosts.yaml as containers of a test: real Kafka, Cassandra and nginx, two frontends, three host agents
 * that launch sandboxes beside themselves. Started once for all suites by {@link ClusterExtension}; a test may do anything to a
 * {@link Part}, and {@link #heal} puts things right before the next.
 */
public final class ClusterFixture implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(Integer.getInteger("sand.cluster.startSeconds", 240));
    private static final Path FILE = Path.of("../deploy/compose/three-hosts.yaml");
    /** Its grains on three hosts are more than two cores can do beside what most suites look at: ./sand test --all has them. */
    private static final String MANAGEMENT = System.getenv().getOrDefault("SAND_TEST_CLUSTER_MANAGEMENT", "off");
    /** Its parts are killed and started all the time: the second compiler is a third of what a start costs, and never pays. */
    private static final String ONE_COMPILER = "-XX:TieredStopAtLevel=1";
    private static final Map<String, String> JAVA = Map.of("SAND_JVM_OPTIONS", ONE_COMPILER + " -Dsand.test.rehearsal=off", "KAFKA_OPTS", ONE_COMPILER,
            "JVM_EXTRA_OPTS", ONE_COMPILER);
    private static final int PORT = 8080;
    private static final int FRONTEND_PORT = 7263;
    private final Path home;
    private final String key;
    private final Network network = Network.builder()
            .createNetworkCmdModifier(create -> create.withLabels(Map.of(Leftovers.LABEL, Leftovers.ours()))).build();
    private final Map<String, Part> parts = new LinkedHashMap<>();
    private final List<AutoCloseable> clients = new ArrayList<>();

    private ClusterFixture(Map<String, String> images) throws IOException {
        Leftovers.remove();
        // Short: a socket's path has 107 bytes at most. Passable: sandboxes have users of their own.
        home = Files.createTempDirectory(Path.of("/tmp"), Leftovers.HOME_PREFIX,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx--x--x")));
        Runtime.getRuntime().addShutdownHook(new Thread(this::close, "cluster-close"));
        Path clusterKey = key("cluster.key");
        Path operatorKey = key("operator.key");
        key = Files.readString(operatorKey).strip();
        Map<String, String> variables = new HashMap<>(images);
        variables.put("SAND_MANAGEMENT", MANAGEMENT);
        variables.put("SAND_CLUSTER_HOME", home.toString());
        variables.put("SAND_CLUSTER_KEY", clusterKey.toString());
        variables.put("SAND_OPERATOR_KEY", operatorKey.toString());
        variables.put("SAND_SECRETS_KEY", key("secrets.key").toString());
        for (int host = 1; host <= 3; host++) { // published on any port: told is where it is within the network
            variables.put("SAND_DATA_HOST" + host + "_TOLD", "host" + host + ":7266");
        }
        for (ComposeFile.Service service : ComposeFile.read(FILE, variables)) {
            parts.put(service.name(), new Part(service.name(), container(service), network.getId(), key));
        }
        Startables.deepStart(parts.values().stream().map(Part::container)).join();
    }

    private Path key(String name) throws IOException {
        byte[] secret = new byte[32];
        new SecureRandom().nextBytes(secret);
        Path file = Files.createFile(home.resolve(name), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, Base64.getUrlEncoder().withoutPadding().encodeToString(secret) + "\n");
    }

    /** @return when a frontend is ready and every host has slots */
    static ClusterFixture start(Map<String, String> images) throws IOException {
        ClusterFixture cluster = new ClusterFixture(images);
        try {
            cluster.awaitWhole(START);
            return cluster;
        } catch (ConditionTimeoutException e) {
            IllegalStateException failure = new IllegalStateException("the cluster did not start within " + START.toSeconds() + " s\n" + cluster.logs(40), e);
            cluster.close();
            throw failure;
        }
    }

    private GenericContainer<?> container(ComposeFile.Service service) throws IOException {
        for (String bind : service.binds()) {
            Path folder = Path.of(bind.split(":")[0]);
            if (folder.startsWith(home) && Files.notExists(folder)) {
                Files.createDirectory(folder);
            }
        }
        GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse(service.image()))
                .withNetwork(network).withNetworkAliases(service.name())
                .withEnv(JAVA)
                .withEnv(service.environment())
                .withExposedPorts(service.ports().toArray(Integer[]::new))
                .withLabels(Map.of(Leftovers.LABEL, Leftovers.ours(), Leftovers.HOME_LABEL, home.toString()))
                .waitingFor(new Started())
                .withCreateContainerCmdModifier(create -> {
                    HostConfig host = create.getHostConfig();
                    host.withMemory(service.memoryBytes()).withSecurityOpts(service.securityOptions());
                    if (service.pids() > 0) {
                        host.withPidsLimit(service.pids());
                    }
                    if (!service.capDrop().isEmpty()) {
                        host.withCapDrop(service.capDrop().stream().map(Capability::valueOf).toArray(Capability[]::new));
                    }
                    host.withBinds(service.binds().stream().map(Bind::parse).toArray(Bind[]::new));
                    create.withHostName(service.name());
                });
        return service.command().isEmpty() ? container : container.withCommand(service.command().toArray(String[]::new));
    }

    public Part part(String name) {
        Part part = parts.get(name);
        if (part == null) {
            throw new IllegalArgumentException("no part " + name + " among " + parts.keySet());
        }
        return part;
    }

    public List<String> hosts() {
        return parts.keySet().stream().filter(name -> name.startsWith("host")).toList();
    }

    /** Where this machine reaches a host's own ports. */
    String ip(String host) {
        return part(host).container().getCurrentContainerInfo().getNetworkSettings().getNetworks().values().iterator().next().getIpAddress();
    }

    /** Through nginx. */
    public PlatformClient client() {
        GenericContainer<?> nginx = part("nginx").container();
        PlatformClient client = new PlatformClient(URI.create("http://" + nginx.getHost() + ":" + nginx.getMappedPort(PORT)), key);
        clients.add(client);
        return client;
    }

    /** Of one frontend, past nginx. */
    public PlatformClient client(String frontend) {
        PlatformClient client = new PlatformClient(URI.create("http://" + ip(frontend) + ":" + FRONTEND_PORT), key);
        clients.add(client);
        return client;
    }

    /** That host's sandboxes as the engine knows them: containers beside the host agent's own. */
    public List<Container> sandboxes(String host) {
        return engine().listContainersCmd().withLabelFilter(Map.of("dev.sand.home", home.resolve(host).toString())).exec();
    }

    public DockerClient engine() {
        return DockerClientFactory.instance().client();
    }

    /** That host's slots as the frontends know them. */
    public List<Integer> slots(PlatformClient client, String host) {
        List<Integer> slots = new ArrayList<>();
        for (JsonNode known : client.hosts()) {
            if (known.path("host").asText().equals(host)) {
                known.path("place").path("slots").forEach(slot -> slots.add(slot.asInt()));
            }
        }
        return slots;
    }

    /** Processes of that name in the host's sandboxes of that application, as the engine sees them: whatever the host agent does. */
    long processes(String host, String application, String name) {
        return sandboxes(host).stream().filter(sandbox -> sandbox.getNames()[0].contains("-" + application + "-"))
                .flatMap(sandbox -> Arrays.stream(engine().topContainerCmd(sandbox.getId()).withPsArgs("-eo pid,comm").exec().getProcesses()))
                .filter(process -> process[process.length - 1].equals(name)).count();
    }

    /** Every part runs and is connected, and every host has slots again. */
    public void heal() {
        parts.values().forEach(Part::heal);
        awaitWhole(START);
    }

    private void awaitWhole(Duration atMost) {
        try (PlatformClient client = new PlatformClient(address(), key)) {
            await("a frontend that is ready, and slots at every host").atMost(atMost).pollInterval(Duration.ofMillis(250))
                    .until(() -> client.get("/readyz").status() == 200 && hosts().stream().noneMatch(host -> slots(client, host).isEmpty()));
        }
    }

    private URI address() {
        GenericContainer<?> nginx = part("nginx").container();
        return URI.create("http://" + nginx.getHost() + ":" + nginx.getMappedPort(PORT));
    }

    /** The last lines of every part, for a failure's message. */
    private String logs(int lines) {
        StringBuilder text = new StringBuilder();
        parts.values().forEach(part -> {
            String[] all = part.log().strip().split("\n");
            text.append("-- ").append(part).append(part.running() ? "" : " (does not run)").append('\n')
                    .append(String.join("\n", Arrays.copyOfRange(all, Math.max(0, all.length - lines), all.length))).append('\n');
        });
        return text.toString();
    }

    /** Keeps every part's log, so that a failure's message says what is wrong first: where they are, for that message. */
    public String keptLogs() {
        Path folder = Path.of("target", "cluster-logs", Long.toString(System.currentTimeMillis()));
        try {
            Files.createDirectories(folder);
            for (Part part : parts.values()) {
                Files.writeString(folder.resolve(part + ".log"), part.log());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return "the logs of all parts are in " + folder.toAbsolutePath();
    }

    @Override
    public void close() {
        for (AutoCloseable client : clients) {
            try {
                client.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        clients.clear();
        parts.values().forEach(part -> part.container().stop());
        parts.clear();
        network.close();
        Leftovers.removeHome(home);
    }
}
