package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Problems;
import dev.sand.workflow.data.Json;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The JSON object in the body of a request of the control plane, read so that no number in it changes. */
final class JsonBody {
    private JsonBody() {}

    /**
     * Blocks until the body is there.
     *
     * @param most bytes
     * @param expected the sentence that says what is to be in it
     * @return null: there is no body
     * @throws dev.sand.frontend.http.ProblemException when it is over the limit, or is no object
     */
    static JsonNode object(Exchange exchange, int most, String expected) throws IOException {
        byte[] bytes = exchange.body(most, "The body");
        return bytes.length == 0 ? null : object(bytes, expected);
    }

    /**
     * Of an operation that takes none; blocks until it is there.
     *
     * @throws dev.sand.frontend.http.ProblemException when it is none that an operation could have
     */
    static void ignored(Exchange exchange, int most) throws IOException {
        byte[] bytes = exchange.body(most, "The body");
        if (bytes.length > 0) {
            JsonNode body = read(bytes);
            if (body == null || body.isNull()) { // which management could not tell from no body
                throw Problems.badRequest("The body is null: leave it out, or send what the document says.").asException();
            }
        }
    }

    private static JsonNode read(byte[] bytes) {
        try {
            return Json.read(bytes);
        } catch (IOException e) {
            throw dev.sand.frontend.http.Json.malformed(e, ByteBuffer.wrap(bytes)).asException();
        }
    }

    /** As above, of a body that was read. */
    static JsonNode object(byte[] bytes, String expected) {
        JsonNode body = read(bytes);
        if (body == null || !body.isObject()) {
            throw Problems.badRequest(expected).asException();
        }
        return body;
    }
}
