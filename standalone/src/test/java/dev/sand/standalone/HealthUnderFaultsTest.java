package dev.sand.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** What {@code /livez}, {@code /readyz} and the metrics say while something is missing: as docs/OBSERVING.md has it. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("slow")
class HealthUnderFaultsTest {
    /** Of their own: the common pool has one thread on two processors, and what is sent here waits. */
    private static final ExecutorService THREADS = Executors.newVirtualThreadPerTaskExecutor();
    private static final String HELD = """
            import os, time
            def handle(event, context):
                while os.path.exists("%s"):
                    time.sleep(0.02)
                return event
            """;
    private static final List<String> ALL = List.of("host-a", "host-b", "front");
    private static InProcessCluster cluster;
    private static Path hold;
    private static Platform hostB;
    private static Platform front;

    @BeforeAll
    static void start() throws Exception {
        cluster = new InProcessCluster(Map.of());
        hold = cluster.home.resolve("hold");
        cluster.host("host-a", "2s");
        hostB = cluster.host("host-b", "60s");
        front = cluster.frontend("front");
        cluster.awaitHosts(front, 2);
        var deployed = cluster.deploy(front, Map.of("sand.yaml", "name: demo\nsandbox: {memory: 128MiB}\n",
                "grains/held/handler.py", HELD.formatted(hold)));
        assertThat(deployed.statusCode()).as(deployed.body()).isEqualTo(201);
    }

