package dev.sand.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.Slots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A cloud process that goes to another host while a Java and a Python client have many invocations of it in flight: by hand, when its
 * host is drained (it stops, or by hand), when that dies, and when either dies in the middle of a migration. The clients are told
 * *moved* and go on; each invocation is answered once, and takes effect once.
 */
@Tag("cluster")
@ExtendWith(ClusterExtension.class)
class MovedProcessTest {
    private static final String NAME = "movers";
    private static final String ROOT = "/api/v1/apps/" + NAME + "/processes";
    private static final Duration LONGEST = Duration.ofSeconds(150);
    private static final int ANSWERS = 60;
    private static final Map<String, String> FILES = Map.of(
            "sand.yaml", "name: " + NAME + "\nsandbox: {memory: 256MiB}\n",
            "grains/count/handler.py", """
                    def handle(event, context):
                        p = context.process
                        times = p.state("n/" + event, default=0) + 1
                        p.state("n/" + event, times)
                        p.send(p.id, "k", event)
                        for _ in range(2):  # more than come, so that few are unread
                            one = p.recv(key="k", timeout=0)
                            if one is not None:
                                p.state("m/" + one, p.state("m/" + one, default=0) + 1)
                        return times
                    """,
            "grains/all/handler.py", """
                    def handle(event, context):
                        p, all = context.process, {key: context.process.state(key) for key in context.process.state_keys()}
                        messages = [key[2:] for key, times in all.items() if key[:2] == "m/" for _ in range(times)]
                        while (one := p.recv(key="k", timeout=0)) is not None:
                            messages.append(one)
                        return {"times": {key[2:]: times for key, times in all.items() if key[:2] == "n/"}, "messages": messages}
                    """);

    @BeforeAll
    static void deploy(ClusterFixture cluster) {
        cluster.client().deploy(FILES);
    }

    private interface Step {
        void run() throws Exception;
    }

    private static PlatformClient.Answer call(PlatformClient client, String process, String function, String json) {
        return client.post(ROOT + "/invoke?function=" + function + "&process=" + process, json);
    }

    private static JsonNode ask(PlatformClient client, String process, String function, String json) {
        return await(function + " in " + process).atMost(LONGEST).until(() -> call(client, process, function, json),
                answer -> answer.status() == 200).json();
    }

    private static JsonNode described(PlatformClient client, String process) {
        return await("what process " + process + " is").atMost(LONGEST).until(() -> client.get(ROOT + "/" + process),
                answer -> answer.status() == 200).json();
    }

    /** As it says itself: it is in memory. */
    private static String host(PlatformClient client, String process) {
        return described(client, process).path("host").asText();
    }

    private static String another(ClusterFixture cluster, String host) {
        return cluster.hosts().stream().filter(each -> !each.equals(host)).findFirst().orElseThrow();
    }

    private static PlatformClient.Answer migrate(PlatformClient client, String process, String host) {
        return client.post(ROOT + "/" + process + "/migrate", host == null ? "" : "{\"host\": \"" + host + "\"}");
    }

    private static String owner(ClusterFixture cluster, PlatformClient client, String process) {
        int slots = cluster.hosts().stream().mapToInt(host -> cluster.slots(client, host).size()).sum();
        return cluster.hosts().stream().filter(host -> cluster.slots(client, host).contains(Slots.of(process, slots))).findFirst()
                .orElseThrow();
    }

    /** While both clients have it invoked, and are answered before and after. */
    private static void underTraffic(ClusterFixture cluster, String process, Step step) throws Exception {
        underTraffic(cluster, process, true, step);
    }

    /** @param goes it is surely elsewhere afterwards */
    private static void underTraffic(ClusterFixture cluster, String process, boolean goes, Step step) throws Exception {
        PlatformClient client = cluster.client();
        List<String> answered = new ArrayList<>();
        try (HostNames names = new HostNames(cluster); Callers callers = new Callers(names.address(), NAME, process)) {
            callers.awaitMore(ANSWERS);
            step.run();
            callers.awaitMore(ANSWERS);
            callers.end();
            assertThat(callers.wrong).as(cluster::keptLogs).isEmpty();
            if (goes) {
                assertThat(callers.javaReconnects()).as("the Java client was told where it went").isPositive();
                assertThat(callers.pythonReconnects).as("the Python client was").isPositive();
            }
            answered.addAll(callers.answered());
        }
        JsonNode all = ask(client, process, "all", "null");
        Map<String, Integer> times = new TreeMap<>();
        all.path("times").fields().forEachRemaining(each -> times.put(each.getKey(), each.getValue().asInt()));
        assertThat(times.keySet()).as("what was answered is there").containsAll(answered);
        assertThat(times.values()).as("each took effect once").containsOnly(1);
        List<String> messages = new ArrayList<>();
        all.path("messages").forEach(message -> messages.add(message.asText()));
        assertThat(messages).as("each message once").doesNotHaveDuplicates().containsAll(answered);
    }

