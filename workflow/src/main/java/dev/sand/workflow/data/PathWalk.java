package dev.sand.workflow.data;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;

/**
 * A JSONPath on its way through a document, as in the version of Jayway's library that AWS shows (2.0, its provider of trees): what
 * is not there is an error at the first place that lacks it, but for an element that {@code [*]} of an array has come to, which is
 * passed over; what has been found on the way stays. An index that an array does not have leads to nothing, which shows as null.
 */
final class PathWalk {
    private final PathSteps path;
    private final JsonNode root;
    private final ArrayNode found = Json.NODES.arrayNode();
    private int places;

    /**
     * Somewhere in the document.
     *
     * @param step the name or the index that leads to it from {@code above}
     * @param node null: nothing, as behind an array's end, and as the library has a bare null
     * @param isBare whether the library has the bare value there, as of a field, and not a node
     */
    private record Place(Place above, Object step, JsonNode node, boolean isBare) {
        static Place bare(Place above, Object step, JsonNode value) {
            return new Place(above, step, value.isNull() ? null : value, true);
        }

        Place field(String name) {
            return bare(this, name, node.get(name));
        }

        Place element(int index) {
            return new Place(this, index, index < 0 ? null : node.get(index), false);
        }

        boolean isObject() {
            return node != null && node.isObject();
        }

        boolean isArray() {
            return node != null && node.isArray();
        }

        String path() {
            return above == null ? "$" : above.path() + (step instanceof String name ? "['" + name + "']" : "[" + step + "]");
        }

        /** A bare text as it is, that of a node in quotes. */
        String shown() {
            return node == null ? "null" : node.isTextual() && isBare ? Template.shortened(node.textValue()) : Template.shortText(node);
        }
    }

    private PathWalk(PathSteps path, JsonNode root) {
        this.path = path;
        this.root = root;
    }

    /** @return one value when the path is definite, else an array of all. @throws Path.Missing when it leads nowhere */
    static JsonNode read(PathSteps path, JsonNode root) {
        PathWalk walk = new PathWalk(path, root);
        walk.go(0, new Place(null, null, root, false));
        return path.isDefinite() ? walk.found.get(0) : walk.found;
    }

    private void go(int number, Place at) {
        count();
        if (path.isEnd(number)) {
            found.add(at.node);
            return;
        }
        switch (path.step(number)) {
            case PathStep.Names(List<String> names) -> names(number, at, names);
            case PathStep.Indices(List<Integer> indices) -> {
                checkArray(number, at);
                indices.forEach(index -> go(number + 1, at.element(index)));
            }
            case PathStep.FromEnd(int back) -> {
                checkArray(number, at);
                go(number + 1, at.element(at.node.size() - back));
            }
            case PathStep.Slice slice -> {
                checkArray(number, at);
                int end = slice.end(at.node.size());
                for (int index = slice.begin(at.node.size()); index < end && !at.node.isEmpty(); index++) {
                    go(number + 1, at.element(index));
                }
            }
            case PathStep.All _ -> all(number, at);
            case PathStep.Scan _ -> scan(number + 1, at);
            case PathStep.Test _ -> test(number, at);
        }
    }

    private void count() {
        if (++places > WorkflowLimits.PATH_PLACES) {
            throw new StatesError(StatesError.DATA_LIMIT_EXCEEDED, "a path looks at more than " + WorkflowLimits.PATH_PLACES + " places");
        }
    }

    private void checkArray(int number, Place at) {
        if (at.node == null) {
            throw new Path.Missing("The path " + at.path() + " is null");
        }
        if (!at.isArray()) {
            throw new Path.Misapplied("Filter: " + path.shownFrom(number) + " can only be applied to arrays. Current context is: " + at.shown());
        }
    }

    private void names(int number, Place at, List<String> names) {
        if (!at.isObject()) {
            throw new Path.Missing("Property " + path.step(number).shown() + " not found in path " + at.path());
        }
        if (names.size() == 1) {
            name(number, at, names.getFirst());
            return;
        }
        if (!path.isEnd(number + 1)) {
            throw new Path.Misapplied("Multi properties can only be used as path leafs: " + at.path() + path.step(number).shown());
        }
        ObjectNode merged = Json.NODES.objectNode();
        for (String name : names) {
            if (at.node.has(name)) {
                merged.set(name, at.node.get(name));
            }
        }
        found.add(merged);
    }

    private void name(int number, Place at, String name) {
        if (at.node.has(name)) {
            go(number + 1, at.field(name));
        } else if (path.isEnd(number + 1)) {
            throw new Path.Missing("No results for path: " + at.path() + "['" + name + "']");
        } else if (path.isDefiniteAround(number)) {
            throw new Path.Missing("Missing property in path " + at.path() + "['" + name + "']");
        }
    }

    private void all(int number, Place at) {
        if (at.isObject()) {
            at.node.fieldNames().forEachRemaining(name -> go(number + 1, at.field(name)));
        }
        for (int index = 0; at.isArray() && index < at.node.size(); index++) {
            try {
                go(number + 1, at.element(index));
            } catch (Path.Misapplied e) {
                throw e;
            } catch (Path.Missing e) {
                // Passed over, as the library does here alone.
            }
        }
    }

    /** @param number of the step that is for what is looked for */
    private void scan(int number, Place at) {
        count();
        if (at.isObject()) {
            if (isFor(number, at)) {
                go(number, at);
            }
            for (Map.Entry<String, JsonNode> member : at.node.properties()) {
                scan(number, at.field(member.getKey()));
            }
        } else if (at.isArray()) {
            if (isFor(number, at)) {
                found(number, at);
            }
            for (int index = 0; index < at.node.size(); index++) {
                scan(number, at.element(index));
            }
        }
    }

    /** Of an array, the library takes all elements where the path goes on, whatever the step says. */
    private void found(int number, Place at) {
        if (path.isEnd(number + 1)) {
            go(number, at);
            return;
        }
        for (int index = 0; index < at.node.size(); index++) {
            go(number + 1, Place.bare(at, index, at.node.get(index)));
        }
    }

    private boolean isFor(int number, Place at) {
        return switch (path.step(number)) {
            case PathStep.Names(List<String> names) -> at.isObject() && names.stream().allMatch(at.node::has);
            case PathStep.All _ -> true;
            case PathStep.Test _ -> path.passes(number, at.node, root);
            default -> at.isArray();
        };
    }

    private void test(int number, Place at) {
        if (at.isObject()) {
            if (path.passes(number, at.node, root)) {
                go(number + 1, at);
            }
        } else if (at.isArray()) {
            for (int index = 0; index < at.node.size(); index++) {
                if (path.passes(number, at.node.get(index), root)) {
                    go(number + 1, at.element(index));
                }
            }
        } else {
            throw new Path.Misapplied("Filter: " + path.shownFrom(number) + " can not be applied to primitives. Current context is: "
                    + at.shown());
        }
    }
}
