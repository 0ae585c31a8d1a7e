package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.workflow.asl.ErrorRules.Catcher;
import dev.sand.workflow.asl.Flow;
import dev.sand.workflow.asl.State;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Document.PayloadSource;
import dev.sand.workflow.data.Environment;
import dev.sand.workflow.data.Expression;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.Path;
import dev.sand.workflow.data.ReferencePath;
import dev.sand.workflow.data.StatesError;
import dev.sand.workflow.data.Template;

/**
 * Data through a state: input → InputPath → Parameters → work → ResultSelector → ResultPath → OutputPath; in JSONata: input →
 * Arguments → work → Output. Each step that is not given hands the document on as it is, unparsed.
 */
final class DataFlow {
    private final PayloadSource source;

    DataFlow(PayloadSource source) {
        this.source = source;
    }

    PayloadSource source() {
        return source;
    }

    /** What of the input the state works on. */
    Document input(Visit visit) {
        return select(visit, visit.state.flow().inputPath(), visit.input);
    }

    /** What the work gets. */
    Document parameters(Visit visit, Document input) {
        return DataLimit.checked(visit, fill(visit, visit.state.flow().parameters(), input), source);
    }

    /** The role that a task's Credentials name. @return null: none, or no text */
    String role(Visit visit, State.Task task, Document input) {
        return task.credentials() == null ? null : task.credentials().evaluate(visit.environment(input, source)).path("RoleArn").textValue();
    }

    /** What goes on to the next state. */
    Document output(Visit visit, Document result) {
        Flow flow = visit.state.flow();
        Document output;
        if (flow.isJsonata()) {
            output = flow.output() == null ? result : made(flow.output(), visit.environment(visit.input, result, null, source));
        } else {
            Document selected = fill(visit, flow.resultSelector(), result);
            output = select(visit, flow.outputPath(), place(visit, flow.resultPath(), selected));
        }
        return DataLimit.checked(visit, output, source);
    }

    /** What goes on from a state that passes on what it is given. @param output of JSONata, or null */
    Document passedOn(Visit visit, Document input, Template output) {
        return DataLimit.checked(visit, visit.state.flow().isJsonata() ? fill(visit, output, visit.input)
                : select(visit, visit.state.flow().outputPath(), input), source);
    }

    /** What goes on when an error is caught. */
    Document caught(Visit visit, Catcher catcher, Document error) {
        Document output;
        if (!visit.state.flow().isJsonata()) {
            output = place(visit, catcher.resultPath(), error);
        } else {
            output = catcher.output() == null ? error : made(catcher.output(), visit.environment(visit.input, null, error, source));
        }
        return DataLimit.checked(visit, output, source);
    }

    /**
     * Gives variables their values, reckoned from those that they had before.
     *
     * @param assign null: none
     * @param result what the state's work gave, or what a state that does none works on
     * @param error output of one that is caught, or null
     */
    void assign(Visit visit, Template assign, Document result, Document error) {
        if (assign == null) {
            return;
        }
        Environment environment = visit.state.flow().isJsonata() ? visit.environment(visit.input, result, error, source)
                : visit.environment(error != null ? error : result, source);
        ObjectNode values = (ObjectNode) made(assign, environment).node(source);
        visit.scope.variables.assign(values);
        visit.assigned = values;
    }

    private static Document made(Template template, Environment environment) {
        return Document.made(template.evaluate(environment));
    }

    /** The state's input with a value at a place; null: nowhere. */
    Document place(Visit visit, ReferencePath place, Document value) {
        if (place == null) {
            return visit.input;
        }
        if (place.isWhole()) {
            return value;
        }
        return visit.input.with(place, value, source);
    }

    /** What a path leads to; null: an empty object. */
    Document select(Visit visit, Path path, Document document) {
        if (path == null) {
            return Document.of(Json.NODES.objectNode(), 2);
        }
        if (path.isWholeInput()) {
            return document;
        }
        JsonNode selected = read(visit, path, document);
        return path.isDefinite() ? Document.of(selected, document.sizeHint()) : Document.made(selected);
    }

    JsonNode read(Visit visit, Path path, Document document) {
        try {
            return path.read(visit.environment(document, source));
        } catch (Path.Missing e) {
            throw invalid(path, e);
        }
    }

    JsonNode readItems(Visit visit, Path path, Document document) {
        try {
            return path.readItems(visit.environment(document, source));
        } catch (Path.Missing e) {
            throw invalid(path, e);
        }
    }

    private static StatesError invalid(Path path, Path.Missing e) {
        return StatesError.runtime("Invalid path '" + path + "' : " + e.getMessage());
    }

    /** @param field that the expression stands in, for the cause when it leads nowhere */
    JsonNode evaluate(Visit visit, Expression expression, Document document, String field) {
        Environment environment = visit.environment(document, source);
        try {
            return expression.evaluate(environment);
        } catch (Path.Missing e) {
            throw Template.notFound(expression, field, environment);
        }
    }

    Document fill(Visit visit, Template template, Document document) {
        if (template == null) {
            return document;
        }
        return made(template, visit.environment(document, source));
    }
}
