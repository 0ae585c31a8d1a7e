package dev.sand.tests.cluster;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

/** The control plane for clients outside the cluster's network: it says where a process is by address, not by a name of that network. */
final class HostNames implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private final ClusterFixture cluster;
    private final PlatformClient client;
    private final HttpServer server;

    HostNames(ClusterFixture cluster) throws IOException {
        this.cluster = cluster;
        this.client = cluster.client();
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::answer);
        server.start();
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            int status = 503;
            byte[] answer = "{}".getBytes(StandardCharsets.UTF_8);
            try {
                PlatformClient.Answer said = client.post(exchange.getRequestURI().getPath(), body);
                status = said.status();
                answer = said.body().getBytes(StandardCharsets.UTF_8);
                if (status == 200) {
                    ObjectNode place = (ObjectNode) JSON.readTree(answer);
                    String[] at = place.path("address").asText().split(":");
                    answer = JSON.writeValueAsBytes(place.put("address", cluster.ip(place.path("host").asText()) + ":" + at[1]));
                }
            } catch (RuntimeException e) {
                // As when nobody answers: the client asks again.
            }
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, answer.length);
            exchange.getResponseBody().write(answer);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
