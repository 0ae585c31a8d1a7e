package dev.sand.frontend;

import static dev.sand.frontend.Platform.json;
import static dev.sand.frontend.Platform.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Payload;
import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The data plane over real HTTP. */
class InvokeTest {
    private Platform platform;

    @BeforeEach
    void start() throws Exception {
        platform = new Platform(configuration -> configuration.withBodyBytes(200_000));
        platform.deployDemo();
    }

    @AfterEach
    void stop() throws Exception {
        platform.close();
    }

    @Test
    void answers_with_the_output_its_id_and_where_the_time_went() throws Exception {
        HttpResponse<byte[]> answer = platform.post("/invoke/demo/echo", "{\"a\": 1}");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(text(answer)).isEqualTo("{\"a\": 1}");
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
        assertThat(answer.headers().firstValue("Sand-Execution-Id")).hasValueSatisfying(id -> assertThat(id).hasSize(26));
        assertThat(answer.headers().firstValue("Server-Timing"))
                .hasValue("queue;dur=0.050, dispatch;dur=0.100, run;dur=1.000, bus;dur=0.050");
    }

    @Test
    void an_empty_body_is_null_and_other_types_pass_as_they_are() throws Exception {
        assertThat(text(platform.send("POST", "/invoke/demo/echo", null))).isEqualTo("null");
        HttpResponse<byte[]> octets = platform.send("POST", "/invoke/demo/echo", new byte[] {0, 1, (byte) 0xFF},
                "Content-Type", "image/png");
        assertThat(octets.body()).containsExactly(0, 1, 0xFF);
        assertThat(octets.headers().firstValue("Content-Type")).hasValue("image/png");
        HttpResponse<byte[]> curl = platform.send("POST", "/invoke/demo/echo", "[1]".getBytes(StandardCharsets.UTF_8),
                "Content-Type", "application/x-www-form-urlencoded");
        assertThat(curl.headers().firstValue("Content-Type")).hasValue("application/json");
    }

    @Test
    void what_curl_calls_a_form_is_json_when_it_is_json() throws Exception {
        String form = "application/x-www-form-urlencoded";
        for (String body : new String[] {"5", "-1.5", "\"text\"", "true", "null", " {\"a\": 1}", "\n[1]"}) {
            HttpResponse<byte[]> answer = platform.post("/invoke/demo/echo", body, "Content-Type", form);
            assertThat(answer.headers().firstValue("Content-Type")).as(body).hasValue("application/json");
            assertThat(text(answer)).isEqualTo(body);
        }
        for (String body : new String[] {"a=1&b=2", "hello", "5 6", "nul", "7up=1", "\"half"}) {
            HttpResponse<byte[]> answer = platform.post("/invoke/demo/echo", body, "Content-Type", form);
            assertThat(answer.headers().firstValue("Content-Type")).as(body).hasValue(form);
        }
        assertThat(platform.post("/invoke/demo/echo", "{\"a\": }", "Content-Type", form).statusCode()).isEqualTo(400);
    }

    @Test
    void a_body_that_is_encoded_is_refused() throws Exception {
        HttpResponse<byte[]> answer = platform.post("/invoke/demo/echo", "{}", "Content-Encoding", "gzip");
        assertThat(answer.statusCode()).isEqualTo(415);
        assertThat(answer.headers().firstValue("Accept-Encoding")).hasValue("identity");
        assertThat(json(answer).path("detail").asText()).contains("gzip");
        assertThat(platform.post("/invoke/demo/echo", "{}", "Content-Encoding", "identity").statusCode()).isEqualTo(200);
    }

