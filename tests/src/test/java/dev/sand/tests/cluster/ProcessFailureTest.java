package dev.sand.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.Slots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Cloud processes whose owner dies, or whose store is away: what functions did that were answered is there, whole and once. */
@Tag("cluster")
@ExtendWith(ClusterExtension.class)
class ProcessFailureTest {
    private static final String NAME = "ledgers";
    private static final String ROOT = "/api/v1/apps/" + NAME + "/processes";
    private static final Duration LONGEST = Duration.ofSeconds(150);
    private static final int CLIENTS = 3;
    private static final Map<String, String> FILES = Map.of(
            "sand.yaml", "name: " + NAME + "\nsandbox: {memory: 256MiB}\n",
            "grains/add/handler.py", """
                    def handle(event, context):
                        p = context.process
                        p.state("a/" + event, 1)
                        p.send(p.id, "k", event)
                        p.state("b/" + event, 1)
                    """,
            "grains/all/handler.py", """
                    def handle(event, context):
                        p, messages = context.process, []
                        while (one := p.recv(key="k", timeout=0)) is not None:
                            messages.append(one)
                        return {"keys": p.state_keys(), "messages": messages}
                    """,
            "grains/large/handler.py", """
                    def handle(event, context):
                        if event:
                            context.process.state("large", bytes([event]) * (2 << 20))
                        value = context.process.state("large")
                        return [len(value), value[0], value[-1]]
                    """,
            "grains/many/handler.py", """
                    def handle(event, context):
                        p = context.process
                        if event:
                            for n in range(8):
                                p.state(f"v{n}", bytes([event + n]) * (2 << 20))
                        values = [p.state(f"v{n}") for n in range(8)]
                        return [[len(value), value[0], value[-1]] for value in values]
                    """);

    @BeforeAll
    static void deploy(ClusterFixture cluster) {
        cluster.client().deploy(FILES);
    }

    private static PlatformClient.Answer call(PlatformClient client, String process, String function, String json) {
        return client.post(ROOT + "/invoke?function=" + function + "&process=" + process, json);
    }

    /** Of one that must work in the end. */
    private static JsonNode ask(PlatformClient client, String process, String function, String json) {
        return await(function + " in " + process).atMost(LONGEST).until(() -> call(client, process, function, json),
                answer -> answer.status() == 200).json();
    }

    private static String owner(ClusterFixture cluster, PlatformClient client, String process) {
        int slots = cluster.hosts().stream().mapToInt(host -> cluster.slots(client, host).size()).sum();
        int slot = Slots.of(process, slots);
        return cluster.hosts().stream().filter(host -> cluster.slots(client, host).contains(slot)).findFirst().orElseThrow();
    }

    private static void killOwner(ClusterFixture cluster, PlatformClient client, String process) {
        String owner = owner(cluster, client, process);
        cluster.part(owner).kill();
        await("the slots of " + owner + " at other hosts").atMost(LONGEST).until(() -> cluster.slots(client, owner).isEmpty());
    }

    private static String status(PlatformClient client, String process) {
        return await("what process " + process + " is").atMost(LONGEST).until(() -> client.get(ROOT + "/" + process),
                answer -> answer.status() == 200).json().path("status").asText();
    }

