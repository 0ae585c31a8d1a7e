package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.Payload;
import dev.sand.workflow.data.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** What a task gets of the message that it sent, in the shape of AWS's {@code sqs:sendMessage}. */
public final class QueueResults {
    private QueueResults() {}

    /** @param body JSON in bytes; of a string, the digest is that of its characters */
    public static Payload sent(String messageId, Payload body) {
        return Payload.json(Json.bytes(Json.NODES.objectNode().put("MD5OfMessageBody", md5(text(body))).put("MessageId", messageId)));
    }

    private static byte[] text(Payload body) {
        try {
            JsonNode json = body.bytes().length > 0 && body.bytes()[0] == '"' ? Json.read(body.bytes()) : null;
            return json == null ? body.bytes() : json.textValue().getBytes(StandardCharsets.UTF_8);
        } catch (IOException e) {
            return body.bytes(); // not JSON: its own bytes
        }
    }

    private static String md5(byte[] text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(text));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has MD5", e);
        }
    }
}
