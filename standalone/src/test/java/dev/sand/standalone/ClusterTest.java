package dev.sand.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sand.datalayer.BundleArchive;
import dev.sand.datalayer.GlobalLogStore;
import dev.sand.datalayer.MeasuredStore;
import dev.sand.datalayer.MemoryStore;
import dev.sand.globalbus.FreePort;
import dev.sand.globalbus.KafkaBus;
import dev.sand.globalbus.KafkaMembership;
import dev.sand.globalbus.KafkaNode;
import dev.sand.globalbus.MeasuredBus;
import dev.sand.globalbus.Membership;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Three hosts and two frontends over a real Kafka, in one JVM; the store is memory that they share. */
@Tag("slow")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final MemoryStore STORE = new MemoryStore();
    private static final List<Platform> FRONTENDS = new ArrayList<>();
    private static final Map<String, Platform> HOSTS = new HashMap<>();
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static Path home;

    @BeforeAll
    static void start() throws Exception {
        home = Files.createTempDirectory(Path.of("/tmp"), "sand-c");
        home.toFile().setExecutable(true, false);
        Files.writeString(home.resolve("key"), "the secret of this test's cluster, 32 bytes and more");
        for (String host : new String[] {"host-a", "host-b", "host-c"}) {
            int port = FreePort.next();
            HOSTS.put(host, platform(host, "--role=host", "--agent-listen=127.0.0.1:" + port, "--advertise=127.0.0.1:" + port,
                    "--labels=" + host, "--sandbox=process", "--pool=0", "--drain=2s"));
        }
        for (String frontend : new String[] {"front-a", "front-b"}) {
            FRONTENDS.add(platform(frontend, "--role=frontend", "--listen=127.0.0.1:0", "--drain=1s"));
        }
    }

    private static Platform platform(String id, String... options) throws Exception {
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of("--home=" + home.resolve(id), "--host-id=" + id, "--bus=kafka:" + KafkaNode.shared().bootstrap(),
                "--store=cassandra:nowhere", "--cluster-key=" + home.resolve("key"), "--session=3s", "--management=off"));
        return new Platform(Options.parse(all.toArray(String[]::new), System.getenv()), Map.of(), ClusterTest::backends, broken -> {
            throw new IllegalStateException("the host agent is broken", broken);
        });
    }

    private static Backends backends(Options options, Opened opened, Readiness readiness) {
        KafkaBus bus = opened.add(KafkaBus.open(options.cluster().bus(), Duration.ofSeconds(60)));
        Membership membership = opened.add(new KafkaMembership(bus, options.cluster().membership()));
        return new Backends(new MeasuredBus(bus), membership, new MeasuredStore(STORE), new GlobalLogStore(STORE, 64 << 20), new BundleArchive(STORE));
    }

    @AfterAll
    static void stop() throws Exception {
        FRONTENDS.forEach(Platform::close);
        HOSTS.values().forEach(Platform::close);
        CLIENT.close();
        try (var walk = Files.walk(home)) {
            for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                path.toFile().setWritable(true);
                Files.deleteIfExists(path);
            }
        }
    }

    private static HttpResponse<byte[]> send(int frontend, String method, String path, byte[] body, String... headers) {
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                    + FRONTENDS.get(frontend).address().getPort() + path)).method(method, body == null ? BodyPublishers.noBody()
                    : BodyPublishers.ofByteArray(body));
            if (headers.length > 0) {
                request.headers(headers);
            }
            return CLIENT.send(request.build(), BodyHandlers.ofByteArray());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static JsonNode json(HttpResponse<byte[]> answer) throws IOException {
        return JSON.readTree(answer.body());
    }

    private static HttpResponse<byte[]> invoke(int frontend, String grain, String body, String... headers) {
        return send(frontend, "POST", "/invoke/demo/" + grain, body.getBytes(StandardCharsets.UTF_8), headers);
    }

    private static byte[] zip(Map<String, String> files) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (var file : files.entrySet()) {
                zip.putNextEntry(new ZipEntry(file.getKey()));
                zip.write(file.getValue().getBytes(StandardCharsets.UTF_8));
                zip.closeEntry();
            }
        }
        return bytes.toByteArray();
    }

    @Test
    @Order(1)
    void each_host_gets_its_share_and_every_frontend_knows() {
        for (int frontend = 0; frontend < 2; frontend++) {
            int asked = frontend;
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                JsonNode hosts = json(send(asked, "GET", "/api/v1/status", null)).path("hosts");
                assertThat(hosts).hasSize(3).allSatisfy(host -> {
                    assertThat(host.path("problem").asText("")).isEmpty();
                    assertThat(host.path("place").path("slots").size()).isBetween(5, 6);
                });
                assertThat(send(asked, "GET", "/readyz", null).statusCode()).isEqualTo(200);
            });
        }
    }

    @Test
    @Order(2)
    void an_application_is_deployed_at_one_frontend_and_runs_on_all_hosts_through_any() throws Exception {
        byte[] zip = zip(Map.of("sand.yaml", "name: demo\nsandbox: {memory: 128MiB}\n",
                "grains/echo/handler.py", "def handle(event, context):\n    return event\n",
                "grains/slow/handler.py", "import time\ndef handle(event, context):\n    time.sleep(event)\n    return event\n"));
        HttpResponse<byte[]> deployed = send(0, "POST", "/api/v1/applications", zip, "Content-Type", "application/zip");
        assertThat(deployed.statusCode()).as(new String(deployed.body(), StandardCharsets.UTF_8)).isEqualTo(201);
        for (int i = 0; i < 60; i++) {
            HttpResponse<byte[]> answer = invoke(i % 2, "echo", "{\"n\": " + i + "}", "Content-Type", "application/json");
            assertThat(answer.statusCode()).as(new String(answer.body(), StandardCharsets.UTF_8)).isEqualTo(200);
            assertThat(json(answer).path("n").asInt()).isEqualTo(i);
        }
        JsonNode hosts = json(send(1, "GET", "/api/v1/status", null)).path("hosts");
        assertThat(hosts).allSatisfy(host -> assertThat(host.path("sandboxes")).isNotEmpty());
    }

    @Test
    @Order(3)
    void large_values_pass_through_both() {
        byte[] large = new byte[3 << 20];
        new Random(3).nextBytes(large);
        HttpResponse<byte[]> answer = send(1, "POST", "/invoke/demo/echo", large, "Content-Type", "application/octet-stream");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(large);
    }

    @Test
    @Order(4)
    void one_key_at_two_frontends_is_one_execution() throws Exception {
        List<CompletableFuture<HttpResponse<byte[]>>> racing = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int frontend = i % 2;
            racing.add(CompletableFuture.supplyAsync(() -> invoke(frontend, "slow", "0.5", "Idempotency-Key", "one")));
        }
        List<String> ids = new ArrayList<>();
        for (var answer : racing) {
            assertThat(answer.get().statusCode()).as(new String(answer.get().body(), StandardCharsets.UTF_8)).isEqualTo(200);
            ids.add(answer.get().headers().firstValue("Sand-Execution-Id").orElseThrow());
        }
        assertThat(ids).containsOnly(ids.getFirst());
        assertThat(invoke(1, "slow", "0.6", "Idempotency-Key", "one").statusCode()).isEqualTo(422);
    }

    @Test
    @Order(5)
    void what_is_asked_for_later_is_found_at_the_other_frontend() throws Exception {
        HttpResponse<byte[]> accepted = invoke(0, "slow", "0.3", "Prefer", "respond-async");
        assertThat(accepted.statusCode()).isEqualTo(202);
        String location = accepted.headers().firstValue("Location").orElseThrow();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            HttpResponse<byte[]> output = send(1, "GET", location + "/output", null);
            assertThat(output.statusCode()).isEqualTo(200);
            assertThat(new String(output.body(), StandardCharsets.UTF_8)).isEqualTo("0.3");
        });
        String id = json(invoke(0, "slow", "20", "Prefer", "respond-async")).path("executionId").asText();
        HttpResponse<byte[]> cancelled = send(1, "POST", "/api/v1/applications/demo/invocations/" + id + "/cancel", null);
        assertThat(cancelled.statusCode()).as(new String(cancelled.body(), StandardCharsets.UTF_8)).isEqualTo(200);
    }

    @Test
    @Order(6)
    void a_host_leaves_and_its_requests_are_answered_by_the_others() throws Exception {
        List<CompletableFuture<HttpResponse<byte[]>>> waiting = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            int frontend = i % 2;
            waiting.add(CompletableFuture.supplyAsync(() -> invoke(frontend, "slow", "3", "Sand-Timeout", "60s")));
        }
        HOSTS.remove("host-b").close();
        for (var answer : waiting) {
            assertThat(answer.get().statusCode()).as(new String(answer.get().body(), StandardCharsets.UTF_8)).isEqualTo(200);
        }
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            JsonNode hosts = json(send(0, "GET", "/api/v1/status", null)).path("hosts");
            assertThat(hosts).hasSize(2).allSatisfy(host -> assertThat(host.path("place").path("slots")).hasSize(8));
        });
        for (int i = 0; i < 30; i++) {
            assertThat(invoke(i % 2, "echo", "1", "Content-Type", "application/json").statusCode()).isEqualTo(200);
        }
    }

    @Test
    @Order(7)
    void an_application_is_deleted_with_its_topics() {
        assertThat(send(1, "DELETE", "/api/v1/applications/demo", null).statusCode()).isEqualTo(204);
        try (KafkaBus bus = new KafkaBus(KafkaBus.Options.of(KafkaNode.shared().bootstrap()))) {
            await().untilAsserted(() -> assertThat(bus.topics()).noneMatch(topic -> topic.contains("demo")));
        }
    }
}
