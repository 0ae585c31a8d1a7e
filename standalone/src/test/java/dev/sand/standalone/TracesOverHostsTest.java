package dev.sand.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.standalone.OtlpReceiver.Span;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * One execution on two hosts is one trace: the context goes with the request, through the global bus to the other host and
 * through the fork into the handler. Real parts: two hosts and a frontend over a broker, and spans as a collector gets them.
 */
@Tag("slow")
class TracesOverHostsTest {
    private static final String YAML = """
            name: traced
            sandbox: {memory: 128MiB}
            grains:
              first: {placement: {hosts: [host-a]}}
              second: {placement: {hosts: [host-b]}}
              spread: {placement: {hosts: [host-a]}}
            """;
    private static final String MAIN = """
            {"StartAt": "First", "States": {
              "First": {"Type": "Task", "Resource": "first", "Next": "Second"},
              "Second": {"Type": "Task", "Resource": "second", "End": true}}}
            """;
    /** Adds what its handler was given. */
    private static final String TELLS = """
            def handle(event, context):
                return (event or []) + [context.traceparent]
            """;
    private static final String SPREAD = """
            def handle(event, context):
                context.publish("second", [context.traceparent])
            """;
    private static final String CALLERS_SPAN = "b7ad6b7169203331";
    private static InProcessCluster cluster;
    private static OtlpReceiver receiver;
    private static Platform front;

    @BeforeAll
    static void start() throws Exception {
        receiver = new OtlpReceiver();
        cluster = new InProcessCluster(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.address(), "OTEL_BSP_SCHEDULE_DELAY", "100"));
        cluster.host("host-a", "2s");
        cluster.host("host-b", "2s");
        front = cluster.frontend("front");
        cluster.awaitHosts(front, 2);
        HttpResponse<String> deployed = cluster.deploy(front, Map.of("sand.yaml", YAML, "workflows/main.asl.json", MAIN,
                "grains/first/handler.py", TELLS, "grains/second/handler.py", TELLS, "grains/spread/handler.py", SPREAD));
        assertThat(deployed.statusCode()).as(deployed.body()).isEqualTo(201);
    }

    @AfterAll
    static void stop() throws Exception {
        if (cluster != null) {
            cluster.close();
        }
        receiver.close();
    }

    private static HttpResponse<String> invoke(String target, String input, String trace, String... more) {
        String[] headers = Stream.concat(Stream.of("Content-Type", "application/json", "Sand-Timeout", "120s", "traceparent",
                "00-" + trace + "-" + CALLERS_SPAN + "-01"), Stream.of(more)).toArray(String[]::new);
        return cluster.send(front, "POST", "/invoke/traced/" + target, input.getBytes(StandardCharsets.UTF_8), headers);
    }

    private static String trace(int number) {
        return String.format("%032x", 0xabc000L + number);
    }

    /** All of the trace, once there are so many. */
    private static List<Span> spans(String trace, int count) {
        await().atMost(InProcessCluster.PATIENCE).until(() -> of(trace).size() >= count);
        return of(trace);
    }

    private static List<Span> of(String trace) {
        return receiver.spans().stream().filter(span -> span.trace().equals(trace)).toList();
    }

    private static Span only(List<Span> spans, String name, String parent) {
        List<Span> found = spans.stream().filter(span -> span.name().equals(name) && (parent == null || span.parent().equals(parent))).toList();
        assertThat(found).as(name + " below " + parent + " of " + spans).hasSize(1);
        return found.getFirst();
    }

    private static void isOneTree(List<Span> spans) {
        assertThat(spans).extracting(Span::id).doesNotHaveDuplicates();
        Set<String> ids = new HashSet<>(spans.stream().map(Span::id).toList());
        assertThat(spans).allMatch(span -> ids.contains(span.parent()) || span.parent().equals(CALLERS_SPAN));
    }

    /** @param told the context that the attempt's handler had */
    private static void ranOn(List<Span> spans, Span attempt, String host, String told) {
        assertThat(attempt.attributes()).containsEntry("sand.host", host);
        Span run = only(spans, "run", attempt.id());
        only(spans, "queue", attempt.id());
        only(spans, "dispatch", attempt.id());
        assertThat(told).isEqualTo("00-" + attempt.trace() + "-" + run.id() + "-01");
    }

    /** Whichever host owns an execution, one of its grains runs on the other. */
    @Test
    void a_workflow_whose_grains_run_on_two_hosts_is_one_trace() {
        for (int i = 0; i < 8; i++) {
            HttpResponse<String> answer = invoke("main", "null", trace(i));
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            JsonNode told = InProcessCluster.json(answer);
            List<Span> spans = spans(trace(i), 9);
            assertThat(spans).hasSize(9);
            isOneTree(spans);
            Span request = only(spans, "POST /invoke/traced/main", CALLERS_SPAN);
            assertThat(spans.stream().map(Span::execution).filter(Objects::nonNull)).containsOnly(request.execution());
            ranOn(spans, only(spans, "first", request.id()), "host-a", told.get(0).asText());
            ranOn(spans, only(spans, "second", request.id()), "host-b", told.get(1).asText());
        }
    }

    @Test
    void what_is_accepted_for_later_and_goes_through_the_global_bus_stays_in_its_callers_trace() {
        String trace = trace(100);
        HttpResponse<String> accepted = invoke("main", "null", trace, "Prefer", "respond-async");
        assertThat(accepted.statusCode()).isEqualTo(202);
        List<Span> spans = spans(trace, 9);
        assertThat(spans).hasSize(9);
        isOneTree(spans);
    }

    @Test
    void what_a_grain_publishes_to_another_host_is_below_its_run() {
        for (int i = 200; i < 204; i++) {
            HttpResponse<String> answer = invoke("spread", "null", trace(i));
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            List<Span> spans = spans(trace(i), 9);
            isOneTree(spans);
            Span spread = only(spans, "spread", null);
            Span run = only(spans, "run", spread.id());
            Span second = only(spans, "second", run.id());
            assertThat(InProcessCluster.json(answer).get(0).asText()).contains(run.id());
            ranOn(spans, second, "host-b", InProcessCluster.json(answer).get(1).asText());
        }
    }
}
