package dev.sand.workflow.data;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;

/**
 * States.ArrayUnique, and the order of what a payload template computes and of what a row of CSV has. AWS promises none; recorded executions show that of a
 * java.util.HashSet of plain values ({@code [true, false]} becomes {@code [false, true]}), which definitions may have come to
 * depend on. It is made here by its own arithmetic, so that no version of a library can change it and the emulator's engine has
 * the same.
 */
public final class Unique {
    private static final int FIRST_CAPACITY = 16;

    private Unique() {}

    /** Of equal elements the first; in the order of the buckets that their hashes fall into, then in their own. */
    static JsonNode of(JsonNode array) {
        List<JsonNode> found = new ArrayList<>();
        Set<Object> seen = new HashSet<>();
        for (JsonNode element : array) {
            if (seen.add(key(element))) {
                found.add(element);
            }
        }
        ArrayNode unique = Json.NODES.arrayNode(found.size());
        placed(found, Unique::hash).forEach(unique::add);
        return unique;
    }

    /** Elements of which no two are equal, in the order in which a java.util.HashSet, or HashMap of such keys, has them. */
    public static <T> List<T> placed(List<T> elements, ToIntFunction<T> hash) {
        int capacity = FIRST_CAPACITY;
        while (elements.size() > capacity / 4 * 3) {
            capacity *= 2;
        }
        int mask = capacity - 1;
        record Placed<E>(int bucket, E element) {}
        List<Placed<T>> placed = new ArrayList<>(elements.size());
        for (T element : elements) {
            int hashed = hash.applyAsInt(element);
            placed.add(new Placed<>((hashed ^ hashed >>> 16) & mask, element));
        }
        placed.sort(Comparator.comparingInt(Placed::bucket));
        return placed.stream().map(Placed::element).toList();
    }

    private static Object key(JsonNode element) {
        if (!element.isNumber()) {
            return element;
        }
        BigDecimal number = element.decimalValue();
        return number.signum() == 0 ? BigDecimal.ZERO : number.stripTrailingZeros();
    }

    /** That of the value as an Integer, Long, Double, String, Boolean, null, List or Map of Java. */
    private static int hash(JsonNode value) {
        switch (value.getNodeType()) {
            case NUMBER:
                return number(value);
            case STRING:
                return value.textValue().hashCode();
            case BOOLEAN:
                return Boolean.hashCode(value.booleanValue());
            case ARRAY:
                int list = 1;
                for (JsonNode element : value) {
                    list = 31 * list + hash(element);
                }
                return list;
            case OBJECT:
                int map = 0;
                for (Iterator<Map.Entry<String, JsonNode>> fields = value.fields(); fields.hasNext(); ) {
                    Map.Entry<String, JsonNode> field = fields.next();
                    map += field.getKey().hashCode() ^ hash(field.getValue());
                }
                return map;
            default:
                return 0;
        }
    }

    /** Beyond 64 bits a number counts as a Double. */
    private static int number(JsonNode value) {
        double real = value.doubleValue();
        if (real == Math.rint(real) && Math.abs(real) < 0x1p62) {
            long whole = value.decimalValue().longValue();
            return whole == (int) whole ? (int) whole : Long.hashCode(whole);
        }
        return Double.hashCode(real);
    }
}
