package dev.sand.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sand.datalayer.BundleArchive;
import dev.sand.datalayer.GlobalLogStore;
import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.MeasuredStore;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.StoreException;
import dev.sand.globalbus.FreePort;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.KafkaBus;
import dev.sand.globalbus.KafkaMembership;
import dev.sand.globalbus.KafkaNode;
import dev.sand.globalbus.MeasuredBus;
import dev.sand.globalbus.Membership;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Hosts and frontends in one JVM over a real broker; the store is memory that they share, and that can be away. */
final class InProcessCluster implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final JsonMapper JSON = new JsonMapper();
    final Path home;
    final KafkaNode kafka = new KafkaNode(Map.of());
    private final Map<String, String> environment;
    private final GlobalStore store = store(new MemoryStore());
    private final Deque<Platform> parts = new ArrayDeque<>();
    private final Map<String, Integer> healthPorts = new HashMap<>();
    private final HttpClient client = HttpClient.newHttpClient();
    volatile boolean storeIsAway;
    /** What the next part is told. */
    String management = "off";
    /** While it is not open, whoever reads a journal waits. */
    volatile CountDownLatch journals = new CountDownLatch(0);

    InProcessCluster(Map<String, String> environment) throws IOException {
        this.environment = environment;
        home = Files.createTempDirectory(Path.of("/tmp"), "sand-i");
        home.toFile().setExecutable(true, false); // sandboxes that are plain processes have a user of their own
        Files.writeString(home.resolve("key"), "the secret of this test's cluster, 32 bytes and more");
        kafka.start();
    }

    /** @param drain for how long a stop waits for what runs */
    Platform host(String id, String drain) throws Exception {
        int port = FreePort.next();
        return start(id, "--role=host", "--agent-listen=127.0.0.1:" + port, "--advertise=127.0.0.1:" + port, "--labels=" + id,
                "--sandbox=process", "--pool=0", "--drain=" + drain);
    }

    Platform frontend(String id) throws Exception {
        return start(id, "--role=frontend", "--listen=127.0.0.1:0", "--drain=30s");
    }

    /** Two hosts that have the application, and the frontend of both. */
    Platform frontOfTwo(String one, String other, Map<String, String> files) throws Exception {
        host(one, "30s");
        host(other, "30s");
        Platform front = frontend("front");
        awaitHosts(front, 2);
        HttpResponse<String> deployed = deploy(front, files);
        assertThat(deployed.statusCode()).as(deployed.body()).isEqualTo(201);
        return front;
    }

    private Platform start(String id, String... options) throws Exception {
        healthPorts.put(id, FreePort.next());
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of("--home=" + home.resolve(id), "--host-id=" + id, "--bus=kafka:" + kafka.bootstrap(),
                "--store=cassandra:nowhere", "--cluster-key=" + home.resolve("key"), "--session=6s", "--management=" + management,
                "--health-listen=127.0.0.1:" + healthPorts.get(id)));
        Platform platform = new Platform(Options.parse(all.toArray(String[]::new), Map.of()), environment, this::backends, broken -> {
            throw new IllegalStateException("the host agent is broken", broken);
        });
        parts.push(platform);
        return platform;
    }

    private Backends backends(Options options, Opened opened, Readiness readiness) {
        KafkaBus bus = opened.add(KafkaBus.open(options.cluster().bus(), PATIENCE));
        Membership membership = opened.add(new KafkaMembership(bus, options.cluster().membership()));
        return new Backends(new MeasuredBus(gated(bus)), membership, new MeasuredStore(store), new GlobalLogStore(store, 64 << 20),
                new BundleArchive(store));
    }

    private GlobalBus gated(GlobalBus bus) {
        return over(GlobalBus.class, bus, (method, topic) -> {
            if (method.equals("read") && topic.toString().startsWith("journal.")) {
                journals.await();
            }
        });
    }

    private GlobalStore store(GlobalStore memory) {
        return over(GlobalStore.class, memory, (method, table) -> {
            if (storeIsAway && !method.equals("close")) {
                throw new StoreException(StoreException.Kind.AWAY, "it is away, for this test", 0, null);
            }
        });
    }

    private interface Before {
        void call(String method, Object first) throws InterruptedException;
    }

    private static <T> T over(Class<T> type, T target, Before before) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, method, arguments) -> {
            before.call(method.getName(), arguments == null ? null : arguments[0]);
            try {
                return method.invoke(target, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    /** @return status and body, as {@code 503 {…}} */
    String health(String id, String path) {
        return PartProcess.get("http://127.0.0.1:" + healthPorts.get(id) + path);
    }

    HttpResponse<String> send(Platform frontend, String method, String path, byte[] body, String... headers) {
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + frontend.address().getPort() + path))
                    .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body)).timeout(PATIENCE);
            return client.send((headers.length == 0 ? request : request.headers(headers)).build(), BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static JsonNode json(HttpResponse<String> answer) {
        try {
            return JSON.readTree(answer.body());
        } catch (IOException e) {
            throw new IllegalStateException(answer.statusCode() + " " + answer.body(), e);
        }
    }

    HttpResponse<String> deploy(Platform frontend, Map<String, String> files) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (Map.Entry<String, String> file : files.entrySet()) {
                zip.putNextEntry(new ZipEntry(file.getKey()));
                zip.write(file.getValue().getBytes(StandardCharsets.UTF_8));
                zip.closeEntry();
            }
        }
        return send(frontend, "POST", "/api/v1/applications", bytes.toByteArray(), "Content-Type", "application/zip");
    }

    /** Waits until that many hosts live and share the slots out, as the frontend sees it. */
    void awaitHosts(Platform frontend, int hosts) {
        await().atMost(PATIENCE).until(() -> {
            JsonNode found = json(send(frontend, "GET", "/api/v1/status", null)).path("hosts");
            return found.size() == hosts && Stream.iterate(0, i -> i < hosts, i -> i + 1)
                    .allMatch(i -> found.get(i).path("place").path("slots").size() >= 16 / hosts);
        });
    }

    @Override
    public void close() throws IOException {
        parts.forEach(Platform::close);
        client.close();
        kafka.close();
        try (Stream<Path> walk = Files.walk(home)) {
            for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                path.toFile().setWritable(true);
                Files.deleteIfExists(path);
            }
        }
    }
}
