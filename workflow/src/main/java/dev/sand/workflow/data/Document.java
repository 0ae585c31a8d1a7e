package dev.sand.workflow.data;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A value on its way through a workflow: bytes as a grain gave them, or a tree that a path or a template made, or several
 * documents side by side (a join). Bytes are parsed when a path first looks inside, and a tree is written when a grain first
 * needs it; a value that only passes through is neither. A tree is never changed once it is in a document.
 */
public final class Document {
    private static final int DOCUMENT_BYTES = WorkflowLimits.DOCUMENT_BYTES;
    /** Of what is written: bytes for each that {@link Json#size} guesses. */
    private static final int LONGEST = 6;
    private Payload payload;
    private JsonNode node;
    private final List<Document> items;
    private final long sizeHint;
    /** At most so deep; -1 as long as nobody has looked. */
    private int depth = -1;
    private int joins;

    private Document(Payload payload, JsonNode node, List<Document> items, long sizeHint) {
        this.payload = payload;
        this.node = node;
        this.items = items;
        this.sizeHint = sizeHint;
    }

    /** Where the bytes of a value are that travels by reference. */
    @FunctionalInterface
    public interface PayloadSource {
        /** @throws StatesError when they cannot be had here */
        byte[] bytes(Payload payload);

        PayloadSource NONE = payload -> {
            throw new StatesError(StatesError.DATA_LIMIT_EXCEEDED, "a path looks into a value of " + payload.size()
                    + " bytes that travels by reference; values up to " + Limits.INLINE_BYTES
                    + " bytes can be looked into, larger ones passed on whole");
        };
    }

    public static Document of(Payload payload) {
        return new Document(payload, null, null, payload.size());
    }

    /** @param sizeHint about how many bytes it has when written */
    public static Document of(JsonNode node, long sizeHint) {
        return new Document(null, node, null, sizeHint);
    }

    /** A value that was made and not only selected. @throws StatesError DataLimitExceeded when it has grown too large */
    public static Document made(JsonNode node) {
        long size = Json.size(node, DOCUMENT_BYTES);
        checkSize(size);
        Document made = new Document(null, node, null, size);
        made.depth = Json.depth(node, WorkflowLimits.JSON_DEPTH);
        checkDepth(made.depth);
        return made;
    }

    /**
     * The document with a value at a place of it.
     *
     * @throws StatesError ReferencePathConflict when its shape does not allow that, DataLimitExceeded when it gets too deep
     */
    public Document with(ReferencePath place, Document value, PayloadSource source) {
        JsonNode made = place.write(node(source), value.node(source));
        Document document = new Document(null, made, null, sizeHint + value.sizeHint);
        document.depth = Math.max(depth(source), place.steps().size() + value.depth(source));
        checkDepth(document.depth);
        return document;
    }

    private int depth(PayloadSource source) {
        if (depth < 0) {
            depth = Json.depth(node(source), WorkflowLimits.JSON_DEPTH);
        }
        return depth;
    }

    /** An array of documents, in order, without looking into any. @throws StatesError DataLimitExceeded: joins of joins of joins */
    public static Document join(List<Document> items) {
        long size = 2;
        int joins = 0;
        for (Document item : items) {
            size += item.sizeHint + 1;
            joins = Math.max(joins, item.joins);
        }
        checkDepth(joins + 1);
        Document joined = new Document(null, null, items, size);
        joined.joins = joins + 1;
        return joined;
    }

    /** About how many bytes: exact for a payload. */
    public long sizeHint() {
        return sizeHint;
    }

    public JsonNode node(PayloadSource source) {
        if (node == null) {
            node = items != null ? joinNodes(source) : parse(source);
        }
        return node;
    }

    private JsonNode joinNodes(PayloadSource source) {
        ArrayNode array = Json.NODES.arrayNode(items.size());
        for (Document item : items) {
            array.add(item.node(source));
        }
        return array;
    }

    private JsonNode parse(PayloadSource source) {
        if (!payload.isJson()) {
            throw StatesError.runtime("a path looks into a value of type " + payload.contentType() + "; only JSON has an inside");
        }
        checkSize(payload.size());
        byte[] bytes = payload.bytes() != null ? payload.bytes() : source.bytes(payload);
        try {
            return Json.read(bytes);
        } catch (IOException e) {
            String why = JsonFault.sentence(e, ByteBuffer.wrap(bytes));
            throw JsonFault.isLimit(e)
                    ? new StatesError(StatesError.DATA_LIMIT_EXCEEDED, "a path looks into a value that is over a limit: " + why)
                    : StatesError.runtime("a path looks into a value that is no JSON: " + why);
        }
    }

    /** Whether it has more bytes than that when it is written; looks inside only where there is a limit. */
    public boolean isOver(long limit, PayloadSource source) {
        return limit < DOCUMENT_BYTES && Json.size(node(source), limit) * LONGEST > limit && Json.bytes(node(source), limit) > limit;
    }

    /** As a cause shows it: the JSON text that came, where one came. */
    public String text(PayloadSource source) {
        JsonNode looked = node(source);
        return payload == null || payload.bytes() == null || !looked.isContainerNode() ? Template.shortText(looked)
                : Template.shortened(new String(payload.bytes(), StandardCharsets.UTF_8).strip());
    }

    /** The value as a grain gets it; written once. */
    public Payload payload(PayloadSource source) {
        if (payload == null) {
            byte[] bytes = node != null ? Json.bytes(node) : joinBytes(source);
            checkSize(bytes.length);
            payload = Payload.json(bytes);
        }
        return payload;
    }

    private byte[] joinBytes(PayloadSource source) {
        checkSize(sizeHint);
        ByteArrayOutputStream array = new ByteArrayOutputStream((int) sizeHint);
        array.write('[');
        for (int i = 0; i < items.size(); i++) {
            if (i > 0) {
                array.write(',');
            }
            Payload item = items.get(i).payload(source);
            if (!item.isJson()) {
                throw StatesError.runtime("result " + i + " is of type " + item.contentType()
                        + " and cannot be an element of a JSON array");
            }
            array.writeBytes(item.bytes() != null ? item.bytes() : source.bytes(item));
        }
        array.write(']');
        return array.toByteArray();
    }

    private static void checkDepth(int depth) {
        if (depth > WorkflowLimits.JSON_DEPTH) {
            throw new StatesError(StatesError.DATA_LIMIT_EXCEEDED, "a document nested " + depth
                    + " levels deep or more is over the limit of " + WorkflowLimits.JSON_DEPTH);
        }
    }

    private static void checkSize(long bytes) {
        if (bytes > DOCUMENT_BYTES) {
            throw new StatesError(StatesError.DATA_LIMIT_EXCEEDED, "a document of " + bytes
                    + " bytes or more is over the limit of " + DOCUMENT_BYTES);
        }
    }
}
