package dev.sand.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.LatencyBuckets;
import dev.sand.event.RecentEnds;
import dev.sand.event.RecentEnds.Step;
import dev.sand.hostlink.HostLink;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class FiguresTest {
    private static final int FAST = LatencyBuckets.of(1_000_000);
    private static final int SLOW = LatencyBuckets.of(500_000_000);
    private final long nowMs = System.currentTimeMillis();
    private Platform platform;

    @BeforeEach
    void start() throws Exception {
        platform = new Platform();
        platform.deployDemo();
        platform.host.recent.clear();
    }

    @AfterEach
    void stop() throws Exception {
        platform.close();
    }

    private void tells(String host, Step... steps) {
        platform.host.recent.add(new RecentEnds(host, null, nowMs - 3_600_000, List.of(steps)));
    }

    private Step step(String application, long agoMs, int ended, int failed, int bucket, int... counts) {
        long startMs = nowMs - agoMs;
        return new Step(application, startMs - startMs % RecentEnds.STEP_MS, ended, failed, bucket, counts);
    }

    /** As long as it takes until that host is known to be silent. */
    @Test
    void a_host_that_does_not_answer_is_named_and_the_others_are_told() throws Exception {
        tells("a", step("demo", 120_000, 9, 0, FAST, 9));
        platform.host.recent.add(RecentEnds.silent("b", "it has not answered"));
        platform.host.recentAfterMs = HostLink.QUICK.toMillis() + 100;
        JsonNode told = figures("");
        assertThat(told.path("applications").path(0).path("ended").asLong()).isEqualTo(9);
        assertThat(told.path("hosts").path(1).path("problem").asText()).contains("not answered");
    }

    private JsonNode figures(String query) throws Exception {
        return Platform.json(platform.get("/api/v1/figures" + query));
    }

    @Test
    void hosts_are_one_and_steps_are_as_wide_as_the_window_wants() throws Exception {
        tells("a", step("demo", 120_000, 99, 0, FAST, 99), step("demo", 60_000, 0, 0, FAST));
        tells("b", step("demo", 120_000, 2, 1, SLOW, 1));
        JsonNode told = figures("?minutes=10");
        assertThat(told.path("stepMs").asLong()).isEqualTo(10_000);
        JsonNode demo = told.path("applications").get(0);
        assertThat(demo.path("ended").asLong()).isEqualTo(101);
        assertThat(demo.path("failed").asLong()).isEqualTo(1);
        assertThat(demo.path("p99Ms").asDouble()).isBetween(1.0, 1.25);
        assertThat(demo.path("steps")).hasSize(2);
        assertThat(demo.path("steps").get(0).path("ended").asLong()).isEqualTo(101);
        assertThat(demo.path("steps").get(1).has("p50Ms")).isFalse();
        JsonNode hour = figures("?minutes=60");
        assertThat(hour.path("stepMs").asLong()).isEqualTo(60_000);
        hour.path("applications").get(0).path("steps").forEach(step -> assertThat(step.path("startMs").asLong() % 60_000).isZero());
    }

    @Test
    void what_is_no_application_or_the_platforms_own_is_left_out() throws Exception {
        tells("a", step("gone", 20_000, 9, 0, FAST, 9), step("other", 20_000, 9, 0, FAST, 9));
        assertThat(figures("").path("applications")).isEmpty();
    }

    @Test
    void a_host_that_does_not_answer_is_named() throws Exception {
        tells("a", step("demo", 20_000, 1, 0, FAST, 1));
        platform.host.recent.add(RecentEnds.silent("b", "it is away"));
        JsonNode told = figures("");
        assertThat(told.path("hosts").get(1).path("problem").asText()).isEqualTo("it is away");
        assertThat(told.path("applications")).hasSize(1);
    }

    @Test
    void a_window_longer_than_is_kept_is_refused() throws Exception {
        assertThat(platform.get("/api/v1/figures?minutes=61").statusCode()).isEqualTo(400);
        assertThat(platform.get("/api/v1/figures?minutes=0").statusCode()).isEqualTo(400);
    }
}
