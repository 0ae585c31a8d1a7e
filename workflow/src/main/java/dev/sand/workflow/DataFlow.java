package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.asl.Flow;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Document.PayloadSource;
import dev.sand.workflow.data.Expression;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.Path;
import dev.sand.workflow.data.ReferencePath;
import dev.sand.workflow.data.StatesError;
import dev.sand.workflow.data.Template;

/**
 * Data through a state: input → InputPath → Parameters → work → ResultSelector → ResultPath → OutputPath. Each step that is
 * not given hands the document on as it is, unparsed.
 */
final class DataFlow {
    private final PayloadSource source;

    DataFlow(PayloadSource source) {
        this.source = source;
    }

    /** What of the input the state works on. */
    Document input(Visit visit) {
        return select(visit, visit.state.flow().inputPath(), visit.input);
    }

    /** What the work gets. */
    Document parameters(Visit visit, Document input) {
        return fill(visit, visit.state.flow().parameters(), input);
    }

    /** What goes on to the next state. */
    Document output(Visit visit, Document result) {
        Flow flow = visit.state.flow();
        Document selected = fill(visit, flow.resultSelector(), result);
        return select(visit, flow.outputPath(), place(visit, flow.resultPath(), selected));
    }

    /** The state's input with a value at a place; null: nowhere. */
    Document place(Visit visit, ReferencePath place, Document value) {
        if (place == null) {
            return visit.input;
        }
        if (place.isWhole()) {
            return value;
        }
        return Document.of(place.write(visit.input.node(source), value.node(source)),
                visit.input.sizeHint() + value.sizeHint());
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
            throw StatesError.runtime("Invalid path '" + path + "': " + e.getMessage());
        }
    }

    JsonNode evaluate(Visit visit, Expression expression, Document document) {
        try {
            return expression.evaluate(visit.environment(document, source));
        } catch (Path.Missing e) {
            throw StatesError.runtime("Invalid path '" + expression + "': " + e.getMessage());
        }
    }

    Document fill(Visit visit, Template template, Document document) {
        if (template == null) {
            return document;
        }
        return Document.made(template.evaluate(visit.environment(document, source)));
    }
}
