package dev.sand.workflow.data;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** A payload template: JSON in which a field whose name ends in {@code .$} is replaced by what its expression gives. */
public sealed interface Template {
    JsonNode evaluate(Environment environment);

    /** How many values it computes: its result is at the most so many times as large as what it sees. */
    default int expressions() {
        return switch (this) {
            case Constant constant -> 0;
            case ObjectOf(List<Entry> entries) -> entries.stream().mapToInt(entry -> entry.value().expressions()).sum();
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

    record ObjectOf(List<Entry> entries) implements Template {
        @Override
        public JsonNode evaluate(Environment environment) {
            ObjectNode object = Json.NODES.objectNode();
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
