package dev.sand.workflow.data;

import static dev.sand.workflow.data.Intrinsic.integer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;

/** Intrinsic functions that make or read arrays and objects. */
final class ArrayFunctions {
    private ArrayFunctions() {}

    static JsonNode array(JsonNode[] arguments, Environment environment) {
        ArrayNode array = Json.NODES.arrayNode(arguments.length);
        for (JsonNode argument : arguments) {
            array.add(argument);
        }
        return array;
    }

    static JsonNode partition(JsonNode[] arguments, Environment environment) {
        JsonNode array = Intrinsic.array(arguments[0]);
        long size = integer(arguments[1]);
        if (size <= 0) {
            throw new Intrinsic.InvalidArguments();
        }
        ArrayNode chunks = Json.NODES.arrayNode();
        ArrayNode chunk = null;
        for (JsonNode element : array) {
            if (chunk == null || chunk.size() == size) {
                chunk = chunks.addArray();
            }
            chunk.add(element);
        }
        return chunks;
    }

    /** Values are compared as they are written, as on AWS: 1 and "1" are the same, objects with another order of fields are not. */
    static JsonNode contains(JsonNode[] arguments, Environment environment) {
        String wanted = written(arguments[1]);
        for (JsonNode element : Intrinsic.array(arguments[0])) {
            if (written(element).equals(wanted)) {
                return Json.NODES.booleanNode(true);
            }
        }
        return Json.NODES.booleanNode(false);
    }

    private static String written(JsonNode value) {
        return value.isTextual() ? value.textValue() : Json.text(value);
    }

    static JsonNode range(JsonNode[] arguments, Environment environment) {
        long first = integer(arguments[0]);
        long last = integer(arguments[1]);
        long step = integer(arguments[2]);
        if (step == 0) {
            throw new Intrinsic.InvalidArguments();
        }
        ArrayNode range = Json.NODES.arrayNode();
        if (step > 0 ? first > last : first < last) {
            return range;
        }
        BigInteger more = BigInteger.valueOf(last).subtract(BigInteger.valueOf(first)).divide(BigInteger.valueOf(step));
        if (more.compareTo(BigInteger.valueOf(WorkflowLimits.ARRAY_RANGE)) >= 0) {
            throw new Intrinsic.InvalidArguments();
        }
        for (long i = 0; i <= more.longValue(); i++) {
            range.add(number(first + i * step));
        }
        return range;
    }

    /** As the JSON reader would make it, so that equal documents have equal trees. */
    static JsonNode number(long value) {
        return value == (int) value ? Json.NODES.numberNode((int) value) : Json.NODES.numberNode(value);
    }

    /** An empty array gives null at any index, as on AWS. */
    static JsonNode getItem(JsonNode[] arguments, Environment environment) {
        JsonNode array = Intrinsic.array(arguments[0]);
        long index = integer(arguments[1]);
        if (array.isEmpty()) {
            return Json.NODES.nullNode();
        }
        if (index < 0 || index >= array.size()) {
            throw new Intrinsic.InvalidArguments();
        }
        return array.get((int) index);
    }

    static JsonNode length(JsonNode[] arguments, Environment environment) {
        return Json.NODES.numberNode(Intrinsic.array(arguments[0]).size());
    }

    static JsonNode unique(JsonNode[] arguments, Environment environment) {
        return Unique.of(Intrinsic.array(arguments[0]));
    }

    /** Shallow, whatever stands where true would ask for a deep one: a field of the second object takes the place of the first one's. */
    static JsonNode merge(JsonNode[] arguments, Environment environment) {
        if (!arguments[0].isObject() || !arguments[1].isObject()) {
            throw new Intrinsic.InvalidArguments();
        }
        if (arguments[2].booleanValue()) {
            throw new Intrinsic.InvalidArguments();
        }
        ObjectNode merged = Json.NODES.objectNode();
        merged.setAll((ObjectNode) arguments[0]);
        merged.setAll((ObjectNode) arguments[1]);
        return merged;
    }
}
