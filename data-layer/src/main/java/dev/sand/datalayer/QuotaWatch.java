package dev.sand.datalayer;

import dev.sand.datalayer.AccessTables.QuotaRow;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells what tenants may have at most, and who of them is suspended, each time that it is read: once a second. A store that is away
 * leaves what was told.
 */
public final class QuotaWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(QuotaWatch.class);
    private static final long PERIOD_MS = 1_000;
    /** All tenants are read where the epoch says that something has changed, and so often in any case: who changes it may fail halfway. */
    static final int MOST_LOOKS = 60;

    private final AccessTables tables;
    private final Consumer<Map<String, QuotaRow>> told;
    private final Consumer<Set<String>> suspended;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().name("quotas").factory());
    // Of its thread.
    private long epoch;
    private int looksLeft;

    /** @param told of those that have any, by tenant */
    public QuotaWatch(AccessTables tables, Consumer<Map<String, QuotaRow>> told) {
        this(tables, told, null);
    }

    /** @param suspended is told who may begin nothing; null: nobody asks */
    public QuotaWatch(AccessTables tables, Consumer<Map<String, QuotaRow>> told, Consumer<Set<String>> suspended) {
        this.tables = tables;
        this.told = told;
        this.suspended = suspended;
    }

    public void start() {
        thread.scheduleWithFixedDelay(this::look, 0, PERIOD_MS, TimeUnit.MILLISECONDS);
    }

    void look() {
        try {
            told.accept(tables.quotas());
            if (suspended != null) {
                lookAtTenants();
            }
        } catch (RuntimeException e) {
            LOG.debug("quotas cannot be read, and stay as they were: {}", e.toString());
        }
    }

    private void lookAtTenants() {
        long now = tables.epoch(); // before the rows: what changes after it is read with the next one
        if (looksLeft > 0 && now == epoch) {
            looksLeft--;
            return;
        }
        suspended.accept(tables.suspended());
        epoch = now;
        looksLeft = MOST_LOOKS - 1;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
