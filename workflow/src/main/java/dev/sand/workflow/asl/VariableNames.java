package dev.sand.workflow.asl;

import dev.sand.workflow.asl.Diagnostic.Code;
import dev.sand.workflow.data.WorkflowLimits;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The variables that the states of a scope assign, and the scopes in it. A name belongs to a scope when any of its states assigns
 * it, so that clashes are only known once everything is read.
 */
final class VariableNames {
    private final Map<String, List<String>> places = new LinkedHashMap<>();
    private final List<VariableNames> inner = new ArrayList<>();
    /** The scopes below that cannot see this one: those of executions of their own. */
    private final List<VariableNames> apart = new ArrayList<>();

    VariableNames below() {
        VariableNames scope = new VariableNames();
        inner.add(scope);
        return scope;
    }

    VariableNames apart() {
        VariableNames scope = new VariableNames();
        apart.add(scope);
        return scope;
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

    /** Reports what an inner scope assigns although it is an outer one's. */
    void check(Diagnostics diagnostics) {
        check(diagnostics, Map.of());
    }

    private void check(Diagnostics diagnostics, Map<String, String> outer) {
        Map<String, String> visible = new LinkedHashMap<>(outer);
        places.forEach((name, pointers) -> {
            if (outer.containsKey(name)) {
                for (String pointer : pointers) {
                    diagnostics.add(pointer, Code.VARIABLE_CONFLICT, "The variable " + name + " is assigned in an outer scope too, at "
                            + outer.get(name) + ": a Parallel's branch and a Map's iteration can read it and not assign it.");
                }
            } else {
                visible.put(name, pointers.getFirst());
            }
        });
        inner.forEach(scope -> scope.check(diagnostics, visible));
        apart.forEach(scope -> scope.check(diagnostics, Map.of()));
    }
}
