package dev.sand.frontend.invoke;

import dev.sand.event.Payload;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Problems;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** What a body is, by its Content-Type and, where clients are known to say something else than they mean, by a look at it. */
public final class BodyType {
    private static final String FORM = "application/x-www-form-urlencoded";
    private static final String FIRST_OF_A_SCALAR = "\"-0123456789tfn";

    private BodyType() {}

    /**
     * The rule, which openapi.yaml states: {@code application/json} and no type at all are JSON. So is what {@code curl -d}
     * calls a form without being asked, when it begins like a JSON object or array (no form does) or is one JSON value of
     * another kind. {@code application/x-npy} is an array of numpy's. Every other body is bytes, under the type that it came with.
     *
     * @return the payload's type: exactly {@link Payload#JSON} when the body is to be decoded
     */
    public static String of(String header, ByteBuffer body) {
        if (header == null || header.isBlank()) {
            return Payload.JSON;
        }
        String type = bare(header);
        if (type.equals(Payload.JSON)) {
            return Payload.JSON;
        }
        return type.equals(FORM) && isJson(body) ? Payload.JSON : header;
    }

    private static boolean isJson(ByteBuffer body) {
        int at = body.position();
        while (at < body.limit() && " \t\r\n".indexOf(body.get(at)) >= 0) {
            at++;
        }
        if (at == body.limit()) {
            return false;
        }
        byte first = body.get(at);
        return first == '{' || first == '[' || FIRST_OF_A_SCALAR.indexOf(first) >= 0 && Json.check(body) == null;
    }

    /** The media type without parameters, in lower case. */
    static String bare(String header) {
        int end = header.indexOf(';');
        return (end < 0 ? header : header.substring(0, end)).strip().toLowerCase(Locale.ROOT);
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

    /** @return null when the body is what the type says */
    public static Problem check(String type, ByteBuffer body) {
        if (!body.hasRemaining()) {
            return null;
        }
        return switch (type) {
            case Payload.JSON -> Json.check(body);
            case Payload.NPY -> npy(body);
            default -> null;
        };
    }

    private static Problem npy(ByteBuffer body) {
        String fault = NpyBody.fault(body);
        return fault == null ? null : Problems.badRequest("The body is no .npy array: " + fault + ".");
    }
}
