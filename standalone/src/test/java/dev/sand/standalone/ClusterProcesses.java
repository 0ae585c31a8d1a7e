package dev.sand.standalone;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sand.datalayer.CassandraNode;
import dev.sand.globalbus.KafkaNode;
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
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Host agents and frontends as processes of their own over a real broker and a real Cassandra node. */
final class ClusterProcesses implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofMinutes(5); // a busy machine starts six JVMs slowly
    private static final JsonMapper JSON = new JsonMapper();
    final Path home;
    final KafkaNode kafka = new KafkaNode(Map.of());
    final CassandraNode cassandra = new CassandraNode();
    private final List<PartProcess> parts = new ArrayList<>();
    private final List<String> options;
    private final HttpClient client = HttpClient.newHttpClient();

    ClusterProcesses(String... more) throws IOException {
        home = Files.createTempDirectory(Path.of("/tmp"), "sand-p");
        home.toFile().setExecutable(true, false); // sandboxes that are plain processes have a user of their own
        Files.writeString(home.resolve("key"), "the secret of this test's cluster, 32 bytes and more");
        kafka.start();
        cassandra.launch();
        options = new ArrayList<>(List.of("--bus=kafka:" + kafka.bootstrap(), "--store=cassandra:" + cassandra.address(),
                "--cluster-key=" + home.resolve("key")));
        options.addAll(List.of(more));
    }

    /** Of every part. */
    List<String> options() {
        return options;
    }

    /** @param jvm options of the process's JVM */
    PartProcess host(String id, String... jvm) {
        return add(PartProcess.host(home, id, List.of(jvm), options));
    }

    PartProcess frontend(String id, String... jvm) {
        return add(PartProcess.frontend(home, id, List.of(jvm), options));
    }

    private PartProcess add(PartProcess part) {
        parts.add(part);
        return part;
    }

    void awaitReady() {
        parts.forEach(PartProcess::awaitReady);
    }

    /** A folder that grains can write to. */
    Path notes() throws IOException {
        Path notes = Files.createDirectories(home.resolve("notes"));
        notes.toFile().setWritable(true, false);
        notes.toFile().setReadable(true, false);
        notes.toFile().setExecutable(true, false);
        return notes;
    }

    HttpResponse<String> send(PartProcess frontend, String method, String path, byte[] body, String... headers) {
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + frontend.port + path))
                    .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body)).timeout(PATIENCE);
            return client.send((headers.length == 0 ? request : request.headers(headers)).build(), BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    JsonNode json(PartProcess frontend, String path) {
        return json(send(frontend, "GET", path, null));
    }

    static JsonNode json(HttpResponse<String> answer) {
        try {
            return JSON.readTree(answer.body());
        } catch (IOException e) {
            throw new IllegalStateException(answer.statusCode() + " " + answer.body(), e);
        }
    }

    HttpResponse<String> invoke(PartProcess frontend, String target, String body, String... headers) {
        List<String> all = new ArrayList<>(List.of("Content-Type", "application/json"));
        all.addAll(List.of(headers));
        return send(frontend, "POST", "/invoke/" + target, body.getBytes(StandardCharsets.UTF_8), all.toArray(String[]::new));
    }

    HttpResponse<String> deploy(PartProcess frontend, Map<String, String> files) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (Map.Entry<String, String> file : files.entrySet()) {
                zip.putNextEntry(new ZipEntry(file.getKey()));
                zip.write(file.getValue().getBytes(StandardCharsets.UTF_8));
                zip.closeEntry();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return send(frontend, "POST", "/api/v1/applications", bytes.toByteArray(), "Content-Type", "application/zip");
    }

    /** Waits until that many hosts live and share the slots out, as the frontend sees it. */
    void awaitHosts(PartProcess frontend, int hosts) {
        await().atMost(PATIENCE).until(() -> {
            JsonNode found = json(frontend, "/api/v1/status").path("hosts");
            int least = 16 / hosts;
            return found.size() == hosts && Stream.iterate(0, i -> i < hosts, i -> i + 1)
                    .allMatch(i -> found.get(i).path("place").path("slots").size() >= least);
        });
    }

    @Override
    public void close() throws IOException {
        parts.reversed().forEach(PartProcess::close);
        client.close();
        cassandra.close();
        kafka.close();
        try (Stream<Path> walk = Files.walk(home)) {
            for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                path.toFile().setWritable(true);
                Files.deleteIfExists(path);
            }
        }
    }
}
