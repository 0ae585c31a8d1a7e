package dev.sand.frontend.invoke;

import dev.sand.event.Payload;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** What a body is, by its Content-Type and, where clients are known to say something else than they mean, by a look at it. */
final class ContentType {
    private static final String FORM = "application/x-www-form-urlencoded";

    private ContentType() {}

    /**
     * @return the payload's type: exactly {@link Payload#JSON} when the body is to be decoded. No type at all counts as
     *     JSON; so does a "form" that starts like a JSON object or array, which is what {@code curl -d '{…}'} sends and what
     *     no form looks like.
     */
    static String of(String header, ByteBuffer body) {
        if (header == null || header.isBlank()) {
            return Payload.JSON;
        }
        String type = bare(header);
        if (type.equals(Payload.JSON)) {
            return Payload.JSON;
        }
        if (type.equals(FORM) && body.hasRemaining()) {
            byte first = body.get(body.position());
            if (first == '{' || first == '[') {
                return Payload.JSON;
            }
        }
        return header;
    }

    /** The media type without parameters, in lower case. */
    static String bare(String header) {
        int end = header.indexOf(';');
        return (end < 0 ? header : header.substring(0, end)).strip().toLowerCase(java.util.Locale.ROOT);
    }

    /** Whether a body of this type is text that people would want as a string. */
    static boolean isText(String bare) {
        return bare.startsWith("text/") || bare.equals(Payload.JSON) || bare.equals(FORM) || bare.endsWith("+json")
                || bare.endsWith("/xml") || bare.endsWith("+xml") || bare.equals("application/javascript");
    }

    /** @return null when it is not UTF-8 */
    static String utf8(ByteBuffer body) {
        try {
            CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(body.duplicate());
            return text.toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    static Problem check(String type, ByteBuffer body) {
        return type.equals(Payload.JSON) && body.hasRemaining() ? Json.check(body) : null;
    }
}
