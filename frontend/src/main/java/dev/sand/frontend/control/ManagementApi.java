package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Operations;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Router;
import dev.sand.frontend.management.ManagementService;

/** How the grains are that do operations: never through them. */
public final class ManagementApi {
    private final ManagementService service;

    /** @param service null: operations are done directly, all of them */
    public ManagementApi(ManagementService service) {
        this.service = service;
    }

    public void addTo(Router router, Operations operations) {
        router.on("management", this::management);
        operations.all().stream().filter(Operations.Operation::alone).forEach(each -> router.on(each.id(), exchange -> {
            throw Problem.caller(409, "no-management", "There is no management", "Only grain '" + each.grain() + "' of the management"
                    + " application does this: start the platform with --management on, and do not ask for it with Sand-Direct.").asException();
        }));
    }

    private void management(Exchange exchange) {
        ObjectNode answer = Json.object().put("enabled", service != null);
        if (service != null) {
            answer.put("trouble", service.trouble());
            answer.putNull("version").putNull("bundle");
            ObjectNode grains = answer.putObject("grains");
            service.serving().ifPresent(version -> {
                answer.put("version", version.version()).put("bundle", version.bundle());
                version.grains().keySet().forEach(grain -> grains.putObject(grain).put("ready", true));
            });
            service.health().forEach((grain, broken) -> grains.putObject(grain).put("ready", false).put("failure", broken.failure())
                    .put("executionId", broken.executionId()).put("sinceMs", broken.sinceMs()));
        }
        exchange.json(200, answer);
    }
}
