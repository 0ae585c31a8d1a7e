package dev.sand.workflow;

import dev.sand.event.Errors;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.Execution.Published;
import dev.sand.workflow.data.WorkflowLimits;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The events that grains published into an execution (SAND 4.1): a tree, in which an event's children are what its attempt
 * published. A step is {@code <parent's step>>publish[i]}. Made by an execution at the first publication, so that those
 * without any pay nothing.
 */
final class PublishedEvents {
    private static final class Node {
        final String step;
        final int depth;
        /** The place among those that published first, of the attempt that this one follows from. */
        final int origin;
        /** What is to be done, until it is; of a root null. */
        final Published event;
        List<Node> children = List.of();
        Payload output;

        Node(String step, int depth, int origin, Published event) {
            this.step = step;
            this.depth = depth;
            this.origin = origin;
            this.event = event;
        }
    }

    private final List<Node> roots = new ArrayList<>();
    private final Map<String, Node> open = new LinkedHashMap<>();
    /** Those that had not succeeded when the execution ended. */
    private final List<Node> left = new ArrayList<>(0);
    private int total;
    private final boolean keepsOutputs;
    private long leafBytes;

    /** @param keepsOutputs whether {@link #joined} will be asked for */
    PublishedEvents(boolean keepsOutputs) {
        this.keepsOutputs = keepsOutputs;
    }

    /** A refusal is the failure of the whole execution: it has grown past a bound. */
    record Refusal(String error, String cause) {}

    /** @return why these cannot join, or null when they have joined and their commands were added */
    Refusal publish(String parentStep, List<Published> published, List<Command> commands) {
        Node parent = open.get(parentStep);
        if (parent == null) {
            parent = new Node(parentStep, 0, roots.size(), null);
            roots.add(parent);
        }
        return add(parent, published, commands);
    }

    /** The event ended; what it published joins in its turn. @return as {@link #publish} */
    Refusal succeeded(String step, Payload output, List<Published> published, List<Command> commands) {
        Node node = open.remove(step);
        if (!published.isEmpty()) {
            return add(node, published, commands);
        }
        if (keepsOutputs) {
            node.output = output;
            leafBytes += output.bytes() == null ? 0 : output.size();
            if (leafBytes > WorkflowLimits.DOCUMENT_BYTES) {
                return new Refusal(Errors.TOO_LARGE, "the outputs of published events have " + leafBytes
                        + " bytes together; the limit is " + WorkflowLimits.DOCUMENT_BYTES);
            }
        }
        return null;
    }

    private Refusal add(Node parent, List<Published> published, List<Command> commands) {
        total += published.size();
        if (total > WorkflowLimits.PUBLISHED_EVENTS) {
            return new Refusal(Errors.TOO_LARGE, "step " + parent.step + " brings the execution's published events to " + total
                    + "; the limit is " + WorkflowLimits.PUBLISHED_EVENTS);
        }
        if (parent.depth == WorkflowLimits.PUBLISHED_DEPTH) {
            return new Refusal(Errors.TOO_LARGE, "publications follow one another more than "
                    + WorkflowLimits.PUBLISHED_DEPTH + " deep; does a grain publish to itself without an end?");
        }
        parent.children = new ArrayList<>(published.size());
        for (int i = 0; i < published.size(); i++) {
            Node child = new Node(parent.step + ">publish[" + i + "]", parent.depth + 1, parent.origin, published.get(i));
            parent.children.add(child);
            open.put(child.step, child);
            commands.add(new Command.RunTask(child.step, published.get(i).grain(), published.get(i).payload(), 0));
        }
        return null;
    }

    boolean isOpen(String step) {
        return open.containsKey(step);
    }

    boolean isEmpty() {
        return open.isEmpty();
    }

    int openCount() {
        return open.size();
    }

    /** Upper bound of what {@link #joined} copies. */
    long leafBytes() {
        return leafBytes;
    }

    void abandonAll(List<Command> commands) {
        for (String step : open.keySet()) {
            commands.add(new Command.Abandon(step));
        }
        left.addAll(open.values());
        open.clear();
    }

    /** Attempts of the state machine that have published something. */
    int publications() {
        return roots.size();
    }

    /**
     * What had not succeeded runs again, each under a step of its own; for who does not ask for {@link #joined}.
     *
     * @param publications of these first attempts; those after them are made again, and publish again
     */
    void again(int redrive, int publications, List<Command> commands) {
        for (Node node : left) {
            if (node.origin < publications) {
                Node once = new Node(node.step + ">redrive#" + redrive, node.depth, node.origin, node.event);
                open.put(once.step, once);
                commands.add(new Command.RunTask(once.step, once.event.grain(), once.event.payload(), 0));
            }
        }
        left.clear();
    }

    /**
     * The outputs of the leaves (events that published nothing) once all ended: the one leaf's own, or a JSON array in step
     * order.
     *
     * @return null when they cannot be one array: a leaf is no JSON, or travels by reference
     */
    Payload joined() {
        List<Node> leaves = new ArrayList<>();
        roots.forEach(root -> collectLeaves(root, leaves));
        if (leaves.size() == 1) {
            return leaves.getFirst().output;
        }
        ByteArrayOutputStream array = new ByteArrayOutputStream((int) Math.min(leafBytes + leaves.size() + 1, 1 << 26));
        char separator = '[';
        for (Node leaf : leaves) {
            if (!leaf.output.isJson() || leaf.output.bytes() == null) {
                return null;
            }
            array.write(separator);
            array.writeBytes(leaf.output.bytes());
            separator = ',';
        }
        array.write(']');
        return Payload.json(array.toByteArray());
    }

    private static void collectLeaves(Node node, List<Node> leaves) {
        if (node.children.isEmpty()) {
            leaves.add(node);
        } else {
            node.children.forEach(child -> collectLeaves(child, leaves));
        }
    }
}
