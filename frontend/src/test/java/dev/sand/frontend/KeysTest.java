package dev.sand.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.datalayer.TableOperation;
import dev.sand.datalayer.TableOperation.What;
import dev.sand.datalayer.TableStore;
import dev.sand.event.Payload;
import dev.sand.frontend.access.KeyText;
import dev.sand.frontend.access.KeyedDoor;
import dev.sand.frontend.access.OperatorKey;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Operations;
import dev.sand.frontend.http.Scope;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every operation of the document, tried with every kind of key: what is let in is exactly what {@code x-sand} says. */
class KeysTest {
    private static final String OPERATOR = "a-key-of-more-than-thirty-two-characters";
    private Platform platform;

    @BeforeEach
    void start() throws Exception {
        platform = new Platform(configuration -> configuration.withDoor(new KeyedDoor(OperatorKey.of(OPERATOR))));
    }

    @AfterEach
    void stop() throws Exception {
        platform.close();
    }

    private String key(String scopes, long expiresMs, long revokedMs) {
        KeyText drawn = KeyText.draw(new SecureRandom());
        String row = "{\"schema\":1,\"hash\":\"" + drawn.hashInHex() + "\",\"tenant\":\"default\",\"scopes\":[" + scopes + "],\"expiresMs\":"
                + expiresMs + ",\"revokedMs\":" + revokedMs + "}";
        new TableStore(platform.store).transact("0sand-management", "keys/" + drawn.id().charAt(0),
                List.of(new TableOperation(What.PUT, drawn.id(), Payload.json(row.getBytes(StandardCharsets.UTF_8)), null, null)));
        return drawn.text();
    }

    private HttpResponse<byte[]> call(Operations.Operation operation, String key) throws Exception {
        String path = operation.template().replaceAll("\\{[a-z]+}", "nothing");
        byte[] body = operation.isSafe() ? null : "{}".getBytes(StandardCharsets.UTF_8);
        return key == null ? platform.send(operation.method(), path, body)
                : platform.send(operation.method(), path, body, "Authorization", "Bearer " + key);
    }

    private static JsonNode body(HttpResponse<byte[]> response) {
        try {
            return Json.MAPPER.readTree(response.body());
        } catch (java.io.IOException e) {
            return Json.object(); // a page, not a problem
        }
    }

    /** Whether the door refused it: what an operation itself refuses names no scope. */
    private static boolean isRefused(HttpResponse<byte[]> response) {
        return response.statusCode() == 401 || response.statusCode() == 403 && body(response).has("scope");
    }

    @Test
    void every_operation_lets_in_whom_the_document_says() throws Exception {
        Map<Scope, String> byScope = new LinkedHashMap<>();
        for (Scope scope : List.of(Scope.INVOKE, Scope.DEPLOY, Scope.READ, Scope.ADMIN)) {
            byScope.put(scope, key("\"" + scope.inWords() + "\"", 0, 0));
        }
        KeyText stranger = KeyText.draw(new SecureRandom());
        Map<String, String> bad = new LinkedHashMap<>();
        bad.put("revoked", key("\"invoke\",\"deploy\",\"read\",\"admin\"", 0, 5));
        bad.put("expired", key("\"invoke\",\"deploy\",\"read\",\"admin\"", 5, 0));
        bad.put("unknown", stranger.text());
        bad.put("truncated", byScope.get(Scope.ADMIN).substring(0, 60));
        bad.put("garbage", "sand_garbage");
        bad.put("nearly the operator's", OPERATOR + "x");
        bad.put("none", null);
        for (Operations.Operation operation : Operations.ofThisServer().all()) {
            Scope needed = operation.scope();
            boolean isAsked = needed != Scope.NONE || operation.account().enters() == Operations.Enters.KNOWN;
            for (Map.Entry<String, String> each : bad.entrySet()) {
                HttpResponse<byte[]> response = call(operation, each.getValue());
                assertThat(response.statusCode() == 401).as("%s with a key that is %s", operation.id(), each.getKey())
                        .isEqualTo(isAsked);
                if (isAsked) {
                    assertThat(response.headers().firstValue("WWW-Authenticate")).as(operation.id()).isPresent();
                }
            }
            for (Map.Entry<Scope, String> each : byScope.entrySet()) {
                HttpResponse<byte[]> response = call(operation, each.getValue());
                String what = operation.id() + " with the scope " + each.getKey();
                if (needed == Scope.NONE || needed == each.getKey()) {
                    assertThat(isRefused(response)).as(what).isFalse();
                } else {
                    assertThat(response.statusCode()).as(what).isEqualTo(403);
                    assertThat(body(response).path("scope").asText()).as(what).isEqualTo(needed.inWords());
                }
            }
            assertThat(isRefused(call(operation, OPERATOR))).as(operation.id()).isFalse();
        }
    }

