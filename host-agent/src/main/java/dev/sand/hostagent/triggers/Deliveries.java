package dev.sand.hostagent.triggers;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import dev.sand.event.Digests;
import dev.sand.event.Failure;
import dev.sand.event.Ids;
import dev.sand.event.Payload;
import dev.sand.event.Slots;
import dev.sand.globalbus.QueueMessage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Locale;

/** What an invocation is called and what it gets: the same for the same messages, so that a second delivery joins the first. */
final class Deliveries {
    private static final JsonFactory JSON = JsonFactory.builder().enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8).build();

    private Deliveries() {}

    /** An id that falls into the partition's slot: the host that delivers owns the execution too. */
    static String executionId(String application, String queue, Batch batch, int slots) {
        MessageDigest digest = Digests.sha256();
        digest.update((application + "\0" + queue + "\0" + batch.attempt()).getBytes(StandardCharsets.UTF_8));
        for (Batch.Held held : batch.messages()) {
            digest.update(("\0" + held.message().id()).getBytes(StandardCharsets.UTF_8));
        }
        ByteBuffer drawn = ByteBuffer.wrap(digest.digest());
        long epochMs = Math.max(0, batch.messages().getFirst().message().enqueuedMs());
        long low64 = drawn.getLong();
        return Slots.placed(Ids.encode(epochMs, drawn.getShort(), low64), batch.partition(), slots);
    }

    /** One message is the event itself; of a queue with batches, the event is a list. */
    static Payload event(Batch batch, boolean list) {
        if (!list) {
            return batch.messages().getFirst().message().payload();
        }
        return json(out -> {
            out.writeStartArray();
            for (Batch.Held held : batch.messages()) {
                QueueMessage message = held.message();
                out.writeStartObject();
                out.writeStringField("id", message.id());
                out.writeStringField("group", message.group());
                out.writeNumberField("enqueuedMs", message.enqueuedMs());
                payload(out, message.payload());
                out.writeEndObject();
            }
            out.writeEndArray();
        });
    }

    /** What the handler of a dead letter gets. */
    static Payload told(String queue, QueueMessage message, int attempts, Failure failure, String executionId) {
        return json(out -> {
            out.writeStartObject();
            out.writeStringField("queue", queue);
            out.writeStringField("id", message.id());
            out.writeStringField("group", message.group());
            out.writeNumberField("enqueuedMs", message.enqueuedMs());
            out.writeNumberField("attempts", attempts);
            out.writeStringField("executionId", executionId);
            out.writeObjectFieldStart("failure");
            out.writeStringField("error", failure.error());
            out.writeStringField("cause", failure.cause());
            out.writeStringField("source", failure.source().name().toLowerCase(Locale.ROOT));
            out.writeEndObject();
            payload(out, message.payload());
            out.writeEndObject();
        });
    }

    private static void payload(JsonGenerator out, Payload payload) throws IOException {
        if (payload.isJson()) {
            out.writeFieldName("payload");
            out.writeRawValue(new String(payload.bytes(), StandardCharsets.UTF_8));
        } else {
            out.writeStringField("contentType", payload.contentType());
            out.writeStringField("payload", Base64.getEncoder().encodeToString(payload.bytes()));
            out.writeBooleanField("isBase64Encoded", true);
        }
    }

    /** The event of a schedule. @param input JSON or null */
    static Payload fire(String trigger, long scheduledMs, String input) {
        return json(out -> {
            out.writeStartObject();
            out.writeStringField("trigger", trigger);
            out.writeStringField("scheduled", Instant.ofEpochMilli(scheduledMs).toString());
            if (input != null) {
                out.writeFieldName("input");
                out.writeRawValue(input);
            }
            out.writeEndObject();
        });
    }

    /** The event of a change of data. @param version 0: not known any more */
    static Payload change(String key, String operation, long version) {
        return json(out -> {
            out.writeStartObject();
            out.writeStringField("key", key);
            out.writeStringField("operation", operation);
            if (version > 0) {
                out.writeNumberField("version", version);
            }
            out.writeEndObject();
        });
    }

    private interface Writing {
        void to(JsonGenerator out) throws IOException;
    }

    private static Payload json(Writing writing) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = JSON.createGenerator(bytes)) {
            writing.to(out);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return Payload.json(bytes.toByteArray());
    }

    static List<String> ids(Batch batch) {
        return batch.messages().stream().map(held -> held.message().id()).toList();
    }
}
