package dev.sand.frontend.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;

/** One request and its answer, as operations see them: a thin adapter over Jetty. An exchange is answered exactly once. */
public final class Exchange {
    private static final HttpField PROBLEM = new HttpField(HttpHeader.CONTENT_TYPE, Problem.CONTENT_TYPE);
    private static final HttpField JSON = new HttpField(HttpHeader.CONTENT_TYPE, "application/json");
    private final Request request;
    private final Response response;
    private final Callback callback;
    private final Map<String, String> path;
    private Map<String, String> named;
    private Fields query;
    private volatile Problem failure;

    public Exchange(Request request, Response response, Callback callback, Map<String, String> path) {
        this.request = request;
        this.response = response;
        this.callback = callback;
        this.path = path;
    }

    public Request request() {
        return request;
    }

    public Response response() {
        return response;
    }

    public Callback callback() {
        return callback;
    }

    /** A parameter of the route's template, decoded. */
    public String path(String name) {
        return path.get(name);
    }

    /** Says of a change, for the audit log, what its path does not. */
    public void name(String what, Object value) {
        if (named == null) {
            named = new HashMap<>(path);
        }
        named.put(what, String.valueOf(value));
    }

    /** What the path names, and what was said since. */
    Map<String, String> named() {
        return named == null ? path : named;
    }

    /** It did not work, though the answer has begun and its status says nothing of that. */
    public void failed(Problem problem) {
        failure = problem;
    }

    /** Null: it worked. */
    Problem failure() {
        return failure;
    }

    public String method() {
        return request.getMethod();
    }

    public String header(String name) {
        return request.getHeaders().get(name);
    }

    /** @throws ProblemException when it is not well-formed, or no UTF-8 */
    public static Fields query(Request request) {
        try {
            return Request.extractQueryParameters(request);
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw Problems.badRequest("The query string is not well-formed: " + e.getMessage()).asException();
        }
    }

    /** @return the query parameter, or null */
    public String query(String name) {
        if (query == null) {
            query = query(request);
        }
        return query.getValue(name);
    }

    /** @throws ProblemException when it is there and not a number in the range */
    public int query(String name, int otherwise, int min, int max) {
        String text = query(name);
        if (text == null) {
            return otherwise;
        }
        try {
            int value = Integer.parseInt(text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Said below, with the range.
        }
        throw Problems.badRequest("Query parameter '" + name + "' is a number from " + min + " to " + max + ", not '" + text + "'.")
                .asException();
    }

    public boolean flag(String name) {
        String text = query(name);
        if (text == null || text.equals("false")) {
            return false;
        }
        if (text.isEmpty() || text.equals("true")) {
            return true;
        }
        throw Problems.badRequest("Query parameter '" + name + "' is true or false, not '" + text + "'.").asException();
    }

    /** Whether the client lists the media type in Accept by name. */
    public boolean accepts(String mediaType) {
        String accept = header("Accept");
        return accept != null && accept.contains(mediaType);
    }

    public HttpFields.Mutable headers() {
        return response.getHeaders();
    }

    public void json(int status, Object body) {
        response.setStatus(status);
        response.getHeaders().put(JSON);
        response.write(true, ByteBuffer.wrap(Json.bytes(body)), callback);
    }

    public void bytes(int status, String contentType, ByteBuffer body) {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, contentType);
        response.write(true, body, callback);
    }

    /** Writes a body that is read as it is written; blocks. @throws IOException when either end breaks */
    public void stream(int status, String contentType, long size, StreamedBody body) throws IOException {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, contentType);
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, size);
        OutputStream out = Content.Sink.asOutputStream(response);
        try {
            body.writeTo(out);
        } catch (IOException | RuntimeException e) {
            // Not closed, which would say that this was all of it.
            response.getHeaders().remove(HttpHeader.CONTENT_LENGTH);
            throw e;
        }
        out.close();
        callback.succeeded();
    }

    /** Writes a response's body. */
    public interface StreamedBody {
        void writeTo(OutputStream out) throws IOException;
    }

    public void empty(int status) {
        response.setStatus(status);
        response.write(true, null, callback);
    }

    /**
     * Answers once the request has been read to its end: a connection with a body left in it cannot be used again, and is
     * closed under the client's next request.
     */
    public void problem(Problem problem) {
        failure = problem;
        Body.discard(request, () -> write(problem, request, response, callback));
    }

    static void write(Problem problem, Request request, Response response, Callback callback) {
        if (response.isCommitted()) {
            // Half an answer is out: cutting the connection is the only way left to say that it is not whole.
            callback.failed(new ProblemException(problem));
            return;
        }
        response.setStatus(problem.status());
        response.getHeaders().put(PROBLEM);
        if (problem.status() == 429 || problem.status() == 503 || problem.status() == 507) {
            response.getHeaders().put(HttpHeader.RETRY_AFTER, "1");
        }
        String path = request.getHttpURI() == null ? null : request.getHttpURI().getPath();
        // Jetty's word for a request line that it could not read.
        String instance = "/badMessage".equals(path) ? null : path;
        response.write(true, ByteBuffer.wrap(problem.toJson(instance)), callback);
    }
}
