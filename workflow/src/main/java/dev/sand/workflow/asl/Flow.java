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
 */
public record Flow(Path inputPath, Template parameters, Template resultSelector, ReferencePath resultPath, Path outputPath) {
    static final Path WHOLE = Path.parse("$");
    static final ReferencePath ALL = ReferencePath.parse("$");
    public static final Flow DEFAULT = new Flow(WHOLE, null, null, ALL, WHOLE);

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
                || resultPath != null && !resultPath.isWhole();
    }
}
