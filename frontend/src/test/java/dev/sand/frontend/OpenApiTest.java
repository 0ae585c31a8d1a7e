package dev.sand.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import dev.sand.datalayer.LogStore.Line;
import dev.sand.datalayer.SecretsKey;
import dev.sand.datalayer.StoredSecrets;
import dev.sand.datalayer.TriggerStore;
import dev.sand.datalayer.TriggerStore.DeadLetter;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort;
import dev.sand.event.Ids;
import dev.sand.event.Payload;
import dev.sand.event.QueuedEvents;
import dev.sand.event.Slots;
import dev.sand.event.TaskCallback;
import dev.sand.globalbus.AppendFuture;
import dev.sand.workflow.TaskTokens;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The OpenAPI document is the contract: it has every operation of the server and no other, and answers are what it says. */
class OpenApiTest {
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    private static final String DEMO = "/api/v1/applications/demo";
    private final Set<String> called = new TreeSet<>();
    private JsonNode document;
    private Platform platform;

    /** That the server does all of them, and no other, it sees to itself when it starts. */
    @Test
    void every_operation_says_who_may_and_that_it_may_refuse() throws Exception {
        JsonNode paths = YAML.readTree(OpenApiTest.class.getResource("/openapi.yaml")).path("paths");
        paths.properties().forEach(path -> path.getValue().properties().stream().filter(each -> isMethod(each.getKey())).forEach(each -> {
            JsonNode operation = each.getValue();
            String what = each.getKey() + " " + path.getKey();
            boolean isPublic = operation.path("x-sand").path("scope").asText().equals("none")
                    && !operation.path("x-sand").path("enter").asText().equals("known");
            assertThat(operation.has("security")).as("%s says that it needs no key", what).isEqualTo(isPublic);
            assertThat(operation.path("security")).as(what).isEmpty();
            String scope = operation.path("x-sand").path("scope").asText();
            if (scope.equals("none") && !isPublic && !each.getKey().equals("get") || Set.of("deploy", "admin", "operator").contains(scope)) {
                assertThat(operation.path("x-sand").path("audit").asBoolean()).as("%s is noted when it changes something", what)
                        .isEqualTo(!each.getKey().equals("get"));
            }
            assertThat(operation.path("responses").has("default")).as("%s has a problem for every refusal", what).isTrue();
        }));
    }

    private static Set<String> operations(JsonNode document) {
        Set<String> operations = new TreeSet<>();
        document.path("paths").properties().forEach(path -> path.getValue().fieldNames().forEachRemaining(key -> {
            if (isMethod(key)) {
                operations.add(key.toUpperCase(Locale.ROOT) + " " + path.getKey());
            }
        }));
        return operations;
    }

    private static boolean isMethod(String key) {
        return Set.of("get", "put", "post", "delete").contains(key);
    }

