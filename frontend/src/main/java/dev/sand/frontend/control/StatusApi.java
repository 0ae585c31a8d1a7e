package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.event.HostAgentPort;
import dev.sand.event.HostAgentPort.HostStatus;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Router;
import dev.sand.frontend.invoke.Names;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Whether the platform is well, what runs in it, and what its interface is. */
public final class StatusApi {
    private static final long STATUS_MS = 3_000;
    private final HostAgentPort host;
    private final Supplier<String> trouble;
    private final Supplier<ObjectNode> frontend;
    private final Supplier<String> metrics;
    private final byte[] openapi;

    /**
     * @param trouble why the platform below is not ready, or null; @param frontend its own figures: draining, inFlight, …
     * @param metrics in Prometheus's text format; @param openapi the interface's document
     */
    public StatusApi(HostAgentPort host, Supplier<String> trouble, Supplier<ObjectNode> frontend, Supplier<String> metrics,
                     byte[] openapi) {
        this.host = host;
        this.trouble = trouble;
        this.frontend = frontend;
        this.metrics = metrics;
        this.openapi = openapi;
    }

    public void addTo(Router router) {
        router.on("livez", exchange -> exchange.json(200, Json.object().put("status", "ok")))
                .on("readyz", this::ready)
                .onHttp("openapi", exchange -> exchange.bytes(200, "application/yaml", ByteBuffer.wrap(openapi)))
                .onHttp("metrics", exchange -> exchange.bytes(200, "text/plain; version=0.0.4; charset=utf-8",
                        StandardCharsets.UTF_8.encode(metrics.get())))
                .on("status", this::status);
    }

    private void ready(Exchange exchange) {
        String why = trouble.get();
        if (why != null) {
            throw Problem.platform(503, "unavailable", "Not available now", "Not ready: " + why + ".", true).asException();
        }
        List<HostStatus> hosts = ask(host);
        if (hosts.stream().noneMatch(host -> host.problem() == null)) {
            throw Problem.platform(503, "unavailable", "Not available now", hosts.isEmpty() ? "No host is known."
                    : "No host answers: " + hosts.getFirst().problem(), true).asException();
        }
        if (hosts.stream().allMatch(HostStatus::draining) || frontend.get().path("draining").asBoolean()) {
            throw Problem.platform(503, "draining", "Shutting down", "The platform takes no new requests.", true).asException();
        }
        exchange.json(200, Json.object().put("status", "ready"));
    }

    private void status(Exchange exchange) {
        ObjectNode status = Json.object();
        status.set("frontend", frontend.get());
        boolean all = exchange.flag(ApplicationsApi.SYSTEM);
        status.set("hosts", shown(ask(host).stream().map(each -> all ? each : withoutSystem(each)).toList()));
        exchange.json(200, status);
    }

    private static HostStatus withoutSystem(HostStatus status) {
        return status.with(status.sandboxes().stream().filter(sandbox -> !Names.isSystem(sandbox.application())).toList());
    }

    private static ArrayNode shown(List<HostStatus> hosts) {
        ArrayNode shown = Json.array();
        hosts.forEach(each -> shown.add(((ObjectNode) Json.tree(each)).put("state", each.state())));
        return shown;
    }

    /** Of each host. @throws RuntimeException as a problem for the caller: they do not tell now */
    static List<HostStatus> ask(HostAgentPort host) {
        return answer(host.status(), "status");
    }

    /** @param what they are asked for; @throws RuntimeException as above */
    static <T> T answer(CompletableFuture<T> asked, String what) {
        try {
            return asked.get(STATUS_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException | TimeoutException e) {
            throw Problem.platform(503, "unavailable", "Not available now",
                    "The host agent does not tell its " + what + ": " + e, true).asException();
        }
    }
}
