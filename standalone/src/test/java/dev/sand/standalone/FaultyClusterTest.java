package dev.sand.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * What goes wrong around a cluster that runs: two hosts and two frontends, processes of their own over real Kafka and
 * Cassandra, whose clocks all the while disagree by minutes.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("slow")
class FaultyClusterTest {
    private static final Duration PATIENCE = ClusterProcesses.PATIENCE;
    private static final long MINUTES_MS = 7 * 60_000;
    private static final String SAND_YAML = """
            name: %s
            durability: %s
            sandbox: {memory: 128MiB}
            queues:
              orders: {target: work, depth: 5, concurrency: 1, groupConcurrency: 1, batch: 1}
            triggers:
              beat: {every: 1s, target: tick, armed: false, input: 1}
            """;
    private static ClusterProcesses cluster;
    private static Path notes;
    private static PartProcess slow;
    private static PartProcess fast;
    private static PartProcess front;
    private static PartProcess early;

    @BeforeAll
    static void start() throws IOException {
        cluster = new ClusterProcesses("--idempotency-window=1m");
        notes = cluster.notes();
        slow = cluster.host("slow", ClockShift.option(cluster.home, -MINUTES_MS));
        fast = cluster.host("fast", ClockShift.option(cluster.home, MINUTES_MS));
        front = cluster.frontend("front");
        early = cluster.frontend("early", ClockShift.option(cluster.home, MINUTES_MS));
        cluster.awaitReady();
    }

    @AfterAll
    static void stop() throws IOException {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static Map<String, String> application(String name, String durability) {
        return Map.of("sand.yaml", SAND_YAML.formatted(name, durability),
                "grains/echo/handler.py", "def handle(event, context):\n    return event\n",
                "grains/store/handler.py", "def handle(event, context):\n    context.data.put('k', event)\n    return context.data.get('k')\n",
                "grains/tick/handler.py", noting("event['scheduled']"),
                "grains/work/handler.py", noting("str(event)"));
    }

    /** A line for each run, named after the event; waits while there is a file hold. */
    private static String noting(String name) {
        return """
                import os, time
                def handle(event, context):
                    os.umask(0)
                    while os.path.exists("%1$s/hold"):
                        time.sleep(0.02)
                    with open("%1$s/" + context.grain + "." + %2$s, "a") as file:
                        file.write("x")
                    return event
                """.formatted(notes, name);
    }

    private static List<String> noted(String grain) {
        try (Stream<Path> files = Files.list(notes)) {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.startsWith(grain + "."))
                    .map(name -> name.substring(grain.length() + 1)).sorted().toList();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void ok(HttpResponse<String> answer, int status) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    }

    @Test
    @Order(1)
    void who_lives_and_who_owns_what_does_not_depend_on_clocks() {
        cluster.awaitHosts(front, 2);
        cluster.awaitHosts(early, 2);
        ok(cluster.deploy(front, application("app", "relaxed")), 201);
        ok(cluster.deploy(early, application("exact", "strict")), 201);
        for (int i = 0; i < 12; i++) {
            ok(cluster.invoke(i % 2 == 0 ? front : early, i % 3 == 0 ? "exact/echo" : "app/echo", "7", "Sand-Timeout", "60s"), 200);
        }
        // Later tests count on it: which host a request is for depends on its id.
        for (String application : List.of("app", "exact")) {
            await().atMost(PATIENCE).until(() -> {
                ok(cluster.invoke(front, application + "/echo", "7", "Sand-Timeout", "60s"), 200);
                return runsEverywhere(application);
            });
        }
    }

    private static boolean runsEverywhere(String application) {
        JsonNode hosts = cluster.json(front, "/api/v1/status").path("hosts");
        return hosts.size() == 2 && StreamSupport.stream(hosts.spliterator(), false).allMatch(host ->
                StreamSupport.stream(host.path("sandboxes").spliterator(), false).anyMatch(sandbox ->
                        sandbox.path("application").asText().equals(application) && sandbox.path("state").asText().equals("running")));
    }

    @Test
    @Order(2)
    void a_key_stands_for_its_execution_at_frontends_whose_clocks_differ_by_more_than_its_window() {
        HttpResponse<String> first = cluster.invoke(front, "app/echo", "1", "Idempotency-Key", "one");
        HttpResponse<String> second = cluster.invoke(early, "app/echo", "1", "Idempotency-Key", "one");
        ok(second, 200);
        assertThat(second.headers().firstValue("Sand-Execution-Id")).isEqualTo(first.headers().firstValue("Sand-Execution-Id"));
        HttpResponse<String> accepted = cluster.invoke(early, "app/echo", "1", "Prefer", "respond-async");
        ok(accepted, 202);
        ok(cluster.send(front, "GET", accepted.headers().firstValue("Location").orElseThrow(), null), 200);
    }

    @Test
    @Order(3)
    void a_full_queue_refuses_at_its_door_and_loses_nothing() throws IOException {
        Path hold = Files.createFile(notes.resolve("hold"));
        List<String> accepted = new ArrayList<>();
        HttpResponse<String> refused = null;
        for (int i = 100; refused == null; i++) {
            HttpResponse<String> answer = cluster.send(i % 2 == 0 ? front : early, "POST", "/api/v1/applications/app/queues/orders?group=g",
                    Integer.toString(i).getBytes(StandardCharsets.UTF_8), "Content-Type", "application/json");
            if (answer.statusCode() == 202) {
                accepted.add(Integer.toString(i));
            } else {
                refused = answer;
            }
        }
        ok(refused, 429);
        assertThat(refused.headers().firstValue("Retry-After")).isPresent();
        assertThat(refused.body()).contains("queue-full", "\"limit\":5");
        assertThat(accepted).hasSizeBetween(5, 12);
        Files.delete(hold);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(noted("work")).isEqualTo(accepted));
        await().atMost(PATIENCE).until(() -> cluster.send(front, "POST", "/api/v1/applications/app/queues/orders?group=g",
                "999".getBytes(StandardCharsets.UTF_8), "Content-Type", "application/json").statusCode() == 202);
    }

