package dev.sand.workflow.trial;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.data.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What stands in for grains in a trial. By resource or its last part: {@code {"echo": true}}, {@code {"return": JSON}},
 * {@code {"raise": {"error": …, "cause": …}}}, or a list of such, one a call, of which the last one stays. Each may have
 * {@code "seconds"}, how long the call takes, and {@code "publish"}, a list of {@code {"grain": …, "payload": …}}.
 */
final class GrainStub {
    /** What one call does. @param output null when it raises */
    record Answer(JsonNode output, String error, String cause, long delayMs, JsonNode published) {}

    private final Map<String, List<JsonNode>> answers = new HashMap<>();
    private final Map<String, Integer> calls = new HashMap<>();

    /** @param grains an object of stubs by name, or null: then every grain gives back its input */
    GrainStub(JsonNode grains) {
        if (grains != null && grains.isObject()) {
            for (var field : grains.properties()) {
                List<JsonNode> list = new ArrayList<>();
                (field.getValue().isArray() ? field.getValue() : Json.NODES.arrayNode().add(field.getValue())).forEach(list::add);
                answers.put(lastPart(field.getKey()), list);
            }
        }
    }

    /** The name in "arn:aws:lambda:…:function:name", "sand:grain:name" or "name". */
    static String lastPart(String resource) {
        return resource.substring(resource.lastIndexOf(':') + 1);
    }

    Answer call(String grain, JsonNode input) {
        List<JsonNode> list = answers.getOrDefault(grain, List.of());
        int call = calls.merge(grain, 1, Integer::sum);
        JsonNode stub = list.isEmpty() ? Json.NODES.objectNode().put("echo", true) : list.get(Math.min(call, list.size()) - 1);
        long delayMs = stub.has("seconds") ? stub.get("seconds").decimalValue().movePointRight(3).longValue() : 0;
        JsonNode raise = stub.get("raise");
        if (raise != null) {
            return new Answer(null, raise.path("error").asText(null), raise.path("cause").asText(null), delayMs, stub.path("publish"));
        }
        return new Answer(stub.has("return") ? stub.get("return") : input, null, null, delayMs, stub.path("publish"));
    }
}
