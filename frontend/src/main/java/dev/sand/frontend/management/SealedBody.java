package dev.sand.frontend.management;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.frontend.access.Sealing;
import dev.sand.frontend.http.HttpExchange;
import dev.sand.frontend.http.Operations;
import dev.sand.frontend.http.Problems;

/** The body of an operation that passwords are in: nothing of it reaches a grain in the open but what the document says may. */
final class SealedBody {
    private static final int MOST_CHARACTERS = 1024;
    private static final String USER = "[a-z][a-z0-9._-]{1,62}";

    private SealedBody() {}

    /** In place. @param body or null; @param execution that may open it. @throws dev.sand.frontend.http.ProblemException 400 */
    static void seal(Sealing sealing, HttpExchange exchange, Operations.Account account, String execution, JsonNode body) {
        if (body == null || body.isNull()) {
            return; // the grain says what is missing
        }
        if (!(body instanceof ObjectNode object)) {
            throw Problems.badRequest("The body is an object with " + String.join(", ", account.fields()) + ".").asException();
        }
        object.fieldNames().forEachRemaining(name -> {
            if (!account.fields().contains(name)) { // it may be a password under a misspelt name
                throw Problems.badRequest("The body has a field too many: it may have " + String.join(", ", account.fields()) + ".")
                        .asException();
            }
        });
        for (String name : account.sealed()) {
            JsonNode value = object.path(name);
            if (value.isMissingNode() || value.isNull()) {
                continue;
            }
            if (!value.isTextual() || value.textValue().isEmpty() || value.textValue().codePointCount(0, value.textValue().length()) > MOST_CHARACTERS) {
                throw Problems.badRequest("\"" + name + "\" is a text of 1 to " + MOST_CHARACTERS + " characters.").asException();
            }
            object.put(name, sealing.seal(execution, "/" + name, value.textValue()));
        }
        if (object.path("name").isTextual() && object.get("name").textValue().matches(USER)) {
            exchange.name("user", object.get("name").textValue());
        }
    }
}