    @Test
    void what_the_management_has_recorded_is_the_operators() throws Exception {
        String key = key("\"invoke\",\"deploy\",\"read\",\"admin\"", 0, 0);
        for (Operations.Operation operation : Operations.ofThisServer().all()) {
            if (operation.template().startsWith("/api/v1/") && operation.template().contains("{app}") && !operation.id().equals("invokeApplication")) {
                String path = operation.template().replace("{app}", "0sand-management").replaceAll("\\{[a-z]+}", "nothing") + "?system=true";
                byte[] body = operation.isSafe() ? null : "{}".getBytes(StandardCharsets.UTF_8);
                HttpResponse<byte[]> response = platform.send(operation.method(), path, body, "Authorization", "Bearer " + key);
                assertThat(body(response).path("scope").asText()).as(operation.id()).isEqualTo("operator");
            }
        }
    }

    @Test
    void who_changed_something_is_told_by_the_id_of_his_key() throws Exception {
        String key = key("\"deploy\"", 0, 0);
        platform.send("POST", "/api/v1/applications", Platform.zip(Platform.demo()), "Content-Type", "application/zip", "Authorization",
                "Bearer " + key);
        JsonNode entry = body(platform.send("GET", "/api/v1/audit", null, "Authorization", "Bearer " + OPERATOR)).path("entries").get(0);
        assertThat(entry.path("caller").asText()).isEqualTo("key:" + KeyTextOf.id(key));
        assertThat(entry.toString()).doesNotContain(key);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', value = {"{\"dedicated\": {\"memory\": \"500GiB\", \"packages\": [\"nmap\"]}} | dedicated",
        "{\"dedicated\": {}} | dedicated", "{\"dedicated\": true} | dedicated", "{\"dedicated\": false} | dedicated",
        "{\"concurrency\": 3} | concurrency", "{\"memory\": \"3MiB\"} | memory", "{\"memory\": 1125899906842624, \"concurrency\": 1} | memory"})
    void who_may_only_invoke_makes_no_process_with_more_than_is_declared(String body, String field) throws Exception {
        deployWith("processes: {concurrency: 2, memory: 2MiB}\n");
        HttpResponse<byte[]> refused = process(body, key("\"invoke\"", 0, 0));
        assertThat(refused.statusCode()).isEqualTo(403);
        JsonNode problem = body(refused);
        assertThat(problem.path("type").asText()).endsWith("/denied");
        assertThat(problem.path("scope").asText()).isEqualTo("deploy");
        assertThat(problem.path("pointer").asText()).isEqualTo("/body/" + field);
        assertThat(problem.path("detail").asText()).contains("'" + field + "'", "needs the scope 'deploy'", "has invoke");
        assertThat(platform.host.processes).isEmpty();
        assertThat(process(body, key("\"invoke\",\"deploy\"", 0, 0)).statusCode()).isEqualTo(201);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"dedicated\": null, \"memory\": null}", "{\"concurrency\": 2, \"memory\": \"2MiB\"}", "{\"concurrency\": 1}"})
    void who_may_only_invoke_makes_one_with_what_is_declared_or_less(String body) throws Exception {
        deployWith("processes: {concurrency: 2, memory: 2MiB, dedicated: {memory: 64MiB}}\n");
        assertThat(process(body, key("\"invoke\"", 0, 0)).statusCode()).isEqualTo(201);
    }

    @Test
    void what_is_not_declared_is_the_default_of_it() throws Exception {
        deployWith("");
        String key = key("\"invoke\"", 0, 0);
        assertThat(process("{\"concurrency\": 4, \"memory\": \"256MiB\"}", key).statusCode()).isEqualTo(201);
        assertThat(process("{\"concurrency\": 5}", key).statusCode()).isEqualTo(403);
        assertThat(process("{\"memory\": \"257MiB\"}", key).statusCode()).isEqualTo(403);
    }

    private void deployWith(String more) throws Exception {
        Map<String, String> files = new LinkedHashMap<>(Platform.demo());
        files.compute("sand.yaml", (name, said) -> said + more);
        assertThat(platform.send("POST", "/api/v1/applications", Platform.zip(files), "Content-Type", "application/zip", "Authorization",
                "Bearer " + OPERATOR).statusCode()).isEqualTo(201);
    }

    private HttpResponse<byte[]> process(String body, String key) throws Exception {
        return platform.send("POST", "/api/v1/apps/demo/processes", body.getBytes(StandardCharsets.UTF_8), "Authorization", "Bearer " + key);
    }

    @Test
    void an_application_sees_no_key_whatever_it_is_good_for() throws Exception {
        platform.send("POST", "/api/v1/applications", Platform.zip(Platform.demo()), "Content-Type", "application/zip", "Authorization",
                "Bearer " + OPERATOR);
        platform.host.grains.put("web", request -> platform.host.succeed(request, request.input()));
        for (String key : List.of(key("\"read\"", 0, 0), key("\"read\"", 5, 5), KeyText.draw(new SecureRandom()).text())) {
            HttpResponse<byte[]> response = platform.send("GET", "/web/demo/files/a/b", null, "Authorization", "Bearer " + key);
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(new String(response.body(), StandardCharsets.UTF_8)).doesNotContain(key);
        }
    }

    private static final class KeyTextOf {
        static String id(String key) {
            return key.substring(5, 17);
        }
    }
}
