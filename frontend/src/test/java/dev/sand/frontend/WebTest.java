package dev.sand.frontend;

import static dev.sand.frontend.Platform.json;
import static dev.sand.frontend.Platform.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.Payload;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Routes: a request as an event, a result as a response. */
class WebTest {
    private Platform platform;

    @BeforeEach
    void start() throws Exception {
        platform = new Platform();
        platform.deployDemo();
        platform.host.grains.put("web", request -> platform.host.succeed(request, request.input()));
    }

    @AfterEach
    void stop() throws Exception {
        platform.close();
    }

    private void answerWith(String result) {
        platform.host.grains.put("web", request -> platform.host.succeed(request,
                Payload.json(result.getBytes(StandardCharsets.UTF_8))));
    }

    @Test
    void the_event_describes_the_request() throws Exception {
        JsonNode event = json(platform.get("/web/demo/files/photo/a/b%20c.png?x=1&x=2&y=", "X-Mine", "here"));
        assertThat(event.path("method").asText()).isEqualTo("GET");
        assertThat(event.path("path").asText()).isEqualTo("/files/photo/a/b c.png");
        assertThat(event.path("parameters").toString()).isEqualTo("{\"name\":\"photo\",\"rest\":\"a/b c.png\"}");
        assertThat(event.path("query").toString()).isEqualTo("{\"x\":\"1,2\",\"y\":\"\"}");
        assertThat(event.path("rawQuery").asText()).isEqualTo("x=1&x=2&y=");
        assertThat(event.path("headers").path("x-mine").asText()).isEqualTo("here");
        assertThat(event.path("body").isNull()).isTrue();
    }

    @Test
    void a_slash_in_a_parameter_is_data() throws Exception {
        JsonNode event = json(platform.get("/web/demo/files/a%2Fb/c%2fd/e%252Ff"));
        assertThat(event.path("parameters").toString()).isEqualTo("{\"name\":\"a/b\",\"rest\":\"c/d/e%2Ff\"}");
        assertThat(event.path("path").asText()).isEqualTo("/files/a%2Fb/c%2Fd/e%2Ff");
        assertThat(platform.get("/web/demo%2Ffiles/x/y").statusCode()).isEqualTo(404);
        for (String path : new String[] {"/web/demo/files/x/..%2F..%2Fetc", "/web/demo/files/a%2F%2e%2e%2Fb/c", "/web/demo/files/x/%2e%2e",
            "/invoke/demo%2Fecho", "/api/v1/applications/demo%2Fx"}) {
            assertThat(platform.get(path).statusCode()).as(path).isEqualTo(400);
        }
    }

    @Test
    void a_path_has_no_parameters_and_says_so() throws Exception {
        JsonNode event = json(platform.get("/web/demo/files/a%3Bb/c%3bd"));
        assertThat(event.path("parameters").toString()).isEqualTo("{\"name\":\"a;b\",\"rest\":\"c;d\"}");
        for (String path : new String[] {"/web/demo/files/a;b/c", "/web/demo;x/files/a/c", "/invoke/demo;x/echo;y", "/invoke/demo%3bx/echo",
            "/api/v1/applications/demo;x=1", "/api/v1/apps/demo/processes/a%3Bb", "/metrics;x", "/livez;x", "/ui/;x"}) {
            HttpResponse<byte[]> refused = platform.get(path);
            assertThat(refused.statusCode()).as(path).isEqualTo(400);
            assertThat(json(refused).path("detail").asText()).as(path).startsWith("A path has no parameters");
        }
        assertThat(platform.get("/livez?x=;y").statusCode()).isEqualTo(200);
        assertThat(platform.get("/web/demo/..;/livez").statusCode()).as("as the parser says it").isEqualTo(400);
    }

    @Test
    void a_text_body_is_a_string_and_any_other_base_64() throws Exception {
        JsonNode text = json(platform.send("POST", "/web/demo/form", "grüß".getBytes(StandardCharsets.UTF_8), "Content-Type", "text/plain"));
        assertThat(text.path("body").asText()).isEqualTo("grüß");
        JsonNode bytes = json(platform.send("POST", "/web/demo/form", new byte[] {1, 2}, "Content-Type", "image/png"));
        assertThat(bytes.path("body").asText()).isEqualTo("AQI=");
        assertThat(bytes.path("isBase64Encoded").asBoolean()).isTrue();
    }

    @Test
    void the_result_is_the_response() throws Exception {
        answerWith("{\"status\": 201, \"headers\": {\"Content-Type\": \"image/png\", \"Set-Cookie\": [\"a=1\", \"b=2\"], "
                + "\"Content-Length\": \"999\"}, \"body\": \"AQI=\", \"isBase64Encoded\": true}");
        HttpResponse<byte[]> answer = platform.get("/web/demo/files/x/y");
        assertThat(answer.statusCode()).isEqualTo(201);
        assertThat(answer.body()).containsExactly(1, 2);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("image/png");
        assertThat(answer.headers().allValues("Set-Cookie")).containsExactly("a=1", "b=2");
        assertThat(answer.headers().firstValue("Server-Timing")).isPresent();
        answerWith("{\"status\": 304}");
        assertThat(platform.get("/web/demo/files/x/y").body()).isEmpty();
        answerWith("{\"status\": 200, \"body\": {\"a\": 1}}");
        assertThat(text(platform.get("/web/demo/files/x/y"))).isEqualTo("{\"a\":1}");
    }

    @Test
    void any_other_result_is_the_body_as_it_is() throws Exception {
        answerWith("[1, 2]");
        assertThat(text(platform.get("/web/demo/files/x/y"))).isEqualTo("[1, 2]");
        platform.host.grains.put("web", request -> platform.host.succeed(request, new Payload("text/css", "a{}".getBytes(), null)));
        assertThat(platform.get("/web/demo/files/x/y").headers().firstValue("Content-Type")).hasValue("text/css");
        HttpResponse<byte[]> head = platform.send("HEAD", "/web/demo/files/x/y", null);
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"status\": 99}", "{\"status\": 200, \"headers\": [1]}", "{\"status\": 200, \"headers\": {\"a b\": \"x\"}}",
        "{\"status\": 200, \"headers\": {\"a\": \"x\\r\\ny: z\"}}", "{\"status\": 200, \"body\": \"?\", \"isBase64Encoded\": true}"})
    void a_result_that_is_no_response_is_the_grain_s_failure(String result) throws Exception {
        answerWith(result);
        HttpResponse<byte[]> answer = platform.get("/web/demo/files/x/y");
        assertThat(answer.statusCode()).isEqualTo(500);
        assertThat(json(answer).path("source").asText()).isEqualTo("grain");
        assertThat(json(answer).path("type").asText()).isEqualTo("https://sand.dev/problems/bad-response");
    }

    @Test
    void what_no_route_matches_is_not_found_and_another_method_not_allowed() throws Exception {
        assertThat(platform.get("/web/demo/files/only").statusCode()).isEqualTo(404);
        assertThat(platform.get("/web/demo").statusCode()).isEqualTo(404);
        assertThat(platform.get("/web/nobody/files/x/y").statusCode()).isEqualTo(404);
        HttpResponse<byte[]> other = platform.get("/web/demo/form");
        assertThat(other.statusCode()).isEqualTo(405);
        assertThat(other.headers().firstValue("Allow")).hasValue("POST");
    }
}
