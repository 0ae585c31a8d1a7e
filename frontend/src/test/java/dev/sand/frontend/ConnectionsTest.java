package dev.sand.frontend;

import static dev.sand.frontend.Platform.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.event.Payload;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What becomes of a connection, and of requests in flight, when clients hang up, send ahead, are refused or are too many. */
class ConnectionsTest extends WithDemo {
    @Test
    void a_client_that_hangs_up_cancels_its_synchronous_request_and_no_other() throws Exception {
        for (String header : new String[] {"", "Idempotency-Key: h\r\n"}) {
            try (Socket socket = new Socket("127.0.0.1", platform.frontend.address().getPort())) {
                socket.getOutputStream().write(("POST /invoke/demo/hold HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n" + header
                        + "\r\n1").getBytes(StandardCharsets.US_ASCII));
                await().until(() -> !platform.host.running.isEmpty());
            }
            if (header.isEmpty()) {
                await().until(() -> platform.host.running.isEmpty());
                assertThat(platform.host.cancelled).hasSize(1);
            }
        }
        String id = platform.host.running.keySet().iterator().next();
        await().until(() -> json(platform.get("/api/v1/status")).path("frontend").path("inFlight").asInt() == 0);
        assertThat(platform.host.cancelled).hasSize(1).doesNotContain(id);
    }

    @Test
    void a_connection_serves_on_after_a_slow_request_with_another_behind_it() throws Exception {
        try (Socket socket = new Socket("127.0.0.1", platform.frontend.address().getPort())) {
            String request = "POST /invoke/demo/%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n1";
            socket.getOutputStream().write(request.formatted("hold").getBytes(StandardCharsets.US_ASCII));
            await().until(() -> !platform.host.running.isEmpty());
            // By now the connection is watched for a hang-up; what the watch reads is the next request.
            await().pollDelay(Duration.ofMillis(500)).until(() -> true);
            socket.getOutputStream().write(request.formatted("echo").getBytes(StandardCharsets.US_ASCII));
            String id = platform.host.running.keySet().iterator().next();
            platform.host.release(id, Payload.json("\"first\"".getBytes(StandardCharsets.UTF_8)));
            StringBuilder read = new StringBuilder();
            byte[] buffer = new byte[4096];
            while (!read.toString().matches("(?s).*\"first\"HTTP/1.1 200 OK.*\r\n\r\n1")) {
                int n = socket.getInputStream().read(buffer);
                assertThat(n).as(read.toString()).isPositive();
                read.append(new String(buffer, 0, n, StandardCharsets.US_ASCII));
            }
            socket.getOutputStream().write(request.formatted("echo").getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().read(buffer)).isPositive();
        }
        assertThat(platform.host.cancelled).isEmpty();
    }

    @Test
    void more_requests_in_flight_than_allowed_are_told_to_come_back() throws Exception {
        try (Platform small = new Platform(configuration -> configuration.withInFlight(1))) {
            small.deployDemo();
            var held = small.client.sendAsync(HttpRequest.newBuilder(small.uri("/invoke/demo/hold"))
                    .POST(HttpRequest.BodyPublishers.noBody()).build(), HttpResponse.BodyHandlers.ofString());
            await().until(() -> !small.host.running.isEmpty());
            HttpResponse<byte[]> refused = small.post("/invoke/demo/echo", "1");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            assertThat(json(refused).path("limit").asInt()).isEqualTo(1);
            small.host.release(small.host.running.keySet().iterator().next(), Payload.nullJson());
            assertThat(held.get().statusCode()).isEqualTo(200);
            assertThat(small.post("/invoke/demo/echo", "1").statusCode()).isEqualTo(200);
        }
    }

    /** Clients that write head and body apart meet this: an answer between the two must not cost them the connection. */
    @Test
    void a_refusal_leaves_the_connection_usable() throws Exception {
        try (Socket socket = new Socket("127.0.0.1", platform.frontend.address().getPort())) {
            socket.setSoTimeout(10_000);
            for (String target : new String[] {"demo/nothing", "nobody/echo", "demo/echo"}) {
                socket.getOutputStream().write(("POST /invoke/" + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        + "Content-Length: 2\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
                socket.getOutputStream().write("{}".getBytes(StandardCharsets.US_ASCII));
                String head = "";
                while (!head.endsWith("\r\n\r\n")) {
                    int next = socket.getInputStream().read();
                    assertThat(next).as("the connection is closed after %s", head).isNotEqualTo(-1);
                    head += (char) next;
                }
                assertThat(head).startsWith(target.equals("demo/echo") ? "HTTP/1.1 200" : "HTTP/1.1 404")
                        .doesNotContainIgnoringCase("connection: close");
                int length = Integer.parseInt(head.replaceAll("(?is).*content-length: *(\\d+).*", "$1"));
                assertThat(socket.getInputStream().readNBytes(length)).hasSize(length);
            }
        }
    }
}