    @Test
    void every_operation_answers_as_the_document_says() throws Exception {
        try (Platform started = new Platform()) {
            platform = started;
            document = YAML.readTree(platform.get("/openapi.yaml").body());
            called.add("GET /openapi.yaml");
            deployments();
            invocations();
            String app = "/api/v1/applications/{app}";
            call("PUT", app + "/aliases/{alias}", DEMO + "/aliases/next", "{\"version\": 1}", 200);
            call("PUT", app + "/aliases/{alias}", DEMO + "/aliases/next", "{}", 400);
            call("GET", "/api/v1/management", "/api/v1/management", null, 200);
            String trial = "/api/v1/asl/test-state";
            call("POST", trial, trial, "{\"definition\": {\"StartAt\": \"A\", \"States\": {\"A\": {\"Type\": \"Succeed\"}}}, \"state\": \"A\"}", 200);
            call("POST", trial, trial, "{\"definition\": {\"StartAt\": \"A\", \"States\": {\"A\": {\"Type\": \"Nap\"}}}, \"state\": \"A\"}", 200);
            call("POST", trial, trial, "{}", 400);
            call("GET", app + "/aliases", DEMO + "/aliases", null, 200);
            call("DELETE", app + "/aliases/{alias}", DEMO + "/aliases/next", null, 204);
            call("DELETE", app + "/aliases/{alias}", DEMO + "/aliases/live", null, 409);
            call("POST", app + "/rollback", DEMO + "/rollback", "", 200);
            call("POST", app + "/rollback", DEMO + "/rollback", "", 409);
            platform.logs.append(List.of(new Line(0, 1, "demo", 1, "echo", null, null, 0, "stdout", null, "started")));
            call("GET", app + "/logs", DEMO + "/logs", null, 200);
            call("GET", "/api/v1/status", "/api/v1/status", null, 200);
            hosts();
            topics();
            platform.host.recent.add(new dev.sand.event.RecentEnds("a", null, 0, List.of(new dev.sand.event.RecentEnds.Step("demo",
                    System.currentTimeMillis() / 10_000 * 10_000 - 60_000, 3, 1, 9, new int[] {3}))));
            call("GET", "/api/v1/figures", "/api/v1/figures?minutes=60", null, 200);
            call("GET", app + "/usage", DEMO + "/usage", null, 200);
            call("GET", app + "/usage", DEMO + "/usage?from=yesterday", null, 400);
            call("GET", app + "/usage", "/api/v1/applications/nobody/usage", null, 404);
            call("GET", "/api/v1/use", "/api/v1/use", null, 200);
            call("GET", "/api/v1/use", "/api/v1/use?tenant=No%20tenant", null, 400);
            call("PUT", app + "/data/value", DEMO + "/data/value?key=a%2Fb", "{\"x\": 1}", 200);
            call("PUT", app + "/data/value", DEMO + "/data/value?key=a%2Fb", "{", 400);
            call("GET", app + "/data/value", DEMO + "/data/value?key=none", null, 404);
            call("GET", app + "/data", DEMO + "/data?prefix=a", null, 200);
            call("DELETE", app + "/data/value", DEMO + "/data/value?key=a%2Fb", null, 204);
            call("GET", "/livez", "/livez", null, 200);
            call("GET", "/readyz", "/readyz", null, 200);
            assertThat(platform.get("/metrics").headers().firstValue("Content-Type")).hasValueSatisfying(type ->
                    assertThat(type).startsWith("text/plain"));
            called.add("GET /metrics");
            platform.host.grains.put("web", request -> platform.host.succeed(request, request.input()));
            assertThat(platform.get("/web/demo/files/a/b").statusCode()).isEqualTo(200);
            called.add("GET /web/{app}/{path}");
            triggers(app);
            processes(app + "/processes", DEMO + "/processes");
            taskTokens();
            call("POST", app + "/edits", DEMO + "/edits?dryRun=true", "{\"base\": 1, \"files\": {\"a.txt\": \"x\"}}", 200);
            call("POST", app + "/edits", DEMO + "/edits", "{\"base\": 1, \"files\": {\"a.txt\": \"x\"}}", 201);
            call("POST", app + "/edits", DEMO + "/edits", "{\"base\": 7, \"files\": {}}", 409);
            secrets(app + "/secrets", DEMO + "/secrets");
            savedEvents(app + "/grains/{grain}/events", DEMO + "/grains/echo/events");
            savedEvents(app + "/workflows/{workflow}/events", DEMO + "/workflows/main/events");
            call("DELETE", app, DEMO, null, 204);
            for (String method : List.of("GET", "POST")) { // grains alone do these, and there are none
                call(method, "/api/v1/keys", "/api/v1/keys", method.equals("GET") ? null : "{}", 409);
            }
            for (String method : List.of("GET", "DELETE")) {
                call(method, "/api/v1/keys/{key}", "/api/v1/keys/0123456789ab", null, 409);
            }
            for (String notes : List.of("/moves", "/armings")) {
                call("GET", app + notes, DEMO + notes, null, 409);
            }
            accounts();
            for (String method : List.of("GET", "PUT")) {
                call(method, "/api/v1/tenants/{tenant}/quotas", "/api/v1/tenants/default/quotas", method.equals("GET") ? null : "{}", 409);
            }
            call("GET", "/api/v1/audit", "/api/v1/audit?limit=1000", null, 200);
            call("GET", "/api/v1/audit", "/api/v1/audit?before=x", null, 400);
            call("DELETE", app, DEMO, null, 404);
            platform.frontend.drain();
            call("GET", "/readyz", "/readyz", null, 503);
            assertThat(called).isEqualTo(operations(document));
        }
    }

