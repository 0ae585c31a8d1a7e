package dev.sand.frontend.access;

import dev.sand.datalayer.AccessTables.QuotaRow;
import dev.sand.event.ApplicationName;
import dev.sand.frontend.http.Gate;
import dev.sand.frontend.http.HttpExchange;
import dev.sand.frontend.http.Problem;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * What a frontend holds tenants to, of what grain {@code quotas} keeps: how many applications, and how many requests a second.
 */
public final class Quotas {
    private record Known(QuotaRow row, Rate rate) {}

    /** Room for an application comes when one is deleted, and nobody knows when that is. */
    private static final long ROOM_MS = 60_000;

    private final LongSupplier nanoTime;
    /** By tenant: those that have limits. */
    private volatile Map<String, Known> known = Map.of();

    /** @param nanoTime this process's monotonic clock */
    public Quotas(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** @param rows of those tenants that have limits; one thread */
    public void are(Map<String, QuotaRow> rows) {
        Map<String, Known> before = known;
        Map<String, Known> now = new HashMap<>();
        rows.forEach((tenant, row) -> {
            Known same = before.get(tenant);
            now.put(tenant, same != null && row.equals(same.row) ? same : known(row));
        });
        known = Map.copyOf(now);
    }

    private Known known(QuotaRow row) {
        return new Known(row, row.requestsPerSecond() == null || row.requestsPerSecond() == 0 ? null
                : new Rate(row.requestsPerSecond(), nanoTime.getAsLong()));
    }

    /** @param more that are wanted beside those that are there; @return null: there is room */
    public Problem applications(String tenant, int there, int more) {
        Known its = known.get(tenant);
        Integer limit = its == null ? null : its.row.applications();
        return limit == null || there + more <= limit ? null : over(tenant, "applications", limit, "may have " + limit + " applications, and has "
                + there + ": delete one, and come back").with("actual", there + more).retryAfter(ROOM_MS);
    }

    /** Requests of the plane count against whose application they go to, as long as there is a limit. */
    public Gate.DataPlane limiting(Gate.DataPlane plane) {
        return (exchange, path) -> {
            Map<String, Known> all = known;
            String tenant = all.isEmpty() ? null : tenant(path);
            Known now = tenant == null ? null : all.get(tenant);
            if (now == null || now.row.requestsPerSecond() == null) {
                plane.handle(exchange, path);
                return;
            }
            long waitNs = now.rate == null ? Rate.SECOND_NS : now.rate.take(nanoTime.getAsLong());
            if (waitNs == 0) {
                plane.handle(exchange, path);
            } else {
                refuse(exchange, tenant, now.row.requestsPerSecond(), waitNs);
            }
        };
    }

    /** @param path {@code /invoke/APPLICATION…} or {@code /web/APPLICATION…} */
    private static String tenant(String path) {
        int from = path.indexOf('/', 1) + 1;
        int end = path.indexOf('/', from);
        return ApplicationName.tenant(end < 0 ? path.substring(from) : path.substring(from, end));
    }

    private static void refuse(HttpExchange exchange, String tenant, int limit, long waitNs) {
        exchange.problem(over(tenant, "requestsPerSecond", limit, "may send " + limit + " requests a second")
                .retryAfter(Math.ceilDiv(waitNs, 1_000_000)));
    }

    private static Problem over(String tenant, String quota, int limit, String why) {
        return Problem.caller(429, "quota-exceeded", "Over a quota", "Tenant '" + tenant + "' " + why + ".").with("quota", quota)
                .with("limit", limit);
    }
}
