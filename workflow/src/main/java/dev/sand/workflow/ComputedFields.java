package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.asl.Distribution;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Document.PayloadSource;
import dev.sand.workflow.data.Expression;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.Path;
import dev.sand.workflow.data.Query;
import dev.sand.workflow.data.StatesError;
import dev.sand.workflow.data.WorkflowLimits;

/** The values of fields that are numbers, and may be computed: by a …Path field, or an expression. */
final class ComputedFields {
    private final PayloadSource source;

    ComputedFields(PayloadSource source) {
        this.source = source;
    }

    /** Of a Wait, in seconds. As on AWS an expression may give more of them than may be written down. */
    long delay(Visit visit, Expression from, Document input) {
        return integer(visit, from, input, "SecondsPath", 0, from instanceof Query ? WorkflowLimits.WAIT_SECONDS : WorkflowLimits.SECONDS);
    }

    long integer(Visit visit, Expression from, Document input, String field, long least) {
        return integer(visit, from, input, field, least, WorkflowLimits.SECONDS);
    }

    /** Of what has no bound of its own. */
    long count(Visit visit, Expression from, Document input, String field) {
        return integer(visit, from, input, field, 0, Long.MAX_VALUE);
    }

    private long integer(Visit visit, Expression from, Document input, String field, long least, long most) {
        JsonNode value = value(visit, from, input, field);
        Long digits = digits(from, value);
        Long number = digits != null ? digits : Json.wholeNumber(value);
        if (number == null || number < least || number > most) {
            if (from instanceof Query query) {
                throw value.isNumber() ? outOfBounds(field.replaceFirst("Path$", ""), number, value, least, most)
                        : query.mistyped("number", value);
            }
            if (field.equals("SecondsPath") && number != null && number < 0) {
                throw StatesError.runtime("The " + field + " parameter references a negative value: " + from + " == " + plain(value));
            }
            if (field.endsWith("SecondsPath")) {
                throw StatesError.runtime("The " + field + " parameter cannot be parsed as a long value: " + from + " == " + plain(value));
            }
            throw StatesError.runtime(number == null
                    ? "The " + field + " field refers to value \"" + plain(value) + "\" which is not a valid integer: " + from
                    : field.replaceFirst("Path$", "") + " cannot be " + (number < 0 ? "negative." : "more than " + WorkflowLimits.SECONDS + "."));
        }
        return number;
    }

    /** As on AWS, which speaks of 0 where 1 is the least. @param number null of a fraction */
    private static StatesError outOfBounds(String field, Long number, JsonNode value, long least, long most) {
        return new StatesError(StatesError.QUERY_EVALUATION_ERROR, number == null
                ? "The " + field + " field cannot be parsed as an integer: " + Json.text(value)
                : field + " must be between " + (number == 0 ? least : 0) + " and " + most + " but was: " + number);
    }

    JsonNode value(Visit visit, Expression from, Document input, String field) {
        try {
            return from.evaluate(visit.environment(input, source));
        } catch (Path.Missing e) {
            if (field.equals("TimeoutSecondsPath") || field.equals("HeartbeatSecondsPath")) {
                throw StatesError.runtime("Invalid path '" + from + "' : " + e.getMessage());
            }
            throw StatesError.runtime("The " + field + " parameter does not reference an input value: " + from);
        }
    }

    /** @param amount null: {@code otherwise} */
    double amount(Visit visit, Distribution.Amount amount, Document input, double otherwise) {
        if (amount == null || amount.from() == null) {
            return amount == null ? otherwise : amount.literal();
        }
        JsonNode value = value(visit, amount.from(), input, amount.field());
        Long digits = digits(amount.from(), value);
        double number = digits != null ? digits : value.isNumber() ? value.doubleValue() : Double.NaN;
        boolean isFloat = amount.field().contains("Percentage");
        boolean isNumber = isFloat ? !Double.isNaN(number) : number == Math.rint(number);
        if (isNumber && number >= amount.least() && number <= amount.most()) {
            return number;
        }
        if (amount.from() instanceof Query query) {
            throw value.isNumber() ? query.outOfBounds("a number from " + amount.least() + " to " + amount.most(), value)
                    : query.mistyped("number", value);
        }
        if (!isNumber) {
            throw StatesError.runtime("The " + amount.field() + " field refers to value \"" + plain(value) + "\" which is not a valid "
                    + (isFloat ? "float: " : "integer: ") + amount.from());
        }
        String name = amount.field().replaceFirst("Path$", "");
        throw StatesError.runtime(!isFloat && amount.least() == 0 && number < 0 ? name + " cannot be negative."
                : name + " must be between " + amount.least() + " and " + amount.most() + ".");
    }

    /** As on AWS, a path of a number may lead to its digits in a string. @return null when it does not */
    private static Long digits(Expression from, JsonNode value) {
        return !(from instanceof Query) && value.isTextual() && value.textValue().matches("\\d{1,9}") ? Long.valueOf(value.textValue()) : null;
    }

    /** As causes show what a path led to: a text without quotation marks. */
    static String plain(JsonNode value) {
        return value.isTextual() ? value.textValue() : Json.text(value);
    }
}
