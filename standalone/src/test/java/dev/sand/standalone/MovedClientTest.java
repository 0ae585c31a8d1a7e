package dev.sand.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.dataplane.client.ProcessClient;
import dev.sand.dataplane.client.Value;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client of the data plane whose process goes to another host is told where to, by the host where it was. */
@Tag("slow")
class MovedClientTest {
    private static final Duration TIME = Duration.ofSeconds(60);
    private static final String PROCESSES = "/api/v1/apps/demo/processes/";
    private static final Map<String, String> FILES = Map.of(
            "sand.yaml", "name: demo\nsandbox: {memory: 256MiB}\n",
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

    private static String address(String process) throws Exception {
        return InProcessCluster.json(cluster.send(front, "POST", PROCESSES + process + "/connect", "{}".getBytes(StandardCharsets.UTF_8))).path("address").asText();
    }

    @Test
    void whereItWentIsInTheAnswer() throws Exception {
        try (ProcessClient client = client("p")) {
            assertThat(client.invoke("count", Value.json("null"), TIME).text()).isEqualTo("1");
            String first = address("p");
            HttpResponse<String> moved = cluster.send(front, "POST", PROCESSES + "p/migrate", null);
            assertThat(moved.statusCode()).as(moved.body()).isEqualTo(200);
            assertThat(client.movedTo()).isEmpty();
            assertThat(client.invoke("count", Value.json("null"), TIME).text()).isEqualTo("2");
            assertThat(client.movedTo()).contains(address("p"));
            assertThat(address("p")).isNotEqualTo(first);
        }
    }

    @Test
    void whatIsKilledWhereItWentStaysKilledAndBeginsAtHomeWithTheNextCall() throws Exception {
        try (ProcessClient client = client("k")) {
            assertThat(client.invoke("count", Value.json("null"), TIME).text()).isEqualTo("1");
            String home = address("k");
            assertThat(cluster.send(front, "POST", PROCESSES + "k/migrate", null).statusCode()).isEqualTo(200);
            assertThat(client.invoke("count", Value.json("null"), TIME).text()).isEqualTo("2");
            int before = client.reconnects();
            assertThat(cluster.send(front, "DELETE", PROCESSES + "k", null).statusCode()).isEqualTo(204);
            await().until(() -> client.reconnects() > before);
            assertThat(cluster.send(front, "GET", PROCESSES + "k", null).statusCode()).isEqualTo(404);
            assertThat(client.invoke("count", Value.json("null"), TIME).text()).isEqualTo("1");
            assertThat(address("k")).isEqualTo(home);
        }
    }

    private static ProcessClient client(String process) throws Exception {
        return ProcessClient.connect(URI.create("http://127.0.0.1:" + front.address().getPort()), "demo", process);
    }
}
