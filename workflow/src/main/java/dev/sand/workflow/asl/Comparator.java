package dev.sand.workflow.asl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.Timestamps;
import dev.sand.workflow.data.Wildcard;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntPredicate;

/** A comparator of choice rules. A value of another type than the comparator's does not match. */
public record Comparator(String name, Type type, Order order) {
    private static final Map<String, Comparator> BY_NAME = all();

    /** What is compared. */
    public enum Type {
        STRING, NUMERIC, BOOLEAN, TIMESTAMP, NULL;

        boolean includes(JsonNode value) {
            return switch (this) {
                case STRING -> value.isTextual();
                case NUMERIC -> value.isNumber();
                case BOOLEAN -> value.isBoolean();
                case TIMESTAMP -> value.isTextual() && Timestamps.parse(value.textValue()) != null;
                case NULL -> value.isNull();
            };
        }

        /** What the right side counts as that a path leads to and that is of another type; null: nothing, there is no match. As on AWS. */
        JsonNode otherwise() {
            return this == NUMERIC ? Json.NODES.numberNode(0) : null;
        }
    }

    /** How: by order, or by a pattern. */
    enum Order {
        EQUALS(c -> c == 0), LESS_THAN(c -> c < 0), GREATER_THAN(c -> c > 0), LESS_THAN_EQUALS(c -> c <= 0),
        GREATER_THAN_EQUALS(c -> c >= 0), MATCHES(c -> c == 0);

        private final IntPredicate accepts;

        Order(IntPredicate accepts) {
            this.accepts = accepts;
        }
    }

    /** The comparator with its right side in place. */
    @FunctionalInterface
    public interface Test {
        boolean matches(JsonNode value);
    }

    private static Map<String, Comparator> all() {
        Map<String, Comparator> all = new HashMap<>();
        for (Type type : new Type[] {Type.STRING, Type.NUMERIC, Type.TIMESTAMP}) {
            for (Order order : Order.values()) {
                if (order != Order.MATCHES || type == Type.STRING) {
                    add(all, type, order);
                }
            }
        }
        add(all, Type.BOOLEAN, Order.EQUALS);
        return Map.copyOf(all);
    }

    private static void add(Map<String, Comparator> all, Type type, Order order) {
        String name = camel(type.name()) + camel(order.name());
        all.put(name, new Comparator(name, type, order));
    }

    private static String camel(String name) {
        StringBuilder out = new StringBuilder();
        for (String word : name.split("_")) {
            out.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
        }
        return out.toString();
    }

    /** @return null when there is none */
    static Comparator named(String name) {
        return BY_NAME.get(name);
    }

    boolean allowsPath() {
        return order != Order.MATCHES;
    }

    /** @param value of this comparator's type; @throws IllegalArgumentException when it is not a pattern where one is wanted */
    Test against(JsonNode value) {
        return switch (type) {
            case STRING -> {
                if (order == Order.MATCHES) {
                    Wildcard pattern = Wildcard.parse(value.textValue());
                    yield left -> left.isTextual() && pattern.matches(left.textValue());
                }
                String right = value.textValue();
                yield left -> left.isTextual() && order.accepts.test(left.textValue().compareTo(right));
            }
            case NUMERIC -> left -> left.isNumber() && order.accepts.test(Json.compare(left, value));
            case BOOLEAN -> {
                boolean right = value.booleanValue();
                yield left -> left.isBoolean() && left.booleanValue() == right;
            }
            case TIMESTAMP -> {
                Instant right = Timestamps.parse(value.textValue());
                yield left -> {
                    Instant time = left.isTextual() ? Timestamps.parse(left.textValue()) : null;
                    return time != null && order.accepts.test(time.compareTo(right));
                };
            }
            case NULL -> throw new IllegalStateException("no comparator is of type null");
        };
    }
}
