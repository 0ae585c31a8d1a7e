package dev.sand.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.ControlPort;
import dev.sand.event.HostAgentPort.GrainStatus;
import dev.sand.event.HostAgentPort.HostStatus;
import dev.sand.event.HostAgentPort.SandboxStatus;
import dev.sand.event.QueuedEvents;
import dev.sand.event.QueuedEvents.Queued;
import dev.sand.frontend.http.Json;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is told of grains' queues on hosts: all of it to the operator, to a tenant of his own, and of no host by its name. */
@Tag("slow")
class LocalQueuesTest extends WithDemo {
    private static final String QUEUES = "/api/v1/applications/demo/local-queues";
    private static final String ECHO = QUEUES + "/echo/events";

    private static HostStatus host(String name, String application, GrainStatus... grains) {
        return new HostStatus(name, "process", false, List.of(new SandboxStatus(application, 1, "s1", "running", 1, 0, 1L << 30, List.of(grains))));
    }

    private static GrainStatus grain(int queued, long oldestMs, double in, double out) {
        return new GrainStatus("echo", "ready", 7, 1, 2, queued, oldestMs, 0, in, out);
    }

    private static Queued event(String id, long queuedMs, String preview, long bytes) {
        return new Queued(1, id, id + "/echo", queuedMs, 1, bytes, "application/json", preview.getBytes(StandardCharsets.UTF_8));
    }

    private JsonNode get(String path) throws Exception {
        return Platform.json(platform.get(path));
    }

    /** As somebody of the tenant, who is no operator. */
    private JsonNode of(String tenant, String operation, String more) throws Exception {
        ControlPort.Reply reply = platform.frontend.control().call(new ControlPort.Call(operation,
                new ControlPort.Asker("ada", tenant, Set.of("read"), null), "0sand-management/test", "x1",
                ("{\"parameters\": {\"app\": \"demo\"" + more + "}}").getBytes(StandardCharsets.UTF_8)));
        return Json.MAPPER.readTree(reply.body());
    }

    @Test
    void each_host_is_told_of_to_the_operator_and_to_others_their_sum() throws Exception {
        platform.host.hosts = List.of(host("a", "demo", grain(3, 500, 2.5, 1)), host("b", "demo", grain(1, 900, 0.5, 0.5)),
                host("c", "other", grain(9, 9, 9, 9)));
        JsonNode all = get(QUEUES);
        assertThat(all.path("rateWindowMs").asLong()).isEqualTo(10_000);
        assertThat(all.path("queues")).extracting(queue -> queue.path("host").asText()).containsExactly("a", "b");
        assertThat(all.path("queues").get(0).path("inPerSecond").asDouble()).isEqualTo(2.5);
        JsonNode own = of("default", "listLocalQueues", "");
        assertThat(own.path("queues")).singleElement().satisfies(queue -> {
            assertThat(queue.has("host")).isFalse();
            assertThat(queue.path("waiting").asInt()).isEqualTo(4);
            assertThat(queue.path("oldestMs").asLong()).isEqualTo(900);
            assertThat(queue.path("inPerSecond").asDouble()).isEqualTo(3);
            assertThat(queue.path("outPerSecond").asDouble()).isEqualTo(1.5);
            assertThat(queue.path("running").asInt()).isEqualTo(4);
        });
        assertThat(of("acme", "listLocalQueues", "").path("type").asText()).endsWith("/unknown-application");
    }

    @Test
    void a_queue_in_which_nothing_waits_has_no_age_and_a_silent_host_is_told_of() throws Exception {
        platform.host.hosts = List.of(host("a", "demo", grain(0, 0, 0, 0)), new HostStatus("b", null, false, List.of(), null, "connection refused"));
        JsonNode all = get(QUEUES);
        assertThat(all.path("queues").get(0).has("oldestMs")).isFalse();
        assertThat(all.path("silent")).singleElement().satisfies(host -> assertThat(host.path("problem").asText()).isEqualTo("connection refused"));
        assertThat(of("default", "listLocalQueues", "").path("silent").toString()).contains("a host").doesNotContain("\"b\"", "refused");
    }

    @Test
    void the_first_events_of_all_hosts_are_told_with_the_beginnings_of_their_inputs() throws Exception {
        platform.host.queued = List.of(QueuedEvents.first("a", List.of(event("e3", 30, "3", 1), event("e1", 10, "{\"n\": \"äö", 9_000)), 20),
                QueuedEvents.first("b", List.of(event("e2", 20, "2", 1)), 20), QueuedEvents.silent("c", "it does not answer"));
        JsonNode told = get(ECHO);
        assertThat(told.path("events")).extracting(event -> event.path("executionId").asText()).containsExactly("e1", "e2", "e3");
        assertThat(told.path("events").get(0).path("preview").asText()).isEqualTo("{\"n\": \"äö");
        assertThat(told.path("events").get(0).path("bytes").asLong()).isEqualTo(9_000);
        assertThat(told.path("events").get(1).path("host").asText()).isEqualTo("b");
        assertThat(told.path("more").asBoolean()).isFalse();
        assertThat(told.path("silent")).hasSize(1);
        JsonNode two = get(ECHO + "?limit=2");
        assertThat(two.path("events")).hasSize(2);
        assertThat(two.path("more").asBoolean()).isTrue();
        assertThat(of("default", "peekLocalQueue", ", \"grain\": \"echo\"").path("events").get(1).has("host")).isFalse();
        assertThat(of("acme", "peekLocalQueue", ", \"grain\": \"echo\"").path("type").asText()).endsWith("/unknown-application");
    }

    @Test
    void a_character_that_was_cut_is_left_out_and_what_is_no_text_is_told_as_bytes() throws Exception {
        byte[] cut = {'a', (byte) 0xc3};
        byte[] binary = {(byte) 0xff, 0, 1};
        platform.host.queued = List.of(QueuedEvents.first("a", List.of(new Queued(1, "e1", "e1/echo", 1, 1, 9, "text/plain", cut),
                new Queued(1, "e2", "e2/echo", 2, 1, 2, "text/plain", cut), new Queued(1, "e3", "e3/echo", 3, 2, 3, "image/png", binary),
                new Queued(1, "e4", "e4/echo", 4, 1, 3, "image/png", null)), 20));
        JsonNode events = get(ECHO).path("events");
        assertThat(events.get(0).path("preview").asText()).isEqualTo("a");
        assertThat(events.get(1).path("isBase64Encoded").asBoolean()).as("it is whole, and no text").isTrue();
        assertThat(Base64.getDecoder().decode(events.get(2).path("preview").asText())).isEqualTo(binary);
        assertThat(events.get(3).has("preview")).isFalse();
    }

    @Test
    void what_is_no_grain_or_no_number_is_refused() throws Exception {
        assertThat(platform.get(QUEUES + "/nothing/events").statusCode()).isEqualTo(404);
        assertThat(platform.get(ECHO + "?limit=101").statusCode()).isEqualTo(400);
        assertThat(platform.get(ECHO + "?limit=0").statusCode()).isEqualTo(400);
        assertThat(get(ECHO).path("events")).isEmpty();
    }
}