    private void topics() throws Exception {
        String records = "/api/v1/topics/{topic}/records";
        platform.bus.createTopic("slots", 1);
        platform.bus.append("slots", 0, new byte[] {1}, AppendFuture.completing(new CompletableFuture<>()));
        call("GET", "/api/v1/topics", "/api/v1/topics", null, 200);
        call("GET", "/api/v1/topics", "/api/v1/topics?limit=0", null, 400);
        call("GET", records, "/api/v1/topics/slots/records?newest=true", null, 200);
        call("GET", records, "/api/v1/topics/nothing/records", null, 404);
    }

    private void hosts() throws Exception {
        String host = "/api/v1/hosts/{host}/";
        call("GET", "/api/v1/hosts", "/api/v1/hosts", null, 200);
        call("POST", host + "drain", "/api/v1/hosts/here/drain", "", 202);
        call("POST", host + "resume", "/api/v1/hosts/here/resume", "", 202);
        assertThat(platform.host.drains).containsExactly("here out", "here in");
        platform.host.drain = HostAgentPort.Drain.NO_OTHER_HOST;
        call("POST", host + "drain", "/api/v1/hosts/here/drain", "", 409);
        platform.host.drain = HostAgentPort.Drain.NO_SUCH_HOST;
        call("POST", host + "drain", "/api/v1/hosts/there/drain", "", 404);
        call("POST", host + "resume", "/api/v1/hosts/there/resume", "", 404);
    }

    private void accounts() throws Exception {
        for (String path : List.of("GET /users", "POST /users", "GET /users/{user}", "PUT /users/{user}", "PUT /account/password", "GET /sessions",
                "POST /sessions", "DELETE /sessions/{id}", "GET /tenants", "POST /tenants", "GET /tenants/{tenant}", "PUT /tenants/{tenant}", "DELETE /tenants/{tenant}",
                "GET /tenants/{tenant}/members", "PUT /tenants/{tenant}/members/{user}",
                "DELETE /tenants/{tenant}/members/{user}", "GET /tenants/{tenant}/invitations", "POST /tenants/{tenant}/invitations",
                "DELETE /tenants/{tenant}/invitations/{id}", "GET /session", "PUT /session", "DELETE /session")) {
            String[] words = path.split(" ");
            String template = "/api/v1" + words[1];
            call(words[0], template, template.replace("{user}", "ada").replace("{tenant}", "default").replace("{id}", "a".repeat(64)), words[0].startsWith("P") ? "{}" : null, 409);
        }
    }

    private void secrets(String template, String path) throws Exception {
        String one = template + "/{secret}";
        call("PUT", one, path + "/KEY", "a value of some length", 409); // it has no key
        new StoredSecrets(platform.store, SecretsKey.of(List.of("x".repeat(32).getBytes(StandardCharsets.UTF_8)))).set("demo", "KEY", "a value of some length", 1);
        call("GET", template, path, null, 200);
        call("DELETE", one, path + "/KEY", null, 204);
        call("DELETE", one, path + "/KEY", null, 404);
    }

    private void savedEvents(String template, String path) throws Exception {
        String one = template + "/{event}";
        call("PUT", one, path + "/late", "{\"n\": 1}", 200);
        call("PUT", one, path + "/late", "{", 400);
        call("PUT", one, path.replaceFirst("/[a-z]+/events", "/nobody/events") + "/late", "1", 404);
        call("GET", template, path, null, 200);
        call("GET", template, path + "?version=nothing", null, 404);
        call("GET", one, path + "/late", null, 200);
        call("GET", one, path + "/early", null, 404);
        call("DELETE", one, path + "/late", null, 204);
        call("DELETE", one, path + "/late", null, 404);
    }

