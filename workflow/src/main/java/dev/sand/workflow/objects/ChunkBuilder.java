package dev.sand.workflow.objects;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.WorkflowLimits;
import java.util.ArrayList;
import java.util.List;

/** Gathers the items of a chunk until it has enough. */
final class ChunkBuilder {
    private final int most;
    private final List<String> keys = new ArrayList<>();
    private final List<JsonNode> items = new ArrayList<>();
    private long bytes;

    /** @param most items */
    ChunkBuilder(int most) {
        this.most = Math.min(most, WorkflowLimits.CHUNK_ITEMS);
    }

    boolean isFull() {
        return items.size() >= most || bytes >= WorkflowLimits.CHUNK_BYTES;
    }

    void add(JsonNode item) {
        items.add(item);
        bytes += Json.size(item, WorkflowLimits.CHUNK_BYTES);
    }

    void add(String key, JsonNode item) {
        keys.add(key);
        bytes += key.length();
        add(item);
    }

    ItemChunk build(long version, long offset, List<String> headers, String after, boolean isLast) {
        return new ItemChunk(version, offset, headers, after, isLast, List.copyOf(keys), List.copyOf(items));
    }
}
