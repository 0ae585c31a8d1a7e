package dev.sand.hostagent;

import dev.sand.event.InvocationResult.Status;
import dev.sand.event.RecentEnds;
import dev.sand.event.RecentEnds.Step;
import dev.sand.hostagent.core.Figures;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last hour of this host in steps of ten seconds: each second what the shards have counted is read, and what was added since goes
 * into the step of that moment. One thread's. An application has at most 540 bytes in a step, those without an end have none: with
 * as many applications as are counted, all of them busy all the time, 20 MB.
 */
final class RecentFigures implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RecentFigures.class);
    private static final long SAMPLE_MS = 1_000;
    private final String host;
    private final Supplier<CompletableFuture<List<Figures.Reading>>> shards;
    private final LongSupplier clockMs;
    private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().name("sand-recent").daemon().factory());
    /** By shard: one that gave an application's place to another counts it anew, and the others go on. */
    private List<Map<String, Total>> before = List.of();
    private final Deque<Slice> slices = new ArrayDeque<>();
    private long sinceMs;

    /** What has been counted since the start. */
    private record Total(long ended, long failed, int[] durations) {}

    private record Slice(long startMs, Map<String, Sum> sums) {}

    private static final class Sum {
        private int ended;
        private int failed;
        private int first;
        private int[] counts = {};

        void add(int endedMore, int failedMore, int[] more) {
            ended += endedMore;
            failed += failedMore;
            int from = 0;
            while (from < more.length && more[from] == 0) {
                from++;
            }
            if (from == more.length) {
                return;
            }
            int to = more.length;
            while (more[to - 1] == 0) {
                to--;
            }
            int low = counts.length == 0 ? from : Math.min(first, from);
            int high = counts.length == 0 ? to : Math.max(first + counts.length, to);
            int[] all = new int[high - low];
            System.arraycopy(counts, 0, all, counts.length == 0 ? 0 : first - low, counts.length);
            for (int bucket = from; bucket < to; bucket++) {
                all[bucket - low] += more[bucket];
            }
            first = low;
            counts = all;
        }
    }

    RecentFigures(String host, Supplier<CompletableFuture<List<Figures.Reading>>> shards, LongSupplier clockMs) {
        this.host = host;
        this.shards = shards;
        this.clockMs = clockMs;
        this.sinceMs = clockMs.getAsLong();
    }

    void start() {
        clock.scheduleWithFixedDelay(() -> shards.get().thenAcceptAsync(this::add, clock).exceptionally(failure -> {
            LOG.debug("what the shards have counted cannot be read", failure);
            return null;
        }), SAMPLE_MS, SAMPLE_MS, TimeUnit.MILLISECONDS);
    }

    CompletableFuture<RecentEnds> read(long fromMs) {
        try {
            return CompletableFuture.supplyAsync(() -> told(fromMs), clock);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.completedFuture(RecentEnds.silent(host, "it is stopping"));
        }
    }

    /** @param readings of all shards, in an order that stays */
    void add(List<Figures.Reading> readings) {
        long nowMs = clockMs.getAsLong();
        List<Map<String, Total>> all = new ArrayList<>(readings.size());
        for (int shard = 0; shard < readings.size(); shard++) {
            Map<String, Total> known = shard < before.size() ? before.get(shard) : Map.of();
            Map<String, Total> now = new HashMap<>();
            for (Figures.Ends ends : readings.get(shard).ends()) {
                Total total = total(ends);
                now.put(ends.application(), total);
                count(nowMs, ends.application(), known.get(ends.application()), total);
            }
            all.add(now);
        }
        before = all;
        long oldest = nowMs - RecentEnds.STEPS * RecentEnds.STEP_MS;
        while (!slices.isEmpty() && slices.peekFirst().startMs < oldest) {
            slices.pollFirst();
        }
        sinceMs = Math.max(sinceMs, oldest);
    }

    private void count(long nowMs, String application, Total known, Total total) {
        // Fewer than there were: its place was given to another, or it is another application of that name.
        Total more = known == null || known.ended > total.ended ? total : difference(total, known);
        if (more.ended > 0) {
            slice(nowMs).sums.computeIfAbsent(application, _ -> new Sum()).add((int) more.ended, (int) more.failed, more.durations);
        }
    }

    private static Total total(Figures.Ends ends) {
        long all = Arrays.stream(ends.ends()).sum();
        return new Total(all, all - ends.ends()[Status.SUCCEEDED.ordinal()] - ends.ends()[Status.CANCELLED.ordinal()]
                - ends.ends()[Status.RUNNING.ordinal()], ends.durations());
    }

    private static Total difference(Total now, Total before) {
        int[] durations = new int[now.durations.length];
        Arrays.setAll(durations, i -> now.durations[i] - before.durations[i]);
        return new Total(now.ended - before.ended, now.failed - before.failed, durations);
    }

    /** A clock that went back adds to the newest. */
    private Slice slice(long nowMs) {
        long start = nowMs - nowMs % RecentEnds.STEP_MS;
        if (slices.isEmpty() || slices.peekLast().startMs < start) {
            slices.addLast(new Slice(start, new HashMap<>()));
        }
        return slices.peekLast();
    }

    RecentEnds told(long fromMs) {
        List<Step> steps = new ArrayList<>();
        for (Slice slice : slices) {
            if (slice.startMs >= fromMs) {
                slice.sums.forEach((application, sum) ->
                        steps.add(new Step(application, slice.startMs, sum.ended, sum.failed, sum.first, sum.counts.clone())));
            }
        }
        return new RecentEnds(host, null, sinceMs, steps);
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
