package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.workflow.asl.State;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Document.PayloadSource;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.JsonFault;
import dev.sand.workflow.data.ReferencePath;
import dev.sand.workflow.data.StatesError;
import java.io.IOException;

/** What a task asks that invokes a function, and what it gets, as AWS's {@code lambda:invoke} has both. */
record Invocation(String grain, Document payload, Invocation.Kind kind) {
    private static final String PAYLOAD = "Payload";
    private static final ReferencePath RESULT = ReferencePath.parse("$." + PAYLOAD);

    /** By its InvocationType. */
    enum Kind {
        REQUEST_RESPONSE("RequestResponse", 200),
        /** What the function gives, and whether it fails, is not the state's concern. */
        EVENT("Event", 202),
        /** It is not called. */
        DRY_RUN("DryRun", 204);

        private final String type;
        private final int status;

        Kind(String type, int status) {
            this.type = type;
            this.status = status;
        }

        /** @param output what the function gave; @return the task's result */
        Document result(Document output, PayloadSource source) {
            ObjectNode response = Json.NODES.objectNode();
            if (this == REQUEST_RESPONSE) {
                response.put("ExecutedVersion", "$LATEST").putNull(PAYLOAD).put("StatusCode", status);
                return Document.of(response, 64).with(RESULT, output, source);
            }
            response.putObject(PAYLOAD);
            return Document.of(response.put("StatusCode", status), 32);
        }
    }

    /** @throws StatesError States.Runtime for arguments that make no call; by another name when the service would decline it */
    static Invocation asked(Document arguments, boolean isJsonata, PayloadSource source) {
        ObjectNode said = ServiceParameters.INVOKE.checked(arguments.node(source), isJsonata);
        String name = said.get("FunctionName").textValue();
        String grain = State.Task.function(name);
        if (grain == null) {
            throw StatesError.runtime("The field FunctionName must name a function, it is " + Json.text(said.get("FunctionName")));
        }
        return new Invocation(grain, payload(said.get(PAYLOAD), arguments.sizeHint()), kind(said.get("InvocationType")));
    }

    /** A string is the payload's JSON text, as the service's own interface takes it; an empty one is none. */
    private static Document payload(JsonNode given, long sizeHint) {
        if (given == null || given.isTextual() && given.textValue().isEmpty()) {
            return Document.of(Json.NODES.objectNode(), 2);
        }
        if (!given.isTextual()) {
            return Document.of(given, sizeHint);
        }
        try {
            return Document.of(Json.read(given.textValue()), sizeHint);
        } catch (IOException e) {
            throw StatesError.whole("Lambda.InvalidRequestContentException", "Could not parse request body into json: "
                    + "Could not parse payload into json: " + JsonFault.located(e, given.textValue()));
        }
    }

    private static Kind kind(JsonNode type) {
        if (type == null) {
            return Kind.REQUEST_RESPONSE;
        }
        for (Kind kind : Kind.values()) {
            if (kind.type.equals(type.textValue())) {
                return kind;
            }
        }
        throw StatesError.whole("Lambda.AWSLambdaException", "1 validation error detected: Value '" + type.textValue()
                + "' at 'invocationType' failed to satisfy constraint: Member must satisfy enum value set: [Event, RequestResponse, DryRun]");
    }
}
