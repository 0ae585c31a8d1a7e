package dev.sand.datalayer;

import dev.sand.datalayer.AccessTables.QuotaRow;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells what tenants may have at most, each time that it is read: once a second. A store that is away leaves what was told. */
public final class QuotaWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(QuotaWatch.class);
    private static final long PERIOD_MS = 1_000;

    private final AccessTables tables;
    private final Consumer<Map<String, QuotaRow>> told;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().name("quotas").factory());

    /** @param told of those that have any, by tenant */
    public QuotaWatch(AccessTables tables, Consumer<Map<String, QuotaRow>> told) {
        this.tables = tables;
        this.told = told;
    }

    public void start() {
        thread.scheduleWithFixedDelay(this::look, 0, PERIOD_MS, TimeUnit.MILLISECONDS);
    }

    private void look() {
        try {
            told.accept(tables.quotas());
        } catch (RuntimeException e) {
            LOG.debug("quotas cannot be read, and stay as they were: {}", e.toString());
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
