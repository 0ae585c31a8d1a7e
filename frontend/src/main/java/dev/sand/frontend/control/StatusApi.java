package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.Registry;
import dev.sand.event.HostAgentPort;
import dev.sand.event.HostAgentPort.HostStatus;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Router;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Whether the platform is well, what runs in it, and what its interface is. */
public final class StatusApi {
    private static final long STATUS_MS = 3_000;
    private final HostAgentPort host;
    private final Registry registry;
    private final Supplier<ObjectNode> frontend;
    private final byte[] openapi;

    /** @param frontend its own figures: draining, inFlight, … */
    public StatusApi(HostAgentPort host, Registry registry, Supplier<ObjectNode> frontend) throws IOException {
        this.host = host;
        this.registry = registry;
        this.frontend = frontend;
        try (InputStream in = StatusApi.class.getResourceAsStream("/openapi.yaml")) {
            openapi = in.readAllBytes();
        }
    }

    public void addTo(Router router) {
        router.add("GET", "/livez", exchange -> exchange.json(200, Json.object().put("status", "ok")))
                .add("GET", "/readyz", this::ready)
                .add("GET", "/openapi.yaml", exchange -> exchange.bytes(200, "application/yaml", ByteBuffer.wrap(openapi)))
                .add("GET", "/api/v1/status", this::status);
    }

    private void ready(Exchange exchange) {
        registry.applications();
        if (hostStatus().draining() || frontend.get().path("draining").asBoolean()) {
            throw Problem.platform(503, "draining", "Shutting down", "The platform takes no new requests.", true).asException();
        }
        exchange.json(200, Json.object().put("status", "ready"));
    }

    private void status(Exchange exchange) {
        ObjectNode status = Json.object();
        status.set("frontend", frontend.get());
        // One here; a frontend of a cluster has several behind it.
        status.set("hosts", Json.array().add(Json.tree(hostStatus())));
        exchange.json(200, status);
    }

    private HostStatus hostStatus() {
        try {
            return host.status().get(STATUS_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
            throw Problem.platform(503, "unavailable", "Not available now",
                    "The host agent does not tell its status: " + e, true).asException();
        }
    }
}