    private void deployments() throws Exception {
        String root = "/api/v1/applications";
        byte[] zip = Platform.zip(Platform.demo());
        var changed = Platform.demo();
        changed.put("grains/echo/handler.py", "x = 1\n");
        check("POST", root, platform.send("POST", root, zip, "Content-Type", "application/zip"), 201);
        check("POST", root, platform.send("POST", root, zip, "Content-Type", "application/zip"), 200);
        check("POST", root, platform.send("POST", root, new byte[] {1}, "Content-Type", "application/zip"), 422);
        check("POST", root, platform.post(root, "{\"folder\": \"/\"}"), 403);
        check("POST", root, platform.send("POST", root, zip, "Accept", "text/event-stream"), 200);
        check("PUT", root + "/{app}", platform.send("PUT", root + "/demo", Platform.zip(changed)), 201);
        check("PUT", root + "/{app}", platform.send("PUT", root + "/other", zip), 422);
        call("GET", root, root, null, 200);
        call("GET", root + "/{app}", DEMO, null, 200);
        call("GET", root + "/{app}", root + "/nobody", null, 404);
        call("GET", root + "/{app}/workflows", DEMO + "/workflows", null, 200);
        call("GET", root + "/{app}/workflows", root + "/nobody/workflows", null, 404);
        call("GET", root + "/{app}/workflows/{workflow}", DEMO + "/workflows/main", null, 200);
        call("GET", root + "/{app}/workflows/{workflow}", DEMO + "/workflows/echo", null, 404);
        call("GET", root + "/{app}/versions", DEMO + "/versions", null, 200);
        call("GET", root + "/{app}/versions/{version}", DEMO + "/versions/1", null, 200);
        call("GET", root + "/{app}/versions/{version}", DEMO + "/versions/9", null, 404);
        call("GET", root + "/{app}/versions/{version}/files", DEMO + "/versions/1/files", null, 200);
        call("GET", root + "/{app}/versions/{version}/files", DEMO + "/versions/9/files", null, 404);
        call("GET", root + "/{app}/versions/{version}/file", DEMO + "/versions/live/file?path=grains/echo/handler.py", null, 200);
        call("GET", root + "/{app}/versions/{version}/file", DEMO + "/versions/1/file?path=nothing", null, 404);
        call("GET", root + "/{app}/versions/{version}/file", DEMO + "/versions/1/file", null, 400);
        call("GET", root + "/{app}/versions/{version}/diff", DEMO + "/versions/1/diff?to=live", null, 200);
    }

    private void triggers(String app) throws Exception {
        String queue = app + "/queues/{queue}";
        call("POST", queue, DEMO + "/queues/orders?group=a", "{}", 202);
        call("POST", queue, DEMO + "/queues/orders?group=", "{}", 400);
        call("POST", queue, DEMO + "/queues/nothing", "{}", 404);
        call("POST", queue, DEMO + "/queues/nightly", "{}", 409);
        call("POST", queue, DEMO + "/queues/orders", "\"" + "x".repeat(300_000) + "\"", 413);
        call("GET", app + "/queues", DEMO + "/queues", null, 200);
        call("GET", app + "/queues", DEMO + "/queues?topics=true", null, 200);
        localQueues(app + "/local-queues");
        call("GET", queue + "/messages", DEMO + "/queues/orders/messages?limit=1", null, 200);
        call("GET", queue + "/messages", DEMO + "/queues/orders/messages?limit=0", null, 400);
        call("GET", queue + "/messages", DEMO + "/queues/nothing/messages", null, 404);
        call("GET", app + "/triggers", DEMO + "/triggers", null, 200);
        call("POST", app + "/triggers/{trigger}/disarm", DEMO + "/triggers/nightly/disarm", "", 200);
        call("POST", app + "/triggers/{trigger}/arm", DEMO + "/triggers/nightly/arm", "", 200);
        call("POST", app + "/triggers/{trigger}/arm", DEMO + "/triggers/nothing/arm", "", 404);
        TriggerStore store = new TriggerStore(platform.store);
        for (String id : new String[] {"m1", "m2", "m3"}) {
            store.bury("demo", new DeadLetter((short) 1, id, "orders", "a", Payload.nullJson(), 1, 2, 3,
                    Failure.grain("ValueError", "broken", null), null));
        }
        call("GET", queue + "/dead-letters", DEMO + "/queues/orders/dead-letters", null, 200);
        call("POST", queue + "/dead-letters/{message}/replay", DEMO + "/queues/orders/dead-letters/m1/replay", "", 202);
        call("POST", queue + "/dead-letters/{message}/replay", DEMO + "/queues/orders/dead-letters/m1/replay", "", 404);
        call("DELETE", queue + "/dead-letters/{message}", DEMO + "/queues/orders/dead-letters/m2", null, 204);
        call("POST", queue + "/dead-letters/replay", DEMO + "/queues/orders/dead-letters/replay", "", 202);
        call("DELETE", queue + "/dead-letters", DEMO + "/queues/orders/dead-letters", null, 200);
    }

