package dev.sand.workflow.asl;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.workflow.asl.Diagnostic.Code;
import dev.sand.workflow.data.Expression;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.Path;
import dev.sand.workflow.data.ReferencePath;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One object of a definition while it is read: fields by name and type. A mistake is reported and a harmless value returned,
 * so that reading goes on and all mistakes are found; what was never asked for is unknown.
 */
final class Fields {
    private final ObjectNode object;
    private final String pointer;
    private final Diagnostics diagnostics;
    private final Set<String> known = new HashSet<>();

    Fields(ObjectNode object, String pointer, Diagnostics diagnostics) {
        this.object = object;
        this.pointer = pointer;
        this.diagnostics = diagnostics;
    }

    String pointer() {
        return pointer;
    }

    String pointer(String name) {
        return Diagnostics.child(pointer, name);
    }

    void report(String name, Code code, String message) {
        diagnostics.add(name == null ? pointer : pointer(name), code, message);
    }

    /** The field may be there; what it says does not matter here. */
    void ignore(String... names) {
        known.addAll(List.of(names));
    }

    /** A remark for readers, anywhere. */
    void comment() {
        string("Comment");
    }

    List<String> names() {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    boolean has(String name) {
        return object.has(name);
    }

    JsonNode raw(String name) {
        known.add(name);
        return object.get(name);
    }

    JsonNode required(String name) {
        JsonNode value = raw(name);
        if (value == null) {
            report(null, Code.MISSING_FIELD, "The field " + name + " is missing.");
        }
        return value;
    }

    /** @return null when it is absent or wrong */
    String string(String name) {
        JsonNode value = raw(name);
        if (value == null) {
            return null;
        }
        if (!value.isTextual()) {
            wrongType(name, "a string");
            return null;
        }
        return value.textValue();
    }

    /** @return null when it is absent or wrong */
    String requiredString(String name) {
        return required(name) == null ? null : string(name);
    }

    boolean bool(String name, boolean otherwise) {
        JsonNode value = raw(name);
        if (value == null) {
            return otherwise;
        }
        if (!value.isBoolean()) {
            wrongType(name, "a boolean");
            return otherwise;
        }
        return value.booleanValue();
    }

    long integer(String name, long least, long most, long otherwise) {
        JsonNode value = raw(name);
        if (value == null) {
            return otherwise;
        }
        Long number = value.isIntegralNumber() ? Json.wholeNumber(value) : null;
        if (number == null && !value.isIntegralNumber()) {
            wrongType(name, "an integer");
            return otherwise;
        }
        if (number == null || number < least || number > most) {
            report(name, Code.WRONG_VALUE, "The field " + name + " must be from " + least + " to " + most + ", it is " + value + ".");
            return otherwise;
        }
        return number;
    }

    double number(String name, long least, double otherwise) {
        JsonNode value = raw(name);
        if (value == null) {
            return otherwise;
        }
        if (!value.isNumber()) {
            wrongType(name, "a number");
            return otherwise;
        }
        if (value.decimalValue().compareTo(BigDecimal.valueOf(least)) < 0) {
            report(name, Code.WRONG_VALUE, "The field " + name + " must be at least " + least + ", it is " + value + ".");
            return otherwise;
        }
        return value.doubleValue();
    }

    /** @return null when it is absent or wrong */
    Fields object(String name) {
        JsonNode value = raw(name);
        if (value == null) {
            return null;
        }
        if (!value.isObject()) {
            wrongType(name, "an object");
            return null;
        }
        return new Fields((ObjectNode) value, pointer(name), diagnostics);
    }

    /** The objects of an array; a mistake when one is none. */
    List<Fields> objects(String name) {
        List<Fields> fields = new ArrayList<>();
        JsonNode value = raw(name);
        if (value == null) {
            return fields;
        }
        if (!value.isArray()) {
            wrongType(name, "an array");
            return fields;
        }
        for (int i = 0; i < value.size(); i++) {
            String below = pointer(name) + "/" + i;
            if (value.get(i).isObject()) {
                fields.add(new Fields((ObjectNode) value.get(i), below, diagnostics));
            } else {
                diagnostics.add(below, Code.WRONG_TYPE, "An element of " + name + " must be an object.");
            }
        }
        return fields;
    }

    /** @return null when it is absent or wrong */
    Path path(String name) {
        String text = string(name);
        if (text == null) {
            return null;
        }
        try {
            return Path.parse(text);
        } catch (IllegalArgumentException e) {
            report(name, Code.INVALID_PATH, "The field " + name + ": " + e.getMessage() + ".");
            return null;
        }
    }

    /** A path that names one place at most; null when it is absent or wrong. */
    Path definitePath(String name) {
        Path path = path(name);
        if (path != null && !path.isDefinite()) {
            report(name, Code.INVALID_PATH, "The field " + name + " must be a reference path, which names one place; '"
                    + path + "' may match several.");
            return null;
        }
        return path;
    }

    /** @return null when it is absent or wrong */
    ReferencePath referencePath(String name) {
        String text = string(name);
        if (text == null) {
            return null;
        }
        try {
            return ReferencePath.parse(text);
        } catch (IllegalArgumentException e) {
            report(name, Code.INVALID_PATH, "The field " + name + ": " + e.getMessage() + ".");
            return null;
        }
    }

    /** A path or an intrinsic function; null when it is absent or wrong. */
    Expression expression(String name) {
        String text = string(name);
        if (text == null) {
            return null;
        }
        try {
            return Expression.parse(text);
        } catch (IllegalArgumentException e) {
            report(name, text.startsWith("$") ? Code.INVALID_PATH : Code.INVALID_EXPRESSION, "The field " + name + ": "
                    + e.getMessage() + ".");
            return null;
        }
    }

    /** At most one of these may be there. */
    void atMostOne(String... names) {
        List<String> present = List.of(names).stream().filter(object::has).toList();
        if (present.size() > 1) {
            known.addAll(present);
            report(present.get(1), Code.WRONG_VALUE, "Only one of " + String.join(", ", present) + " may be given.");
        }
    }

    /** Reports what nobody asked for. */
    void reportUnknown(String where) {
        for (String name : names()) {
            if (!known.contains(name)) {
                report(name, Code.UNKNOWN_FIELD, "The field " + name + " is not known in " + where + ".");
            }
        }
    }

    private void wrongType(String name, String wanted) {
        report(name, Code.WRONG_TYPE, "The field " + name + " must be " + wanted + ".");
    }
}
