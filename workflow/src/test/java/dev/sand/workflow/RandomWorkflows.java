package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.workflow.data.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Valid definitions, inputs and stubs from a seed: every state type, nested, with retries, catches, data flow and variables, in both languages. */
final class RandomWorkflows {
    private static final List<String> GRAINS = List.of("a", "b", "c");
    private final SplittableRandom random;
    private int names;
    private int scopes;

    RandomWorkflows(long seed) {
        this.random = new SplittableRandom(seed);
    }

    ObjectNode definition() {
        return machine(3);
    }

    JsonNode input() {
        return value(3);
    }

    /** Some answers, some errors, some slow. */
    JsonNode grains() {
        ObjectNode grains = Json.NODES.objectNode();
        for (String grain : GRAINS) {
            ArrayNode calls = grains.putArray(grain);
            for (int i = random.nextInt(1, 6); i > 0; i--) {
                ObjectNode call = calls.addObject();
                switch (random.nextInt(4)) {
                    case 0 -> call.putObject("raise").put("error", random.nextBoolean() ? "E" : "F").put("cause", "drawn");
                    case 1 -> call.put("echo", true);
                    default -> call.set("return", value(2));
                }
                if (random.nextInt(3) == 0) {
                    call.put("seconds", random.nextInt(1, 20));
                }
                if (random.nextInt(3) == 0) {
                    callbacks(call.putArray("callback"));
                }
                if (random.nextInt(6) == 0 && call.has("return")) {
                    call.putArray("publish").addObject().put("grain", GRAINS.get(random.nextInt(3))).set("payload", value(1));
                }
            }
        }
        return grains;
    }

    /** Used of tasks that wait for their token alone. */
    private void callbacks(ArrayNode callbacks) {
        for (int i = random.nextInt(3); i > 0; i--) {
            callbacks.addObject().put("seconds", random.nextInt(10)).put("heartbeat", true);
        }
        ObjectNode last = callbacks.addObject().put("seconds", random.nextInt(20));
        if (random.nextInt(3) == 0) {
            last.putObject("failure").put("error", "E").put("cause", "called back");
        } else {
            last.set("success", value(1));
        }
    }

    private String resource() {
        return GRAINS.get(random.nextInt(3)) + (random.nextInt(4) == 0 ? ".waitForTaskToken" : "");
    }

