package dev.sand.event;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Records that hosts and frontends read from the global bus, told apart before their shape is looked at. Every record of this
 * platform, of whatever version, is a JSON object that begins with its schema. What does not was written by somebody else:
 * nothing of ours depends on it, and it is passed over. What is ours and newer may matter to what follows it: its partition
 * stops until a platform that understands it reads it, and nothing is lost.
 */
public final class BusRecords {
    private static final JsonFactory JSON = new JsonFactory();

    private BusRecords() {}

    /** Somebody else wrote it, or it is about somebody else. */
    public static final class ForeignException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public ForeignException(String why, Throwable cause) {
            super("it is no record of ours: " + why, cause);
        }
    }

    /** A newer platform wrote it. */
    public static final class NewerException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public NewerException(int schema, int understood) {
            super("a record has schema " + schema + ", this platform understands " + understood);
        }
    }

    /** @return the schema that the record begins with; 0: it begins with none, so it is none of this platform's */
    public static int schema(byte[] bytes) {
        try (JsonParser parser = JSON.createParser(bytes)) {
            boolean ours = parser.nextToken() == JsonToken.START_OBJECT && "schema".equals(parser.nextFieldName());
            return ours ? Math.max(0, parser.nextIntValue(0)) : 0;
        } catch (IOException e) {
            return 0;
        }
    }

    /** @throws NewerException or ForeignException */
    public static <T> T decode(byte[] bytes, Class<T> type, int understood) {
        int schema = schema(bytes);
        if (schema > understood) {
            throw new NewerException(schema, understood);
        }
        try {
            if (schema == 0) {
                throw new ForeignException(bytes.length + " bytes that do not begin with a schema", null);
            }
            return Codec.decode(bytes, type);
        } catch (UncheckedIOException e) {
            throw new ForeignException("not a " + type.getSimpleName() + ", whatever its schema says", e.getCause());
        }
    }

    /** @throws ForeignException when it does not hold */
    public static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new ForeignException(otherwise, null);
        }
    }
}
