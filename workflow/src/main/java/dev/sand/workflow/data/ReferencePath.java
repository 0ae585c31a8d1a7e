package dev.sand.workflow.data;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A path that names exactly one place ({@code $.a['b c'][2]}), and so can be written to as well as read. */
public final class ReferencePath {
    /** One step down. */
    public sealed interface Step {
        record Field(String name) implements Step {}

        /** @param index from 0; at a negative one no array has an element, as in the version of Jayway's library that AWS shows */
        record Index(int index) implements Step {}

        /** As {@code [(@.length-n)]}, for reading only. @param index 1: the last one */
        record FromEnd(int index) implements Step {}
    }

    private static final String CONTROLS = "nrtfb";
    private static final Pattern FROM_END = Pattern.compile("\\[ *\\( *@\\.(?:length|size\\(\\)) *- *([0-9]{1,9}) *\\) *]");
    private static final Pattern HEX = Pattern.compile("[0-9a-fA-F]{4}");
    private final String text;
    private final List<Step> steps;

    private ReferencePath(String text, List<Step> steps) {
        this.text = text;
        this.steps = steps;
    }

    /** @throws IllegalArgumentException with one sentence, when the text is no reference path */
    public static ReferencePath parse(String text) {
        ReferencePath path = tryParse(text);
        if (path == null || text.startsWith("$$") || path.steps.stream().anyMatch(Step.FromEnd.class::isInstance)) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a reference path: it must name one place, like $.a.b['c'][0]");
        }
        return path;
    }

    /** @return null when the text is not of the plain form */
    static ReferencePath tryParse(String text) {
        if (text.isEmpty() || text.charAt(0) != '$') {
            return null;
        }
        List<Step> steps = new ArrayList<>();
        int at = 1;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '.') {
                StringBuilder name = new StringBuilder();
                at = plainName(text, at + 1, name);
                if (at < 0 || name.isEmpty()) {
                    return null;
                }
                steps.add(new Step.Field(name.toString()));
            } else if (c == '[' && at + 1 < text.length() && (text.charAt(at + 1) == '\'' || text.charAt(at + 1) == '"')) {
                StringBuilder name = new StringBuilder();
                at = quotedName(text, at + 2, text.charAt(at + 1), name);
                if (at < 0) {
                    return null;
                }
                steps.add(new Step.Field(name.toString()));
            } else if (c == '[' && FROM_END.matcher(text).region(at, text.length()).lookingAt()) {
                Matcher found = FROM_END.matcher(text).region(at, text.length());
                found.lookingAt();
                steps.add(new Step.FromEnd(Integer.parseInt(found.group(1))));
                at = found.end();
            } else if (c == '[') {
                int end = text.indexOf(']', at);
                Integer index = end < 0 ? null : index(text.substring(at + 1, end));
                if (index == null) {
                    return null;
                }
                steps.add(new Step.Index(index));
                at = end + 1;
            } else {
                return null;
            }
        }
        return new ReferencePath(text, List.copyOf(steps));
    }

    /** A name after a dot, in which a backslash takes the meaning from the next character. @return where it ends, or -1 */
    private static int plainName(String text, int at, StringBuilder name) {
        while (at < text.length() && text.charAt(at) != '.' && text.charAt(at) != '[') {
            char c = text.charAt(at);
            if (c == '\\' && at + 1 < text.length()) {
                c = text.charAt(++at);
            } else if ("@,:?*()]'\" \\".indexOf(c) >= 0) {
                return -1;
            }
            name.append(c);
            at++;
        }
        return at;
    }

    /** As Jayway reads it, but for a backslash before the quote of the other kind: AWS takes it for a character. @return behind ], or -1 */
    private static int quotedName(String text, int at, char quote, StringBuilder name) {
        while (at < text.length() && text.charAt(at) != quote) {
            char c = text.charAt(at++);
            if (c != '\\' || at == text.length()) {
                name.append(c);
                continue;
            }
            char next = text.charAt(at++);
            if ((next == '\'' || next == '"') && next != quote) {
                name.append(c).append(next);
            } else if (next == 'u' && HEX.matcher(text).region(at, Math.min(at + 4, text.length())).matches()) {
                name.append((char) Integer.parseInt(text, at, at + 4, 16));
                at += 4;
            } else {
                int control = CONTROLS.indexOf(next);
                name.append(control < 0 ? next : "\n\r\t\f\b".charAt(control));
            }
        }
        return at + 1 < text.length() && text.charAt(at + 1) == ']' ? at + 2 : -1;
    }

    private static Integer index(String digits) {
        if (digits.isEmpty() || digits.length() > 9) {
            return null;
        }
        for (int i = digits.charAt(0) == '-' && digits.length() > 1 ? 1 : 0; i < digits.length(); i++) {
            if (digits.charAt(i) < '0' || digits.charAt(i) > '9') {
                return null;
            }
        }
        return Integer.valueOf(digits);
    }

    public boolean isWhole() {
        return steps.isEmpty();
    }

    List<Step> steps() {
        return steps;
    }

    JsonNode read(JsonNode document) {
        JsonNode at = document;
        for (int i = 0; i < steps.size(); i++) {
            Step step = steps.get(i);
            JsonNode next = next(at, step);
            if (next == null) {
                throw lost(document, i == steps.size() - 1 && at.isArray() && !(step instanceof Step.Field));
            }
            at = next;
        }
        return at;
    }

    /** In the words of the library for paths, which has null for an element beyond an array. */
    private Path.Missing lost(JsonNode document, boolean isBeyondArray) {
        if (isBeyondArray) {
            return new Path.BeyondArray("No results for path: $" + brackets());
        }
        try {
            PathSteps walked = new PathSteps(steps.stream().map(ReferencePath::step).toList());
            throw new IllegalStateException("the path " + text + " leads to " + PathWalk.read(walked, document));
        } catch (Path.Missing e) {
            return e;
        }
    }

    private static PathStep step(Step step) {
        return switch (step) {
            case Step.Field(String name) -> new PathStep.Names(List.of(name));
            case Step.Index(int index) -> new PathStep.Indices(List.of(index));
            case Step.FromEnd(int index) -> new PathStep.FromEnd(index);
        };
    }

    private static JsonNode next(JsonNode at, Step step) {
        return switch (step) {
            case Step.Field(String name) -> at.isObject() ? at.get(name) : null;
            case Step.Index(int index) -> at.isArray() ? at.get(index) : null;
            case Step.FromEnd(int index) -> at.isArray() ? at.get(at.size() - index) : null;
        };
    }

    /**
     * The document with the value at this place: fields that are not there are made, an element of an array must be there.
     * Only what lies along the path is copied.
     *
     * @throws StatesError ReferencePathConflict, when the document's shape does not allow it
     */
    public JsonNode write(JsonNode document, JsonNode value) {
        return write(document, document, value, 0);
    }

    private JsonNode write(JsonNode document, JsonNode at, JsonNode value, int depth) {
        if (depth == steps.size()) {
            return value;
        }
        switch (steps.get(depth)) {
            case Step.Field(String name) -> {
                if (at != null && !at.isObject()) {
                    throw conflict(document, depth);
                }
                ObjectNode copy = Json.NODES.objectNode();
                JsonNode below = null;
                if (at != null) {
                    copy.setAll((ObjectNode) at);
                    below = at.get(name);
                }
                copy.set(name, write(document, below, value, depth + 1));
                return copy;
            }
            case Step.Index(int index) -> {
                if (at == null || !at.isArray() || index < 0 || index >= at.size()) {
                    throw conflict(document, depth);
                }
                ArrayNode copy = Json.NODES.arrayNode(at.size()).addAll((ArrayNode) at);
                copy.set(index, write(document, at.get(index), value, depth + 1));
                return copy;
            }
            case Step.FromEnd _ -> throw conflict(document, depth);
        }
    }

    /** As read. @throws StatesError ReferencePathConflict, by the first step that leads nowhere */
    JsonNode demand(JsonNode document) {
        JsonNode at = document;
        for (int i = 0; i < steps.size(); i++) {
            at = next(at, steps.get(i));
            if (at == null) {
                throw conflict(document, i);
            }
        }
        return at;
    }

    /** In AWS's words, which name the step where the document has steps at all. */
    private StatesError conflict(JsonNode document, int depth) {
        String step = switch (steps.get(depth)) {
            case Step.Field(String name) -> name;
            case Step.Index(int index) -> Integer.toString(index);
            case Step.FromEnd(int index) -> Integer.toString(-index);
        };
        String what = document.isObject() || document.isArray() ? "step \"" + step + "\"" : "ReferencePath " + text;
        return new StatesError(StatesError.REFERENCE_PATH_CONFLICT,
                "Unable to apply " + what + " to input " + Template.shortText(document));
    }

    private String brackets() {
        StringBuilder out = new StringBuilder();
        for (Step step : steps) {
            switch (step) {
                case Step.Field(String name) -> out.append("['").append(name).append("']");
                case Step.Index(int index) -> out.append('[').append(index).append(']');
                case Step.FromEnd(int index) -> out.append('[').append(-index).append(']');
            }
        }
        return out.toString();
    }

    @Override
    public String toString() {
        return text;
    }
}
