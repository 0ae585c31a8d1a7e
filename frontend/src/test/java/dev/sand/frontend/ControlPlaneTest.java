package dev.sand.frontend;

import static dev.sand.frontend.Platform.json;
import static dev.sand.frontend.Platform.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.LogStore.Line;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Applications, versions, aliases, invocations, logs and status over real HTTP. */
class ControlPlaneTest extends WithDemo {
    private static final String DEMO = "/api/v1/applications/demo";

    private void deploySecond() throws Exception {
        Map<String, String> files = Platform.demo();
        files.put("grains/echo/handler.py", "def handle(event, context):\n    return 2\n");
        assertThat(platform.deploy(files).statusCode()).isEqualTo(201);
    }

    private String invoke(String target) throws Exception {
        return platform.post("/invoke/demo/" + target, "1").headers().firstValue("Sand-Execution-Id").orElseThrow();
    }

    @Test
    void applications_are_listed_and_described() throws Exception {
        JsonNode listed = json(platform.get("/api/v1/applications")).path("applications").path(0);
        assertThat(listed.path("name").asText()).isEqualTo("demo");
        assertThat(listed.path("live").asInt()).isEqualTo(1);
        JsonNode described = json(platform.get(DEMO));
        assertThat(described.path("grains").path("echo").path("entry").asText()).isEqualTo("handler:handle");
        assertThat(described.path("aliases").path("live").asInt()).isEqualTo(1);
        assertThat(json(platform.get(DEMO + "/versions/1"))).isEqualTo(described);
        assertThat(platform.get(DEMO + "/versions/9").statusCode()).isEqualTo(404);
        assertThat(platform.get("/api/v1/applications/nobody").statusCode()).isEqualTo(404);
    }

