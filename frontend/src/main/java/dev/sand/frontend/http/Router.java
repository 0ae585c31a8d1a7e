package dev.sand.frontend.http;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.jetty.util.URIUtil;

/** The control plane's operations by method and path template, as the OpenAPI document has them: all of its, and no other. */
public final class Router {
    /** Answers the exchange, or throws a {@link ProblemException}; runs on a virtual thread and may block. */
    public interface Operation {
        void handle(Exchange exchange) throws Exception;
    }

    /** One that answers in a way of its own (streams, for as long as it takes), to who asks over HTTP alone. */
    public interface HttpOperation {
        void handle(HttpExchange exchange) throws Exception;
    }

    /** @param spec as the document has it; @param overHttp and in no other way */
    public record Route(Operations.Operation spec, Operation operation, boolean overHttp) {}

    /** Path parameters and what to do; or, without an operation, why not. */
    public record Match(Route route, Map<String, String> parameters, Problem problem, String allow) {}

    private record Compiled(Route route, String[] segments) {}

    private final List<Compiled> routes = new ArrayList<>();
    private final Operations operations;

    public Router(Operations operations) {
        this.operations = operations;
    }

    /** @throws IllegalStateException when the document has no such operation, or it is here already */
    public Router on(String operationId, Operation operation) {
        return add(operationId, operation, false);
    }

    /** As above. */
    public Router onHttp(String operationId, HttpOperation operation) {
        return add(operationId, exchange -> operation.handle((HttpExchange) exchange), true);
    }

    private Router add(String operationId, Operation operation, boolean overHttp) {
        Operations.Operation spec = operations.get(operationId);
        if (routes.stream().anyMatch(each -> each.route.spec.equals(spec))) {
            throw new IllegalStateException("operation " + operationId + " is done twice");
        }
        routes.add(new Compiled(new Route(spec, operation, overHttp), spec.template().substring(1).split("/")));
        return this;
    }

    /** @param elsewhere operations that others do. @throws IllegalStateException when the document has more than there is */
    public Router complete(Set<String> elsewhere) {
        Set<String> missing = new TreeSet<>();
        operations.all().forEach(each -> missing.add(each.id()));
        missing.removeAll(elsewhere);
        routes.forEach(each -> missing.remove(each.route.spec.id()));
        if (!missing.isEmpty()) {
            throw new IllegalStateException("nothing does what openapi.yaml has as " + missing);
        }
        return this;
    }

    /** Null: there is no such operation here. */
    public Route route(String operationId) {
        return routes.stream().map(Compiled::route).filter(route -> route.spec.id().equals(operationId)).findFirst().orElse(null);
    }

    public Match match(String method, String path) {
        return match(method, path, path);
    }

    /** @param path in full; @param asked as whoever asked has written it: he is told of that */
    Match match(String method, String path, String asked) {
        String[] segments = path.substring(1).split("/", -1);
        TreeSet<String> allowed = new TreeSet<>();
        for (Compiled candidate : routes) {
            Map<String, String> parameters = parameters(candidate.segments, segments);
            if (parameters == null) {
                continue;
            }
            if (candidate.route.spec.method().equals(method)) {
                return new Match(candidate.route, parameters, null, null);
            }
            allowed.add(candidate.route.spec.method());
        }
        if (allowed.isEmpty()) {
            return new Match(null, Map.of(), Problem.caller(404, "not-found", "Not found",
                    "There is nothing at " + asked + "; /openapi.yaml lists what is."), null);
        }
        String allow = String.join(", ", allowed);
        return new Match(null, Map.of(), Problem.caller(405, "method-not-allowed", "Method not allowed",
                asked + " answers " + allow + ", not " + method + "."), allow);
    }

    private static Map<String, String> parameters(String[] template, String[] path) {
        if (template.length != path.length) {
            return null;
        }
        Map<String, String> parameters = new LinkedHashMap<>();
        for (int i = 0; i < template.length; i++) {
            if (template[i].startsWith("{")) {
                if (path[i].isEmpty()) {
                    return null;
                }
                parameters.put(template[i].substring(1, template[i].length() - 1), URIUtil.decodePath(path[i]));
            } else if (!template[i].equals(path[i])) {
                return null;
            }
        }
        return parameters;
    }
}
