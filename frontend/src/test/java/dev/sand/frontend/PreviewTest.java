package dev.sand.frontend;

import static dev.sand.frontend.Platform.demo;
import static dev.sand.frontend.Platform.json;
import static dev.sand.frontend.Platform.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.event.ApplicationVersion;
import dev.sand.frontend.http.Json;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a deployment would change, and deployments of a few files. */
@Tag("slow")
class PreviewTest {
    private static final String EDITS = "/api/v1/applications/demo/edits";
    private Platform platform;

    @BeforeEach
    void start() throws Exception {
        platform = new Platform(configuration -> configuration);
    }

    @AfterEach
    void stop() throws Exception {
        platform.close();
    }

    private HttpResponse<byte[]> preview(Map<String, String> files) throws Exception {
        return platform.send("POST", "/api/v1/applications?dryRun=true", Platform.zip(files), "Content-Type", "application/zip");
    }

    private static Map<String, JsonNode> files(HttpResponse<byte[]> answer) {
        assertThat(answer.statusCode()).as(text(answer)).isEqualTo(200);
        Map<String, JsonNode> found = new HashMap<>();
        json(answer).path("files").forEach(file -> found.put(file.path("path").asText(), file));
        return found;
    }

    private static String edits(int base, Map<String, String> files) {
        ObjectNode edits = Json.object().put("base", base);
        ObjectNode texts = edits.putObject("files");
        files.forEach(texts::put);
        return edits.toString();
    }

    @Test
    void of_a_new_application_everything_is_added_and_nothing_is_made() throws Exception {
        HttpResponse<byte[]> answer = preview(demo());
        assertThat(files(answer)).hasSize(demo().size());
        assertThat(json(answer).path("against").isNull()).isTrue();
        assertThat(json(answer).path("deployed").isNull()).isTrue();
        assertThat(json(answer).path("workflows").path("added").toString()).isEqualTo("[\"main\"]");
        assertThat(platform.host.builds).isEmpty();
        assertThat(platform.registry.applications()).isEmpty();
    }

    /** What is compared is what runs then. */
    @Test
    void what_the_platform_leaves_out_is_not_compared() throws Exception {
        Map<String, String> files = demo();
        for (String path : List.of("node_modules/x/index.js", ".venv/bin/python", "lib/.hg/store", ".svn/x", ".mypy_cache/x", ".dependencies/x.py", ".sandignore", "x.pyc")) {
            files.put(path, "x");
        }
        assertThat(files(preview(files))).isEqualTo(files(preview(demo())));
    }

    @Test
    void files_that_differ_stand_beside_each_other() throws Exception {
        platform.deployDemo();
        Map<String, String> next = demo();
        next.remove("workflows/main.asl.json");
        next.put("grains/echo/handler.py", "changed <b>\n");
        next.put("grains/extra/handler.py", "def handle(event, context): pass\n");
        next.put("binary", "a\0b");
        next.put("long", "x".repeat(64 * 1024 + 1));
        HttpResponse<byte[]> answer = preview(next);
        Map<String, JsonNode> files = files(answer);
        assertThat(files.keySet()).containsExactlyInAnyOrder("workflows/main.asl.json", "grains/echo/handler.py", "grains/extra/handler.py", "binary", "long");
        assertThat(files.get("grains/echo/handler.py").path("after").asText()).isEqualTo("changed <b>\n");
        assertThat(files.get("grains/echo/handler.py").path("before").asText()).contains("return event");
        assertThat(files.get("workflows/main.asl.json").path("change").asText()).isEqualTo("removed");
        assertThat(files.get("binary").has("after")).isFalse();
        assertThat(files.get("long").has("after")).isFalse();
        assertThat(json(answer).path("unchanged").asInt()).isEqualTo(demo().size() - 2);
        assertThat(json(answer).path("grains").path("added").toString()).isEqualTo("[\"extra\"]");
        assertThat(json(answer).path("workflows").path("removed").toString()).isEqualTo("[\"main\"]");
        assertThat(platform.host.builds).hasSize(1);
        assertThat(platform.registry.alias("demo", "live")).contains(1);
    }

    @Test
    void the_same_content_is_the_version_that_it_is() throws Exception {
        platform.deployDemo();
        assertThat(json(preview(demo())).path("deployed").asInt()).isEqualTo(1);
        assertThat(files(preview(demo()))).isEmpty();
    }

    @Test
    void what_a_deployment_would_refuse_is_refused_with_all_findings() throws Exception {
        HttpResponse<byte[]> answer = preview(Map.of("sand.yaml", "name: Bad\nrouts: []\n"));
        assertThat(answer.statusCode()).isEqualTo(422);
        assertThat(json(answer).path("errors").size()).isGreaterThan(1);
    }

    @Test
    void edits_change_some_files_and_leave_the_others() throws Exception {
        platform.deployDemo();
        Map<String, String> files = new HashMap<>(Map.of("grains/echo/handler.py", "edited\n", "grains/more/handler.py", "new\n"));
        files.put("workflows/main.asl.json", null);
        Map<String, JsonNode> shown = files(platform.post(EDITS + "?dryRun=true", edits(1, files)));
        assertThat(shown.keySet()).containsExactlyInAnyOrderElementsOf(files.keySet());
        assertThat(platform.registry.alias("demo", "live")).contains(1);

        HttpResponse<byte[]> made = platform.post(EDITS, edits(1, files));
        assertThat(made.statusCode()).as(text(made)).isEqualTo(201);
        assertThat(platform.registry.version("demo", 2).orElseThrow().grains()).containsKeys("echo", "more", "fail");
        assertThat(platform.registry.version("demo", 2).orElseThrow().workflows()).isEmpty();
    }

