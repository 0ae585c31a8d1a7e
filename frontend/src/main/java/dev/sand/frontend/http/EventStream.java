package dev.sand.frontend.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;

/**
 * Server-sent events, or a JSON object a line where the client would rather have that. Written by one virtual thread, which
 * blocks while the client does not read; a comment now and then shows that the line is alive, and finds out when it is not.
 */
public final class EventStream implements AutoCloseable {
    public static final String SSE = "text/event-stream";
    public static final String NDJSON = "application/x-ndjson";
    private final HttpExchange exchange;
    private final OutputStream out;
    private final boolean lines;

    private EventStream(HttpExchange exchange, boolean lines) {
        this.exchange = exchange;
        this.lines = lines;
        this.out = Content.Sink.asOutputStream(exchange.response());
    }

    public static boolean wanted(HttpExchange exchange) {
        return exchange.accepts(SSE) || exchange.accepts(NDJSON);
    }

    public static EventStream open(HttpExchange exchange) throws IOException {
        boolean lines = exchange.accepts(NDJSON) && !exchange.accepts(SSE);
        exchange.response().setStatus(200);
        exchange.headers().put(HttpHeader.CONTENT_TYPE, lines ? NDJSON : SSE);
        exchange.headers().put(HttpHeader.CACHE_CONTROL, "no-store");
        // nginx would hold events back until its buffer is full.
        exchange.headers().put("X-Accel-Buffering", "no");
        EventStream stream = new EventStream(exchange, lines);
        stream.alive();
        return stream;
    }

    /** @param id for Last-Event-ID, or null; @throws IOException when the client has gone */
    public void send(String event, String id, Object data) throws IOException {
        String json = new String(Json.bytes(data), StandardCharsets.UTF_8);
        String text = lines ? Json.object().put("event", event).set("data", Json.tree(data)) + "\n"
                : (id == null ? "" : "id: " + id + "\n") + "event: " + event + "\ndata: " + json + "\n\n";
        write(text);
    }

    /** @throws IOException when the client has gone */
    public void alive() throws IOException {
        write(lines ? "\n" : ": alive\n\n");
    }

    private void write(String text) throws IOException {
        if (!exchange.isAdmitted()) {
            throw new IOException("the key that this stream was opened with is no longer good");
        }
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    @Override
    public void close() throws IOException {
        out.close();
        exchange.end();
    }
}
