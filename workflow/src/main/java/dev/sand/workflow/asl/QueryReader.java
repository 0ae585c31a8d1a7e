package dev.sand.workflow.asl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.asl.Diagnostic.Code;
import dev.sand.workflow.data.Expression;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.JsonFault;
import dev.sand.workflow.data.Query;
import dev.sand.workflow.data.Template;
import java.util.ArrayList;
import java.util.List;

/** Reads what may hold JSONata: strings from <code>{%</code> to <code>%}</code>, alone or at any depth of a value. */
final class QueryReader {
    private final Diagnostics diagnostics;
    private final boolean wasChecked;

    /** @param wasChecked whether all of it is known to be good */
    QueryReader(Diagnostics diagnostics, boolean wasChecked) {
        this.diagnostics = diagnostics;
        this.wasChecked = wasChecked;
    }

    static boolean isQuery(JsonNode value) {
        return value != null && value.isTextual() && value.textValue().startsWith("{%") && value.textValue().endsWith("%}")
                && value.textValue().length() >= 4;
    }

    /** @param within the state, of the object that has the field: "" or "Choices[1]/"; @return null when the field is absent */
    Template template(Fields fields, String name, String within, Query.Sight sight) {
        JsonNode value = fields.raw(name);
        return value == null ? null : read(value, name, within + name, fields.pointer(name), sight);
    }

    /** @return null when the field is no JSONata: absent, or a literal */
    Expression query(Fields fields, String name, String within) {
        JsonNode value = fields.raw(name);
        checkBraces(value, fields.pointer(name));
        return isQuery(value) ? query(value, within + name, fields.pointer(name), Query.Sight.INPUT) : null;
    }

    /** A text that only begins or only ends like an expression is taken for one that was not closed or opened well. */
    private void checkBraces(JsonNode value, String pointer) {
        if (value != null && value.isTextual() && value.textValue().startsWith("{%") != value.textValue().endsWith("%}")) {
            diagnostics.add(pointer, Code.INVALID_EXPRESSION,
                    "A JSONata expression must begin with {% and end with %}, with no blanks around them: " + Json.text(value) + ".");
        }
    }

    private Template read(JsonNode value, String field, String location, String pointer, Query.Sight sight) {
        if (value.isObject()) {
            List<Template.Entry> entries = new ArrayList<>();
            boolean isConstant = true;
            for (var entry : value.properties()) {
                Template below = read(entry.getValue(), entry.getKey(), location + "/" + entry.getKey(),
                        Diagnostics.child(pointer, entry.getKey()), sight);
                isConstant &= below instanceof Template.Constant;
                entries.add(new Template.Entry(entry.getKey(), below));
            }
            return isConstant ? new Template.Constant(value) : new Template.ObjectOf(List.copyOf(entries));
        }
        if (value.isArray()) {
            List<Template> elements = new ArrayList<>();
            for (int i = 0; i < value.size(); i++) {
                elements.add(read(value.get(i), field, location + "[" + i + "]", pointer + "/" + i, sight));
            }
            return elements.stream().allMatch(Template.Constant.class::isInstance)
                    ? new Template.Constant(value) : new Template.ArrayOf(List.copyOf(elements));
        }
        checkBraces(value, pointer);
        Expression query = isQuery(value) ? query(value, location, pointer, sight) : null;
        return query == null ? new Template.Constant(value) : new Template.Computed(field, query);
    }

    private Expression query(JsonNode value, String location, String pointer, Query.Sight sight) {
        String text = JsonFault.stripped(value.textValue().substring(2, value.textValue().length() - 2));
        try {
            return wasChecked ? Query.unparsed(text, location, sight) : Query.parse(text, location, sight);
        } catch (IllegalArgumentException e) {
            diagnostics.add(pointer, Code.INVALID_EXPRESSION, e.getMessage() + ".");
            return null;
        }
    }
}
