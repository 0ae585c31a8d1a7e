package dev.sand.frontend.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Set;
import java.util.StringJoiner;

/** What is said of a change in the body of its request, for the audit log: the fields that the document names, before anything is changed. */
final class Noted {
    private Noted() {}

    /** Blocks. @param limit of the body; one that is over it, or is no JSON, is refused by whoever takes it, and has nothing noted */
    static void name(Exchange exchange, Operations.Operation operation, int limit) {
        if (operation.notes().isEmpty()) {
            return;
        }
        JsonNode body;
        try {
            body = Json.MAPPER.readTree(exchange.body(limit, "The body"));
        } catch (IOException | ProblemException e) {
            return;
        }
        Set<String> sealed = operation.account().sealed();
        for (String field : operation.notes()) {
            JsonNode said = body.path(field);
            String asked = sealed.isEmpty() ? exchange.query(field) : null; // a form may have put a password there
            if (!said.isMissingNode() && sealed.contains(field)) {
                exchange.name("password", "reset");
            } else if (!said.isMissingNode()) {
                exchange.name(field, inWords(said));
            } else if (asked != null) {
                exchange.name(field, asked);
            }
        }
    }

    private static String inWords(JsonNode said) {
        if (!said.isArray()) {
            return said.isValueNode() ? said.asText() : said.toString();
        }
        StringJoiner all = new StringJoiner(", ");
        said.forEach(one -> all.add(one.asText()));
        return all.toString();
    }
}
