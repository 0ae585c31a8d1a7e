package dev.sand.workflow.asl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.asl.Diagnostic.Code;
import dev.sand.workflow.data.Expression;
import dev.sand.workflow.data.Path;
import dev.sand.workflow.data.Query;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads choice rules. */
final class RuleReader {
    private static final Map<String, Comparator.Type> TYPES = Map.of("IsNull", Comparator.Type.NULL,
            "IsString", Comparator.Type.STRING, "IsNumeric", Comparator.Type.NUMERIC, "IsBoolean", Comparator.Type.BOOLEAN,
            "IsTimestamp", Comparator.Type.TIMESTAMP);
    /** Stands for a rule with a mistake: the definition is refused, so that it never runs. */
    private static final Rule NEVER = new Rule.Or(List.of());

    private final DataFields data;

    RuleReader(DataFields data) {
        this.data = data;
    }

    /** A rule in JSONata: true, false, or what gives it. */
    Rule condition(Fields fields, String within) {
        fields.comment();
        fields.ignore("Next", "Assign", "Output");
        JsonNode value = fields.required("Condition");
        Expression query = value == null ? null : data.queries().query(fields, "Condition", within);
        boolean literal = query == null && value != null && !QueryReader.isQuery(value) && fields.bool("Condition", false);
        fields.reportUnknown("a choice rule");
        return query == null ? new Rule.Constant(literal) : new Rule.Condition((Query) query);
    }

    /** @param isTop of the Choices array: has a Next; those below have none */
    Rule read(Fields fields, boolean isTop) {
        fields.comment();
        if (isTop) {
            fields.ignore("Next", "Assign");
        } else if (fields.has("Next")) {
            fields.ignore("Next");
            fields.report("Next", Code.WRONG_VALUE, "Only a rule directly in Choices may have a Next.");
        }
        List<String> operators = operators(fields);
        if (operators.size() != 1) {
            fields.report(null, operators.isEmpty() ? Code.MISSING_FIELD : Code.WRONG_VALUE,
                    operators.isEmpty() ? "The rule has no comparator." : "The rule has more than one comparator: "
                            + String.join(", ", operators) + ".");
            fields.ignore("Variable");
            fields.reportUnknown("a choice rule");
            return NEVER;
        }
        Rule rule = read(fields, operators.getFirst());
        fields.reportUnknown("a choice rule");
        return rule;
    }

    private static List<String> operators(Fields fields) {
        List<String> found = new ArrayList<>();
        for (String name : fields.names()) {
            if (name.equals("And") || name.equals("Or") || name.equals("Not") || name.equals("IsPresent")
                    || TYPES.containsKey(name) || comparator(name) != null) {
                found.add(name);
                fields.ignore(name);
            }
        }
        return found;
    }

    private static Comparator comparator(String name) {
        Comparator comparator = Comparator.named(name);
        if (comparator == null && name.endsWith("Path")) {
            comparator = Comparator.named(name.substring(0, name.length() - 4));
            return comparator != null && comparator.allowsPath() ? comparator : null;
        }
        return comparator;
    }

    private Rule read(Fields fields, String operator) {
        switch (operator) {
            case "And", "Or" -> {
                List<Rule> rules = fields.objects(operator).stream().map(below -> read(below, false)).toList();
                if (rules.isEmpty()) {
                    fields.report(operator, Code.WRONG_VALUE, "The field " + operator + " must be a non-empty array of rules.");
                }
                return operator.equals("And") ? new Rule.And(rules) : new Rule.Or(rules);
            }
            case "Not" -> {
                Fields below = fields.object(operator);
                return below == null ? NEVER : new Rule.Not(read(below, false));
            }
            default -> {
                Path variable = fields.required("Variable") == null ? null : fields.path("Variable");
                Rule rule = test(fields, operator, variable);
                return variable == null ? NEVER : rule;
            }
        }
    }

    private Rule test(Fields fields, String operator, Path variable) {
        if (operator.equals("IsPresent")) {
            return new Rule.IsPresent(variable, fields.bool(operator, true));
        }
        if (TYPES.containsKey(operator)) {
            return new Rule.IsOfType(variable, TYPES.get(operator), fields.bool(operator, true));
        }
        Comparator comparator = comparator(operator);
        if (!comparator.name().equals(operator)) {
            Path value = fields.path(operator);
            return value == null ? NEVER : new Rule.Computed(variable, comparator, value);
        }
        JsonNode value = fields.raw(operator);
        if (!comparator.type().includes(value)) {
            fields.report(operator, Code.WRONG_TYPE, "The value of " + operator + " must be "
                    + switch (comparator.type()) {
                        case STRING -> "a string";
                        case NUMERIC -> "a number";
                        case BOOLEAN -> "a boolean";
                        default -> "a timestamp such as 2016-08-18T17:33:00Z";
                    } + ".");
            return NEVER;
        }
        try {
            return new Rule.Literal(variable, comparator.against(value));
        } catch (IllegalArgumentException e) {
            fields.report(operator, Code.WRONG_VALUE, "The field " + operator + ": " + e.getMessage() + ".");
            return NEVER;
        }
    }
}
