package dev.sand.frontend.interior;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.ControlPort;
import dev.sand.frontend.access.Sealing;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import java.io.IOException;
import java.util.Optional;

/**
 * Opens what a frontend sealed, for the grain that handles that request and no other. There is no such operation over HTTP, and
 * nothing of its answer is kept.
 */
final class OpensSealed {
    static final String ID = "openSealed";
    private final Sealing sealing;

    OpensSealed(Sealing sealing) {
        this.sealing = sealing;
    }

    /** @throws IllegalArgumentException when the arguments are none of it */
    ControlPort.Reply call(ControlPort.Call call) {
        JsonNode body;
        try {
            body = Json.MAPPER.readTree(call.arguments()).path("body");
        } catch (IOException e) {
            throw new IllegalArgumentException("the arguments of " + ID + " are not JSON");
        }
        if (!body.path("pointer").isTextual() || !body.path("box").isTextual()) {
            throw new IllegalArgumentException("the body of " + ID + " has a pointer and a box");
        }
        String pointer = body.get("pointer").textValue();
        Optional<String> value = sealing.open(call.execution(), pointer, body.get("box").textValue());
        return value.map(text -> new ControlPort.Reply(200, Json.bytes(Json.object().put("value", text))))
                .orElseGet(() -> new ControlPort.Reply(400, Problem.caller(400, "bad-request", "The request is not right",
                        "What is at " + pointer + " was not sealed for this request.").toJson(null)));
    }
}
