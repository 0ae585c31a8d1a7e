package dev.sand.frontend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.StoreException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Every change is in the audit log, with what came of it; what only looks, and invocations, are not. */
class AuditTest extends WithDemo {
    private static final String DEMO = "/api/v1/applications/demo";

    /** The newest first, once all have ended. */
    private List<JsonNode> entries() {
        return await().until(() -> {
            List<JsonNode> found = new ArrayList<>();
            Platform.json(platform.get("/api/v1/audit")).path("entries").forEach(found::add);
            return found;
        }, found -> found.stream().noneMatch(entry -> entry.path("status").isNull()));
    }

    @Test
    void a_change_is_noted_with_who_made_it_and_what_came_of_it() throws Exception {
        platform.send("PUT", DEMO + "/aliases/next", "{\"version\": 1}".getBytes());
        platform.send("PUT", DEMO + "/aliases/next", "{\"version\": 9}".getBytes());
        platform.post(DEMO + "/triggers/nightly/disarm", "");
        platform.get(DEMO);
        platform.post("/invoke/demo/echo", "1");
        List<JsonNode> entries = entries();
        assertThat(entries).extracting(entry -> entry.path("operation").asText())
                .containsExactly("disarmTrigger", "moveAlias", "moveAlias", "deploy");
        assertThat(entries).allSatisfy(entry -> {
            assertThat(entry.path("application").asText()).isEqualTo("demo");
            assertThat(entry.path("caller").asText()).isEqualTo("local");
            assertThat(entry.path("address").asText()).isEqualTo("127.0.0.1");
            assertThat(entry.path("endedMs").asLong()).isGreaterThanOrEqualTo(entry.path("atMs").asLong());
        });
        assertThat(entries.get(0).path("details").path("trigger").asText()).isEqualTo("nightly");
        assertThat(entries.get(1).path("status").asInt()).isEqualTo(404);
        assertThat(entries.get(1).path("problem").asText()).isEqualTo("unknown-version");
        assertThat(entries.get(2).path("details").toString()).contains("\"alias\":\"next\"", "\"version\":\"1\"");
        assertThat(entries.get(3).path("status").asInt()).isEqualTo(201);
        assertThat(entries.get(3).path("details").path("version").asText()).isEqualTo("1");
        JsonNode page = Platform.json(platform.get("/api/v1/audit?operation=moveAlias&application=demo&limit=1"));
        assertThat(page.path("entries")).containsExactly(entries.get(1));
        assertThat(Platform.json(platform.get("/api/v1/audit?operation=moveAlias&limit=1&before=" + page.path("next").asText()))
                .path("entries")).containsExactly(entries.get(2));
    }

    /** No grain does these here, and so nobody; that somebody wanted them is noted all the same. */
    @Test
    void a_change_of_rights_is_noted_with_what_is_to_become_of_them_and_no_password() throws Exception {
        Map<String, String> wishes = new LinkedHashMap<>();
        wishes.put("PUT /api/v1/users/ada", "{\"disabled\": false, \"operator\": true, \"new\": \"correct horse\"}");
        wishes.put("PUT /api/v1/tenants/acme", "{\"state\": \"suspended\"}");
        wishes.put("PUT /api/v1/tenants/acme/members/ada", "{\"role\": \"owner\"}");
        wishes.put("POST /api/v1/tenants/acme/invitations", "{\"role\": \"viewer\", \"expires\": \"2d\"}");
        wishes.put("PUT /api/v1/tenants/acme/quotas?keep=true", "{\"instances\": 5, \"storedBytes\": null}");
        wishes.put("POST /api/v1/keys", "{\"name\": \"ci\", \"scopes\": [\"read\", \"invoke\"], \"expires\": \"90d\"}");
        wishes.put("PUT /api/v1/users/eve?new=battery&operator=true", "{\"password\": \"staple\"}");
        for (Map.Entry<String, String> wish : wishes.entrySet()) {
            String[] what = wish.getKey().split(" ");
            assertThat(platform.send(what[0], what[1], wish.getValue().getBytes()).statusCode()).as(wish.getKey()).isEqualTo(409);
        }
        List<JsonNode> entries = new ArrayList<>(entries());
        Platform.json(platform.get("/api/v1/audit?tenant=acme")).path("entries").forEach(entries::add);
        assertThat(entries.toString()).doesNotContain("horse", "battery", "staple");
        assertThat(entries).extracting(entry -> entry.path("details").toString()).satisfies(details -> assertThat(sorted(details)).contains(
                "{disabled:false,operator:true,password:reset,user:ada}", "{state:suspended,tenant:acme}", "{role:owner,tenant:acme,user:ada}",
                "{expires:2d,role:viewer,tenant:acme}", "{instances:5,keep:true,storedBytes:null,tenant:acme}",
                "{expires:90d,name:ci,scopes:read, invoke}", "{user:eve}"));
    }

