package dev.sand.frontend;

import static dev.sand.frontend.Platform.demo;
import static dev.sand.frontend.Platform.json;
import static dev.sand.frontend.Platform.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.Placement;
import dev.sand.event.SandboxSpec;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** From a folder to a version, and every folder that does not become one. */
@Tag("slow")
class DeployTest {
    private static final String HANDLER = "def handle(event, context):\n    return event\n";
    private Platform platform;

    @BeforeEach
    void start() throws Exception {
        platform = new Platform(configuration -> configuration.withFolderDeploy(true));
    }

    @AfterEach
    void stop() throws Exception {
        platform.close();
    }

    private static Map<String, String> application(String yaml) {
        Map<String, String> files = new LinkedHashMap<>();
        files.put("sand.yaml", yaml);
        files.put("grains/a/handler.py", HANDLER);
        return files;
    }

    /** Deploys what must be refused, and gives the answer. */
    private JsonNode refused(int status, Map<String, String> files) throws Exception {
        HttpResponse<byte[]> answer = platform.deploy(files);
        assertThat(answer.statusCode()).as(text(answer)).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(platform.registry.applications()).isEmpty();
        return json(answer);
    }

    @Test
    void a_version_tells_what_was_installed_for_it() throws Exception {
        platform.host.resolved = List.of("numpy==2.3.1");
        platform.deploy(demo());
        platform.host.resolved = List.of();
        Map<String, String> changed = demo();
        changed.put("grains/echo/handler.py", "x = 1\n");
        platform.deploy(changed);
        assertThat(json(platform.get("/api/v1/applications/demo/versions/1")).path("resolved").toString()).isEqualTo("[\"numpy==2.3.1\"]");
        assertThat(json(platform.get("/api/v1/applications/demo")).path("resolved").toString()).isEqualTo("[]");
    }

    @Test
    void a_version_says_what_it_is_for() throws Exception {
        Map<String, String> said = demo();
        said.computeIfPresent("sand.yaml", (_, yaml) -> yaml + "description: |\n  Two <b>grains</b>.\n");
        platform.deploy(said);
        assertThat(json(platform.get("/api/v1/applications/demo")).path("description").asText()).isEqualTo("Two <b>grains</b>.");
        platform.deploy(demo());
        assertThat(json(platform.get("/api/v1/applications/demo")).path("description").asText()).isEmpty();
        assertThat(json(platform.get("/api/v1/applications/demo/versions/1")).path("description").asText()).isNotEmpty();
    }

    @Test
    void a_zip_becomes_version_one_and_is_live() throws Exception {
        HttpResponse<byte[]> answer = platform.deploy(demo());
        assertThat(answer.statusCode()).as(text(answer)).isEqualTo(201);
        assertThat(json(answer).path("version").asInt()).isEqualTo(1);
        assertThat(json(answer).path("workflows").toString()).isEqualTo("[\"main\"]");
        assertThat(platform.registry.alias("demo", "live")).contains(1);
        assertThat(platform.registry.version("demo", 1).orElseThrow().grains().get("echo"))
                .isEqualTo(GrainSpec.withDefaults("echo"));
    }

    @Test
    void the_same_content_is_the_same_version_and_other_content_the_next() throws Exception {
        platform.deployDemo();
        HttpResponse<byte[]> again = platform.deploy(demo());
        assertThat(again.statusCode()).isEqualTo(200);
        assertThat(json(again).path("created").asBoolean()).isFalse();
        assertThat(platform.host.builds).hasSize(1);
        Map<String, String> changed = demo();
        changed.put("grains/echo/handler.py", HANDLER + "# changed\n");
        assertThat(json(platform.deploy(changed)).path("version").asInt()).isEqualTo(2);
        assertThat(platform.host.retired).containsExactly("demo@1");
        assertThat(json(platform.deploy(demo())).path("version").asInt()).isEqualTo(1);
        assertThat(platform.registry.alias("demo", "live")).contains(1);
    }

