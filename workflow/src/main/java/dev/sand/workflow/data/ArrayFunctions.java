package dev.sand.workflow.data;

import static dev.sand.workflow.data.Intrinsic.integer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.Set;

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
        JsonNode array = Intrinsic.array(arguments[0], "the first argument");
        long size = integer(arguments[1], "the chunk size");
        if (size <= 0) {
            throw StatesError.intrinsic("the chunk size must be at least 1, it is " + size);
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

    static JsonNode contains(JsonNode[] arguments, Environment environment) {
        for (JsonNode element : Intrinsic.array(arguments[0], "the first argument")) {
            if (Json.same(element, arguments[1])) {
                return Json.NODES.booleanNode(true);
            }
        }
        return Json.NODES.booleanNode(false);
    }

    static JsonNode range(JsonNode[] arguments, Environment environment) {
        long first = integer(arguments[0], "the first value");
        long last = integer(arguments[1], "the last value");
        long step = integer(arguments[2], "the step");
        if (step == 0) {
            throw StatesError.intrinsic("the step must not be 0");
        }
        ArrayNode range = Json.NODES.arrayNode();
        for (long value = first; step > 0 ? value <= last : value >= last; value += step) {
            if (range.size() == WorkflowLimits.ARRAY_RANGE) {
                throw StatesError.intrinsic("the range has more than " + WorkflowLimits.ARRAY_RANGE + " elements");
            }
            range.add(number(value));
        }
        return range;
    }

    /** As the JSON reader would make it, so that equal documents have equal trees. */
    static JsonNode number(long value) {
        return value == (int) value ? Json.NODES.numberNode((int) value) : Json.NODES.numberNode(value);
    }

    static JsonNode getItem(JsonNode[] arguments, Environment environment) {
        JsonNode array = Intrinsic.array(arguments[0], "the first argument");
        long index = integer(arguments[1], "the index");
        if (index < 0 || index >= array.size()) {
            throw StatesError.intrinsic("the index " + index + " is out of the array's " + array.size() + " elements");
        }
        return array.get((int) index);
    }

    static JsonNode length(JsonNode[] arguments, Environment environment) {
        return Json.NODES.numberNode(Intrinsic.array(arguments[0], "the argument").size());
    }

    /** Keeps the first of equal elements. */
    static JsonNode unique(JsonNode[] arguments, Environment environment) {
        ArrayNode unique = Json.NODES.arrayNode();
        Set<Object> seen = new HashSet<>();
        for (JsonNode element : Intrinsic.array(arguments[0], "the argument")) {
            if (seen.add(key(element))) {
                unique.add(element);
            }
        }
        return unique;
    }

    private static Object key(JsonNode element) {
        if (!element.isNumber()) {
            return element;
        }
        BigDecimal number = element.decimalValue();
        return number.signum() == 0 ? BigDecimal.ZERO : number.stripTrailingZeros();
    }

    /** Shallow: a field of the second object takes the place of the first one's. */
    static JsonNode merge(JsonNode[] arguments, Environment environment) {
        if (!arguments[0].isObject() || !arguments[1].isObject()) {
            throw StatesError.intrinsic("the first two arguments must be objects");
        }
        if (!arguments[2].isBoolean()) {
            throw StatesError.intrinsic("the third argument must be a boolean");
        }
        if (arguments[2].booleanValue()) {
            throw StatesError.intrinsic("deep merging is not supported: the third argument must be false");
        }
        ObjectNode merged = Json.NODES.objectNode();
        merged.setAll((ObjectNode) arguments[0]);
        merged.setAll((ObjectNode) arguments[1]);
        return merged;
    }
}
