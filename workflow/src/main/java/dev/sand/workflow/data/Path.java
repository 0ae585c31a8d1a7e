package dev.sand.workflow.data;

import com.fasterxml.jackson.databind.JsonNode;
import com.jayway.jsonpath.InvalidPathException;
import java.util.List;

/**
 * A JSONPath over the data at hand ({@code $.a}), the context object ({@code $$.State.Name}) or a variable ({@code $name.a}).
 * Plain reference paths, by far the most, are read and written as such ({@link ReferencePath}); the rest (wildcards, slices,
 * filters, deep scans) have steps ({@link PathWalk}).
 */
public final class Path {
    private static final ReferencePath.Step EXECUTION = new ReferencePath.Step.Field("Execution");
    private static final ReferencePath.Step INPUT = new ReferencePath.Step.Field("Input");

    private enum Root { INPUT, CONTEXT, VARIABLE }

    /** The path leads nowhere in this document. */
    public static sealed class Missing extends RuntimeException permits BeyondArray, Misapplied {
        private static final long serialVersionUID = 1L;

        Missing(String message) {
            super(message, null, false, false);
        }
    }

    /** The path leads to an array, and ends in an index that it has no element at. */
    public static final class BeyondArray extends Missing {
        private static final long serialVersionUID = 1L;

        BeyondArray(String message) {
            super(message);
        }
    }

    /** A step of the path is for something else than what the document has there: an index for arrays, a filter for no scalar. */
    static final class Misapplied extends Missing {
        private static final long serialVersionUID = 1L;

        Misapplied(String message) {
            super(message);
        }
    }

    private final String text;
    private final Root root;
    private final String variable;
    private final ReferencePath reference;
    /** Where it is no plain reference path. */
    private final PathSteps steps;

    private Path(String text, Root root, String variable, String rest) {
        this.text = text;
        this.root = root;
        this.variable = variable;
        this.reference = ReferencePath.tryParse("$" + rest);
        this.steps = reference == null ? new PathSteps(PathGrammar.steps(rest)) : null;
    }

    /** @throws IllegalArgumentException with one sentence, when the text is no path */
    public static Path parse(String text) {
        if (!text.startsWith("$")) {
            throw new IllegalArgumentException("'" + text + "' is not a JSONPath: it must begin with $");
        }
        try {
            return parsed(text);
        } catch (IllegalArgumentException | InvalidPathException e) {
            // A regular expression of a filter can run for ever on a short text; there is no way to stop it half way.
            throw new IllegalArgumentException("'" + text + (text.contains("=~")
                    ? "' uses a regular expression, which paths may not" : "' is not a valid JSONPath: " + e.getMessage()));
        }
    }

    private static Path parsed(String text) {
        if (text.startsWith("$$")) {
            return new Path(text, Root.CONTEXT, null, text.substring(2));
        }
        int end = 1;
        while (end < text.length() && (end == 1 ? isNameStart(text.charAt(1)) : isNamePart(text.charAt(end)))) {
            end++;
        }
        return end > 1 ? new Path(text, Root.VARIABLE, text.substring(1, end), text.substring(end))
                : new Path(text, Root.INPUT, null, text.substring(1));
    }

    private static boolean isNameStart(char c) {
        return Character.isLetter(c) || c == '_';
    }

    private static boolean isNamePart(char c) {
        return Character.isLetterOrDigit(c) || c == '_';
    }

    /** @throws Missing when it leads nowhere. @throws StatesError when it is a path over the data at hand, and that is null */
    public JsonNode read(Environment environment) {
        JsonNode document = switch (root) {
            case INPUT -> environment.input();
            case CONTEXT -> environment.context(needsExecutionInput());
            case VARIABLE -> environment.variable(variable);
        };
        if (document == null) {
            throw new Missing("there is no variable $" + variable);
        }
        if (root == Root.INPUT && document.isNull()) {
            throw StatesError.runtime("Unable to apply Path transformation to null or empty input.");
        }
        return reference != null ? reference.read(document) : PathWalk.read(steps, document);
    }

    /** One that can match at most one place. */
    public boolean isDefinite() {
        return steps == null || steps.isDefinite();
    }

    /** As read, of the path to a Map's items. @throws StatesError ReferencePathConflict when it leads nowhere in the state's input */
    public JsonNode readItems(Environment environment) {
        return root == Root.INPUT && reference != null ? reference.demand(environment.input()) : read(environment);
    }

    /** Exactly {@code $}: the whole of the data at hand. */
    public boolean isWholeInput() {
        return root == Root.INPUT && reference != null && reference.isWhole();
    }

    private boolean needsExecutionInput() {
        if (reference == null || reference.steps().isEmpty()) {
            return true;
        }
        List<ReferencePath.Step> steps = reference.steps();
        return steps.getFirst().equals(EXECUTION) && (steps.size() == 1 || steps.get(1).equals(INPUT));
    }

    /** The variable that it begins with, or null. */
    public String variable() {
        return variable;
    }

    public String text() {
        return text;
    }

    @Override
    public String toString() {
        return text;
    }
}
