package dev.sand.workflow;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.workflow.asl.State;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.StatesError;

/** The events of a Task's attempts in the execution's history: those of a Lambda function for a grain, those of a service otherwise. */
final class TaskEvents {
    private TaskEvents() {}

    static ObjectNode resource(Visit visit) {
        ObjectNode resource = History.resource((State.Task) visit.state);
        return resource == null ? Json.NODES.objectNode() : resource;
    }

    private static boolean isFunction(State.Task task) {
        return History.resource(task) == null;
    }

    /** What an attempt is held to. @param timeoutSeconds, heartbeatSeconds 0: none; @param role that its Credentials name, or null */
    record Limits(long timeoutSeconds, long heartbeatSeconds, String role) {}

    static void began(Visit visit, State.Task task, Document arguments, Limits limits) {
        Scope scope = visit.scope;
        boolean isFunction = isFunction(task);
        scope.event(isFunction ? "LambdaFunctionScheduled" : "TaskScheduled", () -> {
            ObjectNode details = isFunction ? Json.NODES.objectNode().put("resource", task.resource()) : resource(visit);
            History.value(details, isFunction ? "input" : "parameters", arguments);
            if (limits.timeoutSeconds > 0) {
                details.put("timeoutInSeconds", limits.timeoutSeconds);
            }
            if (limits.heartbeatSeconds > 0) {
                details.put("heartbeatInSeconds", limits.heartbeatSeconds);
            }
            if (limits.role != null) {
                details.putObject("taskCredentials").put("roleArn", limits.role);
            }
            return details;
        });
        scope.event(isFunction ? "LambdaFunctionStarted" : "TaskStarted", isFunction ? null : () -> resource(visit));
        if (task.isSubmitted()) {
            scope.event("TaskSubmitted", () -> resource(visit));
        }
    }

    static void succeeded(Visit visit, State.Task task, Document result) {
        boolean isFunction = isFunction(task);
        visit.scope.event(isFunction ? "LambdaFunctionSucceeded" : "TaskSucceeded", () ->
                History.value(isFunction ? Json.NODES.objectNode() : resource(visit), "output", result));
    }

    static void failed(Visit visit, State.Task task, Failure failure) {
        boolean isFunction = isFunction(task);
        boolean isTimeout = StatesError.TIMEOUT.equals(failure.error()) || StatesError.HEARTBEAT_TIMEOUT.equals(failure.error());
        visit.scope.event((isFunction ? "LambdaFunction" : "Task") + (isTimeout ? "TimedOut" : "Failed"), () -> {
            ObjectNode details = History.failure(failure.error(), failure.cause());
            return isFunction ? details : details.setAll(resource(visit));
        });
    }
}
