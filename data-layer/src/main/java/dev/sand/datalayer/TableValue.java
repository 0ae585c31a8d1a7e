package dev.sand.datalayer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.datalayer.TableOperation.What;
import dev.sand.event.Payload;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/**
 * What operations do to one value of a table: pure. A counter is a whole number in JSON, a list and a set are JSON arrays, a
 * map is a JSON object, so that each can also be read and written whole.
 */
final class TableValue {
    /** One value; larger ones belong into {@code object/}. */
    static final int MOST_BYTES = 64 * 1024;
    private static final int MOST_DEPTH = 200;
    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MOST_DEPTH).maxNameLength(MOST_BYTES).build()).build())
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();
    private static final JsonNodeFactory NODES = JsonNodeFactory.withExactBigDecimals(true);
    private static final ObjectWriter WRITER = JSON.writer().with(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8);

    /** @param value after the operation, null: none; @param given and {@code number}: the operation's result */
    record Outcome(Payload value, Payload given, Long number) {}

    private TableValue() {}

    /** @param current null: there is none */
    static Outcome apply(TableOperation operation, Payload current) {
        What what = operation.what();
        return switch (what) {
            case GET, CHECK, CHECK_LOCK -> new Outcome(current, what == What.GET ? current : null, null);
            case PUT -> new Outcome(bounded(operation, operation.value()), null, null);
            case DELETE -> new Outcome(null, null, current == null ? 0L : 1L);
            case ADD -> {
                byte[] sum = Versions.counter(Versions.sum(operation.key(), current == null ? null : current.bytes(), number(operation)));
                yield new Outcome(Payload.json(sum), null, Long.parseLong(new String(sum, StandardCharsets.ISO_8859_1)));
            }
            case SET_FIELD, REMOVE_FIELD -> onMap(operation, current);
            default -> onList(operation, current);
        };
    }

    private static Outcome onList(TableOperation operation, Payload current) {
        ArrayNode list = current == null ? NODES.arrayNode() : array(operation, current, "a list");
        return switch (operation.what()) {
            case APPEND -> changed(operation, list.addAll(array(operation, operation.value(), "an array of elements")), null, null);
            case PREPEND -> changed(operation, array(operation, operation.value(), "an array of elements").addAll(list), null, null);
            case POP_FIRST, POP_LAST -> {
                int count = (int) Math.clamp(operation.number() == null ? 1 : operation.number(), 0, list.size());
                boolean first = operation.what() == What.POP_FIRST;
                ArrayNode popped = part(list, first ? 0 : list.size() - count, first ? count : list.size());
                ArrayNode left = part(list, first ? count : 0, first ? list.size() : list.size() - count);
                yield current == null ? new Outcome(null, json(popped), 0L) : changed(operation, left, json(popped), (long) count);
            }
            case REMOVE -> removed(operation, current, list, NODES.arrayNode().add(json(operation, operation.value())));
            case REMOVE_MEMBERS -> removed(operation, current, list, array(operation, operation.value(), "an array of members"));
            case KEEP_FIRST, KEEP_LAST -> {
                int count = (int) Math.clamp(number(operation), 0, list.size());
                boolean first = operation.what() == What.KEEP_FIRST;
                yield current == null ? new Outcome(null, null, 0L)
                        : changed(operation, part(list, first ? 0 : list.size() - count, first ? count : list.size()), null, null);
            }
            case ADD_MEMBERS -> {
                Set<JsonNode> there = elements(list);
                long added = 0;
                for (JsonNode member : array(operation, operation.value(), "an array of members")) {
                    if (there.add(member)) {
                        list.add(member);
                        added++;
                    }
                }
                yield changed(operation, list, null, added);
            }
            default -> throw new IllegalStateException(operation.what() + " is not an operation on a list");
        };
    }

    private static Outcome removed(TableOperation operation, Payload current, ArrayNode list, ArrayNode gone) {
        ArrayNode left = NODES.arrayNode();
        Set<JsonNode> unwanted = elements(gone);
        for (JsonNode element : list) {
            if (!unwanted.contains(element)) {
                left.add(element);
            }
        }
        return current == null ? new Outcome(null, null, 0L) : changed(operation, left, null, (long) list.size() - left.size());
    }

    private static Set<JsonNode> elements(ArrayNode list) {
        Set<JsonNode> elements = new HashSet<>();
        list.forEach(elements::add);
        return elements;
    }

    private static ArrayNode part(ArrayNode list, int from, int to) {
        ArrayNode part = NODES.arrayNode();
        for (int i = from; i < to; i++) {
            part.add(list.get(i));
        }
        return part;
    }

    private static Outcome onMap(TableOperation operation, Payload current) {
        if (operation.field() == null) {
            throw bad(operation, "needs a field");
        }
        JsonNode found = current == null ? NODES.objectNode() : json(operation, current);
        if (!(found instanceof ObjectNode map)) {
            throw bad(operation, "is for a map, a JSON object; the value is none");
        }
        if (operation.what() == What.SET_FIELD) {
            map.set(operation.field(), json(operation, operation.value()));
            return changed(operation, map, null, (long) map.size());
        }
        long there = map.remove(operation.field()) == null ? 0 : 1;
        return current == null ? new Outcome(null, null, 0L) : changed(operation, map, null, there);
    }

    /** @param number null: the list's length */
    private static Outcome changed(TableOperation operation, JsonNode value, Payload given, Long number) {
        return new Outcome(bounded(operation, json(value)), given, number == null ? (Long) (long) value.size() : number);
    }

    private static Payload bounded(TableOperation operation, Payload value) {
        if (value == null) {
            throw bad(operation, "needs a value");
        }
        if (value.bytes() == null || value.bytes().length > MOST_BYTES) {
            throw new StoreException(Kind.BAD_VALUE, "the value of \"" + operation.key() + "\" would have " + value.size()
                    + " bytes, over the limit of " + MOST_BYTES + " bytes of a value in a table", 0, null);
        }
        return value;
    }

    private static Payload json(JsonNode node) {
        try {
            return Payload.json(WRITER.writeValueAsBytes(node));
        } catch (IOException e) {
            throw new IllegalStateException("JSON in memory is written without I/O", e);
        }
    }

    private static ArrayNode array(TableOperation operation, Payload value, String what) {
        if (json(operation, value) instanceof ArrayNode array) {
            return array;
        }
        throw bad(operation, "is for " + what + ", a JSON array; the value is none");
    }

    private static JsonNode json(TableOperation operation, Payload value) {
        if (value == null || value.bytes() == null || !value.isJson()) {
            throw bad(operation, value == null ? "needs a value" : "is for JSON; the value is " + value.contentType());
        }
        try {
            return JSON.readTree(value.bytes());
        } catch (IOException e) {
            throw bad(operation, "is for JSON: " + e.getMessage());
        }
    }

    private static long number(TableOperation operation) {
        if (operation.number() == null) {
            throw bad(operation, "needs a number");
        }
        return operation.number();
    }

    private static StoreException bad(TableOperation operation, String message) {
        return new StoreException(Kind.BAD_VALUE, operation.what().wireName() + " of \"" + operation.key() + "\" " + message, 0, null);
    }
}
