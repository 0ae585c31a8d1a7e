package dev.sand.workflow.asl;

import java.util.Set;

/** What the tasks of a definition may name: what an application has. */
public record KnownNames(Set<String> grains, Set<String> workflows, Set<String> queues) {
    /** What a name is one of. */
    enum Kind {
        GRAIN("grain", Diagnostic.Code.UNKNOWN_GRAIN),
        WORKFLOW("workflow", Diagnostic.Code.UNKNOWN_WORKFLOW),
        QUEUE("queue", Diagnostic.Code.UNKNOWN_QUEUE);

        final String word;
        final Diagnostic.Code unknown;

        Kind(String word, Diagnostic.Code unknown) {
            this.word = word;
            this.unknown = unknown;
        }
    }

    /** Told of each name that a task writes out, and of the place. */
    interface Listener {
        void onNamed(Kind kind, String name, String pointer);

        /** Something that a service of AWS takes and the platform does not: a trial, where stubs stand for services, passes over it. */
        default void onForeign(String pointer, String message) {}
    }

    Set<String> of(Kind kind) {
        return switch (kind) {
            case GRAIN -> grains;
            case WORKFLOW -> workflows;
            case QUEUE -> queues;
        };
    }
}
