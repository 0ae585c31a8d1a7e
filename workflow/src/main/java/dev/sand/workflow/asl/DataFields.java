package dev.sand.workflow.asl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.asl.Diagnostic.Code;
import dev.sand.workflow.data.Expression;
import dev.sand.workflow.data.Path;
import dev.sand.workflow.data.Query.Sight;
import dev.sand.workflow.data.ReferencePath;
import dev.sand.workflow.data.Template;
import java.util.List;

/** Reads the fields through which data flows, in either language, and refuses those of the other. */
final class DataFields {
    private static final List<String> OF_PATHS = List.of("InputPath", "OutputPath", "ResultPath", "ResultSelector", "Parameters", "Result",
            "ItemsPath", "SecondsPath", "TimestampPath", "TimeoutSecondsPath", "HeartbeatSecondsPath", "MaxConcurrencyPath",
            "ToleratedFailureCountPath", "ToleratedFailurePercentagePath", "ErrorPath",
            "CausePath", "Variable");
    private static final List<String> OF_QUERIES = List.of("Arguments", "Output", "Items", "Condition");

    /** What a state does with data. */
    enum Kind {
        /** Task, Parallel: its work is given something, and has a result. */
        WORK(true, true, Sight.RESULT),
        /** Map: its work has a result. */
        MAP(false, true, Sight.RESULT),
        /** Pass: its result is what it was given. */
        PASS(true, false, Sight.INPUT),
        /** Choice, Wait: they pass on what they were given. */
        PASSAGE(false, false, Sight.INPUT),
        SUCCEED(false, false, Sight.INPUT);

        private final boolean hasParameters;
        private final boolean hasSelector;
        private final Sight sight;

        Kind(boolean hasParameters, boolean hasSelector, Sight sight) {
            this.hasParameters = hasParameters;
            this.hasSelector = hasSelector;
            this.sight = sight;
        }

        /** What Output and Assign can see. */
        Sight sight() {
            return sight;
        }
    }

    private final Diagnostics diagnostics;
    private final TemplateReader templates;
    private final QueryReader queries;

    DataFields(Diagnostics diagnostics, boolean wasChecked) {
        this.diagnostics = diagnostics;
        this.templates = new TemplateReader(diagnostics);
        this.queries = new QueryReader(diagnostics, wasChecked);
    }

    TemplateReader templates() {
        return templates;
    }

    QueryReader queries() {
        return queries;
    }

    void refuseForeign(Fields fields, boolean isJsonata) {
        for (String name : isJsonata ? OF_PATHS : OF_QUERIES) {
            if (fields.has(name)) {
                fields.ignore(name);
                fields.report(name, Code.WRONG_QUERY_LANGUAGE, "The field " + name + " is one of " + (isJsonata ? "JSONPath" : "JSONata")
                        + "; the QueryLanguage here is " + (isJsonata ? "JSONata" : "JSONPath") + ".");
            }
        }
    }

    Flow flow(Fields fields, boolean isJsonata, Kind kind) {
        if (isJsonata) {
            Template arguments = kind == Kind.WORK ? queries.template(fields, "Arguments", "", Sight.INPUT) : null;
            return Flow.ofQueries(arguments, queries.template(fields, "Output", "", kind.sight()));
        }
        boolean hasResult = kind.hasParameters || kind.hasSelector;
        return Flow.ofPaths(selection(fields, "InputPath"), kind.hasParameters ? templates.read(fields, "Parameters") : null,
                kind.hasSelector ? templates.read(fields, "ResultSelector") : null, hasResult ? resultPath(fields) : Flow.ALL,
                selection(fields, "OutputPath"));
    }

    private static Path selection(Fields fields, String name) {
        JsonNode value = fields.raw(name);
        if (value == null) {
            return Flow.WHOLE;
        }
        return value.isNull() ? null : fields.path(name);
    }

    static ReferencePath resultPath(Fields fields) {
        JsonNode value = fields.raw("ResultPath");
        if (value == null) {
            return Flow.ALL;
        }
        return value.isNull() ? null : fields.referencePath("ResultPath");
    }

    /** What gives a field that may be computed: in JSONPath a field of its own; null: it is literal, or absent. */
    Expression computed(Fields fields, String name, boolean isJsonata) {
        return computed(fields, name, "", isJsonata);
    }

    private Expression computed(Fields fields, String name, String within, boolean isJsonata) {
        if (isJsonata) {
            return queries.query(fields, name, within);
        }
        Path path = fields.definitePath(name + "Path");
        return path == null ? null : new Expression.Read(path);
    }

    /**
     * As computed, for the fields of a Map, whose paths may not begin at the context object, though ItemsPath may.
     *
     * @param within see {@link QueryReader}
     */
    Expression counted(Fields fields, String name, String within, boolean isJsonata) {
        JsonNode path = isJsonata ? null : fields.raw(name + "Path");
        if (path != null && path.asText().startsWith("$$")) {
            fields.ignore(name + "Path");
            fields.report(name + "Path", Code.INVALID_PATH, "The field " + name + "Path must be a reference path into the input or a variable, "
                    + "not into the context object.");
            return null;
        }
        return computed(fields, name, within, isJsonata);
    }

    /** @param within see {@link QueryReader}; @return null when the field is absent or wrong */
    Template assign(Fields fields, String within, boolean isJsonata, Sight sight, VariableNames variables) {
        JsonNode value = fields.raw("Assign");
        if (value == null) {
            return null;
        }
        if (!value.isObject()) {
            fields.report("Assign", Code.WRONG_TYPE, "The field Assign must be an object.");
            return null;
        }
        for (var entry : value.properties()) {
            String pointer = Diagnostics.child(fields.pointer("Assign"), entry.getKey());
            String name = !isJsonata && entry.getKey().endsWith(".$") ? entry.getKey().substring(0, entry.getKey().length() - 2) : entry.getKey();
            String fault = VariableNames.fault(name);
            if (fault != null) {
                diagnostics.add(pointer, Code.WRONG_VALUE, "In Assign " + fault + ".");
            } else {
                variables.add(name, pointer);
            }
        }
        return isJsonata ? queries.template(fields, "Assign", within, sight) : templates.read(fields, "Assign");
    }
}
