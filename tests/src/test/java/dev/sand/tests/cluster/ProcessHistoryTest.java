package dev.sand.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.tests.cluster.Conversations.Heard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Cloud processes that talk to each other over three hosts while these die, and while the processes are swapped out, checkpointed and
 * moved under them. Every request is given again under its key until it has an answer, so that each function ends once.
 */
@Tag("cluster")
@ExtendWith(ClusterExtension.class)
class ProcessHistoryTest {
    private static final String NAME = "talkers";
    private static final String ROOT = "/api/v1/apps/" + NAME + "/processes";
    private static final Duration LONGEST = Duration.ofSeconds(180);
    /** Ends of one whose time was over before it ran, on a machine that is too busy. */
    private static final List<String> TOO_LATE = List.of("\"error\":\"Sand.Timeout\"", "\"error\":\"Sand.Cancelled\"");
    private static final int PROCESSES = 4;
    private static final long SEED = Long.getLong("sand.cluster.seed", 1);
    private static final Map<String, String> FILES = Map.of(
            "sand.yaml", "name: " + NAME + "\nsandbox: {memory: 256MiB}\ngrains: {vow: {process: {atomic: true}}}\n",
            "grains/say/handler.py", """
                    def handle(event, context):
                        p, number = context.process, event["number"]
                        p.state(f"a/{number}", 1)
                        more = "m" * 100_000 if number % 5 == 4 else ""  # too large for the record of a message
                        for other in event["to"]:
                            p.send(other, "k", [p.id, number, more, len(more)])
                        p.state(f"b/{number}", 1)
                    """,
            "grains/vow/handler.py", """
                    def handle(event, context):
                        p, number = context.process, event["number"]
                        for other in event["to"]:
                            p.send(other, "v", [p.id, number])
                        p.state(f"v/{number}", 1)
                        if event["fails"]:
                            raise ValueError("nothing of it counts")
                    """,
            "grains/hear/handler.py", """
                    def handle(event, context):
                        p = context.process
                        heard, vows = p.state("heard", default=[]), p.state("vows", default=[])
                        while (one := p.recv(key="k", timeout=0)) is not None:
                            heard.append(one[:2] if len(one[2]) == one[3] else ["damaged", one[1]])
                        while (one := p.recv(key="v", timeout=0)) is not None:
                            vows.append(one)
                        p.state("heard", heard)
                        p.state("vows", vows)
                        if event["fails"]:
                            raise ValueError("what it heard goes back")
                    """,
            "grains/tell/handler.py", """
                    def handle(event, context):
                        p = context.process
                        heard, vows = p.state("heard", default=[]), p.state("vows", default=[])
                        return {"heard": heard, "vows": vows, "keys": p.state_keys()}
                    """);

    private final List<String> ids = new ArrayList<>();
    /** By process, numbers of the functions that ended well. */
    private final Map<String, Set<Integer>> said = new ConcurrentHashMap<>();
    /** By process, numbers of the atomic functions that ended well, and of those that failed by themselves. */
    private final Map<String, Set<Integer>> kept = new ConcurrentHashMap<>();
    private final Map<String, Set<Integer>> broken = new ConcurrentHashMap<>();
    private final AtomicBoolean enough = new AtomicBoolean();
    private final AtomicInteger moved = new AtomicInteger();
    private final AtomicInteger swappedOut = new AtomicInteger();

    @BeforeAll
    static void deploy(ClusterFixture cluster) {
        cluster.client().deploy(FILES);
    }

    /** Until it has ended, in whatever way: a host that dies, or is not there, is no end. */
    private static PlatformClient.Answer ended(PlatformClient client, String process, String function, String json, String key) {
        return await(function + " in " + process).atMost(LONGEST).pollInterval(Duration.ofMillis(50)).until(
                () -> client.post(ROOT + "/invoke?function=" + function + "&process=" + process, json, key),
                answer -> answer.status() == 200 || answer.status() == 204 || answer.body().contains("\"source\":\"grain\"")
                        || TOO_LATE.stream().anyMatch(answer.body()::contains));
    }

    private void say(PlatformClient client, String process) {
        String to = "[\"" + String.join("\", \"", ids) + "\"]";
        for (int number = 0; !enough.get(); number++) {
            String event = "{\"number\": " + number + ", \"to\": " + to + "}";
            if (ended(client, process, "say", event, process + "-say-" + number).status() < 300) { // else one could not be reached in time
                said.get(process).add(number);
            }
            vow(client, process, number, to);
        }
    }

    /** Each third time in vain. */
    private void vow(PlatformClient client, String process, int number, String to) {
        String event = "{\"number\": " + number + ", \"to\": " + to + ", \"fails\": " + (number % 3 == 2) + "}";
        PlatformClient.Answer answer = ended(client, process, "vow", event, process + "-vow-" + number);
        if (answer.status() < 300) {
            kept.get(process).add(number);
        } else if (answer.body().contains("ValueError")) {
            broken.get(process).add(number);
        }
    }