    private void processes(String template, String path) throws Exception {
        call("POST", template, path, "{\"id\": \"p1\"}", 201);
        call("POST", template, path, "{\"id\": \"p1\"}", 409);
        call("POST", template, path, "{\"id\": \"p 1\"}", 400);
        call("POST", template, path, "{\"id\": \"p3\", \"dedicated\": {\"cpus\": -1}}", 400);
        call("POST", template, path, "{\"id\": \"p3\", \"dedicated\": {\"cpus\": 0.001}}", 400);
        call("POST", template, path, "[]", 400);
        call("POST", template, path, "{\"concurrency\": 0}", 400);
        call("POST", template, path, "{\"memory\": \"much\"}", 400);
        call("POST", template, path, "{\"size\": 1}", 400);
        call("POST", template, path, "{\"id\": \"p0\", \"concurrency\": 2, \"memory\": \"1MiB\"}", 201);
        call("GET", template, path + "?limit=1", null, 200);
        call("GET", template, path + "?limit=none", null, 400);
        call("GET", template, path + "?status=dead", null, 400);
        call("GET", template, path, null, 200);
        call("GET", template + "/{process}", path + "/p1", null, 200);
        call("POST", template + "/{process}/connect", path + "/p1/connect", null, 200);
        call("POST", template + "/{process}/connect", path + "/p4/connect", null, 200);
        call("GET", template + "/{process}", path + "/p4", null, 404);
        call("POST", template + "/{process}/connect", path + "/p4/connect?create=true", "{}", 200);
        call("GET", template + "/{process}", path + "/p4", null, 200);
        call("POST", template + "/{process}/connect", path + "/p1/connect?create=yes", null, 400);
        call("POST", template + "/{process}/connect", path + "/p1/connect", "{\"functions\": [\"echo\"], \"ttl\": 5}", 200);
        call("POST", template + "/{process}/connect", path + "/p1/connect", "{\"ttl\": 3601}", 400);
        call("POST", template + "/{process}/connect", path + "/p1/connect", "{\"rights\": [\"own\"]}", 400);
        call("POST", template + "/{process}/connect", path + "/p1/connect", "{\"functions\": [\"nobody\"]}", 404);
        call("GET", template + "/{process}", path + "/p2", null, 404);
        call("GET", template + "/{process}/state", path + "/p1/state?limit=1", null, 200);
        call("GET", template + "/{process}/state", path + "/p1/state?after=", null, 400);
        call("GET", template + "/{process}/state", path + "/p2/state", null, 404);
        call("GET", template + "/{process}/state/value", path + "/p1/state/value", null, 400);
        call("GET", template + "/{process}/state/value", path + "/p1/state/value?key=other", null, 404);
        call("GET", template + "/{process}/state/value", path + "/p1/state/value?key=large", null, 413);
        call("GET", template + "/{process}/mailbox", path + "/p1/mailbox", null, 200);
        call("GET", template + "/{process}/mailbox", path + "/p1/mailbox?after=x", null, 400);
        call("GET", template + "/{process}/mailbox", path + "/p2/mailbox", null, 404);
        call("GET", template + "/{process}/mailbox/{number}", path + "/p1/mailbox/8", null, 404);
        call("GET", template + "/{process}/mailbox/{number}", path + "/p1/mailbox/x", null, 400);
        HttpResponse<byte[]> in = platform.post(path + "/invoke?function=echo&process=p1", "1");
        check("POST", template + "/invoke", in, 200);
        assertThat(in.headers().firstValue("Sand-Process")).hasValue("p1");
        assertThat(Slots.of(platform.host.requests.getLast().executionId(), 16)).isEqualTo(Slots.of("p1", 16));
        assertThat(platform.host.requests.getLast().process()).isEqualTo("p1");
        call("POST", template + "/invoke", path + "/invoke?function=echo", "1", 200);
        call("POST", template + "/invoke", path + "/invoke", "1", 400);
        call("POST", template + "/invoke", path + "/invoke?function=nothing", "1", 404);
        call("POST", template + "/{process}/swap-out", "/api/v1/apps/demo/processes/p1/swap-out", null, 200);
        call("POST", template + "/{process}/swap-out", "/api/v1/apps/demo/processes/none/swap-out", null, 404);
        call("POST", template + "/{process}/swap-in", "/api/v1/apps/demo/processes/p1/swap-in", null, 200);
        call("POST", template + "/{process}/swap-in", "/api/v1/apps/demo/processes/none/swap-in", null, 404);
        call("POST", template + "/{process}/checkpoint", "/api/v1/apps/demo/processes/p1/checkpoint", null, 200);
        call("POST", template + "/{process}/checkpoint", "/api/v1/apps/demo/processes/none/checkpoint", null, 404);
        call("POST", template + "/{process}/migrate", "/api/v1/apps/demo/processes/p1/migrate", null, 409);
        call("POST", template + "/{process}/migrate", "/api/v1/apps/demo/processes/none/migrate", null, 404);
        call("POST", template + "/{process}/migrate", "/api/v1/apps/demo/processes/p1/migrate", "{\"to\": 1}", 400);
        call("GET", template + "/{process}/metrics", "/api/v1/apps/demo/processes/p1/metrics", null, 200);
        call("GET", template + "/{process}/metrics", "/api/v1/apps/demo/processes/none/metrics", null, 404);
        call("GET", template + "/{process}/logs", "/api/v1/apps/demo/processes/p1/logs", null, 200);
        call("GET", template + "/{process}/logs", "/api/v1/apps/demo/processes/none/logs", null, 404);
        call("DELETE", template + "/{process}", path + "/p1", null, 204);
        call("DELETE", template + "/{process}", "/api/v1/apps/demo/processes/p1", null, 404);
    }

