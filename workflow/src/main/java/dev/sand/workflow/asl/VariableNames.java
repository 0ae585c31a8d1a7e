package dev.sand.workflow.asl;

import dev.sand.workflow.asl.Diagnostic.Code;
import dev.sand.workflow.data.WorkflowLimits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The variables that the states of a scope assign, and the scopes in it. An inner scope must not assign what may be assigned on a way
 * into it, so that clashes are only known once everything is read.
 */
final class VariableNames {
    private record Inner(String state, VariableNames names) {}

    private final Map<String, List<String>> places = new LinkedHashMap<>();
    private final List<Inner> inner = new ArrayList<>();
    private Map<String, List<String[]>> targets = Map.of();

    /** @param state of this scope, which has the other one in it */
    VariableNames below(String state) {
        VariableNames names = new VariableNames();
        inner.add(new Inner(state, names));
        return names;
    }

    /** @param targets of each state of this scope: names, with the pointers to where they stand */
    void lead(Map<String, List<String[]>> targets) {
        this.targets = targets;
    }

    void add(String name, String pointer) {
        places.computeIfAbsent(name, key -> new ArrayList<>()).add(pointer);
    }

    /** @return what is wrong with the name, or null */
    static String fault(String name) {
        if (name.equals("states")) {
            return "the name states is reserved";
        }
        if (name.isEmpty() || name.codePointCount(0, name.length()) > WorkflowLimits.VARIABLE_NAME_CHARS) {
            return "a variable's name must have from 1 to " + WorkflowLimits.VARIABLE_NAME_CHARS + " characters";
        }
        boolean isName = Character.isUnicodeIdentifierStart(name.codePointAt(0))
                && name.codePoints().allMatch(Character::isUnicodeIdentifierPart);
        return isName ? null : "'" + name + "' is no name of a variable: a letter must be its first character, letters, digits and _ the others";
    }

    /** Reports what an inner scope assigns although an outer one may have. */
    void check(Diagnostics diagnostics) {
        check(diagnostics, Map.of());
    }

    private void check(Diagnostics diagnostics, Map<String, String> outer) {
        Map<String, Map<String, String>> assigned = new HashMap<>();
        places.forEach((name, pointers) -> {
            for (String pointer : pointers) {
                assigned.computeIfAbsent(pointer.substring(0, pointer.lastIndexOf("/Assign/")), key -> new LinkedHashMap<>()).put(name, pointer);
                if (outer.containsKey(name)) {
                    diagnostics.add(pointer, Code.VARIABLE_CONFLICT, "The variable " + name + " may be assigned before, in an outer scope, at "
                            + outer.get(name) + ": a Parallel's branch and a Map's iteration can read it and not assign it.");
                }
            }
        });
        inner.forEach(scope -> scope.names.check(diagnostics, visible(scope.state, outer, assigned)));
    }

    /** What may be assigned when a state is entered. @param assigned by the pointer to the state, rule or catcher that assigns */
    private Map<String, String> visible(String state, Map<String, String> outer, Map<String, Map<String, String>> assigned) {
        Map<String, String> visible = new LinkedHashMap<>(outer);
        if (!assigned.isEmpty()) {
            Set<String> into = reaching(state);
            for (List<String[]> found : targets.values()) {
                for (String[] target : found) {
                    String from = target[1].substring(0, target[1].lastIndexOf('/'));
                    if (into.contains(target[0])) {
                        assigned.getOrDefault(from, Map.of()).forEach(visible::putIfAbsent);
                    }
                }
            }
        }
        return visible;
    }

    /** The state, and those from which it can be reached. */
    private Set<String> reaching(String state) {
        Map<String, List<String>> sources = new HashMap<>();
        targets.forEach((source, found) -> found.forEach(target -> sources.computeIfAbsent(target[0], key -> new ArrayList<>()).add(source)));
        Set<String> reaching = new HashSet<>();
        Deque<String> next = new ArrayDeque<>(List.of(state));
        while (!next.isEmpty()) {
            String name = next.poll();
            if (reaching.add(name)) {
                next.addAll(sources.getOrDefault(name, List.of()));
            }
        }
        return reaching;
    }
}
