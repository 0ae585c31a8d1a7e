package dev.sand.workflow;

/** The history of an execution takes no other event than that of its end. */
final class HistoryFull extends RuntimeException {
    private static final long serialVersionUID = 1L;
    /** The execution's own, or the iteration of a distributed Map that is one. */
    final transient Scope scope;

    HistoryFull(Scope scope, long most) {
        super("The execution reached the maximum number of history events (" + most + ").", null, false, false);
        this.scope = scope;
    }
}
