package dev.sand.workflow;

import dev.sand.workflow.data.Json;
import java.util.Set;

/** The events of branches and iterations in the history of the execution that they are in. No other event follows them. */
final class BranchEvents {
    /** States that last, and so are in a history as aborted. */
    private static final Set<String> LASTING = Set.of("Task", "Wait", "Parallel", "Map");

    private BranchEvents() {}

    /**
     * What happened to an iteration of an inline Map.
     *
     * @param outer the scope of the Map, or one around it
     * @return the event's number
     */
    static long iteration(Scope outer, Scope iteration, String type) {
        Visit map = iteration.join.visit;
        return outer.aside(type, () -> Json.NODES.objectNode().put("name", map.state.name()).put("index", iteration.index));
    }

    /** What still runs beside a branch or an iteration that failed. @param outer the scope whose state fails with it */
    static void aborted(Scope outer, Join join) {
        for (Scope scope : join.running()) {
            if (scope.isClosed) {
                continue;
            }
            if (join.items != null) {
                iteration(outer, scope, "MapIterationAborted");
            }
            Visit visit = scope.following == null ? scope.current : null;
            if (visit != null && LASTING.contains(History.typeOf(visit.state))) {
                outer.aside(History.typeOf(visit.state) + "StateAborted", null);
            }
            if (visit != null && visit.join != null && visit.join.run == null) {
                aborted(outer, visit.join);
            }
        }
    }
}
