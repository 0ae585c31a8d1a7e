package dev.sand.workflow.asl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.asl.Diagnostic.Code;
import dev.sand.workflow.data.Expression;
import dev.sand.workflow.data.Template;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads payload templates. */
final class TemplateReader {
    private final Diagnostics diagnostics;

    TemplateReader(Diagnostics diagnostics) {
        this.diagnostics = diagnostics;
    }

    /** @return null when the field is absent */
    Template read(Fields fields, String name) {
        JsonNode value = fields.raw(name);
        return value == null ? null : read(value, fields.pointer(name));
    }

    private Template read(JsonNode value, String pointer) {
        if (value.isObject()) {
            return object(value, pointer);
        }
        if (value.isArray()) {
            List<Template> elements = new ArrayList<>();
            for (int i = 0; i < value.size(); i++) {
                elements.add(read(value.get(i), pointer + "/" + i));
            }
            return elements.stream().allMatch(Template.Constant.class::isInstance)
                    ? new Template.Constant(value) : new Template.ArrayOf(List.copyOf(elements));
        }
        return new Template.Constant(value);
    }

    private Template object(JsonNode object, String pointer) {
        List<Template.Entry> entries = new ArrayList<>();
        Set<String> names = new HashSet<>();
        boolean isConstant = true;
        for (var field : object.properties()) {
            String below = Diagnostics.child(pointer, field.getKey());
            String name = field.getKey();
            Template value;
            if (name.endsWith(".$")) {
                name = name.substring(0, name.length() - 2);
                value = computed(field.getKey(), field.getValue(), below);
                isConstant = false;
            } else {
                value = read(field.getValue(), below);
                isConstant &= value instanceof Template.Constant;
            }
            if (!names.add(name)) {
                diagnostics.add(below, Code.DUPLICATE_KEY, "The fields " + name + " and " + name + ".$ stand side by side.");
            }
            entries.add(new Template.Entry(name, value));
        }
        return isConstant ? new Template.Constant(object) : Template.ObjectOf.paths(entries);
    }

    private Template computed(String field, JsonNode value, String pointer) {
        if (!value.isTextual()) {
            diagnostics.add(pointer, Code.WRONG_TYPE, "The value of " + field + " must be a string: a JSONPath or an intrinsic function.");
            return new Template.Constant(value);
        }
        try {
            return new Template.Computed(field, Expression.parse(value.textValue()));
        } catch (IllegalArgumentException e) {
            diagnostics.add(pointer, value.textValue().startsWith("$") ? Code.INVALID_PATH : Code.INVALID_EXPRESSION,
                    "The value of " + field + ": " + e.getMessage() + ".");
            return new Template.Constant(value);
        }
    }
}
