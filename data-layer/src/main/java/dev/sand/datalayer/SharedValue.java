package dev.sand.datalayer;

import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.Payload;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * How a value of shared/ is stored: its content type and bytes behind a schema byte. A whole number in JSON is stored as its
 * bare digits, so that a counter and a value put by hand are the same thing.
 */
final class SharedValue {
    private static final byte SCHEMA = 1;
    private static final int MAX_DIGITS = 19;

    private SharedValue() {}

    static byte[] encode(String contentType, byte[] bytes) {
        if (contentType.equals(Payload.JSON) && isWholeNumber(bytes)) {
            return bytes;
        }
        byte[] type = contentType.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(3 + type.length + bytes.length)
                .put(SCHEMA).putShort((short) type.length).put(type).put(bytes).array();
    }

    /** @return the value with its bytes, however large */
    static Payload decode(String key, byte[] stored) {
        if (isWholeNumber(stored)) {
            return Payload.json(stored);
        }
        ByteBuffer buffer = ByteBuffer.wrap(stored);
        byte schema = buffer.get();
        if (schema != SCHEMA) {
            throw new StoreException(Kind.BROKEN, "the value of \"" + key + "\" has schema " + schema
                    + ", which this platform does not understand", 0, null);
        }
        byte[] type = new byte[Short.toUnsignedInt(buffer.getShort())];
        buffer.get(type);
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return new Payload(new String(type, StandardCharsets.UTF_8), bytes, null);
    }

    private static boolean isWholeNumber(byte[] bytes) {
        int start = bytes.length > 0 && bytes[0] == '-' ? 1 : 0;
        int digits = bytes.length - start;
        if (digits < 1 || digits > MAX_DIGITS || digits > 1 && bytes[start] == '0') {
            return false;
        }
        for (int i = start; i < bytes.length; i++) {
            if (bytes[i] < '0' || bytes[i] > '9') {
                return false;
            }
        }
        return true;
    }
}
