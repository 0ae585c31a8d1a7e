package dev.sand.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** docs/UPGRADES.md under load: every host agent, then every frontend, is stopped and started again, and nobody's request is lost. */
@Tag("cluster")
@ExtendWith(ClusterExtension.class)
class RollingRestartTest {
    private static final int CLIENTS = 4;
    private static final Duration LONGEST = Duration.ofSeconds(90);
    private static final Map<String, String> STEADY = Map.of(
            "sand.yaml", "name: steady\nsandbox: {memory: 128MiB}\n",
            "grains/add/handler.py", "import time\n\ndef handle(event, context):\n    time.sleep(0.1)\n    return {'n': event['n'] + 1}\n",
            "workflows/main.asl.json", """
                    {"StartAt": "First", "States": {
                      "First": {"Type": "Task", "Resource": "add", "Next": "Second"},
                      "Second": {"Type": "Task", "Resource": "add", "End": true}}}
                    """);

    @BeforeAll
    static void deploy(ClusterFixture cluster) {
        cluster.client().deploy(STEADY);
    }

    @Tag("long")
    @Test
    void everyRequestIsAnsweredRightWhilePartAfterPartIsReplaced(ClusterFixture cluster) throws Exception {
        PlatformClient client = cluster.client();
        AtomicInteger next = new AtomicInteger();
        AtomicBoolean enough = new AtomicBoolean();
        Map<Integer, String> wrong = new ConcurrentHashMap<>();
        Set<String> executions = ConcurrentHashMap.newKeySet();
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                running.add(clients.submit(() -> {
                    while (!enough.get()) {
                        int number = next.incrementAndGet();
                        PlatformClient.Answer answer = askUntilAnswered(client, number);
                        if (answer.status() != 200 || answer.json().path("n").asInt() != number + 2) {
                            wrong.put(number, answer.status() + " " + answer.body());
                        } else {
                            executions.add(answer.response().headers().firstValue("Sand-Execution-Id").orElse("none " + number));
                        }
                    }
                }));
            }
            for (String name : List.of("host1", "host2", "host3", "frontend1", "frontend2")) {
                int before = next.get();
                cluster.part(name).stop();
                cluster.part(name).start();
                cluster.heal();
                assertThat(next.get()).as("requests went on while " + name + " was replaced").isGreaterThan(before);
            }
            enough.set(true);
            for (Future<?> each : running) {
                each.get();
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(executions).as("one execution a request").hasSize(next.get());
    }

    /** As docs/UPGRADES.md tells clients: the same request with the same key, until there is an answer. */
    private static PlatformClient.Answer askUntilAnswered(PlatformClient client, int number) {
        return await().pollInSameThread().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(200)).atMost(LONGEST).until(
                () -> client.invokeLater("steady/main", "{\"n\": " + number + "}", Map.of("Idempotency-Key", "rolling-" + number)).join(),
                answer -> answer.status() != 0 && answer.status() < 500);
    }
}
