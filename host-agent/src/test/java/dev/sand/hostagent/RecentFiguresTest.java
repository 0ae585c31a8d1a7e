package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.InvocationResult.Status;
import dev.sand.event.LatencyBuckets;
import dev.sand.event.RecentEnds;
import dev.sand.event.RecentEnds.Step;
import dev.sand.hostagent.core.Durations;
import dev.sand.hostagent.core.Figures;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class RecentFiguresTest {
    private static final long BEGAN = 1_000_000_000L;
    private long nowMs = BEGAN;
    private final RecentFigures recent = new RecentFigures("here", () -> CompletableFuture.completedFuture(List.of()), () -> nowMs);

    @AfterEach
    void close() {
        recent.close();
    }

    @Test
    void aStepHasWhatWasAddedInIt() {
        recent.add(List.of(shard("shop", 2, 1, 0)));
        nowMs += 1_000;
        recent.add(List.of(shard("shop", 5, 1, 1)));
        nowMs += RecentEnds.STEP_MS;
        recent.add(List.of(shard("shop", 6, 3, 1)));
        recent.add(List.of(shard("shop", 6, 3, 1)));
        List<Step> steps = recent.told(0).steps();
        assertThat(steps).extracting(Step::startMs).containsExactly(BEGAN, BEGAN + RecentEnds.STEP_MS);
        assertThat(steps).extracting(Step::ended).containsExactly(7, 3);
        assertThat(steps).extracting(Step::failed).containsExactly(1, 2);
        assertThat(steps.getFirst().counts()).containsExactly(6);
        assertThat(steps.getFirst().firstBucket()).isEqualTo(LatencyBuckets.of(1_000_000));
        assertThat(recent.told(BEGAN + 1).steps()).hasSize(1);
    }

    @Test
    void shardsAreOne() {
        recent.add(List.of(shard("shop", 1, 0, 0), shard("shop", 2, 0, 0), shard("mail", 4, 0, 0)));
        assertThat(recent.told(0).steps()).extracting(Step::application, Step::ended)
                .containsExactlyInAnyOrder(org.assertj.core.groups.Tuple.tuple("shop", 3), org.assertj.core.groups.Tuple.tuple("mail", 4));
    }

    @Test
    void whatOneShardHasForgottenIsNotCountedAgainInAnother() {
        recent.add(List.of(shard("shop", 900, 0, 0), shard("shop", 1_000, 0, 0)));
        nowMs += RecentEnds.STEP_MS;
        recent.add(List.of(shard("mail", 1, 0, 0), shard("shop", 1_002, 0, 0)));
        nowMs += RecentEnds.STEP_MS;
        recent.add(List.of(shard("shop", 3, 0, 0), shard("shop", 1_002, 0, 0)));
        assertThat(recent.told(0).steps().stream().filter(step -> step.application().equals("shop")))
                .extracting(Step::ended).containsExactly(1_900, 2, 3);
    }

    @Test
    void whatCountsFromTheBeginningAgainIsAllNew() {
        recent.add(List.of(shard("shop", 9, 0, 0)));
        recent.add(List.of(shard("shop", 2, 0, 0)));
        assertThat(recent.told(0).steps()).extracting(Step::ended).containsExactly(11);
    }

    @Test
    void anHourIsKeptAndNotMore() {
        for (int i = 1; i <= 2 * RecentEnds.STEPS; i++) {
            recent.add(List.of(shard("shop", i, 0, 0)));
            nowMs += RecentEnds.STEP_MS;
        }
        recent.add(List.of());
        RecentEnds told = recent.told(0);
        assertThat(told.steps()).hasSize(RecentEnds.STEPS);
        assertThat(told.sinceMs()).isEqualTo(nowMs - RecentEnds.STEPS * RecentEnds.STEP_MS);
    }

    @Test
    void durationsFarApartAreOneStep() {
        int[] low = new int[LatencyBuckets.COUNT];
        low[5] = 1;
        recent.add(List.of(shard("shop", new long[] {0, 1, 0, 0, 0}, low)));
        int[] both = low.clone();
        both[2] = 1;
        both[9] = 3;
        recent.add(List.of(shard("shop", new long[] {0, 5, 0, 0, 0}, both)));
        Step step = recent.told(0).steps().getFirst();
        assertThat(step.firstBucket()).isEqualTo(2);
        assertThat(step.counts()).containsExactly(1, 0, 0, 1, 0, 0, 0, 3);
    }

    @Test
    void whoStopsSaysSo() {
        recent.close();
        assertThat(recent.read(0).join().problem()).contains("stopping");
    }

    private static Figures.Reading shard(String application, int succeeded, int failed, int cancelled) {
        int[] durations = new int[LatencyBuckets.COUNT];
        durations[LatencyBuckets.of(1_000_000)] = succeeded + failed;
        return shard(application, new long[] {0, succeeded, failed, 0, cancelled}, durations);
    }

    private static Figures.Reading shard(String application, long[] ends, int[] durations) {
        assertThat(ends).hasSameSizeAs(Status.values());
        return new Figures.Reading(List.of(), List.of(new Figures.Ends(application, ends, 0, durations)), Map.of(),
                new Durations.Reading(new long[0], 0), new int[0], 0);
    }
}
