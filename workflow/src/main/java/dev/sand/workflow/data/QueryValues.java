package dev.sand.workflow.data;

import com.dashjoin.jsonata.Jsonata;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.workflow.data.QueryRun.Extent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON as the JSONata library sees it, and back. An integer stays what it is at any size as long as it is not reckoned with; a
 * number with a fraction is a double, as everything is that an operator or a function of numbers gives.
 */
final class QueryValues {
    /** 2^53: up to it a double holds every integer. */
    private static final double EXACT = 0x1p53;

    /** What the library makes of the double 2^63, and of no other; an integer that is really that much is a BigInteger here. */
    static final long CLAMPED = Long.MAX_VALUE;

    private QueryValues() {}

    /** What an expression gave, or a part of it, is no JSON. */
    static final class Unsupported extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private Unsupported() {
            super(null, null, false, false);
        }
    }

    /** A value whose extent is known, so that nobody has to look through it. */
    interface Measured {
        Extent extent();
    }

    private static final class Members extends LinkedHashMap<String, Object> implements Measured {
        private static final long serialVersionUID = 1L;
        private transient Extent extent;

        @Override
        public Extent extent() {
            return extent;
        }
    }

    private static final class Elements extends ArrayList<Object> implements Measured {
        private static final long serialVersionUID = 1L;
        private transient Extent extent;

        Elements(int size) {
            super(size);
        }

        @Override
        public Extent extent() {
            return extent;
        }
    }

    static Object of(JsonNode node, QueryBudget budget) {
        Object[] value = new Object[1];
        read(node, budget, value);
        return value[0];
    }

    private static Extent read(JsonNode node, QueryBudget budget, Object[] out) {
        return switch (node.getNodeType()) {
            case OBJECT -> {
                budget.spend(1 + node.size() / 16);
                Members members = new Members();
                int depth = 0;
                long bytes = 8;
                for (var field : node.properties()) {
                    Extent below = read(field.getValue(), budget, out);
                    depth = Math.max(depth, below.depth());
                    bytes += field.getKey().length() + below.bytes();
                    members.put(field.getKey(), out[0]);
                }
                members.extent = new Extent(bytes, depth + 1);
                out[0] = members;
                yield members.extent;
            }
            case ARRAY -> {
                budget.spend(1 + node.size() / 16);
                Elements elements = new Elements(node.size());
                int depth = 0;
                long bytes = 8;
                for (JsonNode element : node) {
                    Extent below = read(element, budget, out);
                    depth = Math.max(depth, below.depth());
                    bytes += below.bytes();
                    elements.add(out[0]);
                }
                elements.extent = new Extent(bytes, depth + 1);
                out[0] = elements;
                yield elements.extent;
            }
            default -> {
                out[0] = scalar(node);
                yield node.isTextual() ? new Extent(node.textValue().length(), 0) : Extent.SCALAR;
            }
        };
    }

    private static Object scalar(JsonNode node) {
        return switch (node.getNodeType()) {
            case STRING -> node.textValue();
            case BOOLEAN -> node.booleanValue();
            case NUMBER -> number(node);
            default -> Jsonata.NULL_VALUE;
        };
    }

    private static Number number(JsonNode node) {
        if (node.isIntegralNumber()) {
            boolean isLong = node.canConvertToLong() && node.longValue() != CLAMPED;
            return node.canConvertToInt() ? (Number) node.intValue() : isLong ? (Number) node.longValue() : node.bigIntegerValue();
        }
        double number = node.doubleValue();
        if (Double.isInfinite(number)) {
            return node.decimalValue();
        }
        return number == Math.rint(number) && Math.abs(number) <= EXACT ? whole((long) number) : (Number) number;
    }

    private static Number whole(long number) {
        return number == (int) number ? (Number) (int) number : (Number) number;
    }

    /** @throws Unsupported when a part of it is no JSON: a function; @throws StatesError when it is too large */
    static JsonNode json(Object value, QueryRun run) {
        return switch (value) {
            case String text -> Json.NODES.textNode(text);
            case Boolean bool -> Json.NODES.booleanNode(bool);
            case Number number -> json(number);
            case List<?> list -> array(list, run);
            case Map<?, ?> map -> object(map, run);
            case null -> Json.NODES.nullNode();
            default -> {
                if (value == Jsonata.NULL_VALUE) {
                    yield Json.NODES.nullNode();
                }
                throw new Unsupported();
            }
        };
    }

    private static JsonNode array(List<?> list, QueryRun run) {
        run.budget().spend(1 + list.size() / 16);
        ArrayNode array = Json.NODES.arrayNode(list.size());
        for (Object element : list) {
            array.add(json(element, run));
        }
        return array;
    }

    private static JsonNode object(Map<?, ?> map, QueryRun run) {
        run.budget().spend(1 + map.size() / 16);
        ObjectNode object = Json.NODES.objectNode();
        map.forEach((name, member) -> object.set(String.valueOf(name), json(member, run)));
        return object;
    }

    /** Without a fraction it is written without one; what is no number in JSON by its name, as AWS does. */
    private static JsonNode json(Number number) {
        return switch (number) {
            case Integer small -> Json.NODES.numberNode(small);
            case Long large -> large == CLAMPED ? json(0x1p63) : ArrayFunctions.number(large);
            case BigInteger huge -> Json.NODES.numberNode(huge);
            case BigDecimal decimal -> Json.NODES.numberNode(decimal);
            default -> {
                double value = number.doubleValue();
                if (Double.isNaN(value) || Double.isInfinite(value)) {
                    yield Json.NODES.textNode(Double.toString(value));
                }
                if (value == Math.rint(value) && Math.abs(value) < 1e21) {
                    BigInteger whole = new BigDecimal(value).toBigInteger();
                    yield whole.bitLength() < 64 ? ArrayFunctions.number(whole.longValue()) : Json.NODES.numberNode(whole);
                }
                yield Json.NODES.numberNode(Decimals.shortest(value));
            }
        };
    }
}
