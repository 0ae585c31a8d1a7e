package dev.sand.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Hosts and frontends that were told different things of the management (docs/MANAGEMENT.md, on several hosts): an older and a newer one,
 * as while a cluster is upgraded, and none.
 */
@Tag("slow")
class ManagementOnHostsTest {
    /** Enough that each host has some: an execution's slot comes from its id. */
    private static final int REQUESTS = 40;
    private static final String LIST = """
            def handle(event, context):
                if event["operation"] == "ready":
                    try:
                        context.platform.call("ready", event["ticket"])
                    except Exception as denied:
                        return {"status": 503, "body": {"detail": str(denied)}}
                    return {"status": 200}
                try:
                    status, body = context.platform.call("listApplications", event["ticket"], {"parameters": {}, "query": {}})
                except Exception as denied:
                    return {"status": 403, "body": {"error": denied.error, "detail": str(denied)}}
                return {"status": status, "body": {"by": BY, **body}}
            """;
    @TempDir
    private Path folder;

    private String management(String by) throws IOException {
        Path made = folder.resolve(by);
        Files.createDirectories(made.resolve("grains/applications"));
        Files.writeString(made.resolve("sand.yaml"), "name: management\nsandbox: {memory: 256MiB}\n");
        Files.writeString(made.resolve("grains/applications/handler.py"), "BY = '" + by + "'\n" + LIST);
        return made.toString();
    }

    private static JsonNode known(InProcessCluster cluster, Platform frontend) {
        return InProcessCluster.json(cluster.send(frontend, "GET", "/api/v1/management", null));
    }

    private static void serves(InProcessCluster cluster, Platform frontend, int version) {
        await().atMost(InProcessCluster.PATIENCE).until(() -> known(cluster, frontend),
                known -> known.path("version").asInt() == version && known.path("trouble").isNull());
    }

    private static void allBy(String by, InProcessCluster cluster, Platform frontend) {
        for (int i = 0; i < REQUESTS; i++) {
            HttpResponse<String> answer = cluster.send(frontend, "GET", "/api/v1/applications", null);
            assertThat(InProcessCluster.json(answer).path("by").asText()).as(answer.headers() + answer.body()).isEqualTo(by);
        }
    }

    @Test
    void olderAndNewerHostsDoWhatEitherFrontendAsksAndOneWithoutIsPassedOver() throws Exception {
        try (InProcessCluster cluster = new InProcessCluster(Map.of())) {
            cluster.management = management("older");
            Platform olderFrontend = cluster.frontend("front-a");
            await().atMost(InProcessCluster.PATIENCE).until(() -> known(cluster, olderFrontend).path("trouble").asText(),
                    "no host takes work yet"::equals);
            cluster.host("host-a", "1s");
            serves(cluster, olderFrontend, 1);

            cluster.management = management("newer");
            cluster.host("host-b", "1s");
            cluster.awaitHosts(olderFrontend, 2);
            allBy("older", cluster, olderFrontend);
            Platform newerFrontend = cluster.frontend("front-b");
            serves(cluster, newerFrontend, 2);
            allBy("newer", cluster, newerFrontend);

            cluster.management = "off";
            cluster.host("host-c", "1s");
            cluster.awaitHosts(newerFrontend, 3);
            allBy("newer", cluster, newerFrontend);
            cluster.management = management("newest");
            Platform newestFrontend = cluster.frontend("front-c");
            await().atMost(InProcessCluster.PATIENCE).until(() -> known(cluster, newestFrontend).path("trouble").asText(),
                    why -> why.contains("on host-c: application 0sand-management has no capability"));
            assertThat(known(cluster, newestFrontend).path("version").asInt()).isEqualTo(2);
        }
    }
}