    /** Each third time in vain. */
    private void hear(PlatformClient client, String process) throws InterruptedException {
        for (int number = 0; !enough.get(); number++) {
            ended(client, process, "hear", "{\"fails\": " + (number % 3 == 2) + "}", process + "-hear-" + number);
            Thread.sleep(100);
        }
    }

    /** Whatever can be done with one from outside; most of it may be refused just then. */
    private void meddle(ClusterFixture cluster, PlatformClient client) throws InterruptedException {
        Random dice = new Random(SEED);
        List<String> hosts = cluster.hosts();
        while (!enough.get()) {
            String path = ROOT + "/" + ids.get(dice.nextInt(ids.size()));
            switch (dice.nextInt(3)) {
                case 0 -> count(swappedOut, client.post(path + "/swap-out", ""));
                case 1 -> client.post(path + "/checkpoint", "");
                default -> count(moved, client.post(path + "/migrate", "{\"host\": \"" + hosts.get(dice.nextInt(hosts.size())) + "\"}"));
            }
            Thread.sleep(dice.nextInt(300));
        }
    }

    private static void count(AtomicInteger done, PlatformClient.Answer answer) {
        if (answer.status() < 300) {
            done.incrementAndGet();
        }
    }

    private int saidInAll() {
        return said.values().stream().mapToInt(Set::size).sum();
    }

    private void awaitMore(int count) {
        int before = saidInAll();
        await(count + " functions more that ended").atMost(LONGEST).until(() -> saidInAll() >= before + count);
    }

    @Test
    void nothingIsLostDoubledOrReordered(ClusterFixture cluster) throws Exception {
        String run = Long.toString(System.nanoTime(), Character.MAX_RADIX);
        for (int i = 0; i < PROCESSES; i++) {
            ids.add("t" + i + "-" + run);
            for (Map<String, Set<Integer>> numbers : List.of(said, kept, broken)) {
                numbers.put(ids.getLast(), ConcurrentHashMap.newKeySet());
            }
        }
        PlatformClient client = cluster.client();
        for (String id : ids) {
            ended(client, id, "tell", "null", id + "-made");
        }
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<?>> all = new ArrayList<>();
            for (String id : ids) {
                all.add(threads.submit(() -> say(client, id)));
                all.add(threads.submit(() -> {
                    hear(client, id);
                    return null;
                }));
            }
            all.add(threads.submit(() -> {
                meddle(cluster, client);
                return null;
            }));
            try {
                awaitMore(40);
                for (String host : cluster.hosts().subList(0, 2)) {
                    cluster.part(host).kill();
                    awaitMore(40);
                    cluster.heal();
                    awaitMore(20);
                }
                await("processes that were moved, swapped out, and broke a vow").atMost(LONGEST).until(() ->
                        moved.get() > 0 && swappedOut.get() > 0 && broken.values().stream().anyMatch(numbers -> !numbers.isEmpty()));
            } finally {
                enough.set(true);
                threads.shutdown();
            }
            for (Future<?> each : all) {
                each.get(LONGEST.toSeconds(), TimeUnit.SECONDS);
            }
        }
        List<String> violations = violations(client, 0);
        // What atomic functions send goes out behind their end, in its time where hosts have just come back. Nothing else is waited for.
        long untilNs = System.nanoTime() + LONGEST.toNanos();
        for (int look = 1; !violations.isEmpty() && violations.stream().allMatch(Conversations::isVowThatNeverCame)
                && System.nanoTime() < untilNs; look++) {
            Thread.sleep(500);
            violations = violations(client, look);
        }
        assertThat(violations).as(() -> "seed " + SEED + "; " + cluster.keptLogs()).isEmpty();
    }

    private List<String> violations(PlatformClient client, int look) {
        return Conversations.violations(atLast(client, look));
    }

    private Map<String, Conversations.Process> atLast(PlatformClient client, int look) {
        Map<String, Conversations.Process> all = new TreeMap<>();
        for (String id : ids) {
            ended(client, id, "hear", "{\"fails\": false}", id + "-last-" + look);
            JsonNode told = ended(client, id, "tell", "null", id + "-told-" + look).json();
            Set<String> keys = new TreeSet<>();
            told.path("keys").forEach(key -> keys.add(key.asText()));
            Conversations.Vows vows = new Conversations.Vows(kept.get(id), broken.get(id), heard(told.path("vows")));
            all.put(id, new Conversations.Process(said.get(id), heard(told.path("heard")), vows, keys));
        }
        return all;
    }

    private static List<Heard> heard(JsonNode told) {
        List<Heard> heard = new ArrayList<>();
        told.forEach(one -> heard.add(new Heard(one.get(0).asText(), one.get(1).asInt())));
        return heard;
    }
}
