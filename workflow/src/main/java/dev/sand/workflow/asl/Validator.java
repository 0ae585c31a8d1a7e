package dev.sand.workflow.asl;

import java.util.List;
import java.util.Set;

/** Checks a definition before it is deployed or run. */
public final class Validator {
    private Validator() {}

    /**
     * @param definition JSON text
     * @param grains of the application: a Task's Resource names one of them
     * @return everything that is wrong with it, in the order in which it stands; empty when it can run
     */
    public static List<Diagnostic> validate(String definition, Set<String> grains) {
        return validate(definition, new KnownNames(grains, Set.of(), Set.of()));
    }

    /** As above, with the workflows and queues that tasks may name too. */
    public static List<Diagnostic> validate(String definition, KnownNames known) {
        return Definitions.diagnose(definition, known);
    }
}
