package dev.sand.frontend.invoke;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.frontend.access.SessionToken;
import dev.sand.frontend.http.HttpExchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/**
 * A routed grain's output as the HTTP response: {@code {status, headers, body, isBase64Encoded}} says all of it; any other
 * output is the body as it is, with its own content type.
 */
public final class WebResponse implements Invoker.Output {
    /** These belong to the connection or follow from the body, or reach beyond the grain's own paths: a grain does not set them. */
    private static final Set<String> OURS = Set.of("connection", "content-length", "transfer-encoding", "keep-alive",
            "upgrade", "trailer", "te", "proxy-connection", "server-timing", "sand-execution-id", "service-worker-allowed", "clear-site-data");

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
        answer(exchange, result);
    }

    /** @param result with a status. @throws dev.sand.frontend.http.ProblemException when that is no response: the grain's mistake */
    public static void answer(HttpExchange exchange, JsonNode result) {
        int status = result.get("status").intValue();
        if (status < 200 || status > 599) {
            throw bad("status is from 200 to 599, not " + status);
        }
        HttpFields.Mutable headers = exchange.headers();
        byte[] body = body(result);
        if (body.length > 0) {
            headers.put(HttpHeader.CONTENT_TYPE, result.path("body").isContainerNode() ? Payload.JSON : "text/plain; charset=utf-8");
        }
        headers(result.path("headers"), headers);
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

    private static void headers(JsonNode given, HttpFields.Mutable headers) {
        if (given.isMissingNode() || given.isNull()) {
            return;
        }
        if (!given.isObject()) {
            throw bad("headers is an object of names and values");
        }
        for (Map.Entry<String, JsonNode> header : given.properties()) {
            String name = header.getKey();
            if (OURS.contains(name.toLowerCase(Locale.ROOT))) {
                continue;
            }
            if (!isToken(name)) {
                throw bad("'" + name + "' is no name of a header");
            }
            if (!name.equalsIgnoreCase("content-security-policy")) { // one more says less, and the platform's own stays
                headers.remove(name);
            }
            for (JsonNode value : header.getValue().isArray() ? header.getValue() : Json.array().add(header.getValue())) {
                String text = value.asText("");
                if (value.isContainerNode() || text.chars().anyMatch(c -> c < ' ' && c != '\t' || c == 0x7F)) {
                    throw bad("the value of header " + name + " has characters that a header cannot have");
                }
                if (!isSession(name, text)) {
                    headers.add(name, text);
                }
            }
        }
    }

    /** No page signs in who looks at it. */
    private static boolean isSession(String name, String value) {
        return name.equalsIgnoreCase("set-cookie") && value.strip().startsWith(SessionToken.COOKIE);
    }

    private static boolean isToken(String name) {
        return !name.isEmpty() && name.chars().allMatch(c -> c > ' ' && c < 0x7F && "()<>@,;:\\\"/[]?={}".indexOf(c) < 0);
    }

    private static JsonNode parse(byte[] bytes) {
        try {
            return Json.MAPPER.readTree(bytes);
        } catch (IOException e) {
            return null;
        }
    }

    private static RuntimeException bad(String why) {
        return new Problem("bad-response", "The grain's result is not an HTTP response", 500, "In the grain's result, " + why
                + ".", Failure.Source.GRAIN, false, Map.of()).asException();
    }
}
