package dev.sand.frontend.http;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;

/** A request over HTTP and its answer: a thin adapter over Jetty. */
public final class HttpExchange extends Exchange {
    private static final HttpField PROBLEM = new HttpField(HttpHeader.CONTENT_TYPE, Problem.CONTENT_TYPE);
    private static final HttpField JSON = new HttpField(HttpHeader.CONTENT_TYPE, "application/json");
    private final Request request;
    private final Response response;
    private final Callback callback;
    private Fields query;
    private byte[] body;
    /** All of the answer is out. */
    private volatile boolean ended;
    private BooleanSupplier admitted = () -> true;
    private Caller caller = Caller.ANYBODY;
    private Proxies proxies = Proxies.NONE;

    public HttpExchange(Request request, Response response, Callback callback, Map<String, String> path) {
        super(path);
        this.request = request;
        this.response = response;
        this.callback = callback;
    }

    /** @param still whether who asks may go on; blocks */
    void isAdmitted(BooleanSupplier still) {
        admitted = still;
    }

    boolean isAdmitted() {
        return admitted.getAsBoolean();
    }

    void isBy(Caller who, Proxies trusted) {
        caller = who;
        proxies = trusted;
    }

    @Override
    public String tenant() {
        return caller.tenant();
    }

    @Override
    public Set<Scope> scopes() {
        return caller.scopes();
    }

    /** Who asks. */
    public Caller caller() {
        return caller;
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

    @Override
    public String method() {
        return request.getMethod();
    }

    @Override
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

    @Override
    public String query(String name) {
        if (query == null) {
            query = query(request);
        }
        return query.getValue(name);
    }

    /** All query parameters; the first value of each. */
    public Map<String, String> queries() {
        Map<String, String> all = new LinkedHashMap<>();
        query(request).forEach(field -> all.putIfAbsent(field.getName(), field.getValue()));
        return all;
    }

    @Override
    public byte[] body(int limit, String what) throws IOException {
        if (body == null) {
            body = Body.readAll(request, limit, what);
        } else if (body.length > limit) {
            throw Problems.tooLarge(what, limit, body.length).asException();
        }
        return body;
    }

    @Override
    public String where() {
        return where(request);
    }

    private static String where(Request request) {
        String path = request.getHttpURI() == null ? null : request.getHttpURI().getPath();
        // Jetty's word for a request line that it could not read.
        return "/badMessage".equals(path) ? null : path;
    }

    @Override
    public String address() {
        String peer = request.getConnectionMetaData().getRemoteSocketAddress() instanceof InetSocketAddress address
                ? address.getAddress().getHostAddress() : null;
        return proxies.client(peer, request.getHeaders());
    }

    @Override
    public int status() {
        return response.getStatus();
    }

    @Override
    public boolean hasBegun() {
        return ended || response.isCommitted();
    }

    /** What was written is all of the answer. */
    void end() {
        ended = true;
        callback.succeeded();
    }

    @Override
    public HttpFields.Mutable headers() {
        return response.getHeaders();
    }

    @Override
    public void json(int status, Object body) {
        response.setStatus(status);
        response.getHeaders().put(JSON);
        response.write(true, ByteBuffer.wrap(Json.bytes(body)), callback);
    }

    @Override
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

    @Override
    public void empty(int status) {
        response.setStatus(status);
        response.write(true, null, callback);
    }

    /**
     * Answers once the request has been read to its end: a connection with a body left in it cannot be used again, and is
     * closed under the client's next request.
     */
    @Override
    public void problem(Problem problem) {
        failed(problem);
        if (ended) {
            return; // the client has been told what there was to tell, and a stream closed before its cause came here
        }
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
        boolean later = problem.status() == 429 && problem.retryable() || problem.status() == 503 || problem.status() == 507;
        if (later && !response.getHeaders().contains(HttpHeader.RETRY_AFTER)) {
            response.getHeaders().put(HttpHeader.RETRY_AFTER, problem.retryAfterSeconds());
        }
        response.write(true, ByteBuffer.wrap(problem.toJson(where(request))), callback);
    }
}
