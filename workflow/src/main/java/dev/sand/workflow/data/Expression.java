package dev.sand.workflow.data;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** What may stand for a value: a path, or an intrinsic function over literals, paths and other functions; in JSONata a {@link Query}. */
public sealed interface Expression permits Expression.Read, Expression.Literal, Expression.Pattern, Expression.Call, Query {
    /** @throws Path.Missing when a path leads nowhere; @throws StatesError when a function fails */
    JsonNode evaluate(Environment environment);

    /** How many paths it reads, at least 1. */
    default int reads() {
        return this instanceof Call call ? Math.max(1, call.arguments().stream().mapToInt(Expression::reads).sum()) : 1;
    }

    record Read(Path path) implements Expression {
        @Override
        public JsonNode evaluate(Environment environment) {
            return path.read(environment);
        }

        @Override
        public String toString() {
            return path.text();
        }
    }

    record Literal(JsonNode value) implements Expression {
        @Override
        public JsonNode evaluate(Environment environment) {
            return value;
        }

        @Override
        public String toString() {
            return value.isTextual() ? "'" + value.textValue() + "'" : value.toString();
        }
    }

    /** The first argument of States.Format as written: its braces and escapes have a meaning there. */
    record Pattern(String raw) implements Expression {
        @Override
        public JsonNode evaluate(Environment environment) {
            return Json.NODES.textNode(raw);
        }

        @Override
        public String toString() {
            return "'" + raw + "'";
        }
    }

    /** What fails in it fails the state with {@code States.Runtime}, as on AWS; the cause names the outermost function. */
    record Call(Intrinsic function, List<Expression> arguments, String text) implements Expression {
        @Override
        public JsonNode evaluate(Environment environment) {
            return evaluate(environment, text);
        }

        private JsonNode evaluate(Environment environment, String whole) {
            JsonNode[] values = new JsonNode[arguments.size()];
            for (int i = 0; i < values.length; i++) {
                values[i] = argument(arguments.get(i), environment, whole);
            }
            try {
                return function.apply(values, environment);
            } catch (StatesError e) {
                throw e.error().equals(StatesError.INTRINSIC_FAILURE)
                        ? StatesError.runtime("There was an error while evaluating the intrinsic function: " + whole + ". " + e.getMessage())
                        : e;
            }
        }

        private static JsonNode argument(Expression argument, Environment environment, String whole) {
            if (argument instanceof Call call) {
                return call.evaluate(environment, whole);
            }
            try {
                return argument.evaluate(environment);
            } catch (Path.Missing e) {
                String why = e instanceof Path.Misapplied ? e.getMessage()
                        : "The JsonPath argument for the field '" + argument + "' could not be found in the input '"
                        + environment.inputText() + "'";
                throw StatesError.runtime("The function '" + whole + "' had the following error: " + why);
            }
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** @throws IllegalArgumentException with one sentence, when the text is neither */
    static Expression parse(String text) {
        if (text.startsWith("$")) {
            return new Read(Path.parse(text));
        }
        if (text.startsWith("States.")) {
            return new ExpressionParser(text).parse();
        }
        throw new IllegalArgumentException(
                "'" + text + "' must be a JSONPath, which begins with $, or an intrinsic function, which begins with States.");
    }
}