    @Test
    void a_body_nested_too_deep_is_told_the_limit_and_its_depth() throws Exception {
        HttpResponse<byte[]> answer = platform.post("/invoke/demo/echo", "[".repeat(700) + "]".repeat(700));
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(json(answer).path("detail").asText()).contains("700 levels deep", "the limit is 500").doesNotContain("Stream");
        assertThat(json(answer).path("limit").asInt()).isEqualTo(500);
        assertThat(json(answer).path("actual").asInt()).isEqualTo(700);
        HttpResponse<byte[]> open = platform.post("/invoke/demo/echo", "{\"a\": [1");
        assertThat(json(open).path("detail").asText()).endsWith("it ends in the middle of a value");
        HttpResponse<byte[]> comma = platform.post("/invoke/demo/echo", "{\"a\": }");
        assertThat(json(comma).path("detail").asText()).endsWith("Unexpected character ('}'): expected a value");
    }

    @Test
    void versions_and_aliases_are_named_behind_an_at() throws Exception {
        assertThat(platform.post("/invoke/demo/echo@live", "1").statusCode()).isEqualTo(200);
        assertThat(platform.post("/invoke/demo/echo@1", "1").statusCode()).isEqualTo(200);
        for (String qualifier : new String[] {"2", "nightly", "00000000000000009", "%2e"}) {
            HttpResponse<byte[]> answer = platform.post("/invoke/demo/echo@" + qualifier, "1");
            assertThat(answer.statusCode()).isEqualTo(404);
            assertThat(json(answer).path("type").asText()).isEqualTo("https://sand.dev/problems/unknown-version");
        }
    }

    @Test
    void what_is_not_there_is_refused_before_anything_is_accepted() throws Exception {
        for (String path : new String[] {"/invoke/nothing/echo", "/invoke/demo/nothing", "/invoke/DEMO/echo", "/invoke/demo/%F0%9F%98%80",
            "/invoke/demo", "/invoke/demo/", "/invoke/demo/echo/more", "/invoke/"}) {
            HttpResponse<byte[]> answer = platform.post(path, "1", "Prefer", "respond-async");
            assertThat(answer.statusCode()).as(path).isEqualTo(404);
            assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
            assertThat(json(answer).path("source").asText()).isEqualTo("caller");
        }
        assertThat(platform.host.requests).isEmpty();
        assertThat(platform.get("/invoke/demo/echo").statusCode()).isEqualTo(405);
    }

    @Test
    void malformed_json_is_refused_with_its_place() throws Exception {
        for (String body : new String[] {"{\"a\": }", "{", "1 2", "nul", "", " "}) {
            HttpResponse<byte[]> answer = platform.post("/invoke/demo/echo", body);
            int expected = body.isEmpty() ? 200 : 400;
            assertThat(answer.statusCode()).as(body).isEqualTo(expected);
        }
        HttpResponse<byte[]> answer = platform.post("/invoke/demo/echo", "{\n  \"a\": x}");
        assertThat(json(answer).path("type").asText()).isEqualTo("https://sand.dev/problems/malformed-json");
        assertThat(json(answer).path("line").asInt()).isEqualTo(2);
    }

    @Test
    void a_body_over_the_limit_is_told_the_limit_and_its_size() throws Exception {
        HttpResponse<byte[]> answer = platform.post("/invoke/demo/echo", "\"" + "x".repeat(250_000) + "\"");
        assertThat(answer.statusCode()).isEqualTo(413);
        assertThat(json(answer).path("limit").asInt()).isEqualTo(200_000);
        assertThat(json(answer).path("actual").asInt()).isEqualTo(250_002);
    }

