package dev.sand.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The parts that hosts share, and those before them, are restarted or killed under load: what was accepted is answered once. */
@Tag("cluster")
@ExtendWith(ClusterExtension.class)
class GlobalLayerFailureTest {
    private static final int EXECUTIONS = Load.of(80);
    private static final Duration OVER = Duration.ofSeconds(10);
    /** One execution with more work than its host's part, so that most of its events run on the other two. */
    private static final int ITEMS = 800;
    private static final Map<String, String> SPREAD = Map.of(
            "sand.yaml", "name: spread\nsandbox: {memory: 256MiB}\ndefaults: {isolation: worker}\n",
            "grains/sleep/handler.py", "import time\n\ndef handle(event, context):\n    time.sleep(0.5)\n    return event\n",
            "workflows/main.asl.json", """
                    {"StartAt": "All", "States": {"All": {"Type": "Map", "MaxConcurrency": 24, "End": true, "ItemProcessor": {
                      "StartAt": "Sleep", "States": {"Sleep": {"Type": "Task", "Resource": "sleep", "End": true}}}}}}
                    """);

    @BeforeAll
    static void deploy(ClusterFixture cluster) {
        cluster.client().deploy(FiveSteps.files("relaxed"));
        cluster.client().deploy(FiveSteps.files("strict"));
    }

    @ParameterizedTest
    @CsvSource({"kafka, relaxed", "cassandra, relaxed"})
    void aPartIsKilledUnderLoadAndComesBack(String part, String durability, ClusterFixture cluster) throws Exception {
        killUnderLoad(part, durability, cluster);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"kafka, strict", "frontend1, relaxed"})
    void anotherPartIsKilledUnderLoadAndComesBack(String part, String durability, ClusterFixture cluster) throws Exception {
        killUnderLoad(part, durability, cluster);
    }

    private static void killUnderLoad(String part, String durability, ClusterFixture cluster) throws Exception {
        try (Load load = new Load(cluster.client(), FiveSteps.name(durability), part + "-" + System.nanoTime() + "-")) {
            load.start(EXECUTIONS, OVER);
            await("the middle of the executions").atMost(Duration.ofSeconds(60)).until(() -> load.begun() > EXECUTIONS / 4);
            cluster.part(part).kill();
            cluster.part(part).start();
            load.join();
            cluster.heal();
            assertThat(load.violations()).as(cluster::keptLogs).isEmpty();
            assertThat(load.history.failures()).as("requests that failed, with a cause").isEmpty();
        }
    }

    @Tag("long")
    @Test
    void whatIsSpreadOverHostsEndsAtHomeWhileKafkaStaysAway(ClusterFixture cluster) {
        PlatformClient client = cluster.client();
        client.deploy(SPREAD);
        double before = events(cluster, "came_back");
        CompletableFuture<PlatformClient.Answer> answer = client.invokeLater("spread/main",
                IntStream.range(0, ITEMS).mapToObj(String::valueOf).collect(Collectors.joining(",", "[", "]")), Map.of("Sand-Timeout", "110s"));
        await("events at other hosts").atMost(Duration.ofSeconds(60)).until(() -> events(cluster, "came_back") > before + 20);
        cluster.part("kafka").kill();
        assertThat(answer.join().status()).as(() -> answer.join().body() + "\n" + cluster.keptLogs()).isEqualTo(200);
        assertThat(answer.join().json()).hasSize(ITEMS);
        assertThat(events(cluster, "taken_back")).as("what other hosts had").isPositive();
        cluster.part("kafka").start();
        cluster.heal();
        assertThat(client.invoke("spread/main", "[1]").status()).isEqualTo(200);
    }

    private static double events(ClusterFixture cluster, String event) {
        return cluster.hosts().stream().mapToDouble(host -> cluster.part(host).metrics().sum("sand_host_events_total",
                "event=\"" + event + "\"")).sum();
    }
}
