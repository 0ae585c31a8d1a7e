package dev.sand.workflow;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.workflow.asl.Resources;
import dev.sand.workflow.asl.State;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Document.PayloadSource;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.StatesError;
import dev.sand.workflow.data.Timestamps;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What happened in an execution, in the events that AWS's GetExecutionHistory has. Written by the state machine while its journaled
 * signals are given to it again: nothing of it is kept, or paid for, while an execution runs.
 */
public final class History {
    /** @param run the iteration of a distributed Map whose own history the event belongs to; empty: the execution's */
    private record Event(String run, ObjectNode shown) {}

    private static final String SDK = "aws-sdk:";
    private final List<Event> events = new ArrayList<>();

    void add(String run, long id, long previousId, long atMs, String type, String detailsName, ObjectNode details) {
        ObjectNode shown = Json.NODES.objectNode().put("id", id).put("previousEventId", previousId)
                .put("timestamp", Timestamps.format(atMs)).put("type", type);
        if (details != null) {
            shown.set(detailsName, details);
        }
        events.add(new Event(run, shown));
    }

    /** The execution ended otherwise than by its state machine: by its deadline, or because it was stopped. */
    public void ended(long atMs, String type, String error, String cause) {
        long last = events.stream().filter(event -> event.run.isEmpty()).count();
        add("", last + 1, last, atMs, type, details(type), failure(error, cause));
    }

    /** Events of a run, in order, from the one after that id on. */
    public ArrayNode page(String run, long after, int limit, boolean isReverse) {
        List<ObjectNode> all = new ArrayList<>(events.stream().filter(event -> event.run.equals(run)).map(Event::shown).toList());
        all.sort((a, b) -> Long.compare(a.get("id").longValue(), b.get("id").longValue()));
        ArrayNode page = Json.NODES.arrayNode();
        List<ObjectNode> ordered = isReverse ? all.reversed() : all;
        ordered.stream().filter(event -> after <= 0 || (isReverse ? event.get("id").longValue() < after : event.get("id").longValue() > after))
                .limit(limit).forEach(page::add);
        return page;
    }

    /** How many events a run has; 0: there is no such run. */
    public int size(String run) {
        return (int) events.stream().filter(event -> event.run.equals(run)).count();
    }

    // --- details

    /** The member that an event's details stand under. */
    static String details(String type) {
        String name = type.endsWith("StateEntered") ? "stateEntered" : type.endsWith("StateExited") ? "stateExited"
                : Character.toLowerCase(type.charAt(0)) + type.substring(1);
        return name + "EventDetails";
    }

    static ObjectNode failure(String error, String cause) {
        ObjectNode failure = Json.NODES.objectNode();
        if (error != null) {
            failure.put("error", error);
        }
        if (cause != null) {
            failure.put("cause", cause);
        }
        return failure;
    }

    /** With the field that the cause names. */
    static ObjectNode evaluation(String error, String cause) {
        ObjectNode failure = failure(error, cause);
        String marker = " specified for the field '";
        int at = cause.indexOf(marker) + marker.length();
        int end = cause.indexOf('\'', at);
        return at < marker.length() || end < 0 ? failure : failure.put("location", cause.substring(at, end));
    }

    /** The variables that a visit has given values. */
    static ObjectNode assigned(Visit visit) {
        ObjectNode details = Json.NODES.objectNode();
        if (visit.assigned != null) {
            ObjectNode shown = details.putObject("assignedVariables");
            visit.assigned.properties().forEach(each -> shown.put(each.getKey(), Json.text(each.getValue())));
            details.putObject("assignedVariablesDetails").put("truncated", false);
        }
        return details;
    }

    /** A value as JSON text; of a larger one than is kept, and of one that nobody has looked into, that it is truncated. @param field input, output or parameters */
    static ObjectNode value(ObjectNode into, String field, Document value) {
        boolean isThere = false;
        try {
            byte[] text = Json.bytes(value.node(PayloadSource.NONE));
            isThere = text.length <= KeptSignals.VALUE_BYTES;
            if (isThere) {
                into.put(field, new String(text, StandardCharsets.UTF_8));
            }
        } catch (StatesError e) {
            // It is elsewhere, or no JSON.
        }
        if (!field.equals("parameters")) {
            into.putObject(field + "Details").put("truncated", !isThere);
        }
        return into;
    }

    static String typeOf(State state) {
        return state.getClass().getSimpleName();
    }

    /** How AWS names what a task calls: a function, or a service's action. @return null for a function */
    static ObjectNode resource(State.Task task) {
        String resource = Resources.shown(task.resource());
        if (!resource.contains(":states:::") && !resource.startsWith("sand:workflow:") && !resource.startsWith("sand:queue:")
                && !resource.startsWith("sand:object:") && !task.awaitsToken()) {
            return null;
        }
        if (!resource.contains(":::")) {
            String[] parts = resource.startsWith("sand:") ? resource.substring(5).split(":", 2) : new String[] {"lambda", resource};
            return resource("", parts);
        }
        String service = resource.substring(resource.indexOf(":::") + 3);
        String sdk = service.startsWith(SDK) ? SDK : ""; // of an SDK integration, the service's name is part of the type
        return resource(sdk, service.substring(sdk.length()).split(":", 2));
    }

    private static ObjectNode resource(String sdk, String[] parts) {
        return Json.NODES.objectNode().put("resourceType", sdk + parts[0]).put("resource", parts.length > 1 ? parts[1] : parts[0]);
    }

    /** What a cause calls what a task calls: a function by its resource, else the service. */
    static String name(State.Task task) {
        ObjectNode resource = resource(task);
        return resource == null ? Resources.shown(task.resource()) : resource.get("resourceType").textValue();
    }
}
