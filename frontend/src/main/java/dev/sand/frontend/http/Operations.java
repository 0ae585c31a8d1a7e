package dev.sand.frontend.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The operations of the OpenAPI document: the one list of what there is, where it is, and who may. */
public final class Operations {
    /**
     * @param template of the path: segments, {@code {name}} for any one
     * @param audited noted in the audit log
     * @param notes of its body, or else its query, by field: what the entry in the audit log has of them
     * @param runs grains of its application: it counts as a request of whose that is, as an invocation does
     * @param rehearses with {@code dryRun} it changes nothing
     * @param grain of the management application that does it, where that runs; null: it does not pass through grains
     * @param alone the grain does it with rows of its own, and the platform cannot without it
     * @param draws what the frontend draws for it, which the caller alone is told
     * @param forgetsAccess who may do what has changed: the answer waits until every frontend knows
     * @param account what it has of accounts
     */
    public record Operation(String id, String method, String template, Scope scope, boolean audited, List<String> notes, boolean runs,
                            boolean rehearses, String grain, boolean alone, Draws draws, boolean forgetsAccess, Account account) {
        /** An operation of one's own wants to know who asks, though it needs no scope. */
        public boolean isPublic() {
            return scope == Scope.NONE && account.enters == Enters.NOBODY_ASKED;
        }

        public boolean isSafe() {
            return method.equals("GET");
        }

        /** @throws ProblemException 400 for a {@code dryRun} that is none */
        public boolean isAudited(Exchange exchange) {
            return audited && !(rehearses && exchange.flag("dryRun"));
        }
    }

    /** What of a request is secret, and only its hash is kept. */
    public enum Draws { NOTHING, KEY, SESSION, INVITATION }

    /** Who comes in with an operation that needs no scope: who is not even asked, whoever asks, or who is known. */
    public enum Enters { NOBODY_ASKED, ANYBODY, KNOWN }

    /** What becomes of the session that is shown. */
    public enum Session { STAYS, SHOWN, ENDED }

    /**
     * @param guesses a password, or something like it: so often, and no oftener
     * @param sealed fields of the body that no grain's input has in the open; @param fields all that the body may have
     */
    public record Account(Enters enters, boolean guesses, Set<String> sealed, Set<String> fields, Session session) {
        static final Account NONE = new Account(Enters.NOBODY_ASKED, false, Set.of(), Set.of(), Session.STAYS);
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
                return new Operation(id, method, template, each, node.path("x-sand").path("audit").asBoolean(), notes(node),
                        node.path("x-sand").path("runs").asBoolean(), rehearses(node), node.path("x-sand").path("grain").asText(null),
                        node.path("x-sand").path("alone").asBoolean(),
                        one(node, "draws", Draws.NOTHING), node.path("x-sand").path("forgets").asText().equals("access"),
                        account(node));
            }
        }
        throw new IllegalStateException("openapi.yaml: " + method + " " + template + " has the operationId '" + id
                + "' and the scope '" + scope + "' in x-sand, and needs both");
    }

    private static List<String> notes(JsonNode node) {
        List<String> fields = new ArrayList<>();
        node.path("x-sand").path("notes").forEach(field -> fields.add(field.asText()));
        return List.copyOf(fields);
    }

    private static Account account(JsonNode node) {
        Set<String> sealed = new TreeSet<>();
        node.path("x-sand").path("seal").forEach(field -> sealed.add(field.asText()));
        Set<String> fields = new TreeSet<>();
        node.path("requestBody").path("content").path("application/json").path("schema").path("properties").fieldNames()
                .forEachRemaining(fields::add);
        if (!fields.containsAll(sealed)) {
            throw new IllegalStateException("openapi.yaml seals " + sealed + " of a body that has " + fields);
        }
        return new Account(one(node, "enter", Enters.NOBODY_ASKED), node.path("x-sand").path("guesses").asBoolean(), Set.copyOf(sealed),
                Set.copyOf(fields), one(node, "session", Session.STAYS));
    }

    /** One of the words that there are, or what holds when nothing is said. */
    private static <T extends Enum<T>> T one(JsonNode node, String member, T otherwise) {
        String word = node.path("x-sand").path(member).asText("");
        return word.isEmpty() ? otherwise : Enum.valueOf(otherwise.getDeclaringClass(), word.toUpperCase(Locale.ROOT));
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
