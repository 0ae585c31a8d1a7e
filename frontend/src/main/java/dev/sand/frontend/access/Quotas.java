package dev.sand.frontend.access;

import dev.sand.datalayer.AccessTables.QuotaRow;
import dev.sand.datalayer.RequestRates;
import dev.sand.event.ApplicationName;
import dev.sand.frontend.http.Gate;
import dev.sand.frontend.http.Problem;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * What a frontend holds tenants to, of what grain {@code quotas} keeps: how many applications, and how many requests a second.
 */
public final class Quotas implements Gate.Runs {
    /** Room for an application comes when one is deleted, and nobody knows when that is. */
    private static final long ROOM_MS = 60_000;

    private final RequestRates rates;
    /** By tenant: those that have limits. */
    private volatile Map<String, QuotaRow> known = Map.of();

    /** @param nanoTime this process's monotonic clock */
    public Quotas(LongSupplier nanoTime) {
        rates = new RequestRates(nanoTime);
    }

    /** @param rows of those tenants that have limits; one thread */
    public void are(Map<String, QuotaRow> rows) {
        known = Map.copyOf(rows);
        rates.are(rows);
    }

    /** @param more that are wanted beside those that are there; @return null: there is room */
    public Problem applications(String tenant, int there, int more) {
        QuotaRow its = known.get(tenant);
        Integer limit = its == null ? null : its.applications();
        return limit == null || there + more <= limit ? null : over(tenant, "applications", limit, "may have " + limit + " applications, and has "
                + there + ": delete one, and come back").with("actual", there + more).retryAfter(ROOM_MS);
    }

    @Override
    public Problem refusal(String application) {
        RequestRates.Over over = rates.take(ApplicationName.tenant(application));
        return over == null ? null : over(over.tenant(), RequestRates.Over.QUOTA, over.limit(), over.why()).retryAfter(over.waitMs());
    }

    /** Requests of the plane count against whose application they go to, as long as there is a limit. */
    public Gate.DataPlane limiting(Gate.DataPlane plane) {
        return (exchange, path) -> {
            Problem over = rates.limit() ? refusal(application(path)) : null;
            if (over == null) {
                plane.handle(exchange, path);
            } else {
                exchange.problem(over);
            }
        };
    }

    /** @param path {@code /invoke/APPLICATION…} or {@code /web/APPLICATION…} */
    private static String application(String path) {
        int from = path.indexOf('/', 1) + 1;
        int end = path.indexOf('/', from);
        return end < 0 ? path.substring(from) : path.substring(from, end);
    }

    private static Problem over(String tenant, String quota, int limit, String why) {
        return Problem.caller(429, "quota-exceeded", "Over a quota", "Tenant '" + tenant + "' " + why + ".").with("quota", quota)
                .with("limit", limit);
    }
}
