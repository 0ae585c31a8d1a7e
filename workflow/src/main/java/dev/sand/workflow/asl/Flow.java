package dev.sand.workflow.asl;

import dev.sand.workflow.data.Path;
import dev.sand.workflow.data.ReferencePath;
import dev.sand.workflow.data.Template;

/**
 * How data flows through a state, in this order.
 *
 * @param inputPath what of the input the state works on; null (written so): an empty object
 * @param parameters what the work gets, made from that; null: that itself
 * @param resultSelector what the result becomes, made from it; null: the result itself
 * @param resultPath where in the state's input the result goes; null (written so): nowhere
 * @param outputPath what of that goes on; null (written so): an empty object
 * @param isJsonata the state's language: then {@code parameters} are its Arguments, and {@code output} does the rest
 * @param output JSONata's Output: what goes on; null: the result, or what the state was given if it has none
 */
public record Flow(Path inputPath, Template parameters, Template resultSelector, ReferencePath resultPath, Path outputPath,
                   boolean isJsonata, Template output) {
    static final Path WHOLE = Path.parse("$");
    static final ReferencePath ALL = ReferencePath.parse("$");
    static final Flow DEFAULT = ofPaths(WHOLE, null, null, ALL, WHOLE);

    static Flow ofPaths(Path inputPath, Template parameters, Template resultSelector, ReferencePath resultPath, Path outputPath) {
        return new Flow(inputPath, parameters, resultSelector, resultPath, outputPath, false, null);
    }

    static Flow ofQueries(Template arguments, Template output) {
        return new Flow(WHOLE, arguments, null, ALL, WHOLE, true, output);
    }

    public boolean keepsInputWhole() {
        return inputPath != null && inputPath.isWholeInput();
    }

    public boolean keepsOutputWhole() {
        return outputPath != null && outputPath.isWholeInput();
    }

    /** The result takes the place of the input. */
    public boolean resultReplacesInput() {
        return resultPath != null && resultPath.isWhole();
    }

    /** Whether bytes must be parsed for it. */
    boolean looksInside() {
        return !keepsInputWhole() || parameters != null || resultSelector != null || !keepsOutputWhole()
                || resultPath != null && !resultPath.isWhole() || output != null;
    }
}
