package dev.sand.frontend.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.ByteBufferBackedInputStream;
import dev.sand.event.Nesting;
import dev.sand.workflow.data.JsonFault;
import java.io.IOException;
import java.nio.ByteBuffer;

/** JSON at the door: answers out, and whether what comes in is JSON at all. */
public final class Json {
    public static final JsonMapper MAPPER = JsonMapper.builder()
            .serializationInclusion(JsonInclude.Include.NON_NULL)
            .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
            .build();
    /** Values pass through opaque, so that the length of a string or name in them is bounded by the body's limit alone. */
    private static final int DEPTH = 500;
    /** More than these Python reads into no number. */
    private static final int DIGITS = 4_300;
    private static final JsonFactory CHECK = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEPTH).maxStringLength(Integer.MAX_VALUE).maxNumberLength(DIGITS)
                    .maxNameLength(Integer.MAX_VALUE).build())
            .build();

    private Json() {}

    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    public static ArrayNode array() {
        return MAPPER.createArrayNode();
    }

    public static JsonNode tree(Object value) {
        return MAPPER.valueToTree(value);
    }

    public static byte[] bytes(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot encode an answer", e);
        }
    }

    /** @return the value; missing when there are no bytes. @throws ProblemException when they are not JSON */
    public static JsonNode read(byte[] bytes) {
        try {
            return MAPPER.readTree(bytes);
        } catch (IOException e) {
            throw malformed(e, ByteBuffer.wrap(bytes)).asException();
        }
    }

    /** @return null when it is one JSON value, else the problem with line and column */
    public static Problem check(ByteBuffer body) {
        if (JsonFault.beginsWithMark(body)) {
            return malformed(JsonFault.MARK, 1, 1);
        }
        try (JsonParser parser = body.hasArray()
                ? CHECK.createParser(body.array(), body.arrayOffset() + body.position(), body.remaining())
                : CHECK.createParser(new ByteBufferBackedInputStream(body.duplicate()))) {
            int depth = 0;
            boolean seen = false;
            while (parser.nextToken() != null) {
                if (depth == 0 && seen) {
                    return malformed("more than one JSON value", parser.currentTokenLocation().getLineNr(),
                            parser.currentTokenLocation().getColumnNr());
                }
                seen = true;
                if (parser.currentToken().isStructStart()) {
                    depth++;
                } else if (parser.currentToken().isStructEnd()) {
                    depth--;
                }
            }
            return seen ? null : malformed("there is no value", 1, 1);
        } catch (JsonProcessingException e) {
            return refused(e, body);
        } catch (IOException e) {
            return malformed(e.getMessage(), 1, 1);
        }
    }

    /** @param body that could not be read */
    public static Problem malformed(IOException e, ByteBuffer body) {
        if (!(e instanceof JsonProcessingException known)) { // there is no value, or no text in any encoding
            Problem found = check(body);
            return found == null ? malformed(e.getMessage(), 1, 1) : found;
        }
        var at = known.getLocation();
        return malformed(JsonFault.sentence(e, body), at == null ? 1 : at.getLineNr(), at == null ? 1 : at.getColumnNr());
    }

    private static Problem refused(JsonProcessingException e, ByteBuffer body) {
        int depth = JsonFault.isLimit(e) ? Nesting.deepest(body) : 0;
        return depth > DEPTH ? malformed(e, body).with("limit", DEPTH).with("actual", depth) : malformed(e, body);
    }

    private static Problem malformed(String why, int line, int column) {
        return Problem.caller(400, "malformed-json", "The body is not JSON",
                "At line " + line + ", column " + column + ": " + why).with("line", line).with("column", column);
    }
}
