package dev.sand.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Records as JSON bytes and back. Bytes are base 64; unknown fields of stored ones are refused, since only a newer schema has them.
 */
public final class Codec {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(MapperFeature.AUTO_DETECT_IS_GETTERS) // a record is its components: isJson() is no field
            .serializationInclusion(JsonInclude.Include.NON_NULL)
            .build();

    private static final ObjectReader DESCRIPTIONS = MAPPER.reader().without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    private Codec() {}

    public static byte[] encode(Object record) {
        try {
            return MAPPER.writeValueAsBytes(record);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("cannot encode a " + record.getClass().getSimpleName(), e);
        }
    }

    /** @throws UncheckedIOException when the bytes are not such a record */
    public static <T> T decode(byte[] bytes, Class<T> type) {
        try {
            return MAPPER.readValue(bytes, type);
        } catch (IOException e) {
            throw new UncheckedIOException("not a " + type.getSimpleName(), e);
        }
    }

    /** What another host says of itself to be shown: a newer one may say more. @throws UncheckedIOException as decode */
    public static <T> T decodeDescription(byte[] bytes, Class<T> type) {
        try {
            return DESCRIPTIONS.readValue(bytes, type);
        } catch (IOException e) {
            throw new UncheckedIOException("not a " + type.getSimpleName(), e);
        }
    }
}
