package dev.sand.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A host is drained over HTTP while it is invoked, stays without work, and takes part again: no request and no process notices. */
@Tag("slow")
class DrainByHandTest {
    private static final int CALLERS = 4;
    private static final int PROCESSES = 8;
    private static final Map<String, String> FILES = Map.of(
            "sand.yaml", "name: demo\nsandbox: {memory: 256MiB}\n",
            "grains/echo/handler.py", """
                    import time
                    def handle(event, context):
                        time.sleep(0.02)
                        return event
                    """,
            "grains/count/handler.py", """
                    def handle(event, context):
                        times = context.process.state("times", default=0) + 1
                        context.process.state("times", times)
                        return times
                    """);
    private static InProcessCluster cluster;
    private static Platform front;

    @BeforeAll
    static void start() throws Exception {
        cluster = new InProcessCluster(Map.of());
        front = cluster.frontOfTwo("host-a", "host-b", FILES);
    }

    @AfterAll
    static void stop() throws Exception {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static HttpResponse<String> post(String path, String body) {
        return cluster.send(front, "POST", path, body.getBytes(StandardCharsets.UTF_8), "Content-Type", "application/json", "Sand-Timeout", "60s");
    }

    private static JsonNode hosts() {
        HttpResponse<String> answer = cluster.send(front, "GET", "/api/v1/hosts", null);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return InProcessCluster.json(answer).path("hosts");
    }

    private static JsonNode host(String id) {
        for (JsonNode each : hosts()) {
            if (each.path("host").asText().equals(id)) {
                return each;
            }
        }
        throw new AssertionError("there is no " + id);
    }

    private static void is(String host, String state) {
        await().atMost(InProcessCluster.PATIENCE).until(() -> host(host).path("state").asText().equals(state));
    }

    private static int count(String process) {
        HttpResponse<String> answer = post("/api/v1/applications/demo/processes/invoke?function=count&process=" + process, "null");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return InProcessCluster.json(answer).asInt();
    }

    private static String home(String process) {
        return InProcessCluster.json(cluster.send(front, "GET", "/api/v1/applications/demo/processes/" + process, null)).path("host").asText();
    }

    private static int change(String host, String what) {
        return post("/api/v1/hosts/" + host + "/" + what, "").statusCode();
    }

    @Test
    void nobody_notices_but_who_looks() throws Exception {
        List<String> processes = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            processes.add("p" + i);
            assertThat(count("p" + i)).isEqualTo(1);
        }
        assertThat(processes).extracting(DrainByHandTest::home).contains("host-a", "host-b");
        Queue<String> failed = new ConcurrentLinkedQueue<>();
        AtomicInteger answered = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            callers.add(Thread.ofVirtual().start(() -> {
                while (!over.get()) {
                    HttpResponse<String> answer = post("/invoke/demo/echo", "\"x\"");
                    answered.incrementAndGet();
                    if (answer.statusCode() != 200) {
                        failed.add(answer.statusCode() + " " + answer.body());
                    }
                }
            }));
        }
        await().until(() -> answered.get() > 50);

        HttpResponse<String> drain = post("/api/v1/hosts/host-a/drain", "");
        assertThat(drain.statusCode()).as(drain.body()).isEqualTo(202);
        assertThat(InProcessCluster.json(drain).path("state").asText()).isIn("draining", "drained");
        assertThat(change("host-b", "drain")).as("nobody would be left").isEqualTo(409);
        assertThat(change("host-c", "drain")).isEqualTo(404);
        assertThat(change("host-c", "resume")).isEqualTo(404);
        is("host-a", "drained");
        assertThat(change("host-a", "drain")).as("again").isEqualTo(202);
        JsonNode left = host("host-a");
        for (String what : List.of("slots", "sandboxes", "executions", "events")) {
            assertThat(left.path(what).asInt(-1)).as(what + " in " + left).isZero();
        }
        await("host-b takes what host-a gave").until(() -> host("host-b").path("slots").asInt() == 16);
        assertThat(cluster.health("host-a", "/readyz")).startsWith("200 ");
        for (String process : processes) {
            assertThat(count(process)).as(process + " kept its state").isEqualTo(2);
            assertThat(home(process)).isEqualTo("host-b");
        }
        int before = answered.get();
        await().until(() -> answered.get() > before + 50);

        assertThat(change("host-a", "resume")).isEqualTo(202);
        is("host-a", "up");
        cluster.awaitHosts(front, 2);
        await().until(() -> host("host-a").path("sandboxes").asInt() > 0);
        assertThat(change("host-a", "resume")).as("again").isEqualTo(202);
        for (String process : processes) {
            assertThat(count(process)).as(process + " kept its state").isEqualTo(3);
        }
        over.set(true);
        for (Thread caller : callers) {
            caller.join();
        }
        assertThat(failed).isEmpty();
        HttpResponse<String> audit = cluster.send(front, "GET", "/api/v1/audit?operation=drainHost", null);
        assertThat(InProcessCluster.json(audit).path("entries").findValuesAsText("status")).contains("202", "404", "409");
    }
}
