package dev.sand.workflow.asl;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The ways between the states of one machine: which leads where, and what can be reached. */
final class Ways {
    /** @param pointer to where its name stands */
    record Target(String state, String pointer) {}

    private final Map<String, List<Target>> targets = new LinkedHashMap<>();
    private final Map<String, List<String>> byPlace = new HashMap<>();

    void add(String state) {
        targets.put(state, new ArrayList<>());
    }

    /** @param from a state that was added; @param pointer to where the other one's name stands */
    void add(String from, String to, String pointer) {
        targets.get(from).add(new Target(to, pointer));
        byPlace.computeIfAbsent(pointer.substring(0, pointer.lastIndexOf('/')), added -> new ArrayList<>()).add(to);
    }

    Set<String> states() {
        return targets.keySet();
    }

    List<Target> all() {
        return targets.values().stream().flatMap(List::stream).toList();
    }

    /** Where the state, rule or catcher at that pointer itself leads to. */
    List<String> at(String pointer) {
        return byPlace.getOrDefault(pointer, List.of());
    }

    /**
     * What can be reached, with the starts themselves.
     *
     * @param starts states, each with a mark
     * @return states, each with the mark of a start that leads there
     */
    Map<String, String> reached(Map<String, String> starts) {
        Map<String, String> marks = new LinkedHashMap<>(starts);
        Deque<String> open = new ArrayDeque<>(starts.keySet());
        while (!open.isEmpty()) {
            String state = open.poll();
            for (Target target : targets.getOrDefault(state, List.of())) {
                if (marks.putIfAbsent(target.state, marks.get(state)) == null) {
                    open.add(target.state);
                }
            }
        }
        return marks;
    }
}
