package dev.sand.frontend.access;

import dev.sand.datalayer.AccessTables;
import dev.sand.datalayer.AccessTables.QuotaRow;
import dev.sand.frontend.http.Gate;
import dev.sand.frontend.http.HttpExchange;
import dev.sand.frontend.http.Problem;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.eclipse.jetty.http.HttpHeader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a tenant may have at most, as grain {@code quotas} keeps it: how many applications, and how many requests a second each frontend
 * takes. Read behind the requests' back; a store that is away leaves what was known.
 */
public final class Quotas implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Quotas.class);
    private static final String TENANT = "default";
    private static final long REFRESH_MS = 1_000;

    private record Known(QuotaRow row, Rate rate) {}

    private final AccessTables tables;
    private final LongSupplier nanoTime;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().name("quotas").factory());
    private volatile Known known = new Known(QuotaRow.NONE, null);

    /** @param nanoTime this process's monotonic clock */
    public Quotas(AccessTables tables, LongSupplier nanoTime) {
        this.tables = tables;
        this.nanoTime = nanoTime;
    }

    public void start() {
        thread.scheduleWithFixedDelay(this::refresh, 0, REFRESH_MS, TimeUnit.MILLISECONDS);
    }

    void refresh() {
        try {
            QuotaRow row = tables.quota(TENANT);
            if (!row.equals(known.row)) {
                known = new Known(row, row.requestsPerSecond() == null || row.requestsPerSecond() == 0 ? null
                        : new Rate(row.requestsPerSecond(), nanoTime.getAsLong()));
            }
        } catch (RuntimeException e) {
            LOG.debug("quotas cannot be read, and stay as they were: {}", e.toString());
        }
    }

    /** @param more that are wanted beside those that are there; @return null: there is room */
    public Problem applications(int there, int more) {
        Integer limit = known.row.applications();
        return limit == null || there + more <= limit ? null : over("applications", limit, "may have " + limit + " applications, and has "
                + there + ": delete one").with("actual", there + more);
    }

    /** Requests of the plane count, as long as there is a limit. */
    public Gate.DataPlane limiting(Gate.DataPlane plane) {
        return (exchange, path) -> {
            Known now = known;
            if (now.row.requestsPerSecond() == null) {
                plane.handle(exchange, path);
                return;
            }
            long waitNs = now.rate == null ? Rate.SECOND_NS : now.rate.take(nanoTime.getAsLong());
            if (waitNs == 0) {
                plane.handle(exchange, path);
            } else {
                refuse(exchange, now.row.requestsPerSecond(), waitNs);
            }
        };
    }

    private static void refuse(HttpExchange exchange, int limit, long waitNs) {
        exchange.headers().put(HttpHeader.RETRY_AFTER, String.valueOf(1 + (waitNs - 1) / Rate.SECOND_NS));
        exchange.problem(over("requestsPerSecond", limit, "may send " + limit + " requests a second").retryLater());
    }

    private static Problem over(String quota, int limit, String why) {
        return Problem.caller(429, "quota-exceeded", "Over a quota", "Tenant '" + TENANT + "' " + why + ".").with("quota", quota)
                .with("limit", limit);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
