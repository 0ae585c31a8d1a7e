package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.StoredBytes;
import dev.sand.event.ApplicationName;
import dev.sand.event.HostAgentPort;
import dev.sand.event.HostAgentPort.GrainStatus;
import dev.sand.event.HostAgentPort.HostStatus;
import dev.sand.event.HostAgentPort.SandboxStatus;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Router;
import java.util.List;

/** What a tenant uses of what it has quotas of: instances and memory of each host, and the data layer's bytes. */
public final class UseApi {
    private final HostAgentPort hosts;
    private final StoredBytes stored;

    public UseApi(HostAgentPort hosts, StoredBytes stored) {
        this.hosts = hosts;
        this.stored = stored;
    }

    public void addTo(Router router) {
        router.on("getUse", this::use);
    }

    private void use(Exchange exchange) {
        String tenant = exchange.askedTenant();
        ObjectNode use = Json.object().put("tenant", tenant);
        ArrayNode all = use.putArray("hosts");
        for (HostStatus host : StatusApi.ask(hosts)) {
            List<SandboxStatus> its = host.sandboxes().stream().filter(sandbox -> ApplicationName.isValid(sandbox.application())
                    && ApplicationName.tenant(sandbox.application()).equals(tenant)).toList();
            all.addObject().put("host", host.host())
                    .put("instances", its.stream().flatMap(sandbox -> sandbox.grains().stream()).mapToInt(GrainStatus::running).sum())
                    .put("memoryBytes", its.stream().mapToLong(SandboxStatus::memoryBytes).sum());
        }
        exchange.json(200, use.put("storedBytes", stored.lately(tenant)));
    }
}