    @Test
    @Order(4)
    void a_second_host_of_an_id_is_refused_and_the_first_goes_on() {
        PartProcess second = PartProcess.host(cluster.home.resolve("elsewhere"), "slow", List.of(), cluster.options());
        assertThat(second.exit()).isEqualTo(70);
        assertThat(second.said()).contains("not started", "another live host has the id slow");
        assertThat(slow.isAlive()).isTrue();
        cluster.awaitHosts(front, 2);
        ok(cluster.invoke(front, "app/echo", "7"), 200);
    }

    @Test
    @Order(5)
    void while_cassandra_is_away_what_needs_it_says_so_and_all_goes_on_when_it_is_back() {
        ok(cluster.invoke(front, "app/store", "{\"n\": 1}"), 200);
        cluster.cassandra.kill();
        List<String> accepted = new ArrayList<>();
        try {
            for (String application : List.of("app", "exact")) {
                ok(cluster.invoke(front, application + "/echo", "7", "Sand-Timeout", "60s"), 200);
                HttpResponse<String> later = cluster.invoke(early, application + "/work", "\"" + application + "\"", "Prefer", "respond-async");
                ok(later, 202);
                accepted.add(later.headers().firstValue("Location").orElseThrow());
            }
            HttpResponse<String> stored = cluster.invoke(front, "app/store", "{\"n\": 2}", "Sand-Timeout", "60s");
            assertThat(stored.statusCode()).as(stored.body()).isIn(500, 503);
            assertThat(stored.body()).contains("Cassandra does not answer");
            unavailable(cluster.deploy(front, application("app", "strict")));
            unavailable(cluster.send(front, "GET", "/api/v1/applications/app/invocations", null));
            unavailable(cluster.invoke(front, "app/echo", "1", "Idempotency-Key", "two"));
            for (PartProcess each : List.of(slow, fast, front, early)) {
                await().atMost(PATIENCE).untilAsserted(() -> assertThat(each.health("/readyz")).startsWith("503 ").contains("the global store"));
                assertThat(each.health("/livez")).startsWith("200 ");
            }
        } finally {
            cluster.cassandra.launch();
        }
        for (PartProcess each : List.of(slow, fast, front, early)) {
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(each.health("/readyz")).startsWith("200 "));
        }
        for (String location : accepted) {
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(cluster.json(front, location).path("status").asText()).isEqualTo("SUCCEEDED"));
        }
        assertThat(noted("work")).contains("app", "exact");
        assertThat(notes.resolve("work.app")).as("it ran once").hasContent("x");
        assertThat(notes.resolve("work.exact")).hasContent("x");
        ok(cluster.invoke(front, "app/store", "{\"n\": 3}"), 200);
        ok(cluster.deploy(early, application("app", "strict")), 201);
        ok(cluster.invoke(front, "app/echo", "1", "Idempotency-Key", "two"), 200);
    }

    private static void unavailable(HttpResponse<String> answer) {
        ok(answer, 503);
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
        assertThat(answer.body()).contains("Cassandra does not answer");
    }

    /** Its slot goes from one of them to the other, whose clock is a quarter of an hour off. */
    @Test
    @Order(6)
    void a_schedule_goes_on_at_the_next_host_without_a_pause_and_fires_once() {
        ok(cluster.send(early, "POST", "/api/v1/applications/app/triggers/beat/arm", null), 200);
        await().atMost(PATIENCE).until(() -> noted("tick").size() >= 3);
        JsonNode hosts = cluster.json(front, "/api/v1/status").path("hosts");
        assertThat(hosts).hasSize(2);
        fast.terminate();
        Instant left = Instant.parse(noted("tick").getLast());
        await().atMost(PATIENCE).until(() -> Instant.parse(noted("tick").getLast()).isAfter(left.plusSeconds(3)));
        PartProcess again = cluster.host("fast", clock());
        again.awaitReady();
        cluster.awaitHosts(front, 2);
        slow.terminate();
        Instant handed = Instant.parse(noted("tick").getLast());
        await().atMost(PATIENCE).until(() -> Instant.parse(noted("tick").getLast()).isAfter(handed.plusSeconds(3)));
        List<Instant> fires = noted("tick").stream().map(Instant::parse).toList();
        assertThat(IntStream.range(1, fires.size()).mapToObj(i -> Duration.between(fires.get(i - 1), fires.get(i))))
                .as("a second apart, and a minute at most while nobody had the slot").allMatch(gap -> gap.toSeconds() >= 1 && gap.toMinutes() < 2);
        assertThat(noted("tick")).allSatisfy(fire -> assertThat(notes.resolve("tick." + fire)).hasContent("x"));
    }

    private static String clock() {
        try {
            return ClockShift.option(cluster.home, MINUTES_MS);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
