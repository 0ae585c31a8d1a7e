package dev.sand.workflow.trial;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.workflow.Executions;
import dev.sand.workflow.asl.Definitions;
import dev.sand.workflow.asl.Diagnostic;
import dev.sand.workflow.data.Json;
import java.util.ArrayList;
import java.util.List;

/**
 * One state of a definition by itself, as Step Functions' TestState has it: what it makes of an input, and which state would follow. It
 * runs in memory, in virtual time, in a machine that has it and where it may lead to; what would follow says what came there, and its
 * place in a list, instead of running.
 */
public final class StateTrial {
    /** {@code CAUGHT}: a Catch took its error. */
    public enum Status { SUCCEEDED, CAUGHT, FAILED, TIMED_OUT }

    /**
     * @param next the state that follows; null: none
     * @param output what that is given; null: it failed
     */
    public record Outcome(Status status, JsonNode output, String next, String error, String cause) {}

    /** Where it may go. @param name null: the execution ends */
    private record Way(String name, boolean caught) {}

    private static final String NEXT = "Next";
    private static final String STATES = "States";
    private static final String TYPE = "Type";
    /** The variable that an error is kept in when it is caught: what goes on need not show it. */
    private static final String CAUGHT_ERROR = "caughtBySandStateTrial";
    private final List<Way> ways = new ArrayList<>();
    /** Begins the names of the states that stand for what follows: it stands nowhere in the one that is tried. */
    private final String word;
    private final ObjectNode machine;
    private final String name;
    /** It ends by itself, and what it gives is the output. */
    private final boolean isLast;

    private StateTrial(JsonNode definition, String name, ObjectNode state, JsonNode variables) {
        this.name = name;
        this.isLast = state.path(TYPE).asText().equals("Succeed") || state.path(TYPE).asText().equals("Fail");
        this.machine = Json.NODES.objectNode();
        definition.properties().stream().filter(field -> !field.getKey().equals(STATES) && !field.getKey().equals("TimeoutSeconds"))
                .forEach(field -> machine.set(field.getKey(), field.getValue()));
        this.word = unused(name + Json.text(state));
        // A machine of JSONata has no states of JSONPath, which keep a number's digits.
        boolean isQuery = isQuery(definition);
        ObjectNode tried = state.deepCopy();
        lead(tried, isQuery || isQuery(state));
        ObjectNode states = machine.putObject(STATES);
        states.set(name, tried);
        machine.put("StartAt", name);
        for (int i = 0; i < ways.size(); i++) {
            ObjectNode said = states.putObject(way(i)).put(TYPE, "Pass").put("End", true).putObject(isQuery ? "Output" : "Parameters");
            said.put("way", i).put(isQuery ? "given" : "given.$", isQuery ? "{% $states.input %}" : "$");
            if (ways.get(i).caught()) {
                said.put(isQuery ? "error" : "error.$", isQuery ? "{% $" + CAUGHT_ERROR + " %}" : "$" + CAUGHT_ERROR);
            }
        }
        if (variables != null && !variables.isEmpty()) {
            String first = word + " of variables";
            states.putObject(first).put(TYPE, "Pass").put(NEXT, name).set("Assign", variables);
            machine.put("StartAt", first);
        }
    }

    private static String unused(String text) {
        String word = "way";
        while (text.contains(word)) {
            word += " on";
        }
        return word;
    }

    private String way(int number) {
        return word + " " + number;
    }

    private static boolean isQuery(JsonNode machineOrState) {
        return machineOrState.path("QueryLanguage").asText().equals("JSONata");
    }