    @Test
    void an_alias_moves_and_is_rolled_back() throws Exception {
        deploySecond();
        assertThat(json(platform.get(DEMO + "/versions")).path("versions").findValuesAsText("version")).containsExactly("2", "1");
        assertThat(json(platform.send("POST", DEMO + "/rollback", null)).path("version").asInt()).isEqualTo(1);
        assertThat(platform.host.retired).contains("demo@2");
        assertThat(json(platform.send("POST", DEMO + "/rollback", null)).path("status").asInt()).isEqualTo(409);
        assertThat(platform.send("PUT", DEMO + "/aliases/next", "{\"version\": 2}".getBytes(StandardCharsets.UTF_8)).statusCode())
                .isEqualTo(200);
        platform.post("/invoke/demo/echo@next", "1");
        platform.post("/invoke/demo/echo", "1");
        assertThat(platform.host.requests.stream().map(request -> request.version())).containsExactly(2, 1);
        assertThat(platform.send("DELETE", DEMO + "/aliases/next", null).statusCode()).isEqualTo(204);
        assertThat(platform.post("/invoke/demo/echo@next", "1").statusCode()).isEqualTo(404);
        assertThat(platform.send("DELETE", DEMO + "/aliases/live", null).statusCode()).isEqualTo(409);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{}", "{\"version\": \"2\"}", "{\"version\": 0}", "[1]", "{\"version\": 1", "{\"version\": 99}",
            "null", "1", "{\"version\": 1.5}", "{\"version\": null}"})
    void an_alias_that_cannot_be_moved_there_stays(String body) throws Exception {
        HttpResponse<byte[]> answer = platform.send("PUT", DEMO + "/aliases/live", body.getBytes(StandardCharsets.UTF_8));
        assertThat(answer.statusCode()).isIn(400, 404);
        assertThat(platform.registry.alias("demo", "live")).contains(1);
        assertThat(platform.send("PUT", DEMO + "/aliases/7up", "{\"version\": 1}".getBytes(StandardCharsets.UTF_8)).statusCode())
                .isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "[]", "{", "{\"alias\": {}}", "{\"alias\": \"7up\"}", "{\"version\": \"1\"}", "{\"version\": 0}"})
    void a_rollback_that_means_nothing_moves_nothing(String body) throws Exception {
        deploySecond();
        assertThat(platform.post(DEMO + "/rollback", body).statusCode()).isEqualTo(400);
        assertThat(platform.registry.alias("demo", "live")).contains(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/invocations?target=", "/invocations?target=%20", "/logs?grain=", "/logs?grain=a.b", "/logs?invocation=",
            "/logs?invocation=0", "/logs?limit=%ff", "/logs?limit=%FF%00&limit=1", "/logs?text=", "/logs?level=loud", "/logs?stream=", "/logs?stream=stdout,",
            "/logs?before=x", "/logs?before=5&after=1", "/logs?before=5&follow=true"})
    void what_can_name_nothing_is_refused_as_a_filter(String query) throws Exception {
        assertThat(platform.get(DEMO + query).statusCode()).isEqualTo(400);
    }

    @Test
    void a_history_is_read_forwards_or_backwards() throws Exception {
        String history = DEMO + "/invocations/" + invoke("echo") + "/history";
        assertThat(platform.get(history + "?reverse=null").statusCode()).isEqualTo(400);
        assertThat(platform.get(history + "?reverse=true").statusCode()).as("a grain's, which has none").isEqualTo(409);
    }

    @Test
    void what_a_grain_or_a_caller_wrote_runs_in_no_browser() throws Exception {
        platform.host.grains.put("echo", request -> platform.host.succeed(request,
                new Payload("text/html", "<script>alert(1)</script>".getBytes(StandardCharsets.UTF_8), null)));
        HttpResponse<byte[]> invoked = platform.post("/invoke/demo/echo", "1");
        String id = invoked.headers().firstValue("Sand-Execution-Id").orElseThrow();
        HttpResponse<byte[]> output = platform.get(DEMO + "/invocations/" + id + "/output");
        assertThat(output.headers().firstValue("Content-Type")).contains("text/html");
        HttpResponse<byte[]> problem = platform.get("/api/v1/applications/%3Cscript%3E");
        assertThat(problem.headers().firstValue("Content-Type")).contains("application/problem+json");
        for (HttpResponse<byte[]> answer : List.of(invoked, output, problem)) {
            assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
            assertThat(answer.headers().firstValue("Content-Security-Policy").orElseThrow()).contains("default-src 'none'", "sandbox")
                    .doesNotContain("allow");
        }
    }

    @Test
    void deletion_takes_all_that_is_the_application_s() throws Exception {
        String held = json(platform.post("/invoke/demo/hold", "1", "Prefer", "respond-async")).path("executionId").asText();
        assertThat(platform.send("DELETE", DEMO, null).statusCode()).isEqualTo(204);
        assertThat(platform.host.cancelled).contains(held);
        assertThat(platform.host.retired).contains("demo@1");
        assertThat(platform.dataDeleted).containsExactly("demo");
        assertThat(platform.get(DEMO).statusCode()).isEqualTo(404);
        assertThat(platform.post("/invoke/demo/echo", "1").statusCode()).isEqualTo(404);
        platform.deployDemo();
        assertThat(platform.registry.alias("demo", "live")).as("a number never comes twice").contains(2);
        assertThat(platform.get(DEMO + "/invocations/" + held).statusCode()).isEqualTo(404);
    }

    @Test
    void what_a_deletion_ends_leaves_nothing_to_the_next_application_of_that_name() throws Exception {
        String late = Ids.encode(1, 2, 3);
        platform.host.onDelete = () -> platform.records.record(new InvocationRecord((short) 1, late, "demo", 1, "echo",
                InvocationResult.Status.CANCELLED, Payload.nullJson(), null, null, 1, 2, 0, 0, List.of()), null);
        assertThat(platform.send("DELETE", DEMO, null).statusCode()).isEqualTo(204);
        platform.deployDemo();
        assertThat(platform.get(DEMO + "/invocations/" + late).statusCode()).isEqualTo(404);
    }

    @Test
    void invocations_are_listed_newest_first_in_pages() throws Exception {
        String first = invoke("echo");
        String second = invoke("fail");
        JsonNode page = json(platform.get(DEMO + "/invocations?limit=1"));
        assertThat(page.path("invocations").path(0).path("executionId").asText()).isEqualTo(second);
        JsonNode rest = json(platform.get(DEMO + "/invocations?before=" + page.path("next").asText()));
        assertThat(rest.path("invocations").findValuesAsText("executionId")).containsExactly(first);
        assertThat(json(platform.get(DEMO + "/invocations?status=FAILED")).path("invocations")).hasSize(1);
        for (String query : new String[] {"limit=0", "limit=x", "status=NICE", "before=zzz", "limit=1%GG"}) {
            assertThat(platform.get(DEMO + "/invocations?" + query.replace("%GG", "%25GG")).statusCode()).as(query).isEqualTo(400);
        }
    }

    @Test
    void an_invocation_shows_its_output_its_failure_and_its_time() throws Exception {
        String good = invoke("echo");
        JsonNode shown = json(platform.get(DEMO + "/invocations/" + good));
        assertThat(shown.path("status").asText()).isEqualTo("SUCCEEDED");
        assertThat(shown.path("hops")).hasSize(1);
        assertThat(text(platform.get(DEMO + "/invocations/" + good + "/output"))).isEqualTo("1");
        HttpResponse<byte[]> input = platform.get(DEMO + "/invocations/" + good + "/input");
        assertThat(text(input)).isEqualTo("1");
        assertThat(input.headers().firstValue("Content-Type")).hasValue("application/json");
        JsonNode hop = json(platform.get(DEMO + "/invocations/" + good + "/timeline")).path("hops").path(0);
        assertThat(hop.path("dispatchMs").asDouble()).isEqualTo(0.1);
        assertThat(hop.path("runMs").asDouble()).isEqualTo(1.0);
        HttpResponse<byte[]> failed = platform.get(DEMO + "/invocations/" + invoke("fail") + "/output");
        assertThat(failed.statusCode()).isEqualTo(500);
        assertThat(json(failed).path("error").asText()).isEqualTo("ValueError");
        for (String id : new String[] {Ids.encode(1, 2, 3), "nonsense", "%00"}) {
            assertThat(platform.get(DEMO + "/invocations/" + id).statusCode()).isIn(400, 404);
        }
    }

    @Test
    void an_input_that_was_not_kept_says_so() throws Exception {
        String large = json(platform.post("/invoke/demo/echo", "\"" + "x".repeat(70_000) + "\"", "Prefer", "respond-async"))
                .path("executionId").asText();
        HttpResponse<byte[]> input = platform.get(DEMO + "/invocations/" + large + "/input");
        assertThat(input.statusCode()).isEqualTo(410);
        assertThat(json(input).path("type").asText()).endsWith("input-gone");
        assertThat(json(input).path("detail").asText()).contains("70002 bytes", "65536");
    }

    @Test
    void a_large_output_can_be_fetched_afterwards() throws Exception {
        byte[] bytes = new byte[20 << 20];
        new Random(1).nextBytes(bytes);
        platform.host.grains.put("echo", request -> platform.host.succeed(request, new Payload(Payload.OCTETS, bytes, null)));
        String id = json(platform.post("/invoke/demo/echo", "1", "Prefer", "respond-async")).path("executionId").asText();
        HttpResponse<byte[]> output = platform.get(DEMO + "/invocations/" + id + "/output");
        assertThat(output.statusCode()).isEqualTo(200);
        assertThat(output.headers().firstValue("Content-Type")).hasValue(Payload.OCTETS);
        assertThat(output.headers().firstValueAsLong("Content-Length")).hasValue(bytes.length);
        assertThat(output.body()).isEqualTo(bytes);
        assertThat(json(platform.get(DEMO + "/invocations/" + id)).path("output").path("size").asInt()).isEqualTo(bytes.length);
    }

    @Test
    void an_output_that_was_not_kept_says_so() throws Exception {
        String id = Ids.encode(1, 2, 3);
        platform.records.record(new InvocationRecord((short) 1, id, "demo", 1, "echo", InvocationResult.Status.SUCCEEDED, null,
                new Payload(Payload.OCTETS, null, new Payload.Reference("any", 5_000_000_000L)).notKept(), null, 1, 2, 3, 4,
                List.of()), null);
        HttpResponse<byte[]> output = platform.get(DEMO + "/invocations/" + id + "/output");
        assertThat(output.statusCode()).isEqualTo(410);
        assertThat(json(output).path("type").asText()).endsWith("output-gone");
        assertThat(json(output).path("detail").asText()).contains("5000000000 bytes was not kept");
    }

    @Test
    void a_running_invocation_is_stopped_with_an_error_and_a_cause_within_their_bounds() throws Exception {
        String held = json(platform.post("/invoke/demo/hold", "1", "Prefer", "respond-async")).path("executionId").asText();
        String cancel = DEMO + "/invocations/" + held + "/cancel";
        for (String wrong : List.of("{\"error\":\"" + "e".repeat(257) + "\"}", "{\"cause\":\"" + "c".repeat(32_769) + "\"}",
                "{\"error\":\"Sand.Moved\"}", "{\"cause\":1}", "{\"why\":\"\"}", "[]", "{")) {
            HttpResponse<byte[]> refused = platform.send("POST", cancel, wrong.getBytes(StandardCharsets.UTF_8));
            assertThat(refused.statusCode()).as(wrong).isEqualTo(400);
        }
        assertThat(json(platform.get(DEMO + "/invocations/" + held)).path("status").asText()).isEqualTo("RUNNING");
        String error = "😀".repeat(256);
        String cause = "c".repeat(32_768);
        byte[] stop = ("{\"error\":\"" + error + "\",\"cause\":\"" + cause + "\"}").getBytes(StandardCharsets.UTF_8);
        assertThat(platform.send("POST", cancel, stop).statusCode()).isEqualTo(200);
        JsonNode failure = json(platform.get(DEMO + "/invocations/" + held)).path("failure");
        assertThat(failure.path("error").asText()).isEqualTo(error);
        assertThat(failure.path("cause").asText()).isEqualTo(cause);
        HttpResponse<byte[]> output = platform.get(DEMO + "/invocations/" + held + "/output");
        assertThat(output.statusCode()).isEqualTo(409);
        assertThat(json(output).path("error").asText()).isEqualTo(error);
    }

    @Test
    void a_running_invocation_is_cancelled_once() throws Exception {
        String held = json(platform.post("/invoke/demo/hold", "1", "Prefer", "respond-async")).path("executionId").asText();
        assertThat(platform.send("POST", DEMO + "/invocations/" + held + "/cancel", null).statusCode()).isEqualTo(200);
        assertThat(json(platform.get(DEMO + "/invocations/" + held)).path("status").asText()).isEqualTo("CANCELLED");
        HttpResponse<byte[]> again = platform.send("POST", DEMO + "/invocations/" + held + "/cancel", null);
        assertThat(again.statusCode()).isEqualTo(409);
        assertThat(json(again).path("invocationStatus").asText()).isEqualTo("CANCELLED");
    }

    @Test
    void events_follow_an_invocation_to_its_end_and_go_on_behind_the_last_one() throws Exception {
        String held = json(platform.post("/invoke/demo/hold", "1", "Prefer", "respond-async")).path("executionId").asText();
        String path = DEMO + "/invocations/" + held + "/events";
        var following = platform.client.sendAsync(HttpRequest.newBuilder(platform.uri(path)).build(), HttpResponse.BodyHandlers.ofString());
        await().until(() -> platform.host.running.get(held).watchers().size() == 1);
        platform.host.release(held, Payload.json("2".getBytes(StandardCharsets.UTF_8)));
        String events = following.get().body();
        assertThat(following.get().headers().firstValue("Content-Type")).hasValue("text/event-stream");
        assertThat(events.split("event: hop", -1)).hasSize(2);
        assertThat(events).contains("id: " + held + "/hold@1\n").contains("event: end").contains("SUCCEEDED");
        String rest = text(platform.get(path, "Last-Event-ID", held + "/hold@1"));
        assertThat(rest).doesNotContain("event: hop").contains("event: end");
    }

    @Test
    void logs_are_read_by_application_and_by_invocation_and_followed() throws Exception {
        String held = json(platform.post("/invoke/demo/hold", "1", "Prefer", "respond-async")).path("executionId").asText();
        platform.logs.append(List.of(line(null, "echo", "started"), line(held, "hold", "one")));
        assertThat(json(platform.get(DEMO + "/logs")).path("lines").findValuesAsText("text")).containsExactly("started", "one");
        assertThat(json(platform.get(DEMO + "/logs?grain=hold")).path("lines")).hasSize(1);
        JsonNode own = json(platform.get(DEMO + "/invocations/" + held + "/logs"));
        assertThat(own.path("lines").findValuesAsText("text")).containsExactly("one");
        assertThat(json(platform.get(DEMO + "/invocations/" + held + "/logs?after=" + own.path("next").asText())).path("lines")).isEmpty();
        var following = platform.client.sendAsync(HttpRequest.newBuilder(platform.uri(DEMO + "/invocations/" + held
                + "/logs?follow=true")).build(), HttpResponse.BodyHandlers.ofString());
        platform.logs.append(List.of(line(held, "hold", "two")));
        platform.host.release(held, Payload.nullJson());
        assertThat(following.get().body()).contains("event: line").contains("\"one\"").contains("\"two\"");
    }

    @Test
    void logs_are_read_back_page_by_page_until_nothing_older_is_kept() throws Exception {
        platform.logs.append(List.of(line(null, "echo", "a"), line(null, "hold", "b"), line(null, "echo", "c"), line(null, "echo", "d"),
                new Line(0, 1, "demo", 1, "echo", null, null, 1, "stderr", null, "E")));
        JsonNode last = json(platform.get(DEMO + "/logs?grain=echo&limit=2"));
        assertThat(last.path("lines").findValuesAsText("text")).containsExactly("d", "E");
        JsonNode first = json(platform.get(DEMO + "/logs?grain=echo&limit=2&before=" + last.path("previous").asText()));
        assertThat(first.path("lines").findValuesAsText("text")).containsExactly("a", "c");
        assertThat(first.path("previous").isNull()).isTrue();
        JsonNode then = json(platform.get(DEMO + "/logs?after=" + first.path("next").asText() + "&limit=1"));
        assertThat(then.path("lines").findValuesAsText("text")).containsExactly("d");
        JsonNode graver = json(platform.get(DEMO + "/logs?level=error&stream=stdout,stderr&text=e"));
        assertThat(graver.path("lines").findValuesAsText("text")).containsExactly("E");
    }

    @Test
    void who_follows_some_lines_alone_sees_what_comes_then_and_nothing_twice() throws Exception {
        String held = json(platform.post("/invoke/demo/hold", "1", "Prefer", "respond-async")).path("executionId").asText();
        platform.logs.append(List.of(line(held, "hold", "pear 1"), line(held, "hold", "plum")));
        var following = platform.client.sendAsync(HttpRequest.newBuilder(platform.uri(DEMO + "/invocations/" + held
                + "/logs?follow=true&text=PEAR")).build(), HttpResponse.BodyHandlers.ofString());
        platform.logs.append(List.of(line(held, "hold", "plum"), line(held, "hold", "pear 2")));
        platform.host.release(held, Payload.nullJson());
        String events = following.get().body();
        assertThat(events.split("event: line", -1)).hasSize(3);
        assertThat(events).contains("pear 1").contains("pear 2").doesNotContain("plum");
    }

    private static Line line(String executionId, String grain, String text) {
        return new Line(0, 1, "demo", 1, grain, executionId, executionId == null ? null : executionId + "/x", 1, "stdout", null, text);
    }

    @Test
    void operators_see_whether_it_is_well() throws Exception {
        assertThat(platform.get("/livez").statusCode()).isEqualTo(200);
        assertThat(platform.get("/readyz").statusCode()).isEqualTo(200);
        JsonNode status = json(platform.get("/api/v1/status"));
        assertThat(status.path("hosts").path(0).path("sandboxKind").asText()).isEqualTo("process");
        assertThat(status.path("frontend").path("inFlight").asInt()).isZero();
        platform.frontend.drain();
        assertThat(platform.get("/readyz").statusCode()).isEqualTo(503);
        assertThat(platform.post("/invoke/demo/echo", "1").statusCode()).isEqualTo(503);
        assertThat(platform.get("/livez").statusCode()).isEqualTo(200);
    }

    @Test
    void whatever_is_wrong_with_a_request_is_a_problem() throws Exception {
        assertThat(platform.send("PUT", DEMO + "/versions", null).headers().firstValue("Allow")).hasValue("GET");
        for (String start : new String[] {"GET /nothing HTTP/1.1", "GET /api/v1/applications/%2F HTTP/1.1", "POST /invoke/de%2Fmo/x HTTP/1.1",
            "POST /invoke/../etc/passwd HTTP/1.1", "GET /%GG HTTP/1.1", "GET / HTTP/9.9", "nonsense", "GET /" + "x".repeat(20_000) + " HTTP/1.1"}) {
            try (Socket socket = new Socket("127.0.0.1", platform.frontend.address().getPort())) {
                socket.getOutputStream().write((start + "\r\nHost: localhost\r\nConnection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
                String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                String shown = start.substring(0, Math.min(40, start.length())) + " → " + answer;
                assertThat(answer).as(shown).contains("application/problem+json").contains("\"source\":\"caller\"");
                assertThat(answer.substring(9, 12)).as(shown).isIn("400", "404", "405", "414", "431", "505");
            }
        }
    }
}
