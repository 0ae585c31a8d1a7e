package dev.sand.standalone;

import dev.sand.datalayer.AccessTables;
import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.QuotaWatch;
import dev.sand.datalayer.StoredBytes;
import dev.sand.hostagent.core.Allowance;
import java.util.HashMap;
import java.util.Map;

/** What this process holds tenants to, beside what frontends do: what they store, use of its host, and what they begin there. */
final class HeldQuotas {
    private HeldQuotas() {}

    /** @param host null: there is none here */
    static QuotaWatch watch(GlobalStore store, StoredBytes stored, HostSide host) {
        QuotaWatch watch = new QuotaWatch(new AccessTables(store), rows -> {
            Map<String, Long> storing = new HashMap<>();
            Map<String, Allowance.Limits> using = new HashMap<>();
            rows.forEach((tenant, row) -> {
                if (row.storedBytes() != null) {
                    storing.put(tenant, row.storedBytes());
                }
                using.put(tenant, new Allowance.Limits(row.instances(), row.memoryBytes()));
            });
            stored.limit(storing);
            if (host != null) {
                host.agent.limit(using);
                host.plane.rates().are(rows);
            }
        }, host == null ? null : host.plane::suspend);
        watch.start();
        return watch;
    }
}
