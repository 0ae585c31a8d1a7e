package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Places;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.http.Router;
import dev.sand.workflow.asl.Diagnostic;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.trial.StateTrial;
import java.io.IOException;
import java.util.List;

/** {@code /api/v1/asl/test-state}: one state of a definition, tried in memory with stubs for grains; nothing is deployed or kept. */
public final class StateTrialsApi {
    private static final int MOST_BYTES = 4 << 20;
    /** Expressions of strangers: on a processor each, and no more. */
    private static final int AT_ONCE = 2;
    private static final long PATIENCE_MS = 10_000;
    private static final String EXPECTED = "The body is a JSON object with \"definition\" (an object) and \"state\" (its name).";
    private final Places room = new Places(AT_ONCE, AT_ONCE - 1);

    public void addTo(Router router) {
        router.on("testState", exchange -> {
            JsonNode body = JsonBody.object(exchange, MOST_BYTES, EXPECTED);
            if (body == null || !body.path("definition").isObject() || !body.path("state").isTextual()) {
                throw Problems.badRequest(EXPECTED).asException();
            }
            object(body, "variables");
            object(body, "grains");
            test(exchange, body);
        });
    }

    private static void object(JsonNode body, String field) {
        if (body.hasNonNull(field) && !body.get(field).isObject()) {
            throw Problems.badRequest("\"" + field + "\" is an object.").asException();
        }
    }

    private void test(Exchange exchange, JsonNode body) throws IOException {
        try {
            if (!room.take(exchange.tenant(), PATIENCE_MS)) {
                throw room.refusal("trials of states").asException();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.platform(503, "unavailable", "Not available now", "This frontend is stopping.", true).asException();
        }
        Object found;
        try {
            found = StateTrial.run(body.get("definition"), body.get("state").textValue(),
                    body.has("input") ? body.get("input") : Json.NODES.objectNode(), orNull(body, "variables"), orNull(body, "grains"));
        } finally {
            room.leave(exchange.tenant());
        }
        switch (found) {
            case null -> throw Problems.badRequest("The definition has no state \"" + body.get("state").textValue() + "\".").asException();
            case StateTrial.Outcome outcome -> exchange.json(200, shown(outcome));
            case List<?> diagnostics -> exchange.json(200, invalid(diagnostics));
            default -> throw new IllegalStateException("no outcome of a state: " + found);
        }
    }

    private static JsonNode orNull(JsonNode body, String field) {
        return body.hasNonNull(field) ? body.get(field) : null;
    }

    private static ObjectNode shown(StateTrial.Outcome outcome) {
        ObjectNode shown = Json.NODES.objectNode().put("status", outcome.status().name());
        if (outcome.output() != null) {
            shown.set("output", outcome.output());
        }
        if (outcome.next() != null) {
            shown.put("next", outcome.next());
        }
        if (outcome.status() != StateTrial.Status.SUCCEEDED) {
            shown.put("error", outcome.error()).put("cause", outcome.cause());
        }
        return shown;
    }

    private static ObjectNode invalid(List<?> found) {
        ObjectNode shown = Json.NODES.objectNode().put("status", "INVALID");
        ArrayNode diagnostics = shown.putArray("diagnostics");
        for (Object each : found) {
            if (each instanceof Diagnostic diagnostic) {
                diagnostics.addObject().put("pointer", diagnostic.pointer()).put("code", diagnostic.code().name())
                        .put("message", diagnostic.message());
            }
        }
        return shown;
    }
}
