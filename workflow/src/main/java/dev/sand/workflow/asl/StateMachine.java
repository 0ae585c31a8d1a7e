package dev.sand.workflow.asl;

import java.util.Map;

/**
 * A definition, checked: every name in it is there.
 *
 * @param states in the order in which they are defined
 * @param timeoutSeconds of the whole execution, 0: none
 * @param looksInside whether any state's expressions look into a payload; when none does, payloads are never parsed
 * @param hasQueries whether any state has a JSONata expression: these are never evaluated on a shard
 * @param copies how often a state may repeat what it is given, at the most: the expressions of its templates
 * @param isLarge whether the definition is so large that evaluating a state may take long
 */
public record StateMachine(String startAt, Map<String, State> states, long timeoutSeconds, boolean looksInside,
                           boolean hasQueries, int copies, boolean isLarge) {
    public State start() {
        return states.get(startAt);
    }

    public State state(String name) {
        return states.get(name);
    }
}
