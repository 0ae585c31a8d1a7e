package dev.sand.workflow.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.workflow.data.Json;
import java.util.ArrayList;
import java.util.List;

/**
 * Some of the items of a source, in order, and where the next ones are. As JSON it is a signal's output, and so in the journal: a
 * replay sees the same items, whatever has become of the object.
 *
 * @param version of the object that they are of; 0 for a listing
 * @param offset, headers, after where the next chunk begins, see {@link ObjectCall.Read}
 * @param isLast there are no more
 * @param keys of items that are members of an object, else empty
 * @param source which object they are of, where that is another one than the source's, else null
 */
public record ItemChunk(long version, long offset, List<String> headers, String after, boolean isLast, List<String> keys,
                        List<JsonNode> items, String source) {
    public ItemChunk(long version, long offset, List<String> headers, String after, boolean isLast, List<String> keys, List<JsonNode> items) {
        this(version, offset, headers, after, isLast, keys, items, null);
    }

    public JsonNode json() {
        ObjectNode chunk = Json.NODES.objectNode().put("version", version).put("offset", offset).put("after", after).put("last", isLast);
        if (headers != null) {
            headers.forEach(chunk.putArray("headers")::add);
        }
        if (!keys.isEmpty()) {
            keys.forEach(chunk.putArray("keys")::add);
        }
        if (source != null) {
            chunk.put("source", source);
        }
        ArrayNode array = chunk.putArray("items");
        array.addAll(items);
        return chunk;
    }

    public static ItemChunk of(JsonNode json) {
        List<JsonNode> items = new ArrayList<>();
        json.path("items").forEach(items::add);
        return new ItemChunk(json.path("version").longValue(), json.path("offset").longValue(),
                json.has("headers") ? strings(json.get("headers")) : null, json.path("after").textValue(), json.path("last").booleanValue(),
                strings(json.path("keys")), items, json.path("source").textValue());
    }

    private static List<String> strings(JsonNode array) {
        List<String> strings = new ArrayList<>();
        array.forEach(each -> strings.add(each.textValue()));
        return strings;
    }
}
