package dev.sand.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The parts that hosts share, and those before them, are restarted or killed under load: what was accepted is answered once. */
@Tag("cluster")
@ExtendWith(ClusterExtension.class)
class GlobalLayerFailureTest {
    private static final int EXECUTIONS = 80;
    private static final Duration OVER = Duration.ofSeconds(15);

    @BeforeAll
    static void deploy(ClusterFixture cluster) {
        cluster.client().deploy(FiveSteps.files("relaxed"));
        cluster.client().deploy(FiveSteps.files("strict"));
    }

    @ParameterizedTest
    @CsvSource({"kafka, relaxed", "kafka, strict", "cassandra, relaxed", "frontend1, relaxed"})
    void aPartIsKilledUnderLoadAndComesBack(String part, String durability, ClusterFixture cluster) throws Exception {
        try (Load load = new Load(cluster.client(), FiveSteps.name(durability), part + "-" + System.nanoTime() + "-")) {
            load.start(EXECUTIONS, OVER);
            await("the middle of the executions").atMost(Duration.ofSeconds(60)).until(() -> load.begun() > EXECUTIONS / 4);
            cluster.part(part).kill();
            cluster.part(part).start();
            load.join();
            cluster.heal();
            assertThat(load.violations()).as(() -> cluster.logs(30)).isEmpty();
            assertThat(load.history.failures()).as("requests that failed, with a cause").isEmpty();
        }
    }
}