    @Test
    void whatFunctionsDidOutlivesTheOwnerOfTheirProcess(ClusterFixture cluster) throws Exception {
        PlatformClient client = cluster.client();
        String process = "p-" + System.nanoTime();
        ask(client, process, "all", "null");
        Queue<String> answered = new ConcurrentLinkedQueue<>();
        AtomicBoolean enough = new AtomicBoolean();
        try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
            for (int c = 0; c < CLIENTS; c++) {
                int number = c;
                clients.execute(() -> {
                    for (int n = 0; !enough.get(); n++) {
                        String id = number + "-" + String.format("%05d", n);
                        if (call(client, process, "add", "\"" + id + "\"").status() == 200) {
                            answered.add(id);
                        }
                    }
                });
            }
            await("functions that ended").atMost(LONGEST).until(() -> answered.size() > 30);
            killOwner(cluster, client, process);
            int before = answered.size();
            await("functions that ended at the next owner").atMost(LONGEST).until(() -> answered.size() > before + 30);
            enough.set(true);
            clients.shutdown();
            assertThat(clients.awaitTermination(LONGEST.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
        JsonNode all = ask(client, process, "all", "null");
        Set<String> keys = texts(all.path("keys"));
        assertThat(keys).as(cluster::keptLogs).containsAll(answered.stream().map(id -> "a/" + id).toList());
        assertThat(keys.stream().filter(key -> key.startsWith("a/")).map(key -> "b/" + key.substring(2))).as("no half of a function")
                .allMatch(keys::contains);
        List<String> messages = new ArrayList<>();
        all.path("messages").forEach(message -> messages.add(message.asText()));
        assertThat(messages).as("each message once").doesNotHaveDuplicates().containsAll(answered);
        cluster.heal();
    }

    private static Set<String> texts(JsonNode array) {
        Set<String> texts = new TreeSet<>();
        array.forEach(each -> texts.add(each.asText()));
        return texts;
    }

    @Test
    void aProcessThatIsSwappedOutComesBackAtAnotherHost(ClusterFixture cluster) {
        PlatformClient client = cluster.client();
        String process = "s-" + System.nanoTime();
        ask(client, process, "large", "7");
        ask(client, process, "add", "\"x\"");
        PlatformClient.Answer swapped = client.post(ROOT + "/" + process + "/swap-out", "");
        assertThat(swapped.json().path("status").asText()).as(swapped.body()).isEqualTo("swapped");
        killOwner(cluster, client, process);
        assertThat(status(client, process)).isEqualTo("swapped");
        assertThat(ask(client, process, "large", "null").toString()).isEqualTo("[2097152,7,7]");
        assertThat(ask(client, process, "all", "null").path("messages").toString()).isEqualTo("[\"x\"]");
        assertThat(status(client, process)).isEqualTo("active");
        cluster.heal();
    }

    @Test
    void aProcessThatCannotBeSwappedOutStaysWhole(ClusterFixture cluster) {
        PlatformClient client = cluster.client();
        String process = "c-" + System.nanoTime();
        ask(client, process, "large", "9");
        cluster.part("cassandra").kill();
        assertThat(client.post(ROOT + "/" + process + "/swap-out", "").status()).as("there is no store").isGreaterThanOrEqualTo(500);
        cluster.part("cassandra").start();
        cluster.heal();
        assertThat(ask(client, process, "large", "null").toString()).isEqualTo("[2097152,9,9]");
        await("the swap").atMost(LONGEST).until(() -> status(client, process).equals("swapped")
                || client.post(ROOT + "/" + process + "/swap-out", "").status() == 200);
        assertThat(ask(client, process, "large", "null").toString()).isEqualTo("[2097152,9,9]");
    }

    /** 16 MiB of state in a memory of 5. */
    @Test
    void stateThatOverflowedIsThereAtTheNextOwnerAndWhenTheStoreIsBack(ClusterFixture cluster) {
        PlatformClient client = cluster.client();
        String process = "o-" + System.nanoTime();
        await("process " + process).atMost(LONGEST).until(() -> client.post(ROOT, "{\"id\": \"" + process + "\", \"memory\": \"5MiB\"}").status() == 201);
        String all = IntStream.range(0, 8).mapToObj(n -> "[2097152," + (9 + n) + "," + (9 + n) + "]").toList().toString().replace(" ", "");
        assertThat(ask(client, process, "many", "9").toString()).isEqualTo(all);
        await("what is over its memory has left").atMost(LONGEST).until(() -> client.get(ROOT + "/" + process).json(),
                view -> view.path("residentBytes").asLong() <= 5 << 20 && view.path("overflowBytes").asLong() >= 11 << 20);
        killOwner(cluster, client, process);
        assertThat(ask(client, process, "many", "null").toString()).isEqualTo(all);
        cluster.heal();
        assertThat(ask(client, process, "many", "null").toString()).isEqualTo(all);
        cluster.part("cassandra").kill();
        PlatformClient.Answer refused = call(client, process, "many", "null");
        assertThat(refused.status()).as(refused.body()).isGreaterThanOrEqualTo(500);
        assertThat(refused.body()).contains("state \\\"v").contains("is in the global data layer");
        cluster.part("cassandra").start();
        cluster.heal();
        assertThat(ask(client, process, "many", "null").toString()).isEqualTo(all);
    }
}
