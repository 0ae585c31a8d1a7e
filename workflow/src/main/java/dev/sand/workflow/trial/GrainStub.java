package dev.sand.workflow.trial;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.sand.workflow.data.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What stands in for grains in a trial. By resource or its last part: {@code {"echo": true}}, {@code {"return": JSON}},
 * {@code {"raise": {"error": …, "cause": …}}}, or a list of such, one a call, of which the last one stays. Each may have
 * {@code "seconds"}, how long the call takes, and {@code "publish"}, a list of {@code {"grain": …, "payload": …}}.
 *
 * <p>Of a task that waits for its token, {@code "callback"} is what is done with the token: one of {@code {"success": JSON}},
 * {@code {"failure": {"error": …, "cause": …}}} and {@code {"heartbeat": true}}, each with {@code "seconds"} from the start of the
 * attempt; or a list of such; or an empty list: nothing. Without it the stub's own answer is the callback's.
 */
final class GrainStub {
    /** What one call does. @param output null when it raises; @param callbacks null: the answer is the callback's */
    record Answer(JsonNode output, String error, String cause, long delayMs, JsonNode published, List<JsonNode> callbacks) {
        Answer with(JsonNode otherOutput, String otherError, String otherCause, long otherDelayMs) {
            return new Answer(otherOutput, otherError, otherCause, otherDelayMs, published, callbacks);
        }
    }

    /** Own names of what AWS has other names for. */
    private static final Map<String, String> OBJECTS = Map.of("sand:object:get", "getObject", "sand:object:list", "listObjectsV2",
            "sand:object:put", "putObject");

    private static final String TOKEN = ".waitForTaskToken";
    private final Map<String, List<JsonNode>> answers = new HashMap<>();
    private final Map<String, Integer> calls = new HashMap<>();

    /** @param grains an object of stubs by name, or null: then every grain gives back its input */
    GrainStub(JsonNode grains) {
        if (grains != null && grains.isObject()) {
            for (var field : grains.properties()) {
                answers.put(OBJECTS.getOrDefault(field.getKey(), lastPart(field.getKey())), list(field.getValue()));
            }
        }
    }

    /** The name in "arn:aws:lambda:…:function:name", "sand:grain:name" or "name". */
    static String lastPart(String name) {
        String resource = name.endsWith(TOKEN) ? name.substring(0, name.length() - TOKEN.length()) : name;
        int start = resource.indexOf(":startExecution");
        return start >= 0 ? resource.substring(start + 1) : resource.equals("startExecution.sync:2") ? resource : resource.substring(resource.lastIndexOf(':') + 1);
    }

    boolean has(String grain) {
        return answers.containsKey(grain);
    }

    /** The next answer of a resource that is no grain; null: it has no stub. */
    Answer call(String service) {
        return answers.containsKey(service) ? call(service, Json.NODES.nullNode()) : null;
    }

    Answer call(String grain, JsonNode input) {
        List<JsonNode> list = answers.getOrDefault(grain, List.of());
        int call = calls.merge(grain, 1, Integer::sum);
        JsonNode stub = list.isEmpty() ? Json.NODES.objectNode().put("echo", true) : list.get(Math.min(call, list.size()) - 1);
        long delayMs = delayMs(stub);
        List<JsonNode> callbacks = stub.has("callback") ? list(stub.get("callback")) : null;
        JsonNode raise = stub.get("raise");
        if (raise != null) {
            return new Answer(null, raise.path("error").asText(null), raise.path("cause").asText(null), delayMs, stub.path("publish"),
                    callbacks);
        }
        return new Answer(stub.has("return") ? stub.get("return") : input, null, null, delayMs, stub.path("publish"), callbacks);
    }

    static long delayMs(JsonNode stub) {
        return stub.has("seconds") ? stub.get("seconds").decimalValue().movePointRight(3).longValue() : 0;
    }

    static List<JsonNode> list(JsonNode one) {
        List<JsonNode> list = new ArrayList<>();
        (one instanceof ArrayNode array ? array : Json.NODES.arrayNode().add(one)).forEach(list::add);
        return list;
    }
}
