package dev.sand.frontend.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The operations of the OpenAPI document: the one list of what there is, where it is, and who may. */
public final class Operations {
    /**
     * @param template of the path: segments, {@code {name}} for any one
     * @param audited noted in the audit log
     * @param rehearses with {@code dryRun} it changes nothing
     * @param grain of the management application that does it, where that runs; null: it does not pass through grains
     * @param alone the grain does it with rows of its own, and the platform cannot without it
     * @param drawsKey the frontend draws a key, which the caller alone is told
     * @param forgetsAccess who may do what has changed: the answer waits until every frontend knows
     */
    public record Operation(String id, String method, String template, Scope scope, boolean audited, boolean rehearses, String grain,
                            boolean alone, boolean drawsKey, boolean forgetsAccess) {
        public boolean isSafe() {
            return method.equals("GET");
        }

        /** @throws ProblemException 400 for a {@code dryRun} that is none */
        public boolean isAudited(Exchange exchange) {
            return audited && !(rehearses && exchange.flag("dryRun"));
        }
    }

    private static final String DOCUMENT = "/openapi.yaml";
    private static final String DRY_RUN = "#/components/parameters/dryRun";
    private static final Set<String> METHODS = Set.of("get", "put", "post", "delete");
    private final byte[] document;
    private final Map<String, Operation> byId;

    private Operations(byte[] document, Map<String, Operation> byId) {
        this.document = document;
        this.byId = byId;
    }

    /** The program's own. @throws IllegalStateException when an operation in it has no id or no scope */
    public static Operations ofThisServer() throws IOException {
        try (InputStream in = Operations.class.getResourceAsStream(DOCUMENT)) {
            return of(in.readAllBytes());
        }
    }

    static Operations of(byte[] document) throws IOException {
        Map<String, Operation> byId = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> path : new ObjectMapper(new YAMLFactory()).readTree(document).path("paths").properties()) {
            for (Map.Entry<String, JsonNode> entry : path.getValue().properties()) {
                if (METHODS.contains(entry.getKey())) {
                    Operation operation = operation(entry.getKey().toUpperCase(Locale.ROOT), path.getKey(), entry.getValue());
                    if (byId.put(operation.id, operation) != null) {
                        throw new IllegalStateException("openapi.yaml has two operations " + operation.id);
                    }
                }
            }
        }
        return new Operations(document, byId);
    }

    private static Operation operation(String method, String template, JsonNode node) {
        String id = node.path("operationId").asText("");
        String scope = node.path("x-sand").path("scope").asText("");
        for (Scope each : Scope.values()) {
            if (!id.isEmpty() && each.inWords().equals(scope)) {
                return new Operation(id, method, template, each, node.path("x-sand").path("audit").asBoolean(), rehearses(node),
                        node.path("x-sand").path("grain").asText(null), node.path("x-sand").path("alone").asBoolean(),
                        node.path("x-sand").path("draws").asText().equals("key"),
                        node.path("x-sand").path("forgets").asText().equals("access"));
            }
        }
        throw new IllegalStateException("openapi.yaml: " + method + " " + template + " has the operationId '" + id
                + "' and the scope '" + scope + "' in x-sand, and needs both");
    }

    private static boolean rehearses(JsonNode node) {
        for (JsonNode parameter : node.path("parameters")) {
            if (parameter.path("$ref").asText().equals(DRY_RUN)) {
                return true;
            }
        }
        return false;
    }

    Operation get(String id) {
        Operation operation = byId.get(id);
        if (operation == null) {
            throw new IllegalStateException("openapi.yaml has no operation " + id);
        }
        return operation;
    }

    public Collection<Operation> all() {
        return byId.values();
    }

    public byte[] document() {
        return document.clone();
    }
}
