package dev.sand.workflow.asl;

import dev.sand.workflow.data.WorkflowLimits;
import java.util.ArrayList;
import java.util.List;

/** Collects what is wrong while a definition is read, so that all of it is told at once; each once, also where a field is asked for again. */
final class Diagnostics {
    private final List<Diagnostic> found = new ArrayList<>();

    void add(String pointer, Diagnostic.Code code, String message) {
        Diagnostic diagnostic = new Diagnostic(pointer, code, message);
        if (found.size() < WorkflowLimits.DIAGNOSTICS && !found.contains(diagnostic)) {
            found.add(diagnostic);
        }
    }

    boolean isEmpty() {
        return found.isEmpty();
    }

    List<Diagnostic> toList() {
        return List.copyOf(found);
    }

    /** A step down in a JSON Pointer. */
    static String child(String pointer, String name) {
        return pointer + "/" + name.replace("~", "~0").replace("/", "~1");
    }
}