    @AfterAll
    static void stop() throws Exception {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static void says(String part, String status, String... words) {
        await().atMost(InProcessCluster.PATIENCE).untilAsserted(() ->
                assertThat(cluster.health(part, "/readyz")).as(part).startsWith(status + " ").satisfies(body -> assertThat(List.of(words)).allMatch(body::contains)));
        assertThat(cluster.health(part, "/livez")).as(part + " lives all the same").startsWith("200 ");
        await().atMost(InProcessCluster.PATIENCE).untilAsserted(() ->
                assertThat(metric(part, "sand_ready")).isEqualTo(status.equals("200") ? 1 : 0));
    }

    /** The sum over what has these labels. */
    private static double metric(String part, String name, String... labels) {
        double sum = 0;
        Matcher lines = Pattern.compile("^" + name + "(\\{.*})? (\\S+)$", Pattern.MULTILINE).matcher(cluster.health(part, "/metrics"));
        while (lines.find()) {
            String found = String.valueOf(lines.group(1));
            sum += List.of(labels).stream().allMatch(found::contains) ? Double.parseDouble(lines.group(2)) : 0;
        }
        return sum;
    }

    private static CompletableFuture<Integer> invoke() {
        return CompletableFuture.supplyAsync(() -> cluster.send(front, "POST", "/invoke/demo/held", "1".getBytes(StandardCharsets.UTF_8),
                "Content-Type", "application/json", "Sand-Timeout", "120s").statusCode(), THREADS);
    }

    @Test
    @Order(1)
    void all_is_well() {
        ALL.forEach(part -> says(part, "200", "ready"));
        assertThat(cluster.send(front, "GET", "/readyz", null).statusCode()).isEqualTo(200);
        assertThat(invoke().join()).isEqualTo(200);
        for (String part : ALL) {
            assertThat(metric(part, "sand_membership_hosts")).isEqualTo(2);
            assertThat(metric(part, "sand_membership_unowned_slots")).isZero();
        }
    }

    @Test
    @Order(2)
    void the_store_is_away() {
        cluster.storeIsAway = true;
        for (String part : ALL) {
            says(part, "503", "the global store does not answer", "it is away, for this test");
            assertThat(metric(part, "sand_store_reachable")).isZero();
            assertThat(metric(part, "sand_bus_reachable")).isEqualTo(1);
            assertThat(metric(part, "sand_store_errors_total", "reason=\"away\"")).isPositive();
        }
        assertThat(cluster.send(front, "GET", "/readyz", null).body()).contains("the global store does not answer");
        cluster.storeIsAway = false;
        ALL.forEach(part -> says(part, "200"));
    }

    @Test
    @Order(3)
    void the_bus_is_away() throws Exception {
        cluster.kafka.kill();
        for (String part : ALL) {
            says(part, "503", "the global bus does not answer");
            assertThat(metric(part, "sand_bus_reachable")).isZero();
            assertThat(metric(part, "sand_store_reachable")).isEqualTo(1);
        }
        for (String host : List.of("host-a", "host-b")) {
            await().atMost(InProcessCluster.PATIENCE).until(() -> metric(host, "sand_membership_suspended") == 1);
            assertThat(metric(host, "sand_membership_suspensions_total")).isPositive();
        }
        cluster.kafka.start();
        ALL.forEach(part -> says(part, "200"));
        for (String host : List.of("host-a", "host-b")) {
            assertThat(metric(host, "sand_membership_suspended")).isZero();
        }
        cluster.awaitHosts(front, 2);
    }

    /** A host that drains is not ready; one that takes slots over is: what is not in them is served, the rest waits. */
    @Test
    @Order(4)
    void a_host_drains_and_another_takes_its_slots_over() throws Exception {
        Files.createFile(hold);
        List<CompletableFuture<Integer>> held = new ArrayList<>();
        while (metric("host-b", "sand_executions_open", "application=\"demo\"") == 0) {
            int before = held.size();
            held.add(invoke());
            await().atMost(InProcessCluster.PATIENCE).until(() -> metric("host-a", "sand_executions_open", "application=\"demo\"")
                    + metric("host-b", "sand_executions_open", "application=\"demo\"") > before);
        }
        cluster.journals = new CountDownLatch(1);
        CompletableFuture<Void> stopped = CompletableFuture.runAsync(() -> {
            try {
                hostB.stop();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, THREADS);
        says("host-b", "503", "stopping");
        says("front", "200");
        Files.delete(hold);
        for (CompletableFuture<Integer> each : held) {
            assertThat(each.join()).isEqualTo(200);
        }
        stopped.join();
        assertThat(cluster.health("host-b", "/livez")).as("it is gone").isEmpty();
        await().atMost(InProcessCluster.PATIENCE).until(() -> metric("host-a", "sand_slots", "state=\"recovering\"") > 0);
        says("host-a", "200");
        says("front", "200");
        CompletableFuture<Integer> first = CompletableFuture.supplyAsync(() -> {
            while (true) { // one in a slot that was host-a's before
                CompletableFuture<Integer> one = invoke();
                if (one.completeOnTimeout(0, 5, TimeUnit.SECONDS).join() == 200) {
                    return 200;
                }
            }
        }, THREADS);
        assertThat(first.join()).isEqualTo(200);
        cluster.journals.countDown();
        await().atMost(InProcessCluster.PATIENCE).until(() -> metric("host-a", "sand_slots", "state=\"ours\"") == 16);
        assertThat(metric("host-a", "sand_host_slots_total", "event=\"acquired\"")).isGreaterThanOrEqualTo(16);
        assertThat(metric("front", "sand_membership_epoch_changes_total")).isPositive();
    }

    @Test
    @Order(5)
    void a_frontend_drains() throws Exception {
        await().atMost(InProcessCluster.PATIENCE).until(() -> metric("front", "sand_frontend_in_flight") == 0); // none of before
        Files.createFile(hold);
        CompletableFuture<Integer> held = invoke();
        await().atMost(InProcessCluster.PATIENCE).until(() -> metric("front", "sand_frontend_in_flight") == 1);
        CompletableFuture<Void> stopped = CompletableFuture.runAsync(() -> {
            try {
                front.stop();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, THREADS);
        says("front", "503", "stopping");
        Files.delete(hold);
        assertThat(held.join()).isEqualTo(200);
        stopped.join();
    }
}
