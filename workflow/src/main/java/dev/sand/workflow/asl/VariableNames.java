package dev.sand.workflow.asl;

import dev.sand.workflow.asl.Diagnostic.Code;
import dev.sand.workflow.data.WorkflowLimits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
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
    private Ways ways = new Ways();

    /** @param state of this scope, which has the other one in it */
    VariableNames below(String state) {
        VariableNames names = new VariableNames();
        inner.add(new Inner(state, names));
        return names;
    }

    /** @param ways between the states of this scope */
    void lead(Ways ways) {
        this.ways = ways;
    }

    void add(String name, String pointer) {
        places.computeIfAbsent(name, added -> new ArrayList<>()).add(pointer);
    }

    /** What is wrong with a variable's name, or null. */
    static String fault(String name) {
        if (name.equals("states")) {
            return "the name states is reserved";
        }
        if (name.isEmpty() || name.codePointCount(0, name.length()) > WorkflowLimits.VARIABLE_NAME_CHARS) {
            return "a variable's name must have from 1 to " + WorkflowLimits.VARIABLE_NAME_CHARS + " characters";
        }
        boolean isName = name.codePoints().allMatch(c -> Character.isLetterOrDigit(c) || c == '_')
                && Character.isLetter(name.codePointAt(0));
        return isName ? null : "'" + name + "' is no name of a variable: a letter must be its first character, letters, digits and _ the others";
    }

    /** Reports what an inner scope assigns although an outer one may have. */
    void check(Diagnostics diagnostics) {
        check(diagnostics, Map.of());
    }

    /** @param outer where what this scope assigns may have been assigned before, by name */
    private void check(Diagnostics diagnostics, Map<String, String> outer) {
        places.forEach((name, pointers) -> {
            if (outer.containsKey(name)) {
                pointers.forEach(pointer -> diagnostics.add(pointer, Code.VARIABLE_CONFLICT, "The variable " + name
                        + " may be assigned before, in an outer scope, at " + outer.get(name)
                        + ": a Parallel's branch and a Map's iteration can read it and not assign it."));
            }
        });
        Map<String, List<Inner>> assigning = new LinkedHashMap<>();
        Map<Inner, Map<String, String>> before = new IdentityHashMap<>();
        for (Inner scope : inner) {
            before.put(scope, new HashMap<>());
            scope.names.all().forEach(name -> assigning.computeIfAbsent(name, added -> new ArrayList<>()).add(scope));
        }
        assigning.forEach((name, scopes) -> {
            Map<String, String> after = outer.containsKey(name) || !places.containsKey(name) ? Map.of() : after(name);
            for (Inner scope : scopes) {
                String place = outer.getOrDefault(name, after.get(scope.state));
                if (place != null) {
                    before.get(scope).put(name, place);
                }
            }
        });
        inner.forEach(scope -> scope.names.check(diagnostics, before.get(scope)));
    }

    /** Every name that is assigned here or below. */
    private Set<String> all() {
        Set<String> all = new HashSet<>(places.keySet());
        inner.forEach(scope -> all.addAll(scope.names.all()));
        return all;
    }

    /** The states before which a name may be assigned, each with a place of those where it is. */
    private Map<String, String> after(String name) {
        Map<String, String> next = new LinkedHashMap<>();
        for (String pointer : places.get(name)) {
            ways.at(pointer.substring(0, pointer.lastIndexOf("/Assign/"))).forEach(state -> next.putIfAbsent(state, pointer));
        }
        return ways.reached(next);
    }
}
