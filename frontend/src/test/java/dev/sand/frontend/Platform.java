package dev.sand.frontend;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.LogStore;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.LargeValues;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.SharedData;
import dev.sand.datalayer.SecretsKey;
import dev.sand.datalayer.StoredBytes;
import dev.sand.datalayer.StoredSecrets;
import dev.sand.event.Slots;
import dev.sand.event.Tracing;
import dev.sand.frontend.http.Json;
import dev.sand.globalbus.MemoryBus;
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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** A frontend on a free port over stores in memory and a fake host agent, and a client that calls it. */
final class Platform implements AutoCloseable {
    final MemoryStore store = new MemoryStore();
    final Registry registry = new Registry(store);
    final InvocationStore records = new InvocationStore(store, InvocationStore.Options.DEFAULT);
    final Lines logs = new Lines();
    /** While it is away, nobody hears what becomes of an append. */
    volatile boolean busAway;
    final MemoryBus bus = new MemoryBus(Long.MAX_VALUE, Integer.MAX_VALUE, append -> {
        if (!busAway) {
            append.run();
        }
    });
    final SharedData data = new SharedData(store, LargeValues.NONE, SharedData.Options.DEFAULT);
    final List<String> dataDeleted = new CopyOnWriteArrayList<>();
    final StoredSecrets secrets;
    final Path home;
    final FakeHostAgent host;
    final Frontend frontend;
    final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    Platform() throws Exception {
        this(UnaryOperator.identity());
    }

    Platform(UnaryOperator<FrontendConfiguration> change) throws Exception {
        this(change, null);
    }

    /** @param key for secrets, or null */
    Platform(UnaryOperator<FrontendConfiguration> change, SecretsKey key) throws Exception {
        this(change, key, asIs -> { });
    }

    /** @param before what hosts are like when it starts */
    Platform(UnaryOperator<FrontendConfiguration> change, SecretsKey key, Consumer<FakeHostAgent> before) throws Exception {
        secrets = new StoredSecrets(store, key);
        home = Files.createTempDirectory("sand-fe");
        Path bundles = Files.createDirectory(home.resolve("bundles"));
        host = new FakeHostAgent(records, bundles);
        // Alone, unless a test says otherwise: nearly all of them would wait for nobody.
        frontend = new Frontend(change.apply(FrontendConfiguration.defaults("127.0.0.1", 0, home.resolve("work"), bundles)
                .withAlone(true)),
                new Frontend.Parts(host, registry, records, logs, store, dataDeleted::add, bus, Slots.DEFAULT, null, () -> null, () -> "",
                        Tracing.OFF, secrets, data,
                        new StoredBytes(store, registry), System::currentTimeMillis));
        before.accept(host);
        frontend.start();
    }

    /** Over the same stores and hosts. */
    Frontend anotherFrontend() throws Exception {
        return anotherFrontend(store);
    }

    /** @param over the same store, as this frontend gets to see it */
    Frontend anotherFrontend(GlobalStore over) throws Exception {
        Frontend other = new Frontend(FrontendConfiguration.defaults("127.0.0.1", 0, home.resolve("work2"), home.resolve("bundles")),
                new Frontend.Parts(host, new Registry(over), records, logs, over, dataDeleted::add, bus, Slots.DEFAULT));
        other.start();
        return other;
    }

    HttpResponse<byte[]> postTo(int port, String path, String json, String... headers) {
        try {
            return client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                    .POST(BodyPublishers.ofString(json)).header("Content-Type", "application/json").headers(headers).build(),
                    BodyHandlers.ofByteArray());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + frontend.address().getPort() + path);
    }

    HttpResponse<byte[]> send(String method, String path, byte[] body, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path)).method(method,
                body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), BodyHandlers.ofByteArray());
    }

    HttpResponse<byte[]> get(String path, String... headers) throws Exception {
        return send("GET", path, null, headers);
    }

    HttpResponse<byte[]> post(String path, String json, String... headers) throws Exception {
        String[] all = new String[headers.length + 2];
        System.arraycopy(headers, 0, all, 0, headers.length);
        all[headers.length] = "Content-Type";
        all[headers.length + 1] = "application/json";
        return send("POST", path, json.getBytes(StandardCharsets.UTF_8), all);
    }

    HttpResponse<byte[]> deploy(Map<String, String> files) throws Exception {
        return send("POST", "/api/v1/applications", zip(files), "Content-Type", "application/zip");
    }

    /** The application "demo", whose grains the fake host agent knows, and "hold" that runs until it is released. */
    void deployDemo() throws Exception {
        HttpResponse<byte[]> answer = deploy(demo());
        if (answer.statusCode() != 201) {
            throw new IllegalStateException(new String(answer.body(), StandardCharsets.UTF_8));
        }
    }

    static Map<String, String> demo() {
        Map<String, String> files = new LinkedHashMap<>();
        files.put("sand.yaml", """
                name: demo
                routes:
                  - {method: GET, path: "/files/{name}/{rest+}", target: web}
                  - {method: POST, path: /form, target: web}
                share: [echo]
                queues:
                  orders: {target: echo, retries: 1, onFailure: fail}
                triggers:
                  nightly: {cron: "30 3 * * *", timezone: Europe/Berlin, target: echo, input: {a: 1}}
                  uploads: {data: {prefix: uploads/, operations: [put]}, target: echo, batch: 5}
                """);
        for (String grain : new String[] {"echo", "fail", "full", "late", "big", "hold", "web"}) {
            files.put("grains/" + grain + "/handler.py", "def handle(event, context):\n    return event\n");
        }
        files.put("workflows/main.asl.json", """
                {"StartAt": "Echo", "States": {"Echo": {"Type": "Task", "Resource": "echo", "End": true}}}
                """);
        return files;
    }

    static byte[] zip(Map<String, String> files) throws IOException {
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

    static JsonNode json(HttpResponse<byte[]> response) {
        return Json.read(response.body());
    }

    static String text(HttpResponse<byte[]> response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws Exception {
        client.close();
        frontend.close();
        records.close();
        bus.close();
        try (var walk = Files.walk(home)) {
            for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    static final class Lines implements LogStore {
        final List<Line> all = new CopyOnWriteArrayList<>();

        @Override
        public void append(List<Line> lines) {
            for (Line line : lines) {
                all.add(line.numbered(all.size() + 1));
            }
        }

        @Override
        public Page after(String application, Which which, long after, int limit) {
            List<Line> found = of(application, which).filter(line -> line.sequence() > after).toList();
            List<Line> lines = found.subList(0, Math.min(limit, found.size()));
            return new Page(lines, lines.isEmpty() ? after : lines.getLast().sequence(), found.size() > limit);
        }

        @Override
        public Page before(String application, Which which, long before, int limit) {
            List<Line> found = of(application, which).filter(line -> line.sequence() < before).toList();
            List<Line> lines = found.subList(Math.max(0, found.size() - limit), found.size());
            return new Page(lines, lines.isEmpty() ? 0 : lines.getFirst().sequence(), found.size() > limit);
        }

        private Stream<Line> of(String application, Which which) {
            return all.stream().filter(line -> line.application().equals(application) && which.has(line));
        }

        @Override
        public void deleteProcess(String application, String process) {
            all.removeIf(line -> line.application().equals(application) && process.equals(line.process()));
        }

        @Override
        public void deleteApplication(String application) {
            all.removeIf(line -> line.application().equals(application));
        }

        @Override
        public void close() {}
    }
}