    /** Without quotation marks, and by name. */
    private static List<String> sorted(List<? extends String> details) {
        return details.stream().map(each -> each.substring(1, each.length() - 1).split(",(?=\")")).map(fields -> {
            Arrays.sort(fields);
            return "{" + String.join(",", fields).replace("\"", "") + "}";
        }).toList();
    }

    @Test
    void processes_that_are_made_and_swapped_are_noted() throws Exception {
        platform.post(DEMO + "/processes", "{\"id\": \"p\"}");
        for (String step : List.of("swap-out", "swap-in", "checkpoint")) {
            platform.post(DEMO + "/processes/p/" + step, "");
        }
        platform.post(DEMO + "/processes/p/connect", "{}");
        List<JsonNode> entries = entries();
        assertThat(entries).extracting(entry -> entry.path("operation").asText())
                .containsExactly("checkpointProcess", "swapInProcess", "swapOutProcess", "createProcess", "deploy");
        assertThat(entries.subList(0, 4)).allSatisfy(entry -> assertThat(entry.path("details").path("process").asText()).isEqualTo("p"));
    }

    @Test
    void an_application_is_named_as_in_a_path_within_the_tenant_whose_log_it_is() throws Exception {
        platform.send("PUT", "/api/v1/applications/acme--shop/aliases/next", "{\"version\": 1}".getBytes());
        for (String name : List.of("shop", "acme--shop")) {
            await().untilAsserted(() -> assertThat(Platform.json(platform.get("/api/v1/audit?tenant=acme&application=" + name)).path("entries"))
                    .as(name).singleElement().satisfies(entry -> assertThat(entry.path("application").asText()).isEqualTo("acme--shop")));
        }
        assertThat(Platform.json(platform.get("/api/v1/audit?application=shop")).path("entries")).isEmpty();
        assertThat(Platform.json(platform.get("/api/v1/audit?tenant=acme&application=-")).path("entries")).isEmpty();
    }

    @Test
    void a_dry_run_is_not_noted_and_nothing_else_passes_for_one() throws Exception {
        platform.send("POST", "/api/v1/applications?dryRun=true", Platform.zip(Platform.demo()), "Content-Type", "application/zip");
        platform.send("PUT", DEMO + "/aliases/next?dryRun=true", "{\"version\": 1}".getBytes());
        assertThat(entries()).extracting(entry -> entry.path("operation").asText()).containsExactly("moveAlias", "deploy");
    }

    @Test
    void a_deployment_that_fails_under_way_has_failed_though_its_answer_began_well() throws Exception {
        HttpResponse<byte[]> answer = platform.send("POST", "/api/v1/applications", new byte[] {1}, "Accept", "text/event-stream");
        assertThat(answer.statusCode()).isEqualTo(200);
        JsonNode entry = entries().getFirst();
        assertThat(entry.path("status").asInt()).isEqualTo(422);
        assertThat(entry.path("application").isNull()).isTrue();
    }

    @Test
    void what_cannot_be_noted_is_not_changed() throws Exception {
        GlobalStore away = (GlobalStore) Proxy.newProxyInstance(GlobalStore.class.getClassLoader(), new Class<?>[] {GlobalStore.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("put") && arguments[0].equals("audit")) {
                        throw new StoreException(StoreException.Kind.AWAY, "away, for this test", 0, null);
                    }
                    try {
                        return method.invoke(platform.store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        try (Frontend other = platform.anotherFrontend(away)) {
            HttpResponse<byte[]> answer = platform.postTo(other.address().getPort(), DEMO + "/rollback", "{\"version\": 1}",
                    "Accept", "application/json");
            assertThat(answer.statusCode()).as(Platform.text(answer)).isEqualTo(503);
        }
        assertThat(entries()).extracting(entry -> entry.path("operation").asText()).containsExactly("deploy");
    }
}
