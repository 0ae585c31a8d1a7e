package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.StatesError;
import dev.sand.workflow.data.WorkflowLimits;
import dev.sand.workflow.objects.ItemChunk;
import dev.sand.workflow.objects.ItemSource;
import dev.sand.workflow.objects.ObjectCall;
import java.util.ArrayList;
import java.util.List;

/** Items that are read from an object, or are objects themselves: a chunk of them is here, the next one is asked for when it has gone. */
final class ReadItems implements Items {
    private final ItemSource source;
    /** Of the object; 0: as it is when its first items are read. */
    private final long version;
    /** Of all items. */
    private final long most;
    private List<JsonNode> items = new ArrayList<>();
    private List<String> keys = new ArrayList<>();
    private List<String> sources = new ArrayList<>();
    /** Index of the first one that is here. */
    private int dropped;
    private ItemChunk last;
    private boolean isReading;
    private long bytes;

    ReadItems(ItemSource source, long version, long most) {
        this.source = source;
        this.version = version;
        this.most = most;
    }

    /** @param started how many of the items have begun; @return whether it is time for the next chunk */
    boolean wantsMore(int started, boolean isShort) {
        return !isReading && !areAllKnown() && (started == count() || isShort);
    }

    /** What was being read does not come any more. */
    void reopen() {
        isReading = false;
    }

    ObjectCall.Read nextRead() {
        isReading = true;
        int left = (int) Math.min(Integer.MAX_VALUE, most - count());
        return last == null ? new ObjectCall.Read(source, version, 0, null, null, left)
                : new ObjectCall.Read(source, last.version(), last.offset(), last.headers(), last.after(), left);
    }

    /** @throws StatesError DataLimitExceeded when more are to be put together than an iteration's input can hold */
    void add(ItemChunk chunk) {
        isReading = false;
        for (JsonNode item : chunk.items()) {
            bytes += Json.size(item, WorkflowLimits.DOCUMENT_BYTES);
        }
        if (items.size() > 0 && bytes > WorkflowLimits.DOCUMENT_BYTES) {
            throw new StatesError(StatesError.DATA_LIMIT_EXCEEDED, "The items of one batch are over the limit of "
                    + WorkflowLimits.DOCUMENT_BYTES + " bytes");
        }
        items.addAll(chunk.items());
        keys.addAll(chunk.keys());
        chunk.items().forEach(_ -> sources.add(chunk.source() == null ? source.shown() : chunk.source()));
        last = new ItemChunk(chunk.version(), chunk.offset(), chunk.headers(), chunk.after(), chunk.isLast(), List.of(), List.of());
    }

    /** Of the items that are here. */
    long bytes() {
        return bytes;
    }

    @Override
    public int count() {
        return dropped + items.size();
    }

    @Override
    public boolean areAllKnown() {
        return last != null && (last.isLast() || count() >= most);
    }

    @Override
    public Scope.Item at(int index) {
        return new Scope.Item(index, keys.isEmpty() ? null : keys.get(index - dropped), items.get(index - dropped), sources.get(index - dropped));
    }

    @Override
    public void drop(int index) {
        if (index - dropped == items.size()) {
            items = new ArrayList<>();
            keys = new ArrayList<>();
            sources = new ArrayList<>();
            bytes = 0;
            dropped = index;
        }
    }

    @Override
    public long bytesOfOne(long inputBytes) {
        return items.isEmpty() ? 0 : bytes / items.size();
    }
}
