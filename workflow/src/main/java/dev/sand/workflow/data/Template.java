package dev.sand.workflow.data;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** A payload template: JSON in which a field whose name ends in {@code .$} is replaced by what its expression gives. */
public sealed interface Template {
    JsonNode evaluate(Environment environment);

    /** How many values it computes: its result is at the most so many times as large as what it sees. */
    default int expressions() {
        return switch (this) {
            case Constant constant -> 0;
            case ObjectOf(List<Entry> entries, List<String> names) -> entries.stream().mapToInt(entry -> entry.value().expressions()).sum();
            case ArrayOf(List<Template> elements) -> elements.stream().mapToInt(Template::expressions).sum();
            case Computed(String field, Expression expression) -> expression.reads();
        };
    }

    /** Nothing in it is to be replaced. */
    record Constant(JsonNode value) implements Template {
        @Override
        public JsonNode evaluate(Environment environment) {
            return value;
        }
    }

    /** @param names in the order in which the object made has them, where that is not the one of the entries; else empty */
    record ObjectOf(List<Entry> entries, List<String> names) implements Template {
        public ObjectOf(List<Entry> entries) {
            this(entries, List.of());
        }

        /** What is computed stands behind the other members, in the order that AWS gives it: that of a Java hash map. */
        public static ObjectOf paths(List<Entry> entries) {
            List<String> names = new ArrayList<>(entries.size());
            List<String> computed = new ArrayList<>();
            for (Entry entry : entries) {
                (entry.value() instanceof Computed ? computed : names).add(entry.name());
            }
            names.addAll(Unique.placed(computed, String::hashCode));
            boolean isAsWritten = names.equals(entries.stream().map(Entry::name).toList());
            return new ObjectOf(List.copyOf(entries), isAsWritten ? List.of() : List.copyOf(names));
        }

        @Override
        public JsonNode evaluate(Environment environment) {
            ObjectNode object = Json.NODES.objectNode();
            names.forEach(object::putNull);
            for (Entry entry : entries) {
                object.set(entry.name(), entry.value().evaluate(environment));
            }
            return object;
        }
    }

    /** @param name without the {@code .$} */
    record Entry(String name, Template value) {}

    record ArrayOf(List<Template> elements) implements Template {
        @Override
        public JsonNode evaluate(Environment environment) {
            ArrayNode array = Json.NODES.arrayNode(elements.size());
            for (Template element : elements) {
                array.add(element.evaluate(environment));
            }
            return array;
        }
    }

    /**
     * A path that ends in an index beyond its array gives null here, and only here, as on AWS.
     *
     * @param field its name as written, with the {@code .$}
     */
    record Computed(String field, Expression expression) implements Template {
        @Override
        public JsonNode evaluate(Environment environment) {
            try {
                return expression.evaluate(environment);
            } catch (Path.BeyondArray e) {
                return Json.NODES.nullNode();
            } catch (Path.Missing e) {
                throw notFound(expression, field, environment);
            }
        }
    }

    /** What to throw for the path of a field that leads nowhere. */
    static StatesError notFound(Expression path, String field, Environment environment) {
        String input = path.toString().startsWith("$$") ? shortText(environment.context(true)) : environment.inputText();
        return StatesError.runtime("The JSONPath '" + path + "' specified for the field '" + field
                + "' could not be found in the input '" + input + "'");
    }

    /** A document as a cause shows it. */
    public static String shortText(JsonNode input) {
        return shortened(Json.text(input));
    }

    static String shortened(String text) {
        return text.length() <= 1024 ? text : text.substring(0, 1024) + "…";
    }
}