    private void taskTokens() throws Exception {
        String root = "/api/v1/task-tokens";
        String token = TaskTokens.ofTrial().token("demo", Ids.encode(1, 2, 3), "Ask>token");
        String known = "{\"token\": \"" + token + "\"";
        call("POST", root + "/success", root + "/success", known + ", \"output\": {\"big\": 12345678901234567890.5}}", 200);
        assertThat(new String(platform.host.callbacks.getLast().output().bytes(), StandardCharsets.UTF_8))
                .isEqualTo("{\"big\":12345678901234567890.5}");
        call("POST", root + "/success", root + "/success", known + "}", 400);
        call("POST", root + "/success", root + "/success", known + ", \"output\": \"" + "x".repeat(300_000) + "\"}", 413);
        call("POST", root + "/failure", root + "/failure", known + ", \"error\": \"Declined\"}", 200);
        assertThat(platform.host.callbacks.getLast()).isEqualTo(TaskCallback.failure(token, "Declined", null));
        call("POST", root + "/failure", root + "/failure", "{\"token\": \"x\"}", 400);
        call("POST", root + "/heartbeat", root + "/heartbeat", known + "}", 200);
        call("POST", root + "/heartbeat", root + "/heartbeat", "[]", 400);
        platform.host.callbackOutcome = TaskCallback.Outcome.NOT_AWAITED;
        call("POST", root + "/heartbeat", root + "/heartbeat", known + "}", 409);
        platform.host.callbackOutcome = TaskCallback.Outcome.UNKNOWN_TOKEN;
        call("POST", root + "/heartbeat", root + "/heartbeat", known + "}", 400);
    }

    private void localQueues(String template) throws Exception {
        platform.host.queued = List.of(QueuedEvents.first("here", List.of(new QueuedEvents.Queued(1, Ids.encode(1, 2, 3),
                Ids.encode(1, 2, 3) + "/echo", 1, 1, 2, "application/json", new byte[] {'1', '2'})), 1), QueuedEvents.silent("b", "away"));
        call("GET", template, DEMO + "/local-queues", null, 200);
        call("GET", template, "/api/v1/applications/none/local-queues", null, 404);
        call("GET", template + "/{grain}/events", DEMO + "/local-queues/echo/events?limit=1", null, 200);
        call("GET", template + "/{grain}/events", DEMO + "/local-queues/echo/events?limit=x", null, 400);
        platform.host.queued = List.of();
        call("GET", template + "/{grain}/events", DEMO + "/local-queues/nothing/events", null, 404);
    }

