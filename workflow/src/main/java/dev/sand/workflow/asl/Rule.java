package dev.sand.workflow.asl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.data.Environment;
import dev.sand.workflow.data.Path;
import dev.sand.workflow.data.Query;
import dev.sand.workflow.data.StatesError;
import java.util.List;

/** A choice rule. */
public sealed interface Rule {
    boolean matches(Environment environment);

    record And(List<Rule> rules) implements Rule {
        @Override
        public boolean matches(Environment environment) {
            for (Rule rule : rules) {
                if (!rule.matches(environment)) {
                    return false;
                }
            }
            return true;
        }
    }

    record Or(List<Rule> rules) implements Rule {
        @Override
        public boolean matches(Environment environment) {
            for (Rule rule : rules) {
                if (rule.matches(environment)) {
                    return true;
                }
            }
            return false;
        }
    }

    record Not(Rule rule) implements Rule {
        @Override
        public boolean matches(Environment environment) {
            return !rule.matches(environment);
        }
    }

    /** Whether the variable is there at all: the one test that a missing one does not fail. */
    record IsPresent(Path variable, boolean expected) implements Rule {
        @Override
        public boolean matches(Environment environment) {
            try {
                variable.read(environment);
                return expected;
            } catch (Path.Missing e) {
                return !expected;
            }
        }
    }

    record IsOfType(Path variable, Comparator.Type type, boolean expected) implements Rule {
        @Override
        public boolean matches(Environment environment) {
            return type.includes(read(variable, environment)) == expected;
        }
    }

    record Literal(Path variable, Comparator.Test test) implements Rule {
        @Override
        public boolean matches(Environment environment) {
            return test.matches(read(variable, environment));
        }
    }

    record Computed(Path variable, Comparator comparator, Path value) implements Rule {
        @Override
        public boolean matches(Environment environment) {
            JsonNode left = read(variable, environment);
            JsonNode found = read(value, environment);
            JsonNode right = comparator.type().includes(found) ? found : comparator.type().otherwise();
            return right != null && comparator.against(right).matches(left);
        }
    }

    record Constant(boolean value) implements Rule {
        @Override
        public boolean matches(Environment environment) {
            return value;
        }
    }

    /** JSONata. */
    record Condition(Query query) implements Rule {
        @Override
        public boolean matches(Environment environment) {
            JsonNode value = query.evaluate(environment);
            if (!value.isBoolean()) {
                throw query.mistyped("boolean", value);
            }
            return value.booleanValue();
        }
    }

    private static JsonNode read(Path path, Environment environment) {
        try {
            return path.read(environment);
        } catch (Path.Missing e) {
            throw StatesError.runtime("Invalid path '" + path + "': The choice state's condition path references an invalid value.");
        }
    }
}
