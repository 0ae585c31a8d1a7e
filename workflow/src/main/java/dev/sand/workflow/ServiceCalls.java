package dev.sand.workflow;

import static dev.sand.workflow.ServiceParameters.SEND_MESSAGE;
import static dev.sand.workflow.ServiceParameters.START_EXECUTION;
import static dev.sand.workflow.ServiceParameters.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.asl.Service;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Document.PayloadSource;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.JsonFault;
import dev.sand.workflow.data.StatesError;
import java.io.IOException;
import java.util.regex.Pattern;

/** From a task's arguments to what is asked of the platform, as AWS's service integrations take their parameters. */
final class ServiceCalls {
    private static final String NO_BODY = "The request must contain the parameter MessageBody. "
            + "(Service: AmazonSQS; Status Code: 400; Error Code: MissingParameter)";
    /** Alphanumeric and punctuation characters, as the service has them. */
    private static final Pattern GROUP = Pattern.compile("[!-~]{1,128}");
    private static final Payload NOTHING = Payload.json(new byte[] {'{', '}'});

    private ServiceCalls() {}

    /**
     * @param message see {@link Command.SendMessage}
     * @throws StatesError States.Runtime for arguments that make no call; by another name when the service would decline it
     */
    static Command command(Service service, String step, String message, Document arguments, boolean isJsonata, long timeoutMs,
                           PayloadSource source) {
        return switch (service) {
            case Service.Start(Service.Mode mode, String workflow) when workflow != null ->
                    new Command.StartWorkflow(step, mode, workflow, null, arguments.payload(source), timeoutMs);
            case Service.Start start -> startExecution(start, step, START_EXECUTION.checked(arguments.node(source), isJsonata), timeoutMs);
            case Service.Send(String queue) when queue != null ->
                    new Command.SendMessage(step, message, queue, null, arguments.payload(source), timeoutMs);
            case Service.Send _ -> sendMessage(step, message, SEND_MESSAGE.checked(arguments.node(source), isJsonata), timeoutMs);
        };
    }

    private static Command startExecution(Service.Start start, String step, ObjectNode said, long timeoutMs) {
        JsonNode input = said.get("Input");
        return new Command.StartWorkflow(step, start.mode(), Service.workflow(text(said, "StateMachineArn")), text(said, "Name"),
                input == null ? NOTHING : input(input), timeoutMs);
    }

    /** A string is the input's JSON text, as the service's own interface takes it. */
    private static Payload input(JsonNode input) {
        if (!input.isTextual()) {
            return Payload.json(Json.bytes(input));
        }
        try {
            return Payload.json(Json.bytes(Json.read(input.textValue())));
        } catch (IOException e) {
            throw StatesError.whole("StepFunctions.InvalidExecutionInputException", "Invalid execution input: "
                    + JsonFault.located(e, input.textValue()));
        }
    }

    private static Command sendMessage(String step, String message, ObjectNode said, long timeoutMs) {
        String queue = Service.queue(text(said, "QueueUrl"));
        JsonNode body = said.get("MessageBody");
        if (body == null || body.isTextual() && body.textValue().isEmpty()) {
            throw StatesError.whole("SQS.AmazonSQSException", NO_BODY);
        }
        String group = text(said, "MessageGroupId");
        if (group != null && !GROUP.matcher(group).matches()) {
            throw StatesError.whole("SQS.AmazonSQSException", "Value " + group + " for parameter MessageGroupId is invalid. Reason: "
                    + "MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length. "
                    + "(Service: AmazonSQS; Status Code: 400; Error Code: InvalidParameterValue)");
        }
        return new Command.SendMessage(step, message, queue, group, Payload.json(Json.bytes(body)), timeoutMs);
    }
}