    @Test
    void a_large_body_passes_whole() throws Exception {
        String body = "\"" + "x".repeat(150_000) + "\"";
        HttpResponse<byte[]> answer = platform.post("/invoke/demo/echo", body);
        assertThat(text(answer)).isEqualTo(body);
        HttpRequest chunked = HttpRequest.newBuilder(platform.uri("/invoke/demo/echo"))
                .POST(HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8)))).build();
        assertThat(platform.client.send(chunked, HttpResponse.BodyHandlers.ofString()).body()).isEqualTo(body);
    }

    @Test
    void failures_are_problems_that_say_who_failed() throws Exception {
        HttpResponse<byte[]> failed = platform.post("/invoke/demo/fail", "1");
        assertThat(failed.statusCode()).isEqualTo(500);
        assertThat(json(failed).path("type").asText()).isEqualTo("https://sand.dev/problems/grain-failed");
        assertThat(json(failed).path("error").asText()).isEqualTo("ValueError");
        assertThat(json(failed).path("source").asText()).isEqualTo("grain");
        assertThat(json(failed).path("stackTrace").asText()).contains("Traceback");
        assertThat(json(failed).path("executionId").asText()).isEqualTo(failed.headers().firstValue("Sand-Execution-Id").orElseThrow());

        HttpResponse<byte[]> full = platform.post("/invoke/demo/full", "1");
        assertThat(full.statusCode()).isEqualTo(429);
        assertThat(full.headers().firstValue("Retry-After")).isPresent();
        assertThat(json(full).path("retryable").asBoolean()).isTrue();
        assertThat(json(full).path("actual").asInt()).isEqualTo(11);

        assertThat(platform.post("/invoke/demo/late", "1").statusCode()).isEqualTo(504);
        assertThat(platform.post("/invoke/demo/big", "1").statusCode()).isEqualTo(500);
    }

    @Test
    void the_request_s_deadline_and_trace_go_with_it() throws Exception {
        String trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        platform.post("/invoke/demo/echo", "1", "Sand-Timeout", "1500ms", "traceparent", trace);
        platform.post("/invoke/demo/echo?timeout=2s", "1", "traceparent", "nonsense");
        assertThat(platform.host.requests.get(0).timeoutMs()).isEqualTo(1500);
        assertThat(platform.host.requests.get(0).traceparent()).isEqualTo(trace);
        assertThat(platform.host.requests.get(1).timeoutMs()).isEqualTo(2000);
        assertThat(platform.host.requests.get(1).traceparent()).isNull();
        assertThat(platform.post("/invoke/demo/echo", "1", "Sand-Timeout", "soon").statusCode()).isEqualTo(400);
        assertThat(platform.post("/invoke/demo/echo", "1", "Sand-Timeout", "400d").statusCode()).isEqualTo(400);
    }

    @Test
    void respond_async_answers_202_with_an_invocation_that_exists() throws Exception {
        HttpResponse<byte[]> answer = platform.post("/invoke/demo/hold", "1", "Prefer", "respond-async");
        assertThat(answer.statusCode()).isEqualTo(202);
        String location = answer.headers().firstValue("Location").orElseThrow();
        assertThat(json(platform.get(location)).path("status").asText()).isEqualTo("RUNNING");
        assertThat(platform.get(location + "/output").statusCode()).isEqualTo(202);
        String id = json(answer).path("executionId").asText();
        assertThat(platform.host.running.get(id).request().durable()).isTrue();
        platform.host.release(id, Payload.json("[7]".getBytes(StandardCharsets.UTF_8)));
        assertThat(text(platform.get(location + "/output"))).isEqualTo("[7]");
    }

    @Test
    void prefer_wait_answers_the_output_in_time_or_202() throws Exception {
        assertThat(platform.post("/invoke/demo/echo", "1", "Prefer", "wait=10").statusCode()).isEqualTo(200);
        HttpResponse<byte[]> answer = platform.post("/invoke/demo/hold", "1", "Prefer", "wait=0.05");
        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(answer.headers().firstValue("Location")).isPresent();
        assertThat(answer.headers().firstValue("Preference-Applied")).hasValue("wait=0.05");
        assertThat(platform.post("/invoke/demo/hold", "1", "Prefer", "wait=1").headers().firstValue("Preference-Applied"))
                .hasValue("wait=1");
        assertThat(platform.post("/invoke/demo/echo", "1", "Prefer", "wait=ages").statusCode()).isEqualTo(400);
    }


    @Test
    void a_timeout_that_means_nothing_is_refused_beside_one_that_counts() throws Exception {
        assertThat(platform.post("/invoke/demo/echo?timeout=soon", "1", "Sand-Timeout", "5s").statusCode()).isEqualTo(400);
        assertThat(platform.post("/invoke/demo/echo?timeout=1s", "1", "Sand-Timeout", "5s").statusCode()).isEqualTo(200);
    }
}
