package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class KafkaNodeTest {
    @Test
    void itAnswersIsKilledAndStartsAgainOnItsPort() {
        try (KafkaNode node = new KafkaNode(Map.of())) {
            assertThat(KafkaProbe.answers(node.bootstrap())).isFalse();
            node.start();
            assertThat(KafkaProbe.answers(node.bootstrap())).isTrue();
            node.pause();
            assertThat(KafkaProbe.answers(node.bootstrap())).isFalse();
            node.resume();
            node.kill();
            assertThat(KafkaProbe.answers(node.bootstrap())).isFalse();
            node.start();
            assertThat(KafkaProbe.answers(node.bootstrap())).isTrue();
        }
    }
}