    private void invocations() throws Exception {
        String invoke = "/invoke/{app}/{target}";
        HttpResponse<byte[]> good = check("POST", invoke, platform.post("/invoke/demo/echo", "1"), 200);
        HttpResponse<byte[]> failed = check("POST", invoke, platform.post("/invoke/demo/fail", "1"), 500);
        check("POST", invoke, platform.post("/invoke/demo/full", "1"), 429);
        check("POST", "/api/v1/applications/{app}/invoke/{target}", platform.post(DEMO + "/invoke/echo@live", "1"), 200);
        check("POST", "/api/v1/applications/{app}/invoke/{target}", platform.post("/api/v1/apps/demo/invoke/nothing", "1"), 404);
        check("POST", invoke, platform.post("/invoke/demo/late", "1"), 504);
        check("POST", invoke, platform.post("/invoke/demo/nothing", "1"), 404);
        check("POST", invoke, platform.post("/invoke/demo/echo", "{"), 400);
        HttpResponse<byte[]> held = check("POST", invoke, platform.post("/invoke/demo/hold", "1", "Prefer", "respond-async"), 202);
        String running = held.headers().firstValue("Location").orElseThrow();
        String template = "/api/v1/applications/{app}/invocations";
        call("GET", template, DEMO + "/invocations", null, 200);
        call("GET", template, DEMO + "/invocations?limit=x", null, 400);
        call("GET", template, DEMO + "/invocations?process=p1", null, 200);
        call("GET", template, DEMO + "/invocations?process=..", null, 400);
        String id = DEMO + "/invocations/" + good.headers().firstValue("Sand-Execution-Id").orElseThrow();
        call("GET", template + "/{id}", id, null, 200);
        call("GET", template + "/{id}", running, null, 200);
        call("GET", template + "/{id}", DEMO + "/invocations/" + Ids.encode(1, 2, 3), null, 404);
        call("GET", template + "/{id}/output", id + "/output", null, 200);
        call("GET", template + "/{id}/input", id + "/input", null, 200);
        call("GET", template + "/{id}/output", running + "/output", null, 202);
        call("GET", template + "/{id}/output", DEMO + "/invocations/"
                + failed.headers().firstValue("Sand-Execution-Id").orElseThrow() + "/output", null, 500);
        call("GET", template + "/{id}/events", id + "/events", null, 200);
        call("GET", template + "/{id}/timeline", id + "/timeline", null, 200);
        call("GET", template + "/{id}/history", id + "/history", null, 409);
        call("GET", template + "/{id}/logs", id + "/logs", null, 200);
        call("POST", template + "/{id}/cancel", running + "/cancel", "{\"error\":1}", 400);
        call("POST", template + "/{id}/cancel", running + "/cancel", "{\"error\":\"Mine\",\"cause\":\"asked\"}", 200);
        call("POST", template + "/{id}/cancel", running + "/cancel", null, 409);
        call("POST", template + "/{id}/redrive", id + "/redrive", null, 409);
        call("POST", template + "/{id}/redrive", id + "/redrive", "{\"redriveCount\":0}", 400);
        call("POST", template + "/{id}/redrive", DEMO + "/invocations/" + Ids.encode(1, 2, 3) + "/redrive", null, 404);
    }

    private void call(String method, String template, String path, String body, int status) throws Exception {
        check(method, template, platform.send(method, path, body == null ? null : body.getBytes(StandardCharsets.UTF_8)), status);
    }

    /** The answer has the status, which the document names with its content type, and the body that its schema accepts. */
    private HttpResponse<byte[]> check(String method, String template, HttpResponse<byte[]> answer, int status) throws Exception {
        String what = method + " " + template + " → " + Platform.text(answer);
        assertThat(answer.statusCode()).as(what).isEqualTo(status);
        called.add(method + " " + template);
        JsonNode operation = document.path("paths").path(template).path(method.toLowerCase(Locale.ROOT));
        JsonNode response = resolve(operation.path("responses").path(Integer.toString(status)));
        assertThat(response.isMissingNode()).as("the document has no %s for %s", status, what).isFalse();
        if (answer.body().length == 0) {
            assertThat(response.has("content")).as(what).isFalse();
            return answer;
        }
        String type = answer.headers().firstValue("Content-Type").orElseThrow();
        assertThat(response.path("content").has(type)).as("%s of %s", type, what).isTrue();
        if (type.endsWith("json")) {
            JsonNode schema = response.path("content").path(type).path("schema");
            assertThat(JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(whole(schema))
                    .validate(Platform.json(answer))).as(what).isEmpty();
        }
        return answer;
    }

    private JsonNode resolve(JsonNode node) {
        return node.has("$ref") ? document.at(node.path("$ref").asText().substring(1)) : node;
    }

    /** The schema with the document's components beside it, so that its references lead somewhere. */
    private JsonNode whole(JsonNode schema) {
        ObjectNode whole = schema.deepCopy();
        whole.set("components", document.path("components"));
        return whole;
    }
}