    @Test
    void edits_of_a_version_that_is_live_no_more_are_refused() throws Exception {
        platform.deployDemo();
        assertThat(platform.post(EDITS, edits(1, Map.of("a.txt", "1"))).statusCode()).isEqualTo(201);
        HttpResponse<byte[]> late = platform.post(EDITS, edits(1, Map.of("a.txt", "2")));
        assertThat(late.statusCode()).isEqualTo(409);
        assertThat(json(late).path("actual").asInt()).isEqualTo(2);
    }

    @Test
    void of_two_edits_of_one_version_at_two_frontends_the_first_counts() throws Exception {
        platform.deployDemo();
        platform.host.onBuild = () -> {
            platform.host.onBuild = () -> { };
            ApplicationVersion one = platform.registry.version("demo", 1).orElseThrow();
            platform.registry.publish("demo", number -> new ApplicationVersion(one.schema(), "demo", number, one.bundle(), one.dependencies(),
                    one.sandbox(), one.grains(), one.workflows(), one.routes(), one.placements(), one.durability(), one.createdMs(),
                    one.queues(), one.triggers(), one.processes()));
            platform.registry.setAlias("demo", "live", 2);
        };
        HttpResponse<byte[]> late = platform.post(EDITS, edits(1, Map.of("a.txt", "2")));
        assertThat(late.statusCode()).as(text(late)).isEqualTo(409);
        assertThat(json(late).path("type").asText()).endsWith("/changed-meanwhile");
        assertThat(platform.registry.alias("demo", "live")).contains(2);
        assertThat(platform.registry.resolve("demo", null).orElseThrow().version()).isEqualTo(2);
    }

    @Test
    void edits_stay_inside_the_application() throws Exception {
        platform.deployDemo();
        for (String path : new String[] {"../out", "/etc/passwd", "a//b", "grains", "sand.yaml/x", "sand.yaml/x/y", "__pycache__/x", "node_modules/x", "x.pyc", ".sandignore", "a\\b", ""}) {
            HttpResponse<byte[]> answer = platform.post(EDITS, edits(1, Map.of(path, "x")));
            assertThat(answer.statusCode()).as(path + text(answer)).isEqualTo(422);
        }
        for (String body : new String[] {"{}", "[]", "{\"base\": \"1\", \"files\": {}}", "{\"base\": 1, \"files\": {\"a\": 1}}"}) {
            assertThat(platform.post(EDITS, body).statusCode()).as(body).isEqualTo(400);
        }
        assertThat(platform.post("/api/v1/applications/none/edits", edits(1, Map.of())).statusCode()).isEqualTo(404);
        assertThat(platform.registry.alias("demo", "live")).contains(1);
    }

    @Test
    void what_a_version_has_borrowed_is_borrowed_anew() throws Exception {
        platform.deployDemo();
        Map<String, String> borrower = Map.of("sand.yaml", "name: borrower\ngrains: {echo: {from: demo/echo}}\n");
        assertThat(platform.deploy(borrower).statusCode()).isEqualTo(201);
        HttpResponse<byte[]> made = platform.post("/api/v1/applications/borrower/edits", edits(1, Map.of("a.txt", "x")));
        assertThat(made.statusCode()).as(text(made)).isEqualTo(201);
    }

    @Test
    void a_versions_files_are_listed_read_and_compared() throws Exception {
        platform.deployDemo();
        platform.post(EDITS, edits(1, Map.of("grains/echo/handler.py", "edited <b>\n", "page.html", "<script>alert(1)</script>")));
        String versions = "/api/v1/applications/demo/versions/";
        JsonNode files = json(platform.get(versions + "live/files")).path("files");
        assertThat(files.size()).isEqualTo(demo().size() + 1);
        assertThat(files.findValuesAsText("path")).isSorted().contains("sand.yaml", "page.html");

        HttpResponse<byte[]> page = platform.get(versions + "2/file?path=page.html");
        assertThat(text(page)).isEqualTo("<script>alert(1)</script>");
        assertThat(page.headers().firstValue("Content-Type")).hasValue("application/octet-stream");
        assertThat(page.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");

        JsonNode changed = json(platform.get(versions + "1/diff?to=live"));
        assertThat(changed.path("files").findValuesAsText("path")).containsExactly("grains/echo/handler.py", "page.html");
        assertThat(changed.path("from").asInt() + "-" + changed.path("to").asInt()).isEqualTo("1-2");
        assertThat(json(platform.get(versions + "2/diff?to=2")).path("files").isEmpty()).isTrue();
    }

    @Test
    void nothing_outside_of_a_version_is_read() throws Exception {
        platform.deployDemo();
        for (String path : new String[] {"..%2F..%2Fstore.db", "%2Fetc%2Fpasswd", "grains", "grains%2F..%2Fsand.yaml", "a%00b"}) {
            int status = platform.get("/api/v1/applications/demo/versions/1/file?path=" + path).statusCode();
            assertThat(status).as(path).isIn(400, 404, 422);
        }
    }
}