    private void lead(ObjectNode state, boolean isQuery) {
        if (state.path("End").booleanValue()) {
            state.remove("End");
            state.put(NEXT, to(null, false));
        } else if (state.path(NEXT).isTextual()) {
            state.put(NEXT, to(state.get(NEXT).textValue(), false));
        }
        if (state.path("Default").isTextual()) {
            state.put("Default", to(state.get("Default").textValue(), false));
        }
        leadEach(state.path("Choices"), false);
        leadEach(state.path("Catch"), true);
        for (JsonNode catcher : state.path("Catch")) {
            if (catcher instanceof ObjectNode rule && (!rule.has("Assign") || rule.get("Assign").isObject())) {
                rule.withObjectProperty("Assign").put(isQuery ? CAUGHT_ERROR : CAUGHT_ERROR + ".$", isQuery ? "{% $states.errorOutput %}" : "$");
            }
        }
    }

    private void leadEach(JsonNode rules, boolean caught) {
        if (rules instanceof ArrayNode all) {
            for (JsonNode rule : all) {
                if (rule instanceof ObjectNode each && each.path(NEXT).isTextual()) {
                    each.put(NEXT, to(each.get(NEXT).textValue(), caught));
                }
            }
        }
    }

    private String to(String name, boolean caught) {
        ways.add(new Way(name, caught));
        return way(ways.size() - 1);
    }

    /**
     * @param definition read; @param name of a state in it, at any depth
     * @param variables that are assigned before, by name; null: none
     * @param grains stands in for grains, see {@link GrainStub}; null: each gives back its input
     * @return an Outcome, or a list of what is wrong with the stubs or the state; null: there is no such state
     */
    public static Object run(JsonNode definition, String name, JsonNode input, JsonNode variables, JsonNode grains) {
        ObjectNode state = find(definition, name);
        if (state == null) {
            return null;
        }
        List<Diagnostic> useless = StubCheck.faults(grains, "/grains");
        if (!useless.isEmpty()) {
            return useless;
        }
        StateTrial trial = new StateTrial(definition, name, state, variables);
        return switch (Definitions.parse(Json.text(trial.machine))) {
            case Definitions.Parsed.Invalid(List<Diagnostic> diagnostics) -> diagnostics;
            case Definitions.Parsed.Valid valid -> trial.outcome(Trial.run(Executions.of(valid.machine(), "trial", "workflow", "trial",
                    Trial.START), input, grains));
        };
    }

    private Outcome outcome(Trial.Outcome ended) {
        if (ended.status() != Trial.Status.SUCCEEDED) {
            return new Outcome(ended.status() == Trial.Status.FAILED ? Status.FAILED : Status.TIMED_OUT, null, null, ended.error(),
                    own(ended.cause()));
        }
        if (isLast) {
            return new Outcome(Status.SUCCEEDED, ended.output(), null, null, null);
        }
        Way way = ways.get(ended.output().path("way").asInt());
        JsonNode error = ended.output().path("error");
        return new Outcome(way.caught() ? Status.CAUGHT : Status.SUCCEEDED, ended.output().path("given"), way.name(),
                error.path("Error").textValue(), error.path("Cause").textValue());
    }

    /** As on AWS without the sentence that names the state and its event: there is one state, and no history. */
    private String own(String cause) {
        String before = "An error occurred while executing the state '" + name + "' (entered at the event id #";
        return cause == null || !cause.startsWith(before) ? cause : cause.substring(cause.indexOf("). ", before.length()) + 3);
    }

    /** Names are unique in a definition. */
    private static ObjectNode find(JsonNode node, String name) {
        if (node.path(STATES) instanceof ObjectNode states) {
            if (states.get(name) instanceof ObjectNode found) {
                return found;
            }
            for (JsonNode state : states) {
                ObjectNode inside = inside(state, name);
                if (inside != null) {
                    return inside;
                }
            }
        }
        return null;
    }

    private static ObjectNode inside(JsonNode state, String name) {
        List<JsonNode> machines = new ArrayList<>();
        machines.add(state.path("ItemProcessor"));
        machines.add(state.path("Iterator"));
        state.path("Branches").forEach(machines::add);
        for (JsonNode machine : machines) {
            ObjectNode found = find(machine, name);
            if (found != null) {
                return found;
            }
        }
        return null;
    }
}
