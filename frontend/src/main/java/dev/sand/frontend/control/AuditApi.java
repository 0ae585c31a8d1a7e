package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.AuditLog;
import dev.sand.event.ApplicationName;
import dev.sand.event.Ids;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.http.Router;

/** {@code GET /api/v1/audit}: who changed what. */
public final class AuditApi {
    private final AuditLog log;

    public AuditApi(AuditLog log) {
        this.log = log;
    }

    public void addTo(Router router) {
        router.on("listAudit", this::list);
    }

    private void list(Exchange exchange) {
        String before = exchange.query("before");
        if (before != null && !Ids.isValid(before)) {
            throw Problems.badRequest("'" + before + "' is no entry's id: 'before' takes the 'next' of an earlier answer.").asException();
        }
        AuditLog.Page page = log.list(exchange.askedTenant(), new AuditLog.Filter(application(exchange), exchange.query("operation")), before,
                exchange.query("limit", 50, 1, 1000));
        ArrayNode entries = Json.array();
        page.entries().forEach(entry -> entries.add(show(entry)));
        ObjectNode answer = Json.object();
        answer.set("entries", entries);
        answer.put("next", page.next());
        exchange.json(200, answer);
    }

    /** In full, as the log has it; a name without a tenant is one of the tenant's whose log it is. */
    private static String application(Exchange exchange) {
        String said = exchange.query("application");
        String whole = said == null ? null : ApplicationName.within(exchange.askedTenant(), said, exchange.isEverywhere());
        return whole == null ? said : whole;
    }

    private static ObjectNode show(AuditLog.Entry entry) {
        ObjectNode shown = Json.object().put("id", entry.id()).put("atMs", entry.atMs()).put("caller", entry.caller())
                .put("address", entry.address()).put("operation", entry.operation()).put("application", entry.application());
        shown.set("details", Json.tree(entry.details()));
        return shown.put("status", entry.status()).put("problem", entry.problem()).put("endedMs", entry.endedMs());
    }
}
