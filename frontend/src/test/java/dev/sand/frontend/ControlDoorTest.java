package dev.sand.frontend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.ControlPort;
import dev.sand.event.Ids;
import dev.sand.workflow.TaskTokens;
import dev.sand.event.ControlPort.Asker;
import dev.sand.event.ControlPort.Call;
import dev.sand.frontend.http.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What grains that control the platform get is what everybody gets over HTTP. */
class ControlDoorTest extends WithDemo {
    private int executions;

    private ControlPort.Reply call(String operation, String arguments, String tenant) {
        return platform.frontend.control().call(new Call(operation, new Asker("operator", tenant, Set.of("read"), "192.0.2.7"),
                "0sand-management/test", "x" + executions++, arguments.getBytes(StandardCharsets.UTF_8)));
    }

    private ControlPort.Reply call(String operation, String arguments) {
        return call(operation, arguments, "default");
    }

    private static JsonNode json(ControlPort.Reply reply) throws Exception {
        return Json.MAPPER.readTree(reply.body());
    }

    @Test
    void anAnswerIsTheSameAsOverHttp() throws Exception {
        platform.post("/invoke/demo/echo", "1");
        String[][] calls = {
            {"listApplications", "{}", "/api/v1/applications"},
            {"describeApplication", "{\"parameters\": {\"app\": \"demo\"}}", "/api/v1/applications/demo"},
            {"listInvocations", "{\"parameters\": {\"app\": \"demo\"}, \"query\": {\"limit\": \"1\"}}",
                "/api/v1/applications/demo/invocations?limit=1"},
            {"describeApplication", "{\"parameters\": {\"app\": \"no-such\"}}", "/api/v1/applications/no-such"},
            {"listInvocations", "{\"parameters\": {\"app\": \"demo\"}, \"query\": {\"limit\": \"x\"}}",
                "/api/v1/applications/demo/invocations?limit=x"},
            {"status", "", "/api/v1/status"}};
        for (String[] each : calls) {
            ControlPort.Reply reply = call(each[0], each[1]);
            var over = platform.get(each[2]);
            assertThat(reply.status()).as(each[0]).isEqualTo(over.statusCode());
            assertThat(json(reply)).as(each[0]).isEqualTo(Platform.json(over));
        }
    }

    @Test
    void aChangeIsMadeAndNotedInTheNameOfWhoAsked() throws Exception {
        ControlPort.Reply reply = call("moveAlias", "{\"parameters\": {\"app\": \"demo\", \"alias\": \"next\"}, \"body\": {\"version\": 1}}");
        assertThat(reply.status()).isEqualTo(200);
        assertThat(platform.registry.aliases("demo")).containsEntry("next", 1);
        JsonNode entry = Platform.json(platform.get("/api/v1/audit?operation=moveAlias")).path("entries").get(0);
        assertThat(entry.path("caller").asText()).isEqualTo("operator");
        assertThat(entry.path("address").asText()).isEqualTo("192.0.2.7");
        assertThat(entry.path("details").toString()).contains("\"alias\":\"next\"", "\"version\":\"1\"");
        assertThat(entry.path("status").asInt()).isEqualTo(200);
    }

    @Test
    void whoAsksForMoreThanHisTicketHasIsRefusedAsOverHttp() throws Exception {
        String more = "{\"parameters\": {\"app\": \"demo\"}, \"body\": {\"concurrency\": 5}}";
        ControlPort.Reply refused = call("createProcess", more);
        assertThat(refused.status()).isEqualTo(403);
        assertThat(json(refused).path("scope").asText()).isEqualTo("deploy");
        assertThat(json(refused).has("error")).as("else it is the grain that is taken for denied").isFalse();
        Call may = new Call("createProcess", new Asker("key:k", "default", Set.of("invoke", "deploy"), null), "0sand-management/test", "y",
                more.getBytes(StandardCharsets.UTF_8));
        assertThat(platform.frontend.control().call(may).status()).isEqualTo(201);
    }

    @Test
    void aTasksTokenIsItsTenantsAlone() throws Exception {
        String token = TaskTokens.ofTrial().token("demo", Ids.encode(1, 2, 3), "Ask>token");
        String report = "{\"body\": {\"token\": \"" + token + "\", \"output\": 1}}";
        assertThat(json(call("reportTaskSuccess", report, "acme")).path("type").asText()).endsWith("/unknown-token");
        assertThat(platform.host.callbacks).isEmpty();
        assertThat(call("reportTaskSuccess", report).status()).isEqualTo(200);
    }

    @Test
    void aDenialIsNoted() throws Exception {
        platform.frontend.control().denied("moveAlias", null, "0sand-management/logs", "the capability does not have it");
        JsonNode entry = Platform.json(platform.get("/api/v1/audit?operation=moveAlias")).path("entries").get(0);
        assertThat(entry.path("caller").asText()).isEqualTo("0sand-management/logs");
        assertThat(entry.path("status").asInt()).isEqualTo(403);
        assertThat(entry.path("details").path("why").asText()).contains("capability");
    }

    @Test
    void anotherTenantsTicketIsGoodForItsOwnAlone() throws Exception {
        for (String said : List.of("demo", "acme--demo", "default--demo", "default--acme--demo")) {
            ControlPort.Reply reply = call("deleteApplication", "{\"parameters\": {\"app\": \"" + said + "\"}}", "acme");
            assertThat(reply.status()).as(said).isEqualTo(404);
        }
        assertThat(platform.registry.exists("demo")).isTrue();
        assertThat(json(call("listApplications", "{}", "acme")).path("applications")).isEmpty();
        assertThat(call("listApplications", "{\"query\": {\"tenant\": \"default\"}}", "acme").status()).isEqualTo(404);
    }

    @Test
    void argumentsAreWhatTheOperationHasOrNothingIsDone() {
        for (String wrong : new String[] {"[]", "{", "{\"path\": {}}", "{\"parameters\": []}", "{\"parameters\": {}}",
            "{\"parameters\": {\"app\": {}}}", "{\"parameters\": {\"app\": \"\"}}"}) {
            assertThatThrownBy(() -> call("describeApplication", wrong)).as(wrong).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void whatStreamsIsForHttpAlone() throws Exception {
        ControlPort door = platform.frontend.control();
        for (String id : new String[] {"deploy", "invocationOutput", "invocationEvents", "metrics", "readFile", "invokeInProcess", "none"}) {
            assertThat(door.operation(id)).as(id).isEmpty();
        }
        assertThat(door.operation("moveAlias")).contains(new ControlPort.Operation("moveAlias", "deploy"));
        ControlPort.Reply followed = call("applicationLogs", "{\"parameters\": {\"app\": \"demo\"}, \"query\": {\"follow\": \"true\"}}");
        assertThat(followed.status()).isEqualTo(400);
    }
}
