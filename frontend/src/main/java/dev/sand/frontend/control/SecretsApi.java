package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.StoredSecrets;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.http.Router;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/** {@code /api/v1/applications/{app}/secrets}: which there are; values go in and never come out. */
public final class SecretsApi {
    /** As names under {@code secrets} in sand.yaml. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]{0,127}");
    /** A shorter one is found in anything, and cannot be masked. */
    private static final int LEAST_CHARACTERS = 8;
    private final Registry registry;
    private final StoredSecrets secrets;
    private final LongSupplier clockMs;

    public SecretsApi(Registry registry, StoredSecrets secrets, LongSupplier clockMs) {
        this.registry = registry;
        this.secrets = secrets;
        this.clockMs = clockMs;
    }

    public void addTo(Router router) {
        router.on("listSecrets", this::list)
                .on("setSecret", this::set)
                .on("deleteSecret", this::delete);
    }

    private void list(Exchange exchange) {
        String application = ApplicationsApi.application(exchange, registry);
        ArrayNode found = Json.array();
        secrets.list(application).forEach(each -> found.addObject().put("name", each.name()).put("changedMs", each.changedMs()));
        exchange.json(200, Json.object().set("secrets", found));
    }

    private void set(Exchange exchange) throws IOException {
        String application = ApplicationsApi.application(exchange, registry);
        String name = name(exchange);
        if (!secrets.hasKey()) {
            throw Problem.caller(409, "no-secrets-key", "No key for secrets", "This platform has no key to keep secrets with: its operator"
                    + " starts each frontend and host with --secrets-key FILE.").asException();
        }
        String value = value(exchange);
        secrets.set(application, name, value, clockMs.getAsLong()).ifPresent(refused -> {
            throw Problem.caller(409, "too-many-secrets", "Too many secrets", "Application '" + application + "' may have " + refused.limit()
                    + " " + refused.what() + " and would have " + refused.actual() + ".").with("limit", refused.limit())
                    .with("actual", refused.actual()).asException();
        });
        if (!registry.exists(application)) {
            // Deleted meanwhile: the next application of that name is not to have it.
            secrets.delete(application, name);
            throw Problems.unknownApplication(application).asException();
        }
        exchange.empty(204);
    }

    private static String name(Exchange exchange) {
        String name = exchange.path("secret");
        if (!NAME.matcher(name).matches()) {
            throw Problems.badRequest("A secret's name is " + NAME.pattern() + ".").asException();
        }
        return name;
    }

    /** Nothing that is said of a value that is refused has any of it. */
    private static String value(Exchange exchange) throws IOException {
        byte[] body = exchange.body(StoredSecrets.VALUE_BYTES, "A secret");
        String value;
        try {
            value = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
        } catch (CharacterCodingException e) {
            throw Problems.badRequest("A secret is text in UTF-8.").asException();
        }
        if (value.strip().length() < LEAST_CHARACTERS) {
            throw Problems.badRequest("A secret has at least " + LEAST_CHARACTERS + " characters, white space around them not counted: a"
                    + " shorter one could not be masked in logs.").asException();
        }
        return value;
    }

    private void delete(Exchange exchange) {
        String application = ApplicationsApi.application(exchange, registry);
        String name = name(exchange);
        if (!secrets.delete(application, name)) {
            throw Problem.caller(404, "unknown-secret", "Unknown secret", "Application '" + application + "' has no stored secret '" + name
                    + "'.").asException();
        }
        exchange.empty(204);
    }
}
