package dev.sand.workflow;

import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.data.Document;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * What states of the workflow itself had when they were last entered: a redrive may begin from one. Only of those that a redrive which
 * is known of begins from, so that executions do not hold the inputs of all their states.
 */
final class Places {
    /** @param publications how many attempts had published events by then */
    record Place(Document input, Variables.Snapshot variables, int publications) {}

    private final Map<String, Place> entered = new LinkedHashMap<>(0);
    private Set<String> wanted = Set.of();
    private boolean isAllWanted;

    void expect(Collection<Signal> coming) {
        Set<String> states = new HashSet<>();
        for (Signal signal : coming) {
            if (signal instanceof Signal.Redriven redriven && redriven.redrive().from() != null) {
                states.add(redriven.redrive().from());
            }
        }
        wanted = states;
    }

    void expectAny() {
        isAllWanted = true;
    }

    boolean isWanted(String state) {
        return isAllWanted || wanted.contains(state);
    }

    void enter(String state, Place place) {
        entered.put(state, place);
    }

    /** @return null: it was not entered, or is not wanted */
    Place get(String state) {
        return entered.get(state);
    }

    Set<String> names() {
        return entered.keySet();
    }
}
