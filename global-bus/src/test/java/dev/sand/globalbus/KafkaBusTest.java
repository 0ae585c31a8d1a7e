package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The contract over a real broker; each test has topics of its own. */
@Tag("slow")
class KafkaBusTest extends GlobalBusContract {
    private final String prefix = UUID.randomUUID() + ".";

    @Override
    GlobalBus open() {
        return new KafkaBus(options(KafkaNode.shared().bootstrap(), prefix));
    }

    static KafkaBus.Options options(String servers, String prefix) {
        return new KafkaBus.Options(servers, BACKLOG_BYTES, RECORD_BYTES, Duration.ofMillis(2), Duration.ofSeconds(20), 0, prefix);
    }

    @Test
    void topicsLoseNothingByThemselves() throws Exception {
        bus.createTopic("t", 2);
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, prefix + "t");
        var config = ((KafkaBus) bus).admin().describeConfigs(List.of(topic)).all().get().get(topic);
        assertThat(List.of(config.get("retention.ms").value(), config.get("retention.bytes").value(),
                config.get("cleanup.policy").value(), config.get("min.insync.replicas").value())).containsExactly("-1", "-1", "delete", "1");
        DescribeTopicsResult described = ((KafkaBus) bus).admin().describeTopics(List.of(prefix + "t"));
        assertThat(described.allTopicNames().get().get(prefix + "t").partitions()).hasSize(2)
                .allMatch(partition -> partition.replicas().size() == 1);
    }

    @Test
    void anotherPlatformOnTheClusterSeesNothingOfThisOne() {
        bus.createTopic("t", 1);
        try (GlobalBus other = new KafkaBus(options(KafkaNode.shared().bootstrap(), UUID.randomUUID() + "."))) {
            assertThat(other.topics()).isEmpty();
            assertThat(other.partitions("t")).isZero();
        }
    }

    @Test
    void closeSendsWhatWasAccepted() {
        bus.createTopic("t", 1);
        List<CompletableFuture<Long>> offsets = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            CompletableFuture<Long> offset = new CompletableFuture<>();
            bus.appendInBackground("t", 0, bytes("r" + i), listener(offset));
            offsets.add(offset);
        }
        bus.close();
        assertThat(offsets).allMatch(offset -> offset.isDone() && !offset.isCompletedExceptionally());
        bus = open();
        assertThat(bus.endOffset("t", 0)).isEqualTo(500);
    }
}
