package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.ApplicationName;
import dev.sand.event.HostAgentPort;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.event.TaskCallback;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.ProblemException;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.http.Router;
import dev.sand.workflow.TaskTokens;
import java.io.IOException;
import java.util.List;

/**
 * {@code /api/v1/task-tokens}: whoever was given the token of a workflow's task reports on it. The token is all that is needed,
 * and stands in the body: addresses are logged.
 */
public final class TaskTokensApi {
    private static final long ANSWER_MS = 15_000;
    private static final String EXPECTED = "The body is a JSON object with a \"token\".";
    private static final int MOST_ERROR = 256;
    private final HostAgentPort host;

    public TaskTokensApi(HostAgentPort host) {
        this.host = host;
    }

    public void addTo(Router router) {
        router.on("reportTaskSuccess", exchange -> {
            JsonNode body = body(exchange, "token", "output");
            if (!body.has("output")) {
                throw Problems.badRequest("\"output\" is the task's result, any JSON value; it is missing.").asException();
            }
            byte[] output = dev.sand.workflow.data.Json.bytes(body.get("output"));
            if (output.length > Limits.CALLBACK_BYTES) {
                throw Problems.tooLarge("The output", Limits.CALLBACK_BYTES, output.length).asException();
            }
            report(exchange, TaskCallback.success(text(body, "token", TaskTokens.MOST_CHARACTERS), Payload.json(output)));
        }).on("reportTaskFailure", exchange -> {
            JsonNode body = body(exchange, "token", "error", "cause");
            report(exchange, TaskCallback.failure(text(body, "token", TaskTokens.MOST_CHARACTERS),
                    body.hasNonNull("error") ? text(body, "error", MOST_ERROR) : null,
                    body.hasNonNull("cause") ? text(body, "cause", Limits.CAUSE_BYTES) : null));
        }).on("reportTaskHeartbeat", exchange ->
                report(exchange, TaskCallback.heartbeat(text(body(exchange, "token"), "token", TaskTokens.MOST_CHARACTERS))));
    }

    private static JsonNode body(Exchange exchange, String... known) throws IOException {
        JsonNode body = JsonBody.object(exchange, 2 * Limits.CALLBACK_BYTES, EXPECTED);
        if (body == null) {
            throw Problems.badRequest(EXPECTED).asException();
        }
        body.fieldNames().forEachRemaining(name -> {
            if (!List.of(known).contains(name)) {
                throw Problems.badRequest("\"" + name + "\" says nothing here: the report has \"" + String.join("\", \"", known) + "\".")
                        .asException();
            }
        });
        return body;
    }

    private static String text(JsonNode body, String field, int most) {
        JsonNode value = body.path(field);
        if (!value.isTextual() || value.textValue().codePointCount(0, value.textValue().length()) > most) {
            throw Problems.badRequest("\"" + field + "\" is a string of at most " + most + " characters.").asException();
        }
        return value.textValue();
    }

    private void report(Exchange exchange, TaskCallback callback) throws InterruptedException {
        TaskTokens.Place place = TaskTokens.claimed(callback.token()).orElseThrow(TaskTokensApi::unknown);
        if (!exchange.isEverywhere() && !ApplicationName.tenant(place.application()).equals(exchange.tenant())) {
            throw unknown();
        }
        switch (outcome(callback)) {
            case TAKEN -> exchange.json(200, Json.object().put("executionId", place.executionId()).put("status", "TAKEN"));
            case NOT_AWAITED -> throw Problem.caller(409, "token-not-awaited", "Nobody waits for this token",
                    "Execution " + place.executionId() + " does not wait for this token (any more): the task was reported on before, "
                            + "timed out or was given up, or the execution has ended.").with("executionId", place.executionId()).asException();
            case UNKNOWN_TOKEN -> throw unknown();
        }
    }

    private TaskCallback.Outcome outcome(TaskCallback callback) throws InterruptedException {
        return AskedAgain.until(ANSWER_MS, "It is not known whether the report was taken; report again", () -> host.callBack(callback));
    }

    private static ProblemException unknown() {
        return Problem.caller(400, "unknown-token", "Not a task token", "This is no token that the platform has made: "
                + "give $$.Task.Token as the task's input had it.").asException();
    }
}
