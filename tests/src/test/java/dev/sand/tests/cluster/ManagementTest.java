package dev.sand.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.extension.ExtendWith;

/** docs/MANAGEMENT.md on several hosts: grains do the platform's operations, whichever frontend is asked and whichever host is lost. */
@Tag("cluster")
@EnabledIfEnvironmentVariable(named = "SAND_TEST_CLUSTER_MANAGEMENT", matches = "on", disabledReason = "./sand test --all runs it")
@ExtendWith(ClusterExtension.class)
class ManagementTest {
    private static final Duration DEPLOYED = Duration.ofSeconds(300);
    private static final Duration LONGEST = Duration.ofSeconds(120);
    private static final String MANAGEMENT = "0sand-management";
    private static final String ALIASES = "/api/v1/applications/overseen/aliases";
    private static final String PASSWORD = "a long word that nobody else has";
    private static final int CLIENTS = 3;
    private static final Map<String, String> OVERSEEN = Map.of("sand.yaml", "name: overseen\nsandbox: {memory: 128MiB}\n",
            "grains/one/handler.py", "def handle(event, context):\n    return 1\n");

    /** Both frontends have deployed it, at the same time, when the cluster began. */
    @BeforeAll
    static void deploy(ClusterFixture cluster) {
        for (String frontend : List.of("frontend1", "frontend2")) {
            PlatformClient client = cluster.client(frontend);
            await("the management at " + frontend).atMost(DEPLOYED).until(() -> client.get("/api/v1/management"),
                    known -> known.status() == 200 && known.json().path("version").asInt() > 0 && known.json().path("trouble").isNull());
        }
        cluster.client().deploy(OVERSEEN);
    }

    private static boolean isOfAGrain(PlatformClient.Answer answer) {
        return answer.response() != null && answer.response().headers().firstValue("Sand-Execution-Id").isPresent()
                && answer.response().headers().firstValue("Sand-Served-By").isEmpty();
    }

    @Test
    void twoFrontendsThatBeginAtOnceMakeOneVersion(ClusterFixture cluster) {
        JsonNode versions = cluster.client().directly("/api/v1/applications/" + MANAGEMENT + "/versions?system=true").json().path("versions");
        assertThat(versions).hasSize(1);
    }

    @Test
    void operationsBehindNginxAreDoneByGrainsOnEveryHost(ClusterFixture cluster) {
        PlatformClient client = cluster.client();
        Set<String> used = new HashSet<>();
        // An execution's slot comes from its id: enough of them reach every host.
        await().atMost(LONGEST).until(() -> {
            PlatformClient.Answer answer = client.get("/api/v1/applications/overseen");
            assertThat(answer.status()).as(answer.body()).isEqualTo(200);
            assertThat(isOfAGrain(answer)).as(() -> answer.response().headers().toString()).isTrue();
            cluster.hosts().stream().filter(host -> has(cluster, host)).forEach(used::add);
            return used.size() == cluster.hosts().size();
        });
    }

    private static boolean has(ClusterFixture cluster, String host) {
        return cluster.sandboxes(host).stream().anyMatch(sandbox -> sandbox.getNames()[0].contains("-" + MANAGEMENT + "-"));
    }

    @Test
    void aKeyAndAnAccountThatWereMadeOverOneFrontendAreKnownToTheOther(ClusterFixture cluster) {
        PlatformClient one = cluster.client("frontend1");
        PlatformClient other = cluster.client("frontend2");
        JsonNode made = one.post("/api/v1/keys", "{\"name\": \"reader\", \"scopes\": [\"read\"]}").json();
        String key = made.path("key").asText();
        assertThat(key).as(made.toString()).startsWith("sand_");
        try (PlatformClient reader = other.with(key)) {
            PlatformClient.Answer read = reader.get("/api/v1/applications/overseen");
            assertThat(read.status()).as(read.body()).isEqualTo(200);
            assertThat(isOfAGrain(read)).isTrue();
        }
        String name = "ada-" + Long.toString(System.nanoTime(), 36);
        PlatformClient.Answer account = one.post("/api/v1/users", "{\"name\": \"" + name + "\", \"password\": \"" + PASSWORD + "\"}");
        assertThat(account.status()).as(account.body()).isEqualTo(201);
        PlatformClient.Answer session = other.post("/api/v1/sessions", "{\"name\": \"" + name + "\", \"password\": \"" + PASSWORD + "\"}");
        assertThat(session.status()).as(session.body()).isEqualTo(201);
        // Revoked over the other, no frontend takes it any more.
        assertThat(other.delete("/api/v1/keys/" + made.path("id").asText()).status()).isEqualTo(204);
        try (PlatformClient reader = one.with(key)) {
            assertThat(reader.get("/api/v1/applications/overseen").status()).isEqualTo(401);
        }
    }

    /** Changes go on all the time: each that was answered is there afterwards, and the control plane answers by grains again. */
    @Test
    void aHostOfItsSandboxesIsKilledAndWhatWasAcceptedIsThere(ClusterFixture cluster) throws Exception {
        PlatformClient client = cluster.client();
        await("a sandbox of the management on host1").atMost(LONGEST).until(() -> client.get("/api/v1/applications").status() == 200 && has(cluster, "host1"));
        AtomicInteger next = new AtomicInteger();
        AtomicBoolean enough = new AtomicBoolean();
        Set<String> accepted = ConcurrentHashMap.newKeySet();
        Map<String, String> odd = new ConcurrentHashMap<>();
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = IntStream.range(0, CLIENTS).<Future<?>>mapToObj(i -> clients.submit(() -> {
                while (!enough.get()) {
                    String alias = "a" + next.incrementAndGet();
                    await("alias " + alias).pollInSameThread().pollDelay(Duration.ZERO).atMost(LONGEST).until(() -> {
                        PlatformClient.Answer answer = client.put(ALIASES + "/" + alias, "{\"version\": 1}");
                        // One change of an application at a time: the others are told to come back.
                        if (answer.status() != 200 && !answer.body().contains("\"retryable\":true")) {
                            odd.put(alias, answer.status() + " " + answer.body());
                        }
                        return answer.status() == 200;
                    });
                    accepted.add(alias);
                }
            })).toList();
            try {
                await("changes before").atMost(LONGEST).until(() -> accepted.size() >= CLIENTS);
                cluster.part("host1").kill();
                await("the slots of host1 at other hosts").atMost(LONGEST).until(() -> cluster.slots(client, "host1").isEmpty());
                int before = accepted.size();
                await("changes after").atMost(LONGEST).until(() -> accepted.size() >= before + 3 * CLIENTS);
            } finally {
                enough.set(true);
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
        PlatformClient.Answer there = client.get(ALIASES);
        assertThat(isOfAGrain(there)).as(there.body()).isTrue();
        Set<String> named = new HashSet<>();
        there.json().path("aliases").fieldNames().forEachRemaining(named::add);
        assertThat(named).containsAll(accepted);
        // A host that goes makes answers late: later than a grain may take, on a busy machine, and then it is said that it did not answer.
        assertThat(odd).isEmpty();
    }
}