    private ObjectNode machine(int depth) {
        int size = random.nextInt(1, 5);
        String variable = "v" + scopes++;
        List<String> states = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            states.add("S" + names++);
        }
        ObjectNode machine = Json.NODES.objectNode();
        machine.put("StartAt", states.getFirst());
        ObjectNode all = machine.putObject("States");
        for (int i = 0; i < size; i++) {
            all.set(states.get(i), random.nextInt(3) == 0 ? queryState(depth, states, i, variable) : state(depth, states, i, variable));
        }
        return machine;
    }

    /** A state in JSONata. */
    private ObjectNode queryState(int depth, List<String> states, int index, String variable) {
        ObjectNode state = Json.NODES.objectNode().put("QueryLanguage", "JSONata");
        boolean isLast = index == states.size() - 1;
        int kind = random.nextInt(isLast ? 4 : 5);
        switch (kind) {
            case 0 -> state.put("Type", "Pass");
            case 1 -> state.put("Type", "Task").put("Resource", resource())
                    .set("Arguments", Json.NODES.objectNode().put("in", "{% $states.input %}").put("dice", "{% $random() %}"));
            case 2 -> state.put("Type", "Wait").put("Seconds", "{% $floor($random() * 5) %}");
            case 3 -> {
                state.put("Type", depth == 0 ? "Pass" : "Map");
                if (depth > 0) {
                    state.set("ItemProcessor", machine(depth - 1));
                    state.put("Items", "{% $append([], $states.context.Execution.Input.list) %}");
                }
            }
            default -> {
                state.put("Type", "Choice").put("Default", states.get(index + 1));
                state.putArray("Choices").addObject().put("Condition", "{% $exists($" + variable + ") or $random() > 0.5 %}")
                        .put("Next", states.get(random.nextInt(index + 1, states.size())));
            }
        }
        if (random.nextBoolean()) {
            state.putObject("Assign").put(variable, "{% [$states.context.State.Name, $uuid(), $millis()] %}");
        }
        if (random.nextBoolean()) {
            state.putObject("Output").put("n", "{% $type($states.input) = 'object' ? $string($states.input) : $shuffle([1..5]) %}")
                    .put("seen", random.nextInt(4) == 0 ? "{% $" + variable + " %}" : "{% $exists($" + variable + ") %}")
                    .putArray("list").add(1).add("{% $now() %}");
        }
        if (state.get("Type").textValue().equals("Choice")) {
            return state;
        }
        if (state.get("Type").textValue().equals("Task")) {
            if (random.nextBoolean()) {
                state.putArray("Retry").addObject().putArray("ErrorEquals").add("States.ALL");
            }
            if (!isLast && random.nextBoolean()) {
                state.putArray("Catch").addObject().put("Next", states.get(index + 1)).put("Output", "{% $states.errorOutput.Error %}")
                        .putArray("ErrorEquals").add("States.ALL");
            }
        }
        if (isLast) {
            state.put("End", true);
        } else {
            state.put("Next", states.get(index + 1));
        }
        return state;
    }

    private ObjectNode state(int depth, List<String> states, int index, String variable) {
        ObjectNode state = Json.NODES.objectNode();
        boolean isLast = index == states.size() - 1;
        int kind = random.nextInt(isLast ? 6 : 7);
        if (random.nextInt(3) == 0) {
            state.putObject("Assign").put(variable + ".$", random.nextInt(6) == 0 ? "$" + variable : "$$.State.EnteredTime");
        }
        switch (kind) {
            case 0, 1 -> {
                state.put("Type", "Task").put("Resource", resource());
                if (random.nextInt(4) == 0) {
                    state.put("TimeoutSeconds", random.nextInt(6, 15));
                }
                if (random.nextInt(4) == 0) {
                    state.put("HeartbeatSeconds", random.nextInt(1, 6));
                }
                flow(state, true);
            }
            case 2 -> {
                state.put("Type", "Pass");
                if (random.nextBoolean()) {
                    state.set("Result", value(2));
                }
                flow(state, false);
            }
            case 3 -> state.put("Type", "Wait").put("Seconds", random.nextInt(0, 10));
            case 4 -> {
                state.put("Type", depth == 0 ? "Pass" : "Parallel");
                if (depth > 0) {
                    ArrayNode branches = state.putArray("Branches");
                    for (int i = random.nextInt(1, 4); i > 0; i--) {
                        branches.add(machine(depth - 1));
                    }
                    errors(state, states, index);
                }
            }
            case 5 -> {
                state.put("Type", depth == 0 ? "Pass" : "Map");
                if (depth > 0) {
                    state.set("ItemProcessor", machine(depth - 1));
                    state.put("ItemsPath", "$$.Execution.Input.list").put("MaxConcurrency", random.nextInt(0, 3));
                    errors(state, states, index);
                }
            }
            default -> {
                state.put("Type", "Choice").put("Default", states.get(index + 1));
                state.putArray("Choices").addObject().put("Variable", "$.n").put("IsPresent", random.nextBoolean())
                        .put("Next", states.get(random.nextInt(index + 1, states.size())));
                return state;
            }
        }
        if (kind <= 1) {
            errors(state, states, index);
        }
        if (isLast) {
            state.put("End", true);
        } else {
            state.put("Next", states.get(index + 1));
        }
        return state;
    }

    private void errors(ObjectNode state, List<String> states, int index) {
        if (random.nextBoolean()) {
            state.putArray("Retry").addObject().put("MaxAttempts", random.nextInt(0, 3)).put("JitterStrategy", "FULL")
                    .putArray("ErrorEquals").add(random.nextBoolean() ? "States.ALL" : "E");
        }
        if (index < states.size() - 1 && random.nextBoolean()) {
            state.putArray("Catch").addObject().put("Next", states.get(index + 1)).put("ResultPath", "$.caught")
                    .putArray("ErrorEquals").add("States.ALL");
        }
    }

    private void flow(ObjectNode state, boolean hasSelector) {
        if (random.nextInt(3) == 0) {
            state.putObject("Parameters").put("id.$", "States.UUID()").put("all.$", "$")
                    .put("dice.$", "States.MathRandom(1, 1000)").put("at.$", "$$.State.EnteredTime");
        }
        if (hasSelector && random.nextInt(4) == 0) {
            state.putObject("ResultSelector").put("r.$", "$");
        }
        switch (random.nextInt(5)) {
            case 0 -> state.put("ResultPath", "$.n");
            case 1 -> state.putNull("ResultPath");
            default -> { }
        }
        if (random.nextInt(8) == 0) {
            state.put("OutputPath", "$.n");
        }
    }

    private JsonNode value(int depth) {
        return switch (random.nextInt(depth == 0 ? 4 : 7)) {
            case 0 -> Json.NODES.numberNode(random.nextInt(-5, 100));
            case 1 -> Json.NODES.textNode("text" + random.nextInt(9));
            case 2 -> Json.NODES.booleanNode(random.nextBoolean());
            case 3 -> Json.NODES.nullNode();
            default -> {
                ObjectNode object = Json.NODES.objectNode();
                object.set("n", value(depth - 1));
                ArrayNode list = object.putArray("list");
                for (int i = random.nextInt(0, 5); i > 0; i--) {
                    list.add(value(depth - 1));
                }
                yield object;
            }
        };
    }
}
