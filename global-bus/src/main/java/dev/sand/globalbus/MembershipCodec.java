package dev.sand.globalbus;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sand.event.Codec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;

/** Bytes of the topics {@code slots} and {@code hosts} to records. */
final class MembershipCodec {
    private static final JsonMapper MAPPER = new JsonMapper();

    /** A record of a platform newer than this one: what it says is not known, that it was said is. */
    static final class NewerSchemaException extends Exception {
        private static final long serialVersionUID = 1L;

        NewerSchemaException(int schema) {
            super("schema " + schema + ", this platform understands " + MembershipRecord.SCHEMA);
        }
    }

    private MembershipCodec() {}

    /** Empty when the bytes are no record of ours. */
    static Optional<MembershipRecord> decode(byte[] bytes) throws NewerSchemaException {
        JsonNode tree = tree(bytes);
        if (tree == null || !tree.path("schema").isInt()) {
            return Optional.empty();
        }
        int schema = tree.path("schema").asInt();
        if (schema > MembershipRecord.SCHEMA) {
            throw new NewerSchemaException(schema);
        }
        try {
            return switch (tree.path("kind").asText()) {
                case MembershipRecord.Claim.KIND -> Optional.of(Codec.decode(bytes, MembershipRecord.Claim.class));
                case MembershipRecord.Release.KIND -> Optional.of(Codec.decode(bytes, MembershipRecord.Release.class));
                case MembershipRecord.Card.KIND -> Optional.of(Codec.decode(bytes, MembershipRecord.Card.class));
                case MembershipRecord.Reads.KIND -> Optional.of(Codec.decode(bytes, MembershipRecord.Reads.class));
                case MembershipRecord.Joining.KIND -> Optional.of(Codec.decode(bytes, MembershipRecord.Joining.class));
                default -> Optional.empty();
            };
        } catch (UncheckedIOException e) {
            return Optional.empty();
        }
    }

    private static JsonNode tree(byte[] bytes) {
        try {
            return MAPPER.readTree(bytes);
        } catch (IOException e) {
            return null;
        }
    }
}
