package dev.sand.hostagent.usage;

import dev.sand.datalayer.StoreException;
import dev.sand.datalayer.UsageStore;
import dev.sand.datalayer.UsageStore.Row;
import dev.sand.datalayer.Use;
import dev.sand.event.Ids;
import dev.sand.hostagent.usage.UsageMeter.Place;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what applications have used on this host to the global data layer, every few seconds and when the host stops: a host that
 * is killed loses what came since. A row has all that was counted into it, and is this writer's alone; so one of which it is not known
 * whether it was written is simply written again, with what came meanwhile. While the store is away, sums are kept here and grow.
 * One thread's, of its own.
 */
public final class UsageWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(UsageWriter.class);
    /** Of one call of the store. */
    private static final int ROWS = 100;
    /** A call of the store that is under way when the host stops. */
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    /** Of one row. It is never begun anew under the same name: another row is begun. */
    private static final class Sum {
        private final String writer;
        private Use use = Use.NONE;
        /** As it is in the store, as far as that is known. */
        private Use written;

        Sum(String writer) {
            this.writer = writer;
        }

        boolean isWritten() {
            return use.equals(written);
        }
    }

    private final String host;
    private final UsageStore store;
    private final LongSupplier nowMs;
    private final UsageMeter meter;
    private final Map<Place, Sum> sums = new HashMap<>();
    private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().name("sand-usage").daemon().factory());
    private boolean away;

    /** @param nowMs the time that all programs of the platform agree on */
    UsageWriter(String host, UsageStore store, LongSupplier nowMs) {
        this.host = host;
        this.store = store;
        this.nowMs = nowMs;
        this.meter = new UsageMeter(nowMs);
    }

    /** @param interval of what is lost at most when the host is killed */
    public static UsageWriter start(String host, UsageStore store, LongSupplier nowMs, Duration interval) {
        UsageWriter writer = new UsageWriter(host, store, nowMs);
        writer.clock.scheduleWithFixedDelay(writer::round, interval.toMillis(), interval.toMillis(), TimeUnit.MILLISECONDS);
        return writer;
    }

    public UsageMeter meter() {
        return meter;
    }

    /** The edge: a round that fails is not the last one. */
    private void round() {
        try {
            write();
        } catch (RuntimeException e) {
            LOG.error("what applications used cannot be written; it is kept", e);
        }
    }

    /** All that was counted so far is in the store then, unless that is away. */
    void write() {
        gather();
        List<Map.Entry<Place, Sum>> changed = sums.entrySet().stream().filter(each -> !each.getValue().isWritten()).toList();
        StoreException failure = null;
        for (int from = 0; from < changed.size() && !isAway(failure); from += ROWS) {
            try {
                write(changed.subList(from, Math.min(changed.size(), from + ROWS)));
            } catch (StoreException e) {
                failure = e;
            }
        }
        say(failure);
    }

    private void gather() {
        long today = meter.today();
        sums.entrySet().removeIf(each -> each.getValue().isWritten() && (each.getKey().day() < today || sums.size() > UsageMeter.MOST / 2));
        meter.take().forEach((place, use) -> {
            Sum sum = sums.get(place);
            if (sum == null && sums.size() >= UsageMeter.MOST) {
                meter.dropped(use);
                return;
            }
            if (sum == null) {
                sum = new Sum(Ids.next(nowMs.getAsLong(), ThreadLocalRandom.current()));
                sums.put(place, sum);
            }
            sum.use = sum.use.plus(use);
        });
        long dropped = meter.takeDropped();
        if (dropped > 0) {
            LOG.warn("{} invocations are not counted for whoever pays for them: use of {} applications and days waits to be written", dropped,
                    sums.size());
        }
    }

    private void write(List<Map.Entry<Place, Sum>> some) {
        List<Row> rows = new ArrayList<>(some.size());
        for (Map.Entry<Place, Sum> each : some) {
            Place place = each.getKey();
            rows.add(new Row(place.application(), LocalDate.ofEpochDay(place.day()), place.kind(), each.getValue().writer,
                    each.getValue().use));
        }
        store.write(host, rows);
        for (Map.Entry<Place, Sum> each : some) {
            boolean first = each.getValue().written == null;
            each.getValue().written = each.getValue().use;
            if (first) {
                store.trim(each.getKey().application(), LocalDate.ofEpochDay(meter.today()));
            }
        }
    }

    private static boolean isAway(StoreException failure) {
        return failure != null && failure.kind() == StoreException.Kind.AWAY;
    }

    private void say(StoreException failure) {
        if (failure != null && !away) {
            LOG.warn("what applications used cannot be written now: {}; it is kept and written later", failure.getMessage());
        } else if (failure == null && away) {
            LOG.info("what applications used is written again");
        }
        away = failure != null;
    }

    /** The last round. What cannot be written now is lost. */
    @Override
    public void close() {
        clock.shutdown();
        try {
            if (!clock.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                LOG.warn("what applications used of late is lost: the store does not answer");
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        round();
        long lost = sums.values().stream().filter(sum -> !sum.isWritten())
                .mapToLong(sum -> sum.use.invocations() - (sum.written == null ? 0 : sum.written.invocations())).sum();
        if (lost > 0) {
            LOG.warn("{} invocations are lost to whoever is to be paid for them: the store is away", lost);
        }
    }
}
