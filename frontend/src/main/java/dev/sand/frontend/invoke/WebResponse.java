package dev.sand.frontend.invoke;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.frontend.http.HttpExchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/**
 * A routed grain's output as the HTTP response: {@code {status, headers, body, isBase64Encoded}} says all of it; any other
 * output is the body as it is, with its own content type.
 */
public final class WebResponse implements Invoker.Output {
    private static final String PAGES = "/web/";

    @Override
    public boolean isQuick(Payload output) {
        return false;
    }

    @Override
    public void write(HttpExchange exchange, Payload output) {
        byte[] bytes = output.bytes();
        JsonNode result = output.isJson() && bytes.length > 0 && bytes[0] == '{' ? parse(bytes) : null;
        if (result == null || !result.path("status").isInt()) {
            exchange.bytes(200, output.contentType(), ByteBuffer.wrap(bytes));
            return;
        }
        String path = exchange.request().getHttpURI().getCanonicalPath();
        answer(exchange, result, pages(path), path);
    }

    /** Of the application that the path is of. */
    private static String pages(String path) {
        int end = path.indexOf('/', PAGES.length());
        return end < 0 ? path : path.substring(0, end);
    }

    /**
     * Of a grain that answers for the platform itself.
     *
     * @param result with a status
     * @throws dev.sand.frontend.http.ProblemException when that is no response: the grain's mistake
     */
    public static void answer(HttpExchange exchange, JsonNode result) {
        answer(exchange, result, null, null);
    }

    private static void answer(HttpExchange exchange, JsonNode result, String pages, String path) {
        int status = result.get("status").intValue();
        if (status < 200 || status > 599) {
            throw bad("status is from 200 to 599, not " + status);
        }
        HttpFields.Mutable headers = exchange.headers();
        byte[] body = body(result);
        if (body.length > 0) {
            headers.put(HttpHeader.CONTENT_TYPE, result.path("body").isContainerNode() ? Payload.JSON : "text/plain; charset=utf-8");
        }
        PageHeaders.copy(result.path("headers"), pages, path, headers);
        exchange.response().setStatus(status);
        boolean none = status == 204 || status == 304;
        exchange.response().write(true, none || body.length == 0 ? null : ByteBuffer.wrap(body), exchange.callback());
    }

    private static byte[] body(JsonNode result) {
        JsonNode body = result.path("body");
        if (body.isMissingNode() || body.isNull()) {
            return new byte[0];
        }
        if (!body.isTextual()) {
            return Json.bytes(body);
        }
        if (!result.path("isBase64Encoded").asBoolean(false)) {
            return body.textValue().getBytes(StandardCharsets.UTF_8);
        }
        try {
            return Base64.getDecoder().decode(body.textValue());
        } catch (IllegalArgumentException e) {
            throw bad("isBase64Encoded is set, but the body is not base 64: " + e.getMessage());
        }
    }

    private static JsonNode parse(byte[] bytes) {
        try {
            return Json.MAPPER.readTree(bytes);
        } catch (IOException e) {
            return null;
        }
    }

    static RuntimeException bad(String why) {
        return new Problem("bad-response", "The grain's result is not an HTTP response", 500, "In the grain's result, " + why
                + ".", Failure.Source.GRAIN, false, Map.of()).asException();
    }
}
