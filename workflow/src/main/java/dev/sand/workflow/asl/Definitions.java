package dev.sand.workflow.asl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.data.WorkflowLimits;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Definitions in the Amazon States Language, from text. */
public final class Definitions {
    /** Instead of a grain that a task names only when it runs. */
    static final String UNKNOWN_YET = "";

    private Definitions() {}

    /** What became of a text: a machine, or everything that is wrong with it. */
    public sealed interface Parsed {
        /** @param grains that its tasks name, with the JSON Pointer of the first place that does */
        record Valid(StateMachine machine, Map<String, String> grains) implements Parsed {}

        record Invalid(List<Diagnostic> diagnostics) implements Parsed {}
    }

    public static Parsed parse(String definition) {
        return parse(definition, false);
    }

    /** One that was deployed, and so checked before: its expressions are parsed when they are first evaluated, off the shard. */
    public static Parsed parseChecked(String definition) {
        return parse(definition, true);
    }

    private static Parsed parse(String definition, boolean wasChecked) {
        Diagnostics diagnostics = new Diagnostics();
        Map<String, String> grains = new LinkedHashMap<>();
        StateMachine machine = read(definition, wasChecked, diagnostics, grains);
        grains.remove(UNKNOWN_YET);
        return diagnostics.isEmpty() && machine != null ? new Parsed.Valid(machine, Map.copyOf(grains))
                : new Parsed.Invalid(diagnostics.toList());
    }

    private static StateMachine read(String definition, boolean wasChecked, Diagnostics diagnostics, Map<String, String> grains) {
        JsonNode tree = new DocumentReader(diagnostics).read(definition);
        return tree == null ? null : new MachineReader(diagnostics, wasChecked, (kind, name, pointer) -> {
            if (kind == KnownNames.Kind.GRAIN) {
                grains.putIfAbsent(name, pointer);
            }
        })
                .readTop(tree, definition.length() > WorkflowLimits.LIGHT_DEFINITION_BYTES);
    }

    /** Every mistake of a definition whose tasks may name these. */
    static List<Diagnostic> diagnose(String definition, KnownNames known) {
        Diagnostics diagnostics = new Diagnostics();
        JsonNode tree = new DocumentReader(diagnostics).read(definition);
        if (tree != null) {
            new MachineReader(diagnostics, false, new KnownNames.Listener() {
                @Override
                public void onNamed(KnownNames.Kind kind, String name, String pointer) {
                    if (name.equals(UNKNOWN_YET)) {
                        diagnostics.add(pointer, Diagnostic.Code.NOT_SUPPORTED, "The FunctionName must be written out in the definition, so"
                                + " that the grain is known to be there.");
                    } else if (!known.of(kind).contains(name)) {
                        diagnostics.add(pointer, kind.unknown, "The application has no " + kind.word + " " + name + ".");
                    }
                }

                @Override
                public void onForeign(String pointer, String message) {
                    diagnostics.add(pointer, Diagnostic.Code.NOT_SUPPORTED, message);
                }
            }).readTop(tree, false);
        }
        return diagnostics.toList();
    }
}