    @Test
    void topics_are_made_at_deployment_and_deleted_with_the_application() throws Exception {
        platform.deploy(application("name: one\n"));
        platform.deploy(application("name: one-more\n"));
        assertThat(platform.bus.topics()).contains("journal.one", "requests.one", "returns.one", "work.one.a", "work.one-more.a");
        assertThat(platform.bus.partitions("work.one.a")).isEqualTo(16);
        assertThat(platform.send("DELETE", "/api/v1/applications/one", null).statusCode()).isEqualTo(204);
        assertThat(platform.bus.topics()).containsExactlyInAnyOrder("journal.one-more", "requests.one-more", "returns.one-more",
                "work.one-more.a");
        assertThat(platform.host.deleted).containsExactly("one@1");
    }

    @Test
    void placement_is_kept_with_the_version_and_shown() throws Exception {
        Map<String, String> files = application("""
                name: placed
                placement: {labels: [ssd, zone=a]}
                grains:
                  b: {placement: {hosts: [host-2, host-1]}}
                """);
        files.put("grains/b/handler.py", HANDLER);
        assertThat(platform.deploy(files).statusCode()).isEqualTo(201);
        var version = platform.registry.version("placed", 1).orElseThrow();
        assertThat(version.placement("a")).isEqualTo(new Placement(Set.of(), Set.of("ssd", "zone=a")));
        assertThat(version.placement("b")).isEqualTo(new Placement(Set.of("host-1", "host-2"), Set.of()));
        assertThat(json(platform.get("/api/v1/applications/placed")).path("placements").path("b").path("hosts"))
                .map(JsonNode::asText).containsExactlyInAnyOrder("host-1", "host-2");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"placement: {}| /placement", "placement: {host: [a]}| /placement",
        "placement: {hosts: []}| /placement/hosts", "placement: {labels: ['a b']}| /placement/labels/0",
        "placement: [a]| /placement", "grains: {a: {placement: {hosts: a}}}| /grains/a"})
    void a_placement_that_says_nothing_is_refused_at_its_place(String line, String pointer) throws Exception {
        JsonNode problem = refused(422, application("name: placed\n" + line + "\n"));
        assertThat(problem.toString()).contains("\"" + pointer);
    }

    @Test
    void sand_yaml_says_what_differs_from_the_defaults() throws Exception {
        Map<String, String> files = application("""
                name: full
                sandbox: {memory: 512MiB, cpus: 1.5, pids: 64, network: true, preload: [numpy, PIL.Image], idleTimeout: 10m}
                durability: strict
                defaults: {timeout: 5s, env: {A: base, B: base}}
                grains:
                  a: {entry: "handler:handle", isolation: worker, preload: none, timeout: 1m, concurrency: 1, memory: 256MiB,
                      queue: {depth: 7, bytes: 1MiB}, idle: {min: 2, max: 3}, maxRequests: 9, env: {B: 1}, secrets: [KEY]}
                  b: {}
                workflows:
                  entry: {file: workflows/other.asl.json, timeout: 2m}
                """);
        files.put("grains/b/handler.py", HANDLER);
        files.put("workflows/other.asl.json",
                "{\"StartAt\": \"A\", \"States\": {\"A\": {\"Type\": \"Task\", \"Resource\": \"a\", \"End\": true}}}");
        assertThat(platform.deploy(files).statusCode()).isEqualTo(201);
        var version = platform.registry.version("full", 1).orElseThrow();
        assertThat(version.sandbox()).isEqualTo(new SandboxSpec(512L << 20, 1.5, 64, true,
                List.of("numpy", "PIL.Image"), 600_000));
        assertThat(version.grains().get("a")).isEqualTo(new GrainSpec("a", "handler:handle", GrainSpec.Isolation.WORKER,
                GrainSpec.Preload.NONE, 60_000, 1, 256L << 20, 7, 1L << 20, 2, 3, 9, Map.of("A", "base", "B", "1"),
                List.of("KEY")));
        assertThat(version.grains().get("b").timeoutMs()).isEqualTo(5_000);
        assertThat(version.workflows()).containsOnlyKeys("entry");
        assertThat(version.workflows().get("entry").timeoutMs()).isEqualTo(120_000);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"sandbox: {cpus: 0.001}| /sandbox/cpus",
        "processes: {dedicated: {cpus: 0.0099}}| /processes/dedicated/cpus"})
    void less_of_a_processor_than_a_container_starts_with_is_refused_with_the_bound(String line, String pointer) throws Exception {
        JsonNode problem = refused(422, application("name: slow\n" + line + "\n"));
        assertThat(problem.path("errors").findValuesAsText("pointer")).containsExactly(pointer);
        assertThat(problem.path("errors").path(0).path("detail").asText()).contains("0.01");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sandbox: {cpus: 0.01}", "sandbox: {cpus: 0}", "processes: {dedicated: {cpus: 0.01}}"})
    void a_hundredth_of_a_processor_is_enough(String line) throws Exception {
        assertThat(platform.deploy(application("name: slow\n" + line + "\n")).statusCode()).isEqualTo(201);
    }

    @Test
    void every_mistake_is_told_at_once_with_its_place() throws Exception {
        Map<String, String> files = application("""
                name: x
                grains:
                  a: {timeout: 30h, idle: {min: 5, max: 2}, memory: 1MiB}
                  ghost: {entry: "other:handle"}
                routes: [{path: /x, target: nobody}]
                share: [nothing]
                """);
        files.put("workflows/main.asl.json",
                "{\"StartAt\": \"A\", \"States\": {\"A\": {\"Type\": \"Task\", \"Resource\": \"nobody\", \"End\": true}}}");
        JsonNode problem = refused(422, files);
        assertThat(problem.path("errors").findValuesAsText("pointer")).contains("/grains/a/timeout", "/grains/a/idle",
                "/grains/a/memory", "/routes/0/target", "/share/0", "/States/A/Resource");
        assertThat(problem.toString()).contains("grains/ghost/other.py");
    }

    @ParameterizedTest
    @ValueSource(strings = {"name: Upper", "name: 'with space'", "name: ../up", "name: ''", "name: 7", "{}", "- 1", "name: [",
        "name: x\nname: y", "name: x\nunknown: 1", "name: x\ngrains: {a: {timeout: soon}}", "name: x\ngrains: {a: {isolation: none}}",
        "name: x\ngrains: {a: {entry: handle}}", "name: x\nsandbox: {memory: lots}", "name: x\nsandbox: {memory: 1KiB}",
        "name: x\nroutes: [{path: no-slash, target: a}]", "name: x\nroutes: [{path: '/{rest+}/more', target: a}]",
        "name: x\ngrains: {'a.b': {}}", "name: x\ngrains: {a: {env: {'A-B': x}}}", "name: x\ngrains: {a: {from: nothing}}",
        "name: x\nworkflows: {main: {file: ../../secret.json}}", "name: x\nworkflows: {main: {file: gone.json}}", "",
        "# only a comment", "name: x\n---\nname: y", "- name: x", "name: x\ngrains: {a: {env: {A: \"b\\0\"}}}",
        "name: x\ntriggers: {never: {cron: '0 0 31 2 *', target: a}}", "name: x\ntriggers: {odd: {cron: every day, target: a}}",
        "name: x\nroutes: [{path: '/{a}/{a}', target: a}]", "name: x\nroutes: [{path: '/{a}/{a+}', target: a}]"})
    void a_sand_yaml_that_means_nothing_is_refused(String yaml) throws Exception {
        JsonNode problem = refused(422, application(yaml));
        assertThat(problem.path("type").asText()).isEqualTo("https://sand.dev/problems/invalid-application");
        assertThat(problem.path("errors").path(0).path("file").asText()).isEqualTo("sand.yaml");
    }

    @ParameterizedTest
    @CsvSource({"grains/with space/handler.py", "grains/a.b/handler.py", "grains/1st/handler.py", "workflows/odd name.asl.json"})
    void odd_names_of_grains_and_workflows_are_refused(String path) throws Exception {
        Map<String, String> files = application("name: x");
        files.put(path, "{}");
        refused(422, files);
    }

    @ParameterizedTest
    @ValueSource(strings = {"../outside.py", "grains/../../outside.py", "/etc/outside.py", "C:/outside.py", "grains\\..\\outside.py",
        "grains//a.py", "grains/./a.py", "grains/a\n.py", " lead/a.py", "sand.yaml/below"})
    void an_archive_that_reaches_outside_or_has_odd_names_is_refused(String name) throws Exception {
        Map<String, String> files = application("name: x");
        files.put(name, "x");
        assertThat(refused(422, files).path("type").asText()).isEqualTo("https://sand.dev/problems/invalid-archive");
        assertThat(Files.exists(platform.home.resolve("outside.py"))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"0120777", "0010644", "0060644"})
    void links_and_special_files_in_an_archive_are_refused(String mode) throws Exception {
        Map<String, String> files = application("name: x");
        files.put("grains/a/passwd", "/etc/passwd");
        byte[] zip = withMode(Platform.zip(files), "grains/a/passwd", Integer.parseInt(mode, 8));
        HttpResponse<byte[]> answer = platform.send("POST", "/api/v1/applications", zip, "Content-Type", "application/zip");
        assertThat(answer.statusCode()).as(text(answer)).isEqualTo(422);
        assertThat(text(answer)).contains("link or a special file");
    }

    /** Writes a Unix mode into the entry's record in the central directory. */
    private static byte[] withMode(byte[] zip, String name, int mode) {
        String bytes = new String(zip, StandardCharsets.ISO_8859_1);
        int at = bytes.lastIndexOf(name) - 46;
        zip[at + 5] = 3;
        zip[at + 40] = (byte) mode;
        zip[at + 41] = (byte) (mode >> 8);
        return zip;
    }

    @Test
    void a_bomb_is_refused_before_it_is_unpacked_whole() throws Exception {
        Map<String, String> files = application("name: x");
        files.put("zeros", "0".repeat(64 << 20));
        JsonNode problem = refused(413, files);
        assertThat(problem.path("limit").asInt()).isEqualTo(200);
        assertThat(problem.path("actual").asInt()).isGreaterThan(200);
    }

    @Test
    void what_is_no_zip_is_refused() throws Exception {
        byte[] whole = Platform.zip(application("name: x"));
        for (byte[] data : new byte[][] {{}, "not a zip".getBytes(StandardCharsets.US_ASCII),
            Arrays.copyOf(whole, whole.length - 30), Arrays.copyOf(whole, 40)}) {
            assertThat(platform.send("POST", "/api/v1/applications", data, "Content-Type", "application/zip").statusCode())
                    .isEqualTo(422);
        }
    }

    /** It would be read into memory before anything of it is unpacked. */
    @Test
    void a_central_directory_larger_than_entries_need_is_refused() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (int i = 0; i < 330; i++) {
                ZipEntry entry = new ZipEntry("note" + i);
                entry.setComment("x".repeat(65_000));
                zip.putNextEntry(entry);
            }
        }
        HttpResponse<byte[]> answer = platform.send("POST", "/api/v1/applications", bytes.toByteArray(), "Content-Type", "application/zip");
        assertThat(answer.statusCode()).as(text(answer)).isEqualTo(422);
        assertThat(text(answer)).contains("central directory of 2");
    }

    @Test
    void a_zip_of_the_folder_itself_is_taken_too_and_litter_left_out() throws Exception {
        Map<String, String> files = new LinkedHashMap<>();
        application("name: x").forEach((name, content) -> files.put("x/" + name, content));
        files.put("x/grains/a/__pycache__/handler.pyc", "?");
        files.put("__MACOSX/._x", "?");
        assertThat(platform.deploy(files).statusCode()).isEqualTo(201);
        assertThat(Files.exists(platform.home.resolve("bundles/bundle-x-1/grains/a/handler.py"))).isTrue();
        assertThat(Files.exists(platform.home.resolve("bundles/bundle-x-1/grains/a/__pycache__"))).isFalse();
    }

    @Test
    void a_handler_that_does_not_import_is_refused_with_its_traceback() throws Exception {
        platform.host.buildFailure = Failure.grain(Errors.IMPORT_FAILED, "grain a: ZeroDivisionError", "handler.py, line 1");
        JsonNode problem = refused(422, application("name: x"));
        assertThat(problem.path("type").asText()).isEqualTo("https://sand.dev/problems/import-failed");
        assertThat(problem.path("source").asText()).isEqualTo("grain");
        assertThat(problem.path("stackTrace").asText()).contains("handler.py");
        platform.host.buildFailure = Failure.platform(Errors.SANDBOX_FAILED, "no engine", true);
        assertThat(refused(503, application("name: x")).path("retryable").asBoolean()).isTrue();
    }

    @Test
    void a_grain_of_another_application_is_copied_when_its_owner_shares_it() throws Exception {
        platform.deployDemo();
        Map<String, String> files = application("name: taker\ngrains: {mine: {from: demo/echo@1, timeout: 3s}}");
        HttpResponse<byte[]> answer = platform.deploy(files);
        assertThat(answer.statusCode()).as(text(answer)).isEqualTo(201);
        assertThat(platform.registry.version("taker", 1).orElseThrow().grains().get("mine").timeoutMs()).isEqualTo(3_000);
        assertThat(Files.exists(platform.home.resolve("bundles/bundle-taker-2/grains/mine/handler.py"))).isTrue();
        for (String from : new String[] {"demo/fail", "demo/nothing", "demo/echo@7", "nobody/echo"}) {
            answer = platform.deploy(application("name: other\ngrains: {mine: {from: " + from + "}}"));
            assertThat(answer.statusCode()).as(from).isEqualTo(422);
            assertThat(json(answer).path("errors").path(0).path("pointer").asText()).isEqualTo("/grains/mine/from");
        }
    }

    @Test
    void progress_comes_as_events_where_they_are_accepted() throws Exception {
        byte[] zip = Platform.zip(demo());
        String events = text(platform.send("POST", "/api/v1/applications", zip, "Accept", "text/event-stream, application/json"));
        assertThat(events).contains("event: progress\ndata: {\"message\":\"importing").contains("event: deployed\ndata: {");
        String lines = text(platform.send("PUT", "/api/v1/applications/other", zip, "Accept", "application/x-ndjson"));
        assertThat(lines).contains("\"event\":\"problem\"").contains("\"status\":422");
    }

    @Test
    void a_folder_of_this_machine_is_deployed_where_that_is_allowed() throws Exception {
        Path folder = Files.createDirectories(platform.home.resolve("app"));
        for (var file : application("name: x").entrySet()) {
            Files.createDirectories(folder.resolve(file.getKey()).getParent());
            Files.writeString(folder.resolve(file.getKey()), file.getValue());
        }
        String body = "{\"folder\": \"" + folder + "\"}";
        assertThat(platform.post("/api/v1/applications", body).statusCode()).isEqualTo(201);
        assertThat(platform.post("/api/v1/applications", body, "Origin", "http://evil.example").statusCode()).isEqualTo(403);
        assertThat(platform.post("/api/v1/applications", "{\"folder\": \"relative\"}").statusCode()).isEqualTo(400);
        Files.createSymbolicLink(folder.resolve("grains/a/passwd"), Path.of("/etc/passwd"));
        assertThat(platform.post("/api/v1/applications", body).statusCode()).isEqualTo(422);
        try (Platform strict = new Platform()) {
            assertThat(strict.post("/api/v1/applications", body).statusCode()).isEqualTo(403);
        }
    }

    @Test
    void nothing_of_an_upload_stays_behind() throws Exception {
        platform.deployDemo();
        platform.deploy(Map.of("x", "y"));
        try (var left = Files.list(platform.home.resolve("work"))) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void old_versions_go_with_the_next_deployment_unless_they_are_in_use() throws Exception {
        for (int i = 1; i <= 13; i++) {
            assertThat(platform.deploy(application("name: shop\nsandbox: {pids: " + (100 + i) + "}\n")).statusCode()).isEqualTo(201);
            if (i == 2) {
                assertThat(platform.send("PUT", "/api/v1/applications/shop/aliases/stable",
                        "{\"version\": 2}".getBytes(StandardCharsets.UTF_8)).statusCode()).isEqualTo(200);
            }
            if (i == 3) {
                platform.records.record(new InvocationRecord((short) 1, Ids.encode(1, 0, 1), "shop", 3, "a",
                        InvocationResult.Status.RUNNING, Payload.nullJson(), null, null, 1, 0, 0, 0,
                        List.of()), failure -> {});
            }
        }
        assertThat(platform.registry.versions("shop")).containsExactly(2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
        HttpResponse<byte[]> again = platform.deploy(application("name: shop\nsandbox: {pids: 101}\n"));
        assertThat(json(again).path("version").asInt()).isEqualTo(14);
    }

    @Test
    void a_folder_that_is_none_is_refused() throws Exception {
        for (String wrong : new String[] {"", "null", "[]", "{", "{}", "{\"folder\": null}", "{\"folder\": 1}"}) {
            assertThat(platform.post("/api/v1/applications", wrong).statusCode()).as(wrong).isIn(400, 403);
        }
    }
}
