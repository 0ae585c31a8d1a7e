package dev.sand.workflow.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.WorkflowLimits;
import dev.sand.workflow.objects.ItemFormat.Spread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Items that are in many objects: those that are listed (LOAD_AND_FLATTEN), or that a manifest names. A chunk is of one of them; its
 * {@code after} says which is the next, and where in it.
 */
final class SpreadReading {
    private final ApplicationObjects objects;
    private final Manifests manifests;

    SpreadReading(ApplicationObjects objects) {
        this.objects = objects;
        this.manifests = new Manifests(objects);
    }

    /** An object, and its place among all. */
    private record Place(String key, int at) {}

    ItemChunk read(ObjectCall.Read call) throws IOException {
        JsonNode after = call.after() == null ? null : Json.read(call.after());
        Place place = after == null ? next(call.source(), null) : new Place(after.path("object").textValue(), after.path("at").intValue());
        boolean isWithin = after != null && call.version() != 0;
        for (int passed = 0; place != null; passed++) {
            ItemSource source = source(call.source(), place.key);
            ItemReading reading = new ItemReading(place.key.endsWith(".gz") ? new UnpackedObjects(objects) : objects);
            ItemChunk chunk = reading.chunk(new ObjectCall.Read(source, isWithin ? call.version() : 0, isWithin ? call.offset() : 0,
                    isWithin ? call.headers() : null, isWithin ? after.path("after").textValue() : null, call.most()));
            if (!chunk.isLast()) {
                return of(chunk, chunk.version(), chunk.offset(), chunk.headers(), position(place, chunk.after()), false, source);
            }
            place = next(call.source(), place);
            isWithin = false;
            if (place == null || !chunk.items().isEmpty() || passed >= WorkflowLimits.LISTED_KEYS) {
                return of(chunk, 0, 0, null, place == null ? null : position(place, null), place == null, source);
            }
        }
        return new ItemChunk(0, 0, null, null, true, List.of(), List.of());
    }

    private static ItemChunk of(ItemChunk chunk, long version, long offset, List<String> headers, String after, boolean isLast, ItemSource source) {
        List<JsonNode> items = new ArrayList<>();
        for (int i = 0; i < chunk.items().size(); i++) {
            JsonNode item = chunk.items().get(i);
            items.add(chunk.keys().isEmpty() ? item : Json.NODES.objectNode().put("Key", chunk.keys().get(i)).set("Value", item));
        }
        return new ItemChunk(version, offset, headers, after, isLast, List.of(), items, source.shown());
    }

    private static String position(Place place, String after) {
        ObjectNode position = Json.NODES.objectNode().put("object", place.key).put("at", place.at);
        return Json.text(position.put("after", after));
    }

    private ItemSource source(ItemSource of, String key) throws IOException {
        ItemFormat format = of.format().spread() == Spread.INVENTORY ? manifests.inventoryFormat(of) : of.format().with(Spread.ONE);
        int slash = of.bucket() == null ? -1 : key.indexOf('/');
        return new ItemSource(slash < 0 ? null : key.substring(0, slash), key.substring(slash + 1), format);
    }

    /** @return null: there is none behind that one */
    private Place next(ItemSource source, Place before) throws IOException {
        int at = before == null ? 0 : before.at + 1;
        if (source.format().spread() == Spread.LISTED) {
            List<String> keys = objects.keys(source.key(), before == null ? null : before.key, 1);
            return keys.isEmpty() ? null : new Place(keys.getFirst(), at);
        }
        List<String> keys = source.format().spread() == Spread.PATHS ? manifests.paths(source) : manifests.files(source);
        return at < keys.size() ? new Place(keys.get(at), at) : null;
    }
}
