package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.event.HostAgentPort;
import dev.sand.event.HostAgentPort.Drain;
import dev.sand.event.HostAgentPort.GrainStatus;
import dev.sand.event.HostAgentPort.HostStatus;
import dev.sand.event.HostAgentPort.SandboxStatus;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.http.Router;
import dev.sand.frontend.invoke.Names;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * {@code /api/v1/hosts}: which hosts there are, and how much is left on each; and taking one out of service, and into it again.
 * Used by whoever is about to take a machine away. The platform does it itself, for grains want a host that takes work.
 */
public final class HostsApi {
    private static final long DRAIN_MS = 15_000;
    private final HostAgentPort hosts;

    public HostsApi(HostAgentPort hosts) {
        this.hosts = hosts;
    }

    public void addTo(Router router) {
        router.on("listHosts", this::list)
                .on("drainHost", exchange -> change(exchange, true))
                .on("resumeHost", exchange -> change(exchange, false));
    }

    private void list(Exchange exchange) {
        ArrayNode shown = Json.array();
        StatusApi.ask(hosts).forEach(status -> shown.add(shown(status)));
        exchange.json(200, Json.object().set("hosts", shown));
    }

    private void change(Exchange exchange, boolean out) throws InterruptedException {
        String host = exchange.path("host");
        switch (ask(host, out)) {
            case DONE -> exchange.json(202, StatusApi.ask(hosts).stream().filter(each -> each.host().equals(host)).findFirst()
                    .map(HostsApi::shown).orElseThrow(() -> unknown(host)));
            case NO_SUCH_HOST -> throw unknown(host);
            case NO_OTHER_HOST -> throw Problem.caller(409, "conflict", "Conflict", "Host '" + host
                    + "' is the only one that takes work: drain it when another does, or stop it.").asException();
        }
    }

    private RuntimeException unknown(String host) {
        return Problems.notFound("There is no host '" + host + "'. There are: "
                + String.join(", ", StatusApi.ask(hosts).stream().map(HostStatus::host).toList()) + ".").asException();
    }

    private Drain ask(String host, boolean out) throws InterruptedException {
        try {
            return hosts.drain(host, out).get(DRAIN_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
            throw Problem.platform(503, "unavailable", "Not available now", "Host '" + host + "' does not say that it does so: "
                    + (cause.getMessage() == null ? "it takes too long" : cause.getMessage()), true).asException();
        }
    }

    private static ObjectNode shown(HostStatus status) {
        ObjectNode shown = Json.object().put("host", status.host()).put("state", status.state()).put("problem", status.problem());
        if (status.place() == null) {
            shown.putNull("slots");
        } else {
            shown.put("slots", status.place().slots().size());
        }
        List<SandboxStatus> there = status.sandboxes().stream().filter(SandboxStatus::isThere).toList();
        List<GrainStatus> grains = status.sandboxes().stream().flatMap(sandbox -> sandbox.grains().stream()).toList();
        shown.put("sandboxes", there.size())
                .put("executions", status.sandboxes().stream().mapToInt(SandboxStatus::executions).sum())
                .put("events", grains.stream().mapToInt(grain -> grain.running() + grain.queued()).sum());
        ArrayNode applications = shown.putArray("applications");
        new TreeSet<>(there.stream().map(SandboxStatus::application).filter(name -> !Names.isSystem(name)).toList()).forEach(applications::add);
        return shown;
    }
}
