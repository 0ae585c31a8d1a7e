package dev.sand.workflow;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.workflow.asl.State;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Document.PayloadSource;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.StatesError;
import dev.sand.workflow.data.Timestamps;
import java.nio.charset.StandardCharsets;

/** What is told of an iteration of a distributed Map beside its output: an execution of its own, as AWS describes one. */
final class IterationRecord {
    private IterationRecord() {}

    /** Of the run itself. */
    static String mapRun(Visit visit) {
        return name(visit, "mapRun") + ":" + id(visit);
    }

    /** A UUID that is the run's alone. */
    static String id(Visit visit) {
        return Chance.uuid(visit.scope.info.executionId(), visit.attemptStep());
    }

    private static String name(Visit visit, String kind) {
        String label = ((State.Map) visit.state).distribution().label();
        return "sand:" + kind + ":" + visit.scope.info.application() + "/" + visit.scope.info.workflow() + "/"
                + (label == null ? visit.state.name() : label);
    }

    static ObjectNode succeeded(Join join, Scope scope, Document output, PayloadSource source) {
        ObjectNode record = begin(join, scope.index, scope.info.input(), source);
        text(record, "Output", output, source);
        return end(record, join, scope, "SUCCEEDED");
    }

    /** What stands for one that failed among the results of a Map without a ResultWriter. @param error and cause may be null */
    static ObjectNode failure(String error, String cause) {
        return why(Json.NODES.objectNode().put("Status", "FAILED"), error, cause);
    }

    /** @param error and cause may be null: the iteration is abandoned, or failed without these */
    static ObjectNode failed(Join join, Scope scope, String status, String error, String cause, PayloadSource source) {
        ObjectNode record = why(begin(join, scope.index, scope.info.input(), source), error, cause);
        record.putObject("OutputDetails").put("Included", true);
        return end(record, join, scope, status);
    }

    private static ObjectNode why(ObjectNode record, String error, String cause) {
        if (error != null) {
            record.put("Error", error);
        }
        return cause == null ? record : record.put("Cause", cause);
    }

    /** Of an item that is known and was not begun. */
    static ObjectNode pending(Join join, int index, Document input, PayloadSource source) {
        ObjectNode record = begin(join, index, input, source);
        record.putObject("OutputDetails").put("Included", true);
        return record.put("StateMachineArn", name(join.visit, "stateMachine")).put("Status", "PENDING");
    }

    private static ObjectNode begin(Join join, int index, Document input, PayloadSource source) {
        String id = Chance.uuid(join.visit.scope.info.executionId(), join.step + "[" + index + "]");
        ObjectNode record = Json.NODES.objectNode().put("ExecutionArn", name(join.visit, "execution") + ":" + id);
        text(record, "Input", input, source);
        return record.put("Name", id);
    }

    private static ObjectNode end(ObjectNode record, Join join, Scope scope, String status) {
        boolean isOver = status.equals("SUCCEEDED");
        record.put("RedriveCount", scope.info.redrives().count - scope.beganRedrives)
                .put("RedriveStatus", isOver ? "NOT_REDRIVABLE" : "REDRIVABLE_BY_MAP_RUN");
        if (isOver) {
            record.put("RedriveStatusReason", NestedResults.NOT_REDRIVABLE);
        }
        return record.put("StartDate", Timestamps.format(scope.beganMs)).put("StateMachineArn", name(join.visit, "stateMachine"))
                .put("Status", status).put("StopDate", Timestamps.format(scope.info.clock().nowMs()));
    }

    /** JSON as a string; not included when it is none, or out of reach. */
    private static void text(ObjectNode record, String field, Document document, PayloadSource source) {
        boolean isIncluded = true;
        try {
            document.node(source);
            var payload = document.payload(source);
            byte[] bytes = payload.bytes() != null ? payload.bytes() : source.bytes(payload);
            record.put(field, new String(bytes, StandardCharsets.UTF_8));
        } catch (StatesError e) {
            isIncluded = false;
        }
        record.putObject(field + "Details").put("Included", isIncluded);
    }
}
