package dev.sand.standalone;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** {@code /livez}, {@code /readyz} and {@code /metrics} of a host agent without a frontend, for whoever watches over it. */
final class Health implements AutoCloseable {
    private static final int NOT_READY = 503;
    private final HttpServer server;

    /** @param trouble why the process is not ready, or null; may block a moment; @param metrics in Prometheus's text format */
    Health(InetSocketAddress address, Supplier<String> trouble, Supplier<String> metrics) throws IOException {
        try {
            server = HttpServer.create(address, 16);
        } catch (IOException e) {
            throw new IOException("cannot listen on " + address + ": " + e.getMessage() + "; choose another --health-listen");
        }
        server.setExecutor(Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("health-", 0).factory()));
        server.createContext("/livez", exchange -> answer(exchange, "/livez", "ok", null));
        server.createContext("/readyz", exchange -> answer(exchange, "/readyz", "ready", trouble.get()));
        server.createContext("/metrics", exchange -> metrics(exchange, metrics));
        server.start();
    }

    InetSocketAddress address() {
        return server.getAddress();
    }

    private static void answer(HttpExchange exchange, String path, String well, String trouble) throws IOException {
        try (exchange) {
            boolean known = exchange.getRequestURI().getPath().equals(path);
            boolean asked = exchange.getRequestMethod().equals("GET") || exchange.getRequestMethod().equals("HEAD");
            int status = !known ? 404 : !asked ? 405 : trouble == null ? 200 : NOT_READY;
            byte[] body = new JsonMapper().writeValueAsBytes(Map.of("status", status == 200 ? well
                    : status == NOT_READY ? trouble : "not found"));
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            boolean head = exchange.getRequestMethod().equals("HEAD");
            exchange.sendResponseHeaders(status, head ? -1 : body.length);
            if (!head) {
                exchange.getResponseBody().write(body);
            }
        }
    }

    private static void metrics(HttpExchange exchange, Supplier<String> metrics) throws IOException {
        try (exchange) {
            if (!exchange.getRequestURI().getPath().equals("/metrics")) { // it is asked for what begins so, too
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            byte[] page = metrics.get().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
