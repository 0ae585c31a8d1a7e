package dev.sand.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Messages for queues while the broker is dead: whoever sends hears of it in time to do something about it. */
@Tag("slow")
class QueuesWithoutKafkaTest {
    private static final String SEND = """
            def handle(event, context):
                try:
                    return context.enqueue("orders", event)
                except Exception as e:
                    return f"refused: {e}"
            """;
    private static final Map<String, String> APPLICATION = Map.of(
            "sand.yaml", """
                    name: shop
                    sandbox: {memory: 128MiB}
                    grains: {send: {timeout: 8s}}
                    queues: {orders: {target: work}}
                    """,
            "grains/send/handler.py", SEND,
            "grains/work/handler.py", "def handle(event, context):\n    return event\n");

    private static HttpResponse<String> post(InProcessCluster cluster, Platform front, String path, String... more) {
        String[] headers = new String[2 + more.length];
        headers[0] = "Content-Type";
        headers[1] = "application/json";
        System.arraycopy(more, 0, headers, 2, more.length);
        return cluster.send(front, "POST", path, "1".getBytes(StandardCharsets.UTF_8), headers);
    }

    @Test
    void a_sender_hears_that_the_bus_is_away_and_is_taken_when_it_is_back() throws Exception {
        try (InProcessCluster cluster = new InProcessCluster(Map.of())) {
            cluster.host("host-a", "2s");
            Platform front = cluster.frontend("front");
            cluster.awaitHosts(front, 1);
            assertThat(cluster.deploy(front, APPLICATION).statusCode()).isEqualTo(201);
            String queue = "/api/v1/applications/shop/queues/orders";
            assertThat(post(cluster, front, queue).statusCode()).isEqualTo(202);
            HttpResponse<String> sent = post(cluster, front, "/invoke/shop/send", "Sand-Timeout", "120s");
            assertThat(sent.statusCode()).as(sent.body()).isEqualTo(200);
            assertThat(sent.body()).doesNotContain("refused");

            cluster.kafka.kill();
            HttpResponse<String> refused = post(cluster, front, queue, "Idempotency-Key", "m-1");
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            assertThat(refused.body()).contains("the global bus");
            HttpResponse<String> without = post(cluster, front, "/invoke/shop/send", "Sand-Timeout", "120s");
            assertThat(without.statusCode()).as("not killed at its 8 s: " + without.body()).isEqualTo(200);
            assertThat(without.body()).contains("refused: ", "the global bus");

            cluster.kafka.start();
            await().atMost(InProcessCluster.PATIENCE).until(() -> post(cluster, front, queue, "Idempotency-Key", "m-1").statusCode() == 202);
            await().atMost(InProcessCluster.PATIENCE).until(() ->
                    post(cluster, front, "/invoke/shop/send", "Sand-Timeout", "120s").body().matches("\"[0-9A-Z]{26}\""));
        }
    }
}
