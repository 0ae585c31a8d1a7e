package dev.sand.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames;
import dev.sand.dataplane.client.ProcessClient;
import dev.sand.dataplane.client.Value;
import java.io.DataInputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
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
        return connect(process, "").path("address").asText();
    }

    private static JsonNode connect(String process, String query) throws Exception {
        return InProcessCluster.json(cluster.send(front, "POST", PROCESSES + process + "/connect" + query, "{}".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void whereItWentIsToldBeforeAnyCall() throws Exception {
        try (ProcessClient client = client("p")) {
            assertThat(client.invoke("count", Value.json("null"), TIME).text()).isEqualTo("1");
            String first = address("p");
            HttpResponse<String> moved = cluster.send(front, "POST", PROCESSES + "p/migrate", null);
            assertThat(moved.statusCode()).as(moved.body()).isEqualTo(200);
            await().untilAsserted(() -> assertThat(client.movedTo()).contains(address("p")));
            assertThat(client.invoke("count", Value.json("null"), TIME).text()).isEqualTo("2");
            assertThat(address("p")).isNotEqualTo(first);
        }
    }

    @Test
    void whereItGoesFromAHostThatDrainsIsToldBeforeAnyCall() throws Exception {
        try (ProcessClient client = client("d")) {
            assertThat(client.invoke("count", Value.json("null"), TIME).text()).isEqualTo("1");
            String first = address("d");
            String host = InProcessCluster.json(cluster.send(front, "GET", PROCESSES + "d", null)).path("host").asText();
            assertThat(cluster.send(front, "POST", "/api/v1/hosts/" + host + "/drain", null).statusCode()).isEqualTo(202);
            await().atMost(InProcessCluster.PATIENCE).until(() -> client.reconnects() > 0);
            assertThat(client.invoke("count", Value.json("null"), TIME).text()).isEqualTo("2");
            assertThat(address("d")).isNotEqualTo(first);
            assertThat(cluster.send(front, "POST", "/api/v1/hosts/" + host + "/resume", null).statusCode()).isEqualTo(202);
            cluster.awaitHosts(front, 2);
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

    /** Else it would let somebody in whose process was killed where he was not. */
    @Test
    void aGrantOfBeforeTheMoveIsOfNoUseWhereItWas() throws Exception {
        JsonNode before = connect("g", "?create=true");
        assertThat(shown(before)).isInstanceOf(Frame.Welcome.class);
        assertThat(cluster.send(front, "POST", PROCESSES + "g/migrate", null).statusCode()).isEqualTo(200);
        assertThat(shown(before)).isInstanceOfSatisfying(Frame.Moved.class, moved ->
                assertThat(moved.address()).isNotEqualTo(before.path("address").asText()).isNotEmpty());
        assertThat(cluster.send(front, "DELETE", PROCESSES + "g", null).statusCode()).isEqualTo(204);
        assertThat(shown(before)).isEqualTo(new Frame.Moved(0, ""));
        assertThat(shown(connect("g", "?create=true"))).as("it begins at home").isInstanceOf(Frame.Welcome.class);
        assertThat(shown(before)).isInstanceOf(Frame.Moved.class);
    }

    /** What the host says to who comes with that. */
    private static Frame shown(JsonNode connect) throws Exception {
        String[] place = connect.path("address").asText().split(":");
        try (Socket socket = new Socket(place[0], Integer.parseInt(place[1]))) {
            socket.setSoTimeout((int) TIME.toMillis());
            ByteBuffer hello = Frames.encode(new Frame.Hello(Frames.VERSION, connect.path("grant").asText(), "test"));
            socket.getOutputStream().write(Frames.PREFACE);
            socket.getOutputStream().write(hello.array(), hello.arrayOffset() + hello.position(), hello.remaining());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            return Frames.decode(ByteBuffer.wrap(in.readNBytes(in.readInt())));
        }
    }

    private static ProcessClient client(String process) throws Exception {
        return ProcessClient.connect(URI.create("http://127.0.0.1:" + front.address().getPort()), "demo", process);
    }
}
