package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.asl.Service;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Document.PayloadSource;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.JsonFault;
import dev.sand.workflow.data.StatesError;
import java.io.IOException;

/** From a task's arguments to what is asked of the platform, as AWS's service integrations take their parameters. */
final class ServiceCalls {
    private static final Payload NOTHING = Payload.json(new byte[] {'{', '}'});

    private ServiceCalls() {}

    /** @param message see {@link Command.SendMessage}; @throws StatesError States.Runtime for arguments that make no call */
    static Command command(Service service, String step, String message, Document arguments, long timeoutMs, PayloadSource source) {
        return switch (service) {
            case Service.Start(Service.Mode mode, String workflow) when workflow != null ->
                    new Command.StartWorkflow(step, mode, workflow, null, arguments.payload(source), timeoutMs);
            case Service.Start start -> startExecution(start, step, arguments.node(source), timeoutMs);
            case Service.Send(String queue) when queue != null ->
                    new Command.SendMessage(step, message, queue, null, arguments.payload(source), timeoutMs);
            case Service.Send _ -> sendMessage(step, message, arguments.node(source), timeoutMs);
        };
    }

    private static Command startExecution(Service.Start start, String step, JsonNode given, long timeoutMs) {
        JsonNode input = given.get("Input");
        return new Command.StartWorkflow(step, start.mode(), Service.workflow(text(given, "StateMachineArn", true)),
                text(given, "Name", false), input == null ? NOTHING : input(input), timeoutMs);
    }

    /** A string is the input's JSON text, as the service's own interface takes it. */
    private static Payload input(JsonNode input) {
        if (!input.isTextual()) {
            return Payload.json(Json.bytes(input));
        }
        try {
            return Payload.json(Json.bytes(Json.read(input.textValue())));
        } catch (IOException e) {
            throw new StatesError("StepFunctions.InvalidExecutionInputException", "Invalid execution input: "
                    + JsonFault.located(e, input.textValue()));
        }
    }

    private static Command sendMessage(String step, String message, JsonNode given, long timeoutMs) {
        JsonNode body = given.get("MessageBody");
        if (body == null) {
            throw missing("MessageBody");
        }
        return new Command.SendMessage(step, message, Service.queue(text(given, "QueueUrl", true)), text(given, "MessageGroupId", false),
                Payload.json(Json.bytes(body)), timeoutMs);
    }

    private static String text(JsonNode given, String field, boolean isRequired) {
        JsonNode value = given.get(field);
        if (value == null) {
            if (isRequired) {
                throw missing(field);
            }
            return null;
        }
        if (!value.isTextual() || value.textValue().isEmpty()) {
            throw StatesError.runtime("The field " + field + " must be a string with at least one character, it is " + Json.text(value));
        }
        return value.textValue();
    }

    private static StatesError missing(String field) {
        return StatesError.runtime("The field " + field + " is required, and the state's arguments do not have it.");
    }
}
