package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.MS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.DurationBuckets;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.LatencyBuckets;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class FiguresTest {
    @Test
    void durationsFallIntoBucketsThatDouble() {
        Durations durations = new Durations();
        for (long ns : new long[] {0, 1, DurationBuckets.boundNs(0), DurationBuckets.boundNs(0) + 1, DurationBuckets.boundNs(1), 3 * MS, Long.MAX_VALUE / 2}) {
            durations.add(ns);
        }
        Durations.Reading reading = durations.read();
        assertThat(reading.counts()).hasSize(DurationBuckets.BOUNDS + 1).startsWith(3, 2);
        assertThat(reading.counts()[DurationBuckets.BOUNDS]).isOne();
        for (int bucket = 0; bucket < DurationBuckets.BOUNDS; bucket++) {
            Durations one = new Durations();
            one.add(DurationBuckets.boundNs(bucket));
            one.add(DurationBuckets.boundNs(bucket) + 1);
            assertThat(one.read().counts()[bucket]).isOne();
            assertThat(one.read().counts()[bucket + 1]).isOne();
        }
    }

    @Test
    void aClockThatGoesBackIsNotADuration() {
        Durations durations = new Durations();
        durations.add(-1);
        assertThat(durations.read().counts()).containsOnly(0);
        assertThat(durations.read().sumNs()).isZero();
    }

    @Test
    void anAttemptIsTakenApart() {
        GrainFigures figures = new GrainFigures("shop", "order");
        figures.ended(new Hop("e/main", "order", 1, null, 100 * MS, 100 * MS, 101 * MS, 105 * MS, 106 * MS, 0, 0));
        figures.ended(new Hop("f/main", "order", 1, "KeyError", 100 * MS, 110 * MS, 111 * MS, 113 * MS, 114 * MS, 0, 0));
        figures.ended(new Hop("g/main", "order", 1, "Sand.Timeout", 100 * MS, 0, 0, 0, 150 * MS, 0, 0));
        assertThat(figures.attempts).isEqualTo(3);
        assertThat(figures.failures).isEqualTo(2);
        assertThat(figures.queue.read().sumNs()).isEqualTo(10 * MS);
        assertThat(figures.dispatch.read().sumNs()).isEqualTo(2 * MS);
        assertThat(figures.handOver.read().sumNs()).isEqualTo(MS); // of the one that did not wait
        assertThat(figures.run.read().sumNs()).isEqualTo(6 * MS);
        assertThat(figures.bus.read().sumNs()).isEqualTo(2 * MS);
    }

    @Test
    void countingAllocatesNothing() {
        GrainFigures figures = new GrainFigures("shop", "order");
        Hop hop = new Hop("e/main", "order", 1, null, 100 * MS, 100 * MS, 101 * MS, 105 * MS, 106 * MS, 0, 0);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        figures.ended(hop);
        threads.getCurrentThreadAllocatedBytes();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 100_000; i++) {
            figures.ended(hop);
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000);
    }

    @Test
    void thereAreSoManyGrainsAtMostAndTheRestIsCountedTogether() {
        Figures figures = new CoreFixture().core().context().figures;
        for (int i = 0; i < 2 * Figures.MOST_GRAINS; i++) {
            figures.grain("gone" + i % 7, "grain" + i); // no such application is here: their places may be taken
        }
        assertThat(figures.read(0).grains()).hasSizeLessThanOrEqualTo(Figures.MOST_GRAINS + 1);
        for (int i = 0; i < 2 * Figures.MOST_APPLICATIONS; i++) {
            figures.ended("application" + i, Status.SUCCEEDED, 1);
        }
        assertThat(figures.read(0).ends()).hasSizeLessThanOrEqualTo(Figures.MOST_APPLICATIONS + 1);
    }

    @Test
    void whatRunsIsMeasuredWhereItRuns() {
        CoreFixture shop = new CoreFixture().with(CoreFixture.grain("buy", 8, 100, Isolation.REQUEST)).warm();
        long before = shop.core().figures(shop.nowNs).grains().getFirst().attempts();
        shop.invoke("e1", "buy", false);
        GrainFigures.Reading running = shop.core().figures(shop.nowNs).grains().getFirst();
        assertThat(running.running()).isOne();
        shop.nowNs += 20 * MS;
        shop.finish(shop.running("e1"), "1");
        Figures.Reading reading = shop.core().figures(shop.nowNs);
        GrainFigures.Reading buy = reading.grains().getFirst();
        assertThat(buy.application()).isEqualTo("shop");
        assertThat(buy.attempts()).isEqualTo(before + 1);
        assertThat(buy.running()).isZero();
        assertThat(Arrays.stream(buy.fork().counts()).sum()).isPositive();
        Figures.Ends ends = reading.ends().getFirst();
        assertThat(ends.application()).isEqualTo("shop");
        assertThat(ends.ends()[Status.SUCCEEDED.ordinal()]).isEqualTo(2);
        assertThat(Arrays.stream(ends.durations()).sum()).isEqualTo(2);
        assertThat(ends.durations()[LatencyBuckets.of(20 * MS)]).isOne();
        assertThat(reading.slots()[SlotTable.State.OURS.ordinal()]).isEqualTo(CoreConfiguration.DEFAULT.slots());
        assertThat(Arrays.stream(reading.recovery().counts()).sum()).isEqualTo(CoreConfiguration.DEFAULT.slots());
    }

    @Test
    void thePageOnObservingHasEveryCounter() throws IOException {
        String page = Files.readString(Path.of("../docs/OBSERVING.md"));
        assertThat(new Counters().read().keySet()).allSatisfy(name ->
                assertThat(page).contains("| `" + name.replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(Locale.ROOT) + "` |"));
    }

    @Test
    void everyCounterIsReadByItsName() {
        Counters counters = new Counters();
        counters.handedOver = 3;
        assertThat(counters.read()).containsEntry("handedOver", 3L).containsKey("stale");
    }

    @Test
    void anApplicationsOpenExecutionsAreCountedBeforeOneHasEnded() {
        CoreFixture shop = new CoreFixture().with(CoreFixture.grain("buy", 8, 100, Isolation.REQUEST));
        shop.invoke("e1", "buy", false);
        Figures.Ends ends = shop.core().figures(shop.nowNs).ends().getFirst();
        assertThat(ends.application()).isEqualTo("shop");
        assertThat(ends.open()).isOne();
        assertThat(ends.ends()).containsOnly(0);
    }
}
