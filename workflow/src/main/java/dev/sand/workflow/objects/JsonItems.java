package dev.sand.workflow.objects;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonToken;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.JsonFault;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;

/**
 * The elements of an array, or the members of an object, in a JSON text that is not held whole. To go on in the middle, the text
 * is taken up behind the last element, as if there were one {@code null} before.
 */
final class JsonItems {
    private static final byte[] IN_ARRAY = "[null".getBytes(StandardCharsets.UTF_8);
    private static final byte[] IN_OBJECT = "{\"\":null".getBytes(StandardCharsets.UTF_8);

    private final RangeStream stream;
    private final JsonParser parser;
    /** Of the parser's first byte in the object; behind it when some bytes are not the object's. */
    private final long base;
    private final boolean isObject;
    /** They are all that the text has. */
    private final boolean isWhole;

    private JsonItems(RangeStream stream, JsonParser parser, long base, boolean isObject, boolean isWhole) {
        this.isWhole = isWhole;
        this.stream = stream;
        this.parser = parser;
        this.base = base;
        this.isObject = isObject;
    }

    static JsonItems first(RangeStream stream, JsonPointer pointer) throws IOException {
        if (stream.isWide()) { // which the parser would read, and not tell where it is
            throw new ItemFault(JsonFault.NO_UTF_8);
        }
        long base = stream.offset();
        JsonParser parser = Json.parser(stream);
        JsonToken token = parser.nextToken();
        for (JsonPointer step = pointer; token != null && !step.matches(); step = step.tail()) {
            token = descend(stream, parser, token, step);
        }
        if (token != JsonToken.START_ARRAY && token != JsonToken.START_OBJECT) {
            boolean isMissing = token == null && !pointer.matches();
            throw ItemFault.worded(isMissing ? "The provided ReaderConfig.ItemsPointer does not match any valid path in the JSON structure."
                    : "Attempting to map over non-iterable node.");
        }
        return new JsonItems(stream, parser, base, token == JsonToken.START_OBJECT, pointer.matches());
    }

    /** To the member or element that the step names; null: there is none. */
    private static JsonToken descend(RangeStream stream, JsonParser parser, JsonToken within, JsonPointer step) throws IOException {
        int index = 0;
        while (within == JsonToken.START_OBJECT || within == JsonToken.START_ARRAY) {
            JsonToken next = parser.nextToken();
            if (next == JsonToken.END_OBJECT || next == JsonToken.END_ARRAY) {
                return null;
            }
            boolean isIt = next == JsonToken.FIELD_NAME ? parser.currentName().equals(step.getMatchingProperty())
                    : index++ == step.getMatchingIndex();
            JsonToken value = next == JsonToken.FIELD_NAME ? parser.nextToken() : next;
            if (isIt) {
                return value;
            }
            skip(stream, parser, value);
        }
        return null;
    }

    /** However long it is. */
    private static void skip(RangeStream stream, JsonParser parser, JsonToken value) throws IOException {
        int depth = value.isStructStart() ? 1 : 0;
        while (depth > 0) {
            stream.beginItem();
            JsonToken token = parser.nextToken();
            if (token == null) {
                throw new ItemFault("it ends in the middle");
            }
            depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        }
        stream.beginItem();
    }

    static JsonItems further(RangeStream stream, JsonPointer pointer, boolean isObject) throws IOException {
        byte[] before = isObject ? IN_OBJECT : IN_ARRAY;
        long base = stream.offset() - before.length;
        JsonParser parser = Json.parser(new SequenceInputStream(new ByteArrayInputStream(before), stream));
        parser.nextToken();
        parser.nextToken();
        if (isObject) {
            parser.nextToken();
        }
        return new JsonItems(stream, parser, base, isObject, pointer.matches());
    }

    boolean isObject() {
        return isObject;
    }

    /** @return whether there are no more */
    boolean fill(ChunkBuilder chunk) throws IOException {
        while (!chunk.isFull()) {
            stream.beginItem();
            JsonToken token = parser.nextToken();
            if (token == null) {
                throw new ItemFault("it ends in the middle");
            }
            if (token == JsonToken.END_ARRAY || token == JsonToken.END_OBJECT) {
                if (isWhole && parser.nextToken() != null) {
                    throw new ItemFault("Trailing token found after value");
                }
                return true;
            }
            if (isObject) {
                String key = parser.currentName();
                parser.nextToken();
                chunk.add(key, Json.read(parser));
            } else {
                chunk.add(Json.read(parser));
            }
        }
        return false;
    }

    /** Of the byte behind the last item. */
    long offset() {
        return base + parser.currentLocation().getByteOffset();
    }
}
