package dev.sand.workflow.asl;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
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
    private Map<String, List<String>> back;

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

    /** The state, and those that can be reached from it. */
    Set<String> from(String state) {
        Map<String, List<String>> onward = new HashMap<>();
        targets.forEach((source, found) -> onward.put(source, found.stream().map(Target::state).toList()));
        return closure(state, onward);
    }

    /** The state, and those from which it can be reached. All states are known by then. */
    Set<String> into(String state) {
        if (back == null) {
            back = new HashMap<>();
            targets.forEach((source, found) -> found.forEach(
                    target -> back.computeIfAbsent(target.state, added -> new ArrayList<>()).add(source)));
        }
        return closure(state, back);
    }

    private static Set<String> closure(String state, Map<String, List<String>> next) {
        Set<String> found = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(List.of(state));
        while (!open.isEmpty()) {
            String name = open.poll();
            if (found.add(name)) {
                open.addAll(next.getOrDefault(name, List.of()));
            }
        }
        return found;
    }
}
