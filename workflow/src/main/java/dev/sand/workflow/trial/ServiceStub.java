package dev.sand.workflow.trial;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.NestedResults;
import dev.sand.workflow.QueueResults;
import dev.sand.workflow.asl.Service.Mode;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.StatesError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * What stands in for other workflows and for queues in a trial. A stub under the resource ({@code startExecution.sync:2},
 * {@code sendMessage}) stands for the whole service: its answer is the result. One under the workflow's name is that workflow:
 * what it returns is the output of the execution that is started, what it raises its failure. One under a queue's name may raise.
 */
final class ServiceStub {
    private final GrainStub stubs;

    ServiceStub(GrainStub stubs) {
        this.stubs = stubs;
    }

    GrainStub.Answer start(Command.StartWorkflow start, long nowMs) {
        JsonNode input = json(start.input());
        String service = switch (start.mode()) {
            case START -> "startExecution";
            case SYNC -> "startExecution.sync";
            case SYNC_JSON -> "startExecution.sync:2";
            case WORKFLOW -> null;
        };
        if (service != null && (stubs.has(service) || stubs.has("startExecution"))) {
            return stubs.call(stubs.has(service) ? service : "startExecution", input);
        }
        GrainStub.Answer answer = stubs.call(start.workflow(), input);
        NestedResults.Child child = new NestedResults.Child(id(start.step()), "app", start.workflow(), start.name(), start.input(), nowMs);
        if (start.mode() == Mode.WORKFLOW) {
            return answer;
        }
        if (start.mode() == Mode.START) {
            return answer.with(json(NestedResults.started(child)), null, null, 0);
        }
        long stopMs = nowMs + answer.delayMs();
        return answer.output() == null
                ? answer.with(null, StatesError.TASK_FAILED, NestedResults.failed(start.mode(), child, "FAILED", answer.error(),
                        answer.cause(), stopMs), answer.delayMs())
                : answer.with(json(NestedResults.succeeded(start.mode(), child, Payload.json(Json.bytes(answer.output())), stopMs)),
                        null, null, answer.delayMs());
    }

    GrainStub.Answer send(Command.SendMessage send) {
        JsonNode body = json(send.body());
        if (stubs.has("sendMessage")) {
            return stubs.call("sendMessage", body);
        }
        GrainStub.Answer answer = stubs.call(send.queue(), body);
        return answer.output() == null ? answer
                : answer.with(json(QueueResults.sent(id(send.message()), send.body())), null, null, answer.delayMs());
    }

    private static String id(String step) {
        return UUID.nameUUIDFromBytes(step.getBytes(StandardCharsets.UTF_8)).toString();
    }

    static JsonNode json(Payload payload) {
        try {
            return Json.read(payload.bytes());
        } catch (IOException e) {
            throw new IllegalStateException("a payload of a trial is JSON", e);
        }
    }
}
