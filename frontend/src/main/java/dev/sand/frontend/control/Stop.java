package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.Errors;
import dev.sand.event.Limits;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.ProblemException;
import dev.sand.frontend.http.Problems;
import java.io.IOException;

/**
 * What an execution is stopped with, from the body of {@code …/cancel}: {@code error} and {@code cause} as AWS's StopExecution
 * has them, each as it is given. Without a body, and for what it does not say, the platform's own.
 *
 * @param error null: neither is given
 */
record Stop(String error, String cause) {
    /** As on AWS. */
    static final int MOST_ERROR = 256;
    static final int MOST_CAUSE = Limits.CAUSE_BYTES;
    private static final int MOST_BYTES = 1 << 20;
    private static final String WHY = "cancelled through the API";

    static Stop of(Exchange exchange, String executionId) throws IOException {
        JsonNode body = JsonBody.object(exchange, MOST_BYTES,
                "The body is a JSON object with an \"error\" and a \"cause\", or there is none.");
        if (body == null) {
            return new Stop(null, WHY);
        }
        body.fieldNames().forEachRemaining(Stop::requireKnown);
        String error = text(body, "error", MOST_ERROR);
        String cause = text(body, "cause", MOST_CAUSE);
        if (error != null && error.startsWith("Sand.")) {
            throw Problems.badRequest("\"error\" is a name of your own: those that begin with \"Sand.\" are the platform's.")
                    .asException();
        }
        return error == null && cause == null ? new Stop(null, WHY) : new Stop(error == null ? Errors.CANCELLED : error,
                cause == null ? "execution " + executionId + " was cancelled: " + WHY : cause);
    }

    private static void requireKnown(String name) {
        if (!name.equals("error") && !name.equals("cause")) {
            throw Problems.badRequest("\"" + name
                    + "\" says nothing here: an execution is stopped with \"error\" and \"cause\".").asException();
        }
    }

    /** @return null: it is not given */
    private static String text(JsonNode body, String field, int most) throws ProblemException {
        JsonNode value = body.path(field);
        if (value.isMissingNode() || value.isNull()) {
            return null;
        }
        if (!value.isTextual()) {
            throw Problems.badRequest("\"" + field + "\" is a string.").asException();
        }
        int length = value.textValue().codePointCount(0, value.textValue().length());
        if (length > most) {
            throw Problems.badRequest("\"" + field + "\" has " + length + " characters, the limit is " + most + ".").asException();
        }
        return value.textValue();
    }
}