    @Test
    void byHand(ClusterFixture cluster) throws Exception {
        PlatformClient client = cluster.client();
        String process = "hand-" + System.nanoTime();
        ask(client, process, "all", "null");
        underTraffic(cluster, process, () -> {
            String first = host(client, process);
            String second = another(cluster, first);
            PlatformClient.Answer there = migrate(client, process, second);
            assertThat(there.status()).as(there.body()).isEqualTo(200);
            assertThat(there.json().path("host").asText()).as(there.body()).isEqualTo(second);
            assertThat(migrate(client, process, second).status()).as("where it is").isEqualTo(200);
            PlatformClient.Answer anywhere = migrate(client, process, null);
            assertThat(anywhere.status()).as(anywhere.body()).isEqualTo(200);
            assertThat(anywhere.json().path("host").asText()).isNotEqualTo(second);
            PlatformClient.Answer home = migrate(client, process, first);
            assertThat(home.status()).as(home.body()).isEqualTo(200);
            assertThat(host(client, process)).isEqualTo(first);
        });
        assertThat(migrate(client, process, "nowhere").status()).isEqualTo(400);
        assertThat(migrate(client, "nobody", null).status()).isEqualTo(404);
        PlatformClient.Answer gone = migrate(client, process, another(cluster, host(client, process)));
        assertThat(gone.status()).as(gone.body()).isEqualTo(200);
        assertThat(client.delete(ROOT + "/" + process).status()).isEqualTo(204);
        assertThat(client.get(ROOT + "/" + process).status()).isEqualTo(404);
        assertThat(ask(client, process, "all", "null").path("times")).as("another one of its name").isEmpty();
        assertThat(host(client, process)).as("begins at home").isEqualTo(owner(cluster, client, process));
    }

    @Tag("long")
    @Test
    void whenItsHostDrains(ClusterFixture cluster) throws Exception {
        PlatformClient client = cluster.client();
        String process = "drain-" + System.nanoTime();
        ask(client, process, "all", "null");
        underTraffic(cluster, process, () -> cluster.part(host(client, process)).stop());
        cluster.heal();
    }

    @Tag("long")
    @Test
    void whenItsHostIsDrainedByHandAndComesBack(ClusterFixture cluster) throws Exception {
        PlatformClient client = cluster.client();
        String process = "by-hand-" + System.nanoTime();
        ask(client, process, "all", "null");
        String first = host(client, process);
        underTraffic(cluster, process, () -> {
            assertThat(client.post("/api/v1/hosts/" + first + "/drain", "").status()).isEqualTo(202);
            await().atMost(LONGEST).until(() -> state(client, first).equals("drained"));
            assertThat(host(client, process)).isNotEqualTo(first);
        });
        assertThat(client.post("/api/v1/hosts/" + first + "/resume", "").status()).isEqualTo(202);
        await().atMost(LONGEST).until(() -> state(client, first).equals("up") && !cluster.slots(client, first).isEmpty());
    }

    private static String state(PlatformClient client, String host) {
        for (JsonNode each : client.get("/api/v1/hosts").json().path("hosts")) {
            if (each.path("host").asText().equals(host)) {
                return each.path("state").asText();
            }
        }
        return "unknown";
    }

    @Test
    void whenItsHostDies(ClusterFixture cluster) throws Exception {
        PlatformClient client = cluster.client();
        String process = "death-" + System.nanoTime();
        ask(client, process, "all", "null");
        underTraffic(cluster, process, () -> cluster.part(host(client, process)).kill());
        cluster.heal();
    }

    @Tag("long")
    @Test
    void whenTheHostItWasMovedToDies(ClusterFixture cluster) throws Exception {
        PlatformClient client = cluster.client();
        String process = "there-" + System.nanoTime();
        ask(client, process, "all", "null");
        underTraffic(cluster, process, () -> {
            String second = another(cluster, host(client, process));
            assertThat(migrate(client, process, second).status()).isEqualTo(200);
            cluster.part(second).kill();
        });
        cluster.heal();
    }

    @Tag("long")
    @Test
    void whenTheTargetDiesInTheMiddle(ClusterFixture cluster) throws Exception {
        inTheMiddle(cluster, "target", true);
    }

    @Tag("long")
    @Test
    void whenTheSourceDiesInTheMiddle(ClusterFixture cluster) throws Exception {
        inTheMiddle(cluster, "source", false);
    }

    private static void inTheMiddle(ClusterFixture cluster, String name, boolean target) throws Exception {
        PlatformClient client = cluster.client();
        String process = name + "-" + System.nanoTime();
        ask(client, process, "all", "null");
        underTraffic(cluster, process, !target, () -> { // it stays when the target dies before it is there
            String first = host(client, process);
            String second = another(cluster, first);
            CompletableFuture<PlatformClient.Answer> moving = CompletableFuture.supplyAsync(() -> migrate(client, process, second));
            Thread.sleep(30);
            cluster.part(target ? second : first).kill();
            moving.handle((answer, thrown) -> null).join(); // whether it went, the process knows
        });
        cluster.heal();
    }
}
