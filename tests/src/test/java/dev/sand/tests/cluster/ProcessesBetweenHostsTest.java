package dev.sand.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.Slots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Cloud processes of one application whose owners are different hosts: they send to each other, invoke, and know of each other. */
@Tag("cluster")
@ExtendWith(ClusterExtension.class)
class ProcessesBetweenHostsTest {
    private static final String NAME = "neighbours";
    private static final String ROOT = "/api/v1/apps/" + NAME + "/processes";
    private static final Duration LONGEST = Duration.ofSeconds(150);
    private static final int MESSAGES = 40;
    private static final Map<String, String> FILES = Map.of(
            "sand.yaml", "name: " + NAME + "\nsandbox: {memory: 256MiB}\ngrains:\n  later: {process: {atomic: true}}\n",
            "grains/tell/handler.py", """
                    def handle(event, context):
                        for n in range(event["from"], event["from"] + event["count"]):
                            context.process.send(event["to"], "k", n)
                    """,
            "grains/later/handler.py", """
                    def handle(event, context):
                        context.process.send(event["to"], "later", event["value"])
                        if event.get("fails"):
                            raise ValueError("not this time")
                    """,
            "grains/large/handler.py", """
                    def handle(event, context):
                        context.process.send(event["to"], "large", b"x" * (3 << 20))
                        return context.process.invoke(event["to"], "length", b"y" * (2 << 20)).result(60)
                    """,
            "grains/length/handler.py", """
                    def handle(event, context):
                        message = context.process.recv(key="large", timeout=30)
                        return [context.process.id, len(event), len(message)]
                    """,
            "grains/ask/handler.py", """
                    def handle(event, context):
                        handles = [context.process.invoke(to, "all", None) for to in event]
                        return [handle.result(60)["id"] for handle in handles]
                    """,
            "grains/all/handler.py", """
                    def handle(event, context):
                        p, messages = context.process, []
                        while (one := p.recv(key="k", timeout=0)) is not None:
                            messages.append(one)
                        later = []
                        while (one := p.recv(key="later", timeout=0)) is not None:
                            later.append(one)
                        return {"id": p.id, "messages": messages, "later": later}
                    """,
            "grains/known/handler.py", """
                    def handle(event, context):
                        return sorted(one.process for one in context.process.processes())
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

    /** One process each whose owner is another host, by host. */
    private static Map<String, String> oneEach(ClusterFixture cluster, PlatformClient client) {
        Map<String, String> found = new LinkedHashMap<>();
        int slots = cluster.hosts().stream().mapToInt(host -> cluster.slots(client, host).size()).sum();
        for (String host : cluster.hosts()) {
            List<Integer> owned = List.copyOf(cluster.slots(client, host));
            found.put(host, IntStream.range(0, 10_000).mapToObj(n -> "p" + System.nanoTime() + "-" + n)
                    .filter(id -> owned.contains(Slots.of(id, slots))).findFirst().orElseThrow());
        }
        found.values().forEach(process -> ask(client, process, "all", "null"));
        return found;
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(each -> texts.add(each.asText()));
        return texts;
    }

    @Test
    void functionsReachProcessesOfEveryHost(ClusterFixture cluster) {
        PlatformClient client = cluster.client();
        List<String> processes = List.copyOf(oneEach(cluster, client).values());
        String first = processes.getFirst();
        String ids = "[\"" + String.join("\", \"", processes) + "\"]";
        assertThat(texts(ask(client, first, "ask", ids))).as("who was invoked").isEqualTo(processes);
        assertThat(texts(ask(client, first, "known", "null"))).as("processes()").containsAll(processes);
        for (String to : processes) {
            ask(client, first, "tell", "{\"to\": \"" + to + "\", \"from\": 0, \"count\": 5}");
            ask(client, first, "later", "{\"to\": \"" + to + "\", \"value\": \"once\"}");
            PlatformClient.Answer failed = call(client, first, "later", "{\"to\": \"" + to + "\", \"value\": \"never\", \"fails\": true}");
            assertThat(failed.status()).as(failed.body()).isEqualTo(500);
            JsonNode all = ask(client, to, "all", "null");
            assertThat(texts(all.path("messages"))).as("in order, once each").containsExactly("0", "1", "2", "3", "4");
            assertThat(texts(all.path("later"))).as("of a function that ended well").containsExactly("once");
            if (!to.equals(first)) {
                assertThat(ask(client, first, "large", "{\"to\": \"" + to + "\"}").toString())
                        .isEqualTo("[\"" + to + "\",2097152,3145728]");
            }
        }
    }

    @Test
    void whoIsNotThereIsAnErrorToTheSender(ClusterFixture cluster) {
        PlatformClient client = cluster.client();
        String first = oneEach(cluster, client).values().iterator().next();
        for (int n = 0; n < 6; n++) {
            PlatformClient.Answer answer = call(client, first, "tell", "{\"to\": \"nobody-" + n + "\", \"from\": 0, \"count\": 1}");
            assertThat(answer.status()).as(answer.body()).isEqualTo(500);
            assertThat(answer.body()).contains("has no process nobody-" + n);
        }
    }

    @Test
    void whatWasAnsweredIsThereOnceAndInOrderThoughTheReceiversHostDies(ClusterFixture cluster) {
        PlatformClient client = cluster.client();
        List<Map.Entry<String, String>> each = List.copyOf(oneEach(cluster, client).entrySet());
        String from = each.get(0).getValue();
        String to = each.get(1).getValue();
        int sent = 0;
        for (int n = 0; n < MESSAGES; n++) {
            if (n == MESSAGES / 4) {
                cluster.part(each.get(1).getKey()).kill();
            }
            ask(client, from, "tell", "{\"to\": \"" + to + "\", \"from\": " + sent + ", \"count\": 3}");
            sent += 3;
        }
        List<String> got = texts(ask(client, to, "all", "null").path("messages"));
        List<String> wanted = IntStream.range(0, sent).mapToObj(String::valueOf).toList();
        // A call that the test made again is another invocation, and sends again: what is asked is that none is missing, each in order.
        assertThat(got.stream().distinct().toList()).as(cluster::keptLogs).isEqualTo(wanted);
        cluster.heal();
    }
}
