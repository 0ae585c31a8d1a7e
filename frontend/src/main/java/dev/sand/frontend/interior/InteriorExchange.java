package dev.sand.frontend.interior;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.ControlPort;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Operations;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.http.Scope;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.util.URIUtil;

/** An operation that a grain calls: its arguments are JSON, and so is its answer. Nothing of HTTP is between. */
final class InteriorExchange extends Exchange {
    private static final Set<String> ARGUMENTS = Set.of("parameters", "query", "headers", "body");
    private static final byte[] NONE = {};
    private final Operations.Operation operation;
    private final String path;
    private final Map<String, String> query;
    private final Map<String, String> headers;
    private final byte[] body;
    private final ControlPort.Asker asker;
    private final HttpFields.Mutable answered = HttpFields.build();
    private ControlPort.Reply reply;

    private InteriorExchange(Operations.Operation operation, Map<String, String> parameters, Map<String, String> query,
                             Map<String, String> headers, byte[] body, ControlPort.Asker asker) {
        super(parameters);
        this.operation = operation;
        this.path = path(operation.template(), parameters);
        this.query = query;
        this.headers = headers;
        this.body = body;
        this.asker = asker;
    }

    /** @throws IllegalArgumentException when these are no arguments of it */
    static InteriorExchange of(Operations.Operation operation, byte[] arguments, ControlPort.Asker asker) {
        JsonNode given;
        try {
            given = arguments.length == 0 ? Json.object() : dev.sand.workflow.data.Json.read(arguments);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the arguments of " + operation.id() + " are not JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new IllegalArgumentException("the arguments of " + operation.id() + " are not JSON: " + e.getMessage());
        }
        if (given == null || !given.isObject()) {
            throw new IllegalArgumentException("the arguments of " + operation.id() + " are an object");
        }
        given.fieldNames().forEachRemaining(name -> {
            if (!ARGUMENTS.contains(name)) {
                throw new IllegalArgumentException("the arguments of " + operation.id() + " have no '" + name
                        + "': they have parameters, query, headers and body");
            }
        });
        Map<String, String> parameters = texts(operation, given, "parameters", false);
        for (String segment : operation.template().split("/")) {
            if (segment.startsWith("{") && parameters.getOrDefault(segment.substring(1, segment.length() - 1), "").isEmpty()) {
                throw new IllegalArgumentException("the parameters of " + operation.id() + " have no " + segment);
            }
        }
        JsonNode body = given.path("body");
        return new InteriorExchange(operation, parameters, texts(operation, given, "query", false),
                texts(operation, given, "headers", true), body.isMissingNode() || body.isNull() ? NONE : Json.bytes(body), asker);
    }

    private static Map<String, String> texts(Operations.Operation operation, JsonNode given, String which, boolean anyCase) {
        Map<String, String> texts = anyCase ? new TreeMap<>(String.CASE_INSENSITIVE_ORDER) : new TreeMap<>();
        JsonNode node = given.path(which);
        if (!node.isMissingNode() && !node.isNull() && !node.isObject()) {
            throw new IllegalArgumentException("the " + which + " of " + operation.id() + " are an object");
        }
        node.properties().forEach(entry -> {
            if (entry.getValue().isContainerNode()) {
                throw new IllegalArgumentException(entry.getKey() + " of the " + which + " of " + operation.id() + " is a text");
            }
            if (!entry.getValue().isNull()) {
                texts.put(entry.getKey(), entry.getValue().asText());
            }
        });
        return texts;
    }

    private static String path(String template, Map<String, String> parameters) {
        StringBuilder path = new StringBuilder();
        for (String segment : template.substring(1).split("/")) {
            path.append('/').append(segment.startsWith("{")
                    ? URIUtil.encodePath(parameters.get(segment.substring(1, segment.length() - 1))) : segment);
        }
        return path.toString();
    }

    @Override
    public String tenant() {
        return asker.tenant();
    }

    @Override
    public Set<Scope> scopes() {
        return Arrays.stream(Scope.values()).filter(scope -> asker.scopes().contains(scope.inWords())).collect(Collectors.toUnmodifiableSet());
    }

    /** @return null: the operation has not answered */
    ControlPort.Reply reply() {
        return reply;
    }

    @Override
    public String method() {
        return operation.method();
    }

    @Override
    public String where() {
        return path;
    }

    @Override
    public String address() {
        return asker.client();
    }

    @Override
    public String header(String name) {
        return headers.get(name);
    }

    @Override
    public String query(String name) {
        return query.get(name);
    }

    @Override
    public byte[] body(int limit, String what) {
        if (body.length > limit) {
            throw Problems.tooLarge(what, limit, body.length).asException();
        }
        return body;
    }

    @Override
    public HttpFields.Mutable headers() {
        return answered;
    }

    @Override
    public void json(int status, Object answer) {
        reply = new ControlPort.Reply(status, Json.bytes(answer));
    }

    @Override
    public void bytes(int status, String contentType, ByteBuffer answer) {
        throw new IllegalStateException(operation.id() + " answers with " + contentType + ", over HTTP alone");
    }

    @Override
    public void empty(int status) {
        reply = new ControlPort.Reply(status, NONE);
    }

    @Override
    public void problem(Problem problem) {
        failed(problem);
        reply = new ControlPort.Reply(problem.status(), problem.toJson(path));
    }

    @Override
    public int status() {
        return reply.status();
    }

    @Override
    public boolean hasBegun() {
        return false;
    }
}
