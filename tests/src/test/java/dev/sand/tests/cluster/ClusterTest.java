package dev.sand.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.Container;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Three hosts as one platform: what is deployed through one frontend runs everywhere, in sandboxes beside the host agents. */
@Tag("cluster")
@ExtendWith(ClusterExtension.class)
class ClusterTest {
    private static final Map<String, String> GREETER = Map.of(
            "sand.yaml", "name: greeter\nsandbox: {memory: 128MiB}\n",
            "grains/greet/handler.py", "def handle(event, context):\n    return {'greeting': 'Hello, ' + event['name']}\n",
            "grains/shout/handler.py", "def handle(event, context):\n    return {'greeting': event['greeting'].upper()}\n",
            "workflows/main.asl.json", """
                    {"StartAt": "Greet", "States": {
                      "Greet": {"Type": "Task", "Resource": "greet", "Next": "Shout"},
                      "Shout": {"Type": "Task", "Resource": "shout", "End": true}}}
                    """);

    @BeforeAll
    static void deploy(ClusterFixture cluster) {
        cluster.client().deploy(GREETER);
    }

    @Test
    void aDeployedWorkflowAnswersThroughNginx(ClusterFixture cluster) {
        PlatformClient.Answer answer = cluster.client().invoke("greeter/main", "{\"name\": \"Ada\"}");
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        assertThat(answer.json().path("greeting").asText()).isEqualTo("HELLO, ADA");
    }

    @Test
    void withoutTheOperatorsKeyOnlyWhetherItIsWellIsTold(ClusterFixture cluster) {
        PlatformClient client = cluster.client();
        assertThat(client.statusWithoutKey("/readyz")).isEqualTo(200);
        assertThat(client.statusWithoutKey("/api/v1/applications")).isEqualTo(401);
        assertThat(client.get("/api/v1/applications").status()).isEqualTo(200);
    }

    @Test
    void everySlotHasExactlyOneOwner(ClusterFixture cluster) {
        PlatformClient client = cluster.client();
        List<Integer> owned = cluster.hosts().stream().flatMap(host -> cluster.slots(client, host).stream()).toList();
        assertThat(owned).doesNotHaveDuplicates();
        assertThat(owned.stream().sorted().toList()).isEqualTo(IntStream.range(0, owned.size()).boxed().toList());
    }

    @Test
    void executionsOfOneApplicationRunOnEveryHostInSandboxesBesideTheHostAgents(ClusterFixture cluster) {
        PlatformClient client = cluster.client();
        Set<String> used = new HashSet<>();
        // An execution's slot comes from its id: enough of them reach every host.
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            assertThat(client.invoke("greeter/greet", "{\"name\": \"Ada\"}").status()).isEqualTo(200);
            cluster.hosts().stream().filter(host -> running(cluster, host)).forEach(used::add);
            return used.size() == cluster.hosts().size();
        });
        for (String host : cluster.hosts()) {
            Container sandbox = cluster.sandboxes(host).getFirst();
            InspectContainerResponse details = cluster.engine().inspectContainerCmd(sandbox.getId()).exec();
            assertThat(details.getHostConfig().getReadonlyRootfs()).isTrue();
            assertThat(details.getHostConfig().getNetworkMode()).isEqualTo("none");
            assertThat(details.getConfig().getUser()).isNotEqualTo("0:0").isNotBlank();
            // Its folder has the same path for the engine, for the host agent in its container, and in the sandbox.
            assertThat(details.getMounts()).anySatisfy(mount -> assertThat(mount.getSource()).isEqualTo(mount.getDestination().getPath()));
        }
    }

    private static boolean running(ClusterFixture cluster, String host) {
        return cluster.sandboxes(host).stream().anyMatch(sandbox -> sandbox.getNames()[0].contains("-greeter-"));
    }

    @Test
    void anInvocationIsKnownAtBothFrontends(ClusterFixture cluster) {
        PlatformClient client = cluster.client();
        PlatformClient.Answer accepted = client.invokeLater("greeter/main", "{\"name\": \"Ada\"}", Map.of("Prefer", "respond-async")).join();
        assertThat(accepted.status()).as(accepted.body()).isEqualTo(202);
        String location = accepted.response().headers().firstValue("Location").orElseThrow();
        await().atMost(Duration.ofSeconds(30)).until(() -> client.get(location + "/output").status() == 200);
        for (String frontend : List.of("frontend1", "frontend2")) {
            cluster.part(frontend).kill();
            // nginx learns within some seconds that the one killed before is back: until then both are away for it.
            PlatformClient.Answer known = await().atMost(Duration.ofSeconds(30)).until(() -> client.get(location + "/output"),
                    answer -> answer.status() == 200);
            assertThat(known.json().path("greeting").asText()).isEqualTo("HELLO, ADA");
            cluster.heal();
        }
    }
}
