package dev.sand.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.SavedEvents;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SavedEventsTest {
    private static final String APPLICATION = "/api/v1/applications/demo";
    private static final String EVENTS = APPLICATION + "/grains/echo/events";
    /** More digits than a double has. */
    private static final String JSON = "{\"n\":  12345678901234567890}\n";
    private Platform platform;

    @BeforeEach
    void start() throws Exception {
        platform = new Platform();
        Map<String, String> files = Platform.demo();
        files.put("tests/events/echo/filed.json", "{\"file\": 1}");
        files.put("tests/events/echo/no name.json", "1");
        files.put("tests/events/echo/notes.txt", "1");
        files.put("tests/events/fail/other.json", "1");
        assertThat(platform.deploy(files).statusCode()).isEqualTo(201);
    }

    @AfterEach
    void stop() throws Exception {
        platform.close();
    }

    private HttpResponse<byte[]> put(String name, String json, String... headers) throws Exception {
        return platform.send("PUT", EVENTS + "/" + name, json.getBytes(StandardCharsets.UTF_8), headers);
    }

    private HttpResponse<byte[]> delete(String name, String... headers) throws Exception {
        return platform.send("DELETE", EVENTS + "/" + name, null, headers);
    }

    private static String tag(HttpResponse<byte[]> response) {
        return response.headers().firstValue("ETag").orElseThrow();
    }

    @Test
    void what_was_saved_comes_back_as_it_was_typed_and_makes_no_version() throws Exception {
        HttpResponse<byte[]> saved = put("late", JSON);
        assertThat(saved.statusCode()).isEqualTo(200);
        HttpResponse<byte[]> got = platform.get(EVENTS + "/late");
        assertThat(Platform.text(got)).isEqualTo(JSON);
        assertThat(got.headers().firstValue("Content-Type")).hasValue("application/json");
        assertThat(tag(got)).isEqualTo(tag(saved));
        assertThat(Platform.json(platform.get(APPLICATION)).path("version").asInt()).isEqualTo(1);
        String audit = Platform.text(platform.get("/api/v1/audit"));
        assertThat(audit).contains("saveEvent", "\"event\":\"late\"").doesNotContain("12345678901234567890");
    }

    @Test
    void a_saved_one_is_taken_in_a_files_place_and_the_file_is_there_again_when_it_is_deleted() throws Exception {
        assertThat(Platform.text(platform.get(EVENTS))).isEqualTo("{\"version\":1,\"events\":["
                + "{\"name\":\"filed\",\"saved\":false,\"file\":\"tests/events/echo/filed.json\"}]}");
        HttpResponse<byte[]> file = platform.get(EVENTS + "/filed");
        assertThat(Platform.text(file)).isEqualTo("{\"file\": 1}");
        assertThat(file.headers().firstValue("ETag")).isEmpty();
        HttpResponse<byte[]> refused = delete("filed");
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(Platform.text(refused)).contains("event-is-a-file", "tests/events/echo/filed.json");

        assertThat(put("filed", JSON, "If-None-Match", "*").statusCode()).isEqualTo(200);
        assertThat(Platform.text(platform.get(EVENTS))).contains("\"saved\":true,\"file\":\"tests/events/echo/filed.json\"");
        assertThat(Platform.text(platform.get(EVENTS + "/filed"))).isEqualTo(JSON);
        assertThat(delete("filed").statusCode()).isEqualTo(204);
        assertThat(Platform.text(platform.get(EVENTS + "/filed"))).isEqualTo("{\"file\": 1}");
    }

    @Test
    void files_are_those_of_the_version_that_is_asked_for() throws Exception {
        Map<String, String> files = Platform.demo();
        files.put("tests/events/echo/newer.json", "2");
        assertThat(platform.deploy(files).statusCode()).isEqualTo(201);
        assertThat(put("saved", "3").statusCode()).isEqualTo(200);
        assertThat(Platform.json(platform.get(EVENTS)).path("events").findValuesAsText("name")).containsExactly("newer", "saved");
        assertThat(Platform.json(platform.get(EVENTS + "?version=1")).path("events").findValuesAsText("name"))
                .containsExactly("filed", "saved");
        assertThat(platform.get(EVENTS + "/filed").statusCode()).isEqualTo(404);
        assertThat(platform.get(EVENTS + "/filed?version=1").statusCode()).isEqualTo(200);
        assertThat(platform.get(EVENTS + "?version=9").statusCode()).isEqualTo(404);
    }

    @Test
    void who_was_overtaken_changes_nothing() throws Exception {
        String first = tag(put("late", "1", "If-None-Match", "*"));
        assertThat(put("late", "2", "If-None-Match", "*").statusCode()).isEqualTo(412);
        String second = tag(put("late", "2", "If-Match", first));
        HttpResponse<byte[]> overtaken = put("late", "3", "If-Match", first);
        assertThat(overtaken.statusCode()).isEqualTo(412);
        assertThat('"' + Platform.json(overtaken).path("actual").asText() + '"').isEqualTo(second);
        assertThat(delete("late", "If-Match", first).statusCode()).isEqualTo(412);
        assertThat(Platform.text(platform.get(EVENTS + "/late"))).isEqualTo("2");
        assertThat(delete("late", "If-Match", second).statusCode()).isEqualTo(204);
    }

    @Test
    void what_is_no_json_too_large_or_has_no_decent_name_is_refused_at_the_door() throws Exception {
        for (String none : List.of("", "{", "{\"n\": 1} 2", "{'n': 1}", "NaN")) {
            HttpResponse<byte[]> refused = put("late", none);
            assertThat(refused.statusCode()).as(none).isEqualTo(400);
            assertThat(Platform.text(refused)).contains("malformed-json", "line");
        }
        String largest = "\"" + "x".repeat(SavedEvents.BYTES - 2) + "\"";
        assertThat(put("late", largest).statusCode()).isEqualTo(200);
        assertThat(put("late", largest + " ").statusCode()).isEqualTo(413);
        assertThat(put("x".repeat(64), "1").statusCode()).isEqualTo(200);
        for (String name : List.of("x".repeat(65), ".hidden", "-a", "a%20b", "n%C3%A4me", "a..%5Cb")) {
            assertThat(put(name, "1").statusCode()).as(name).isEqualTo(400);
        }
        assertThat(platform.send("PUT", APPLICATION + "/grains/nobody/events/late", "1".getBytes(StandardCharsets.UTF_8)).statusCode())
                .isEqualTo(404);
        assertThat(platform.get(APPLICATION + "/grains/nobody/events").statusCode()).isEqualTo(404);
        assertThat(platform.send("PUT", "/api/v1/applications/nobody/grains/echo/events/late", "1".getBytes(StandardCharsets.UTF_8))
                .statusCode()).isEqualTo(404);
    }

    @Test
    void they_are_bounded_and_go_with_their_application() throws Exception {
        SavedEvents events = new SavedEvents(platform.store);
        for (int i = 0; i < SavedEvents.MOST; i++) {
            events.save("demo", "echo", "e" + i, new byte[] {'1'}, -1);
        }
        HttpResponse<byte[]> refused = put("late", "1");
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(Platform.text(refused)).contains("too-many-events", "\"limit\":1000");
        assertThat(put("e7", "2").statusCode()).isEqualTo(200);
        assertThat(platform.send("DELETE", APPLICATION, null).statusCode()).isEqualTo(204);
        assertThat(events.names("demo", "echo")).isEmpty();
    }

    @Test
    void those_of_a_grain_that_a_later_version_has_no_more_can_be_looked_at_and_deleted() throws Exception {
        assertThat(put("late", "1").statusCode()).isEqualTo(200);
        Map<String, String> files = Platform.demo();
        files.remove("grains/echo/handler.py");
        files.remove("workflows/main.asl.json");
        files.put("sand.yaml", "name: demo\n");
        assertThat(platform.deploy(files).statusCode()).isEqualTo(201);
        assertThat(Platform.text(platform.get(EVENTS))).contains("\"late\"");
        assertThat(put("other", "1").statusCode()).isEqualTo(404);
        assertThat(delete("late").statusCode()).isEqualTo(204);
        assertThat(platform.get(EVENTS).statusCode()).isEqualTo(404);
    }
}
