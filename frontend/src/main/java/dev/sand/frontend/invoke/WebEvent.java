package dev.sand.frontend.invoke;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.frontend.http.HttpExchange;
import dev.sand.frontend.http.Json;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Fields;

/**
 * An HTTP request as the event of a routed grain: {@code {method, path, parameters, query, rawQuery, headers, body,
 * isBase64Encoded}}. Names of headers are in lower case; repeated headers and query parameters are joined with commas; a
 * text body is a string, any other is base 64.
 */
final class WebEvent {
    private WebEvent() {}

    static byte[] of(Request request, String path, Map<String, String> parameters, ByteBuffer body) {
        ObjectNode event = Json.object();
        event.put("method", request.getMethod()).put("path", path);
        ObjectNode fromPath = event.putObject("parameters");
        parameters.forEach(fromPath::put);
        ObjectNode query = event.putObject("query");
        for (Fields.Field field : HttpExchange.query(request)) {
            query.put(field.getName(), String.join(",", field.getValues()));
        }
        String raw = request.getHttpURI().getQuery();
        event.put("rawQuery", raw == null ? "" : raw);
        ObjectNode headers = event.putObject("headers");
        for (HttpField field : request.getHeaders()) {
            String name = field.getName().toLowerCase(Locale.ROOT);
            String before = headers.path(name).asText(null);
            headers.put(name, before == null ? field.getValue() : before + ", " + field.getValue());
        }
        body(event, request.getHeaders().get(HttpHeader.CONTENT_TYPE), body);
        return Json.bytes(event);
    }

    private static void body(ObjectNode event, String contentType, ByteBuffer body) {
        if (!body.hasRemaining()) {
            event.putNull("body").put("isBase64Encoded", false);
            return;
        }
        String bare = contentType == null ? "" : BodyType.bare(contentType);
        String text = BodyType.isText(bare) ? BodyType.utf8(body) : null;
        if (text != null) {
            event.put("body", text).put("isBase64Encoded", false);
        } else {
            byte[] bytes = Arrays.copyOfRange(body.array(), body.arrayOffset() + body.position(),
                    body.arrayOffset() + body.limit());
            event.put("body", Base64.getEncoder().encodeToString(bytes)).put("isBase64Encoded", true);
        }
    }
}
