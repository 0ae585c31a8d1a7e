package dev.sand.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Where events run by default (SAND 3.2, 4.1), on real hosts. The load is as skewed as can be: one execution, so one host owns
 * all events there are. They sleep, so that a machine with few processors carries three hosts' load; how busy a host was is what
 * it has measured itself, and how long is told by events that ended, by no clock.
 */
@Tag("cluster")
@ExtendWith(ClusterExtension.class)
class PlacementTest {
    private static final Duration LONGEST = Duration.ofSeconds(120);
    private static final int AT_ONCE = 24;
    /** More than are waited for: it is cancelled when enough was seen. */
    private static final int ITEMS = 6_000;
    /** No host has more of the mean busy time, once the shares have been corrected a few times: a little with every report. */
    private static final double MOST = 1.5;
    private static final int SETTLING = 250;
    private static final int MEASURED = 500;
    private static final Map<String, String> SKEWED = Map.of(
            "sand.yaml", "name: skewed\nsandbox: {memory: 256MiB}\ndefaults: {isolation: worker}\n",
            "grains/sleep/handler.py", "import time\n\ndef handle(event, context):\n    time.sleep(0.5)\n",
            "workflows/main.asl.json", """
                    {"StartAt": "All", "States": {"All": {"Type": "Map", "MaxConcurrency": AT_ONCE, "End": true, "ItemProcessor": {
                      "StartAt": "Sleep", "States": {"Sleep": {"Type": "Task", "Resource": "sleep", "End": true}}}}}}
                    """.replace("AT_ONCE", String.valueOf(AT_ONCE)));

    /** Seconds that handlers ran there, and how many did. */
    private record Busy(double seconds, double events) {
        Busy since(Busy before) {
            return new Busy(seconds - before.seconds, events - before.events);
        }
    }

    @Test
    void skewedLoadIsSharedOutOverThreeHostsOfWhichOneJoinsLate(ClusterFixture cluster) {
        PlatformClient client = cluster.client();
        client.deploy(SKEWED);
        Part late = cluster.part("host3");
        late.kill();
        await("two hosts have all slots").atMost(LONGEST).until(() -> cluster.slots(client, "host3").isEmpty());
        PlatformClient.Answer accepted = client.invokeLater("skewed/main",
                IntStream.range(0, ITEMS).mapToObj(String::valueOf).collect(Collectors.joining(",", "[", "]")),
                Map.of("Prefer", "respond-async", "Sand-Timeout", "20m")).join();
        assertThat(accepted.status()).as(accepted.body()).isEqualTo(202);
        try {
            for (String host : List.of("host1", "host2")) {
                await("events of one execution at " + host).atMost(LONGEST).until(() -> busy(cluster.part(host)).events > 0);
            }
            late.start();
            cluster.heal();
            await("events at the host that joined late").atMost(LONGEST).until(() -> busy(late).events > 0);
            await("shares that were corrected").atMost(LONGEST).until(() -> most(during(cluster, SETTLING)) <= MOST);
            Map<String, Double> shares = during(cluster, MEASURED);
            assertThat(shares.values()).as(shares.toString()).allSatisfy(share -> assertThat(share).isPositive().isLessThanOrEqualTo(MOST));
        } finally {
            String location = accepted.response().headers().firstValue("Location").orElseThrow();
            await("its end").atMost(LONGEST).until(() -> client.cancel(location).status(), status -> status == 200 || status == 409);
        }
    }

    private static double most(Map<String, Double> shares) {
        return Collections.max(shares.values());
    }

    /** @return by host, how busy it was until so many more events had ended, in parts of the mean */
    private static Map<String, Double> during(ClusterFixture cluster, int events) {
        Map<String, Busy> before = busy(cluster);
        double from = ended(cluster);
        await(events + " more events").atMost(LONGEST).pollInterval(Duration.ofSeconds(1)).until(() -> ended(cluster) >= from + events);
        Map<String, Busy> during = new LinkedHashMap<>();
        busy(cluster).forEach((host, now) -> during.put(host, now.since(before.get(host))));
        double mean = during.values().stream().mapToDouble(Busy::seconds).average().orElseThrow();
        return during.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, host -> host.getValue().seconds / mean));
    }

    private static double ended(ClusterFixture cluster) {
        return busy(cluster).values().stream().mapToDouble(Busy::events).sum();
    }

    private static Map<String, Busy> busy(ClusterFixture cluster) {
        Map<String, Busy> busy = new LinkedHashMap<>();
        cluster.hosts().forEach(host -> busy.put(host, busy(cluster.part(host))));
        return busy;
    }

    private static Busy busy(Part host) {
        MetricsPage page = host.metrics();
        return new Busy(page.sum("sand_grain_run_seconds_sum", "application=\"skewed\""),
                page.sum("sand_grain_run_seconds_count", "application=\"skewed\""));
    }
}
