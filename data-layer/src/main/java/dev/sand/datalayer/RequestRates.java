package dev.sand.datalayer;

import dev.sand.datalayer.AccessTables.QuotaRow;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** How many requests a second each tenant may send to one process of the platform. Any thread takes; one says what the limits are. */
public final class RequestRates {
    /** @param limit that was reached; @param waitMs after which one more is taken */
    public record Over(String tenant, int limit, long waitMs) {
        public static final String QUOTA = "requestsPerSecond";

        public String why() {
            return "may send " + limit + " requests a second";
        }
    }

    /** @param rate null: none at all */
    private record Known(int perSecond, Rate rate) {}

    private final LongSupplier nanoTime;
    /** By tenant: those that have a limit. */
    private volatile Map<String, Known> known = Map.of();

    /** @param nanoTime this process's monotonic clock */
    public RequestRates(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** @param rows of tenants that have limits; who has the same as before has used the same of it */
    public void are(Map<String, QuotaRow> rows) {
        Map<String, Known> before = known;
        Map<String, Known> now = new HashMap<>();
        rows.forEach((tenant, row) -> {
            Integer limit = row.requestsPerSecond();
            if (limit != null) {
                Known same = before.get(tenant);
                now.put(tenant, same != null && same.perSecond == limit ? same
                        : new Known(limit, limit == 0 ? null : new Rate(limit, nanoTime.getAsLong())));
            }
        });
        known = Map.copyOf(now);
    }

    /** Whether any tenant has a limit. */
    public boolean limit() {
        return !known.isEmpty();
    }

    /** @param tenant null: nobody's; @return null: one more is taken */
    public Over take(String tenant) {
        Known its = tenant == null ? null : known.get(tenant);
        if (its == null) {
            return null;
        }
        long waitNs = its.rate == null ? Rate.SECOND_NS : its.rate.take(nanoTime.getAsLong());
        return waitNs == 0 ? null : new Over(tenant, its.perSecond, Math.ceilDiv(waitNs, TimeUnit.MILLISECONDS.toNanos(1)));
    }
}
