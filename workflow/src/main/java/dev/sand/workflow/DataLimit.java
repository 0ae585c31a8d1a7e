package dev.sand.workflow;

import dev.sand.workflow.asl.State;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Document.PayloadSource;
import dev.sand.workflow.data.StatesError;

/**
 * What the data of a task or a state may have, where an execution is held to the limit that AWS has: in UTF-8, as JSON text. AWS looks at
 * what a task's service and a distributed Map's run give (before any ResultSelector), at what a state's work gets (behind Parameters),
 * and at what a state hands on. The platform holds executions to the bounds of {@code WorkflowLimits} alone.
 */
final class DataLimit {
    private DataLimit() {}

    /** What a state's work gets, or what it hands on. @throws StatesError DataLimitExceeded */
    static Document checked(Visit visit, Document document, PayloadSource source) {
        if (document.isOver(visit.scope.info.quotas().dataBytes(), source)) {
            throw exceeded(visit.state.name());
        }
        return document;
    }

    /** The result of a task's service, or of a distributed Map's run. @return what the state fails with; null: it is small enough */
    static StatesError ofResult(Visit visit, Document result, PayloadSource source) {
        boolean isRun = visit.state instanceof State.Map map && map.distribution() != null;
        if (!isRun && !(visit.state instanceof State.Task) || !result.isOver(visit.scope.info.quotas().dataBytes(), source)) {
            return null;
        }
        return exceeded(visit.state instanceof State.Task task ? History.name(task) : visit.state.name());
    }

    /** @return what an execution ends with that AWS would not have begun; null: its input is small enough */
    static StatesError ofInput(Document input, long limit, PayloadSource source) {
        return input.isOver(limit, source) ? StatesError.whole(StatesError.DATA_LIMIT_EXCEEDED,
                "The execution's input is over the limit of " + limit + " bytes.") : null;
    }

    private static StatesError exceeded(String name) {
        return StatesError.whole(StatesError.DATA_LIMIT_EXCEEDED, "The state/task '" + name
                + "' returned a result with a size exceeding the maximum number of bytes service limit.");
    }
}
