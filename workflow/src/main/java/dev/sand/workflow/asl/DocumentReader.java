package dev.sand.workflow.asl;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.workflow.asl.Diagnostic.Code;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.JsonFault;
import dev.sand.workflow.data.WorkflowLimits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The JSON text of a definition as a tree: bounded in size and depth, keys that stand twice reported with their place. */
final class DocumentReader {
    /** What comes behind a scalar is the rest of the document, which the mapper would call trailing tokens. */
    private static final ObjectReader SCALARS = Json.MAPPER.reader().without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    private final Diagnostics diagnostics;

    DocumentReader(Diagnostics diagnostics) {
        this.diagnostics = diagnostics;
    }

    /** @return null when there is no tree to go on with */
    JsonNode read(String definition) {
        int bytes = definition.length() > WorkflowLimits.DEFINITION_BYTES ? definition.length()
                : definition.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > WorkflowLimits.DEFINITION_BYTES) {
            diagnostics.add("", Code.TOO_LARGE, "The definition has " + bytes + " bytes or more; the limit is "
                    + WorkflowLimits.DEFINITION_BYTES + " bytes.");
            return null;
        }
        try (JsonParser parser = Json.parser(definition)) {
            if (parser.nextToken() == null) {
                diagnostics.add("", Code.INVALID_JSON, "The definition is empty.");
                return null;
            }
            JsonNode tree = value(parser, "");
            if (parser.nextToken() != null) {
                diagnostics.add("", Code.INVALID_JSON, "The definition is no JSON: more than one JSON value"
                        + place(parser.currentTokenLocation()) + ".");
                return null;
            }
            return tree;
        } catch (StreamConstraintsException e) {
            diagnostics.add("", Code.TOO_DEEP, "The definition is over a limit: " + JsonFault.sentence(e, bytes(definition)) + ".");
        } catch (IOException e) {
            diagnostics.add("", Code.INVALID_JSON, "The definition is no JSON: " + JsonFault.sentence(e, definition)
                    + (e instanceof com.fasterxml.jackson.core.JsonProcessingException json && json.getLocation() != null
                            ? place(json.getLocation()) : "") + ".");
        }
        return null;
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String place(JsonLocation where) {
        return " (line " + where.getLineNr() + ", column " + where.getColumnNr() + ")";
    }

    private JsonNode value(JsonParser parser, String pointer) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser, pointer);
            case START_ARRAY -> array(parser, pointer);
            default -> SCALARS.readTree(parser);
        };
    }

    private ObjectNode object(JsonParser parser, String pointer) throws IOException {
        ObjectNode object = Json.NODES.objectNode();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            String below = Diagnostics.child(pointer, name);
            parser.nextToken();
            JsonNode value = value(parser, below);
            if (object.has(name)) {
                diagnostics.add(below, Code.DUPLICATE_KEY, "The key '" + name + "' stands twice.");
            } else {
                object.set(name, value);
            }
        }
        return object;
    }

    private ArrayNode array(JsonParser parser, String pointer) throws IOException {
        ArrayNode array = Json.NODES.arrayNode();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            array.add(value(parser, pointer + "/" + array.size()));
        }
        return array;
    }
}
