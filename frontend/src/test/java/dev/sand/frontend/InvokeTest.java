package dev.sand.frontend;

import static dev.sand.frontend.Platform.json;
import static dev.sand.frontend.Platform.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.ScopeParts;
import dev.sand.event.InvocationRequest;
import dev.sand.event.Payload;
import java.io.ByteArrayInputStream;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
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
    void the_same_key_is_the_same_execution() throws Exception {
        HttpResponse<byte[]> first = platform.post("/invoke/demo/echo", "{\"n\": 1}", "Idempotency-Key", "\"k-1\"");
        HttpResponse<byte[]> again = platform.post("/invoke/demo/echo", "{\"n\": 1}", "Idempotency-Key", "k-1");
        assertThat(text(again)).isEqualTo(text(first));
        assertThat(again.headers().firstValue("Sand-Execution-Id")).isEqualTo(first.headers().firstValue("Sand-Execution-Id"));
        assertThat(platform.host.requests).hasSize(1);
        HttpResponse<byte[]> other = platform.post("/invoke/demo/echo", "{\"n\": 2}", "Idempotency-Key", "k-1");
        assertThat(other.statusCode()).isEqualTo(422);
        assertThat(json(other).path("type").asText()).isEqualTo("https://sand.dev/problems/idempotency-key-reused");
        assertThat(platform.post("/invoke/demo/hold", "1", "Idempotency-Key", "k-1", "Prefer", "respond-async").statusCode())
                .as("another target").isEqualTo(202);
    }

    @Test
    void a_key_joins_the_execution_that_runs_and_is_free_again_when_it_was_turned_away() throws Exception {
        HttpResponse<byte[]> first = platform.post("/invoke/demo/hold", "1", "Idempotency-Key", "j", "Prefer", "respond-async");
        var second = CompletableFuture.supplyAsync(() -> {
            try {
                return platform.post("/invoke/demo/hold", "1", "Idempotency-Key", "j");
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        String id = json(first).path("executionId").asText();
        await().until(() -> platform.host.running.get(id).listeners().size() == 2);
        platform.host.release(id, Payload.json("2".getBytes(StandardCharsets.UTF_8)));
        assertThat(text(second.get())).isEqualTo("2");

        for (int i = 0; i < 20; i++) {
            assertThat(platform.post("/invoke/demo/full", "1", "Idempotency-Key", "f").statusCode()).isEqualTo(429);
        }
        assertThat(platform.host.requests.stream().filter(r -> r.target().equals("full")).map(r -> r.executionId()))
                .as("free when the answer is there: an id is never asked for again, and its key then freed").doesNotHaveDuplicates();
    }

    @Test
    void a_repeated_202_says_how_its_execution_ended() throws Exception {
        try (Frontend other = platform.anotherFrontend()) {
            for (var expected : Map.of("echo", "SUCCEEDED", "fail", "FAILED").entrySet()) {
                String path = "/invoke/demo/" + expected.getKey();
                String id = json(platform.post(path, "1", "Idempotency-Key", "a", "Prefer", "respond-async")).path("executionId").asText();
                await().until(() -> platform.records.get("demo", id).isPresent());
                for (int port : new int[] {platform.frontend.address().getPort(), other.address().getPort()}) {
                    HttpResponse<byte[]> again = platform.postTo(port, path, "1", "Idempotency-Key", "a", "Prefer", "respond-async");
                    assertThat(again.statusCode()).isEqualTo(202);
                    assertThat(json(again).path("executionId").asText()).isEqualTo(id);
                    assertThat(json(again).path("status").asText()).isEqualTo(expected.getValue());
                }
            }
        }
        HttpResponse<byte[]> held = platform.post("/invoke/demo/hold", "1", "Idempotency-Key", "a", "Prefer", "respond-async");
        HttpResponse<byte[]> again = platform.post("/invoke/demo/hold", "1", "Idempotency-Key", "a", "Prefer", "respond-async");
        assertThat(json(again).path("executionId").asText()).isEqualTo(json(held).path("executionId").asText());
        assertThat(json(again).path("status").asText()).isEqualTo("RUNNING");
    }

    @Test
    void a_key_holds_at_every_frontend() throws Exception {
        try (Frontend other = platform.anotherFrontend()) {
            List<CompletableFuture<HttpResponse<byte[]>>> racing = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                int port = (i % 2 == 0 ? platform.frontend : other).address().getPort();
                racing.add(CompletableFuture.supplyAsync(() -> platform.postTo(port, "/invoke/demo/hold", "1", "Idempotency-Key", "r")));
            }
            await().until(() -> platform.host.running.size() == 1
                    && platform.host.running.values().iterator().next().listeners().size() == racing.size());
            platform.host.release(platform.host.running.keySet().iterator().next(), Payload.json("7".getBytes(StandardCharsets.UTF_8)));
            for (var answer : racing) {
                assertThat(text(answer.get())).isEqualTo("7");
            }
            int port = other.address().getPort();
            assertThat(platform.postTo(port, "/invoke/demo/hold", "2", "Idempotency-Key", "r").statusCode()).isEqualTo(422);
            platform.post("/invoke/demo/echo", "[1]", "Idempotency-Key", "s");
            HttpResponse<byte[]> again = platform.postTo(port, "/invoke/demo/echo", "[1]", "Idempotency-Key", "s");
            assertThat(text(again)).isEqualTo("[1]");
            assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
            assertThat(platform.host.requests.stream().filter(request -> request.target().equals("echo"))).hasSize(1);
        }
    }

    @Test
    void a_key_stands_for_its_execution_while_the_record_of_its_end_is_on_its_way() throws Exception {
        platform.host.direct = (request, listener) -> {
            platform.host.requests.add(request);
            listener.onEnd(platform.host.succeed(request, request.input())); // as a host does that has not stored the record yet
        };
        String id = platform.post("/invoke/demo/echo", "[1]", "Idempotency-Key", "l").headers().firstValue("Sand-Execution-Id").orElseThrow();
        try (Frontend other = platform.anotherFrontend()) {
            for (int i = 0; i < 20; i++) {
                HttpResponse<byte[]> again = platform.postTo(other.address().getPort(), "/invoke/demo/echo", "[1]", "Idempotency-Key", "l");
                assertThat(again.statusCode()).as(text(again)).isEqualTo(200);
                assertThat(again.headers().firstValue("Sand-Execution-Id")).hasValue(id);
            }
        }
        assertThat(platform.host.requests).extracting(InvocationRequest::executionId).containsOnly(id);
    }

    @Test
    void a_key_whose_record_is_gone_does_not_run_again() throws Exception {
        String id = platform.post("/invoke/demo/echo", "[1]", "Idempotency-Key", "g").headers().firstValue("Sand-Execution-Id").orElseThrow();
        try (Frontend other = platform.anotherFrontend()) {
            await().until(() -> new ScopeParts(64).all("demo").stream().flatMap(part -> platform.store.scan("idempotency", part, "", null, 10).stream())
                    .anyMatch(entry -> new String(entry.value(), StandardCharsets.UTF_8).contains("\"ended\":true")));
            await().until(() -> platform.records.get("demo", id).isPresent());
            platform.records.deleteApplication("demo");
            HttpResponse<byte[]> again = platform.postTo(other.address().getPort(), "/invoke/demo/echo", "[1]", "Idempotency-Key", "g");
            assertThat(again.statusCode()).isEqualTo(410);
            assertThat(json(again).path("executionId").asText()).isEqualTo(id);
        }
        assertThat(platform.host.requests).hasSize(1);
    }

    @Test
    void a_client_that_hangs_up_cancels_its_synchronous_request_and_no_other() throws Exception {
        for (String header : new String[] {"", "Idempotency-Key: h\r\n"}) {
            try (Socket socket = new Socket("127.0.0.1", platform.frontend.address().getPort())) {
                socket.getOutputStream().write(("POST /invoke/demo/hold HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n" + header
                        + "\r\n1").getBytes(StandardCharsets.US_ASCII));
                await().until(() -> !platform.host.running.isEmpty());
            }
            if (header.isEmpty()) {
                await().until(() -> platform.host.running.isEmpty());
                assertThat(platform.host.cancelled).hasSize(1);
            }
        }
        String id = platform.host.running.keySet().iterator().next();
        await().until(() -> json(platform.get("/api/v1/status")).path("frontend").path("inFlight").asInt() == 0);
        assertThat(platform.host.cancelled).hasSize(1).doesNotContain(id);
    }

    @Test
    void a_connection_serves_on_after_a_slow_request_with_another_behind_it() throws Exception {
        try (Socket socket = new Socket("127.0.0.1", platform.frontend.address().getPort())) {
            String request = "POST /invoke/demo/%s HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n1";
            socket.getOutputStream().write(request.formatted("hold").getBytes(StandardCharsets.US_ASCII));
            await().until(() -> !platform.host.running.isEmpty());
            // By now the connection is watched for a hang-up; what the watch reads is the next request.
            await().pollDelay(Duration.ofMillis(500)).until(() -> true);
            socket.getOutputStream().write(request.formatted("echo").getBytes(StandardCharsets.US_ASCII));
            String id = platform.host.running.keySet().iterator().next();
            platform.host.release(id, Payload.json("\"first\"".getBytes(StandardCharsets.UTF_8)));
            StringBuilder read = new StringBuilder();
            byte[] buffer = new byte[4096];
            while (!read.toString().matches("(?s).*\"first\"HTTP/1.1 200 OK.*\r\n\r\n1")) {
                int n = socket.getInputStream().read(buffer);
                assertThat(n).as(read.toString()).isPositive();
                read.append(new String(buffer, 0, n, StandardCharsets.US_ASCII));
            }
            socket.getOutputStream().write(request.formatted("echo").getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().read(buffer)).isPositive();
        }
        assertThat(platform.host.cancelled).isEmpty();
    }

    @Test
    void more_requests_in_flight_than_allowed_are_told_to_come_back() throws Exception {
        try (Platform small = new Platform(configuration -> configuration.withInFlight(1))) {
            small.deployDemo();
            var held = small.client.sendAsync(HttpRequest.newBuilder(small.uri("/invoke/demo/hold"))
                    .POST(HttpRequest.BodyPublishers.noBody()).build(), HttpResponse.BodyHandlers.ofString());
            await().until(() -> !small.host.running.isEmpty());
            HttpResponse<byte[]> refused = small.post("/invoke/demo/echo", "1");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            assertThat(json(refused).path("limit").asInt()).isEqualTo(1);
            small.host.release(small.host.running.keySet().iterator().next(), Payload.nullJson());
            assertThat(held.get().statusCode()).isEqualTo(200);
            assertThat(small.post("/invoke/demo/echo", "1").statusCode()).isEqualTo(200);
        }
    }

    /** Clients that write head and body apart meet this: an answer between the two must not cost them the connection. */
    @Test
    void a_refusal_leaves_the_connection_usable() throws Exception {
        try (Socket socket = new Socket("127.0.0.1", platform.frontend.address().getPort())) {
            socket.setSoTimeout(10_000);
            for (String target : new String[] {"demo/nothing", "nobody/echo", "demo/echo"}) {
                socket.getOutputStream().write(("POST /invoke/" + target + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                        + "Content-Length: 2\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
                socket.getOutputStream().write("{}".getBytes(StandardCharsets.US_ASCII));
                String head = "";
                while (!head.endsWith("\r\n\r\n")) {
                    int next = socket.getInputStream().read();
                    assertThat(next).as("the connection is closed after %s", head).isNotEqualTo(-1);
                    head += (char) next;
                }
                assertThat(head).startsWith(target.equals("demo/echo") ? "HTTP/1.1 200" : "HTTP/1.1 404")
                        .doesNotContainIgnoringCase("connection: close");
                int length = Integer.parseInt(head.replaceAll("(?is).*content-length: *(\\d+).*", "$1"));
                assertThat(socket.getInputStream().readNBytes(length)).hasSize(length);
            }
        }
    }
}
