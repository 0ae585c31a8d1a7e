package dev.sand.workflow.data;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.jayway.jsonpath.Configuration;
import com.jayway.jsonpath.InvalidPathException;
import com.jayway.jsonpath.JsonPath;
import com.jayway.jsonpath.JsonPathException;
import com.jayway.jsonpath.PathNotFoundException;
import com.jayway.jsonpath.spi.json.JacksonJsonNodeJsonProvider;
import com.jayway.jsonpath.spi.mapper.JacksonMappingProvider;
import java.util.List;

/**
 * A JSONPath over the data at hand ({@code $.a}), the context object ({@code $$.State.Name}) or a variable ({@code $name.a}).
 * Plain reference paths, by far the most, are walked directly; the rest (wildcards, slices, filters, deep scans) are
 * Jayway's, whose semantics are those that AWS shows.
 */
public final class Path {
    private static final Configuration JAYWAY = Configuration.builder()
            .jsonProvider(new JacksonJsonNodeJsonProvider(Json.MAPPER))
            .mappingProvider(new JacksonMappingProvider(Json.MAPPER))
            .build();

    private static final ReferencePath.Step EXECUTION = new ReferencePath.Step.Field("Execution");
    private static final ReferencePath.Step INPUT = new ReferencePath.Step.Field("Input");

    /**
     * Of a field that is not there, with more behind it, below a definite place. In the version of the library that AWS shows this
     * is nothing found, and no error, where the path goes on to several places.
     */
    private static final String NO_PROPERTY = "Missing property in path ";

    private enum Root { INPUT, CONTEXT, VARIABLE }

    /** The path leads nowhere in this document. */
    public static sealed class Missing extends RuntimeException permits BeyondArray, NotAnArray {
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

    /** The path has an index where the document has something else than an array. */
    static final class NotAnArray extends Missing {
        private static final long serialVersionUID = 1L;
        /** Its steps from that index on. */
        final String rest;
        final transient JsonNode found;

        NotAnArray(String message, String rest, JsonNode found) {
            super(message);
            this.rest = rest;
            this.found = found;
        }
    }

    private final String text;
    private final Root root;
    private final String variable;
    private final ReferencePath reference;
    private final PathGrammar.Spelled spelled;
    private final JsonPath compiled;
    private final PathBrackets brackets;

    private Path(String text, Root root, String variable, String rest) {
        this.text = text;
        this.root = root;
        this.variable = variable;
        this.reference = ReferencePath.tryParse("$" + rest);
        this.spelled = reference == null ? PathGrammar.spelled(rest) : null;
        this.compiled = spelled != null && !spelled.callsFunction() ? JsonPath.compile("$" + spelled.text()) : null;
        this.brackets = compiled == null ? null : PathBrackets.of("$" + spelled.text());
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
        if (reference != null) {
            return reference.read(document);
        }
        if (compiled == null) {
            throw new Missing("functions such as length() are not supported in paths, as on AWS");
        }
        try {
            if (brackets.beforeNames() != null) {
                checkNames(document);
            }
            Object found = compiled.read(document, JAYWAY);
            JsonNode node = found instanceof JsonNode one ? one : Json.MAPPER.valueToTree(found);
            return brackets.testsElementItself() ? objectsOf(node) : node;
        } catch (PathNotFoundException e) {
            if (!spelled.isDefinite() && e.getMessage().startsWith(NO_PROPERTY)) {
                return Json.NODES.arrayNode();
            }
            throw new Missing(e.getMessage());
        } catch (JsonPathException | ClassCastException | IllegalStateException e) { // the latter of operators on what they are not for
            throw new Missing("'" + text + "' cannot be applied: " + e.getMessage());
        }
    }

    /** Several names are only for the end of a path, as in the version of Jayway's library that AWS shows. */
    private void checkNames(JsonNode document) {
        JsonNode found;
        try {
            found = brackets.beforeNames().read(document, JAYWAY);
        } catch (PathNotFoundException e) {
            return; // The whole path has its own say on that.
        }
        boolean isDefinite = brackets.beforeNames().isDefinite();
        for (JsonNode node : isDefinite ? List.of(found) : found) {
            if (node.isObject()) {
                throw new Missing("Multi properties can only be used as path leafs: " + brackets.beforeNames().getPath() + brackets.names());
            }
        }
    }

    /** As the guide says: the {@code @} of a filter matches objects, never scalars. */
    private static JsonNode objectsOf(JsonNode found) {
        ArrayNode objects = Json.NODES.arrayNode();
        found.forEach(node -> {
            if (node.isObject()) {
                objects.add(node);
            }
        });
        return objects;
    }

    /** One that can match at most one place. */
    public boolean isDefinite() {
        return compiled == null || compiled.isDefinite();
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
