package dev.sand.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.CassandraNode;
import dev.sand.globalbus.KafkaNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Host agents and frontends that start before Kafka and Cassandra do. */
@Tag("slow")
class AbsentAtStartTest {
    private static final Duration PATIENCE = ClusterProcesses.PATIENCE;

    @TempDir
    Path home;

    @Test
    void parts_wait_for_what_is_missing_say_so_and_serve_once_it_is_there() throws Exception {
        home.toFile().setExecutable(true, false); // sandboxes that are plain processes have a user of their own
        Path names = Files.writeString(home.resolve("names"), "127.0.0.1 localhost\n");
        List<String> jvm = List.of("-Djdk.net.hosts.file=" + names);
        Files.writeString(home.resolve("key"), "the secret of this test's cluster, 32 bytes and more");
        try (KafkaNode kafka = new KafkaNode(Map.of()); CassandraNode cassandra = new CassandraNode()) {
            // Of a name that nobody knows yet: Cassandra's container is not there.
            String store = cassandra.address().replace("127.0.0.1", "cassandra.test");
            List<String> options = List.of("--bus=kafka:" + kafka.bootstrap(), "--store=cassandra:" + store,
                    "--cluster-key=" + home.resolve("key"));
            try (PartProcess host = PartProcess.host(home, "host", jvm, options);
                    PartProcess frontend = PartProcess.frontend(home, "front", jvm, options);
                    PartProcess stopped = PartProcess.frontend(home, "stopped", jvm, options)) {
                for (PartProcess each : List.of(host, frontend, stopped)) {
                    await().atMost(PATIENCE).untilAsserted(() -> assertThat(each.health("/readyz")).startsWith("503 ")
                            .contains("waiting for Cassandra at " + store, "Kafka at " + kafka.bootstrap()));
                    assertThat(each.health("/livez")).startsWith("200 ");
                    await().atMost(PATIENCE).untilAsserted(() -> assertThat(each.said())
                            .contains("waiting for Kafka", "waiting for Cassandra"));
                }
                assertThat(stopped.terminate()).isEqualTo(143);
                await().atMost(PATIENCE).untilAsserted(() -> assertThat(stopped.said()).contains("stopped before it was ready"));
                assertThat(stopped.said()).doesNotContain("\tat ");

                kafka.start();
                for (PartProcess each : List.of(host, frontend)) {
                    await().atMost(PATIENCE).untilAsserted(() -> assertThat(each.health("/readyz")).startsWith("503 ")
                            .contains("waiting for Cassandra").doesNotContain("Kafka"));
                    assertThat(each.isReady()).isFalse();
                }
                cassandra.launch();
                Files.writeString(names, "127.0.0.1 localhost cassandra.test\n");
                for (PartProcess each : List.of(host, frontend)) {
                    await().atMost(PATIENCE).until(() -> each.isReady() || !each.isAlive());
                    assertThat(each.isAlive()).as(each::said).isTrue();
                    await().atMost(PATIENCE).untilAsserted(() -> assertThat(each.health("/readyz")).startsWith("200 "));
                }
                assertThat(PartProcess.get("http://127.0.0.1:" + frontend.port + "/api/v1/status")).startsWith("200 ")
                        .contains("\"host\"");
            }
        }
    }
}
