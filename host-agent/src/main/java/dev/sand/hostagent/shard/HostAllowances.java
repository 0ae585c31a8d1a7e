package dev.sand.hostagent.shard;

import dev.sand.hostagent.core.Allowance;
import dev.sand.hostagent.core.Allowances;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Those of a host's shards, by tenant. Any thread. */
public final class HostAllowances implements Allowances {
    private final Map<String, Allowance> byTenant = new ConcurrentHashMap<>();

    @Override
    public Allowance of(String tenant) {
        return byTenant.computeIfAbsent(tenant, Allowance::new);
    }

    @Override
    public Collection<Allowance> all() {
        return byTenant.values();
    }
}
