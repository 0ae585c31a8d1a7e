package dev.sand.datalayer;

import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.ApplicationName;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What tenants' applications keep in the global store: shared data, tables, objects, and images of cloud processes. The store counts them,
 * now and then; what is written here meanwhile is added. So a tenant with a limit is let over it by what other hosts write within
 * {@link #OLD_NS}, and by no more; whoever is over it by this reckoning is counted once more before he is refused.
 */
public final class StoredBytes implements Room {
    private static final long OLD_NS = 10_000_000_000L;
    private static final long FRESH_NS = 1_000_000_000L;

    private final class Counted {
        final ReentrantLock counting = new ReentrantLock();
        final AtomicLong writtenSince = new AtomicLong();
        volatile long bytes;
        volatile long asOfNs = nanoTime.getAsLong() - OLD_NS;

        boolean isOlderThan(long ns) {
            return nanoTime.getAsLong() - asOfNs >= ns;
        }

        long now() {
            return bytes + writtenSince.get();
        }

        /** Under the lock. */
        void count(String tenant) {
            long nowNs = nanoTime.getAsLong();
            long before = writtenSince.get();
            bytes = of(tenant);
            writtenSince.addAndGet(-before); // what is written while it is counted may count twice, until the next time
            asOfNs = nowNs;
        }
    }

    private final GlobalStore store;
    private final Supplier<List<String>> applications;
    private final LongSupplier nanoTime;
    private final Map<String, Counted> byTenant = new ConcurrentHashMap<>();
    private volatile Map<String, Long> limits = Map.of();

    public StoredBytes(GlobalStore store, Registry registry) {
        this(store, registry::applications, System::nanoTime);
    }

    StoredBytes(GlobalStore store, Supplier<List<String>> applications, LongSupplier nanoTime) {
        this.store = store;
        this.applications = applications;
        this.nanoTime = nanoTime;
    }

    /** @param now by tenant; of others there are none */
    public void limit(Map<String, Long> now) {
        limits = Map.copyOf(now);
        byTenant.keySet().retainAll(now.keySet());
    }

    @Override
    public void take(String application, long bytes) {
        Map<String, Long> all = limits;
        if (all.isEmpty() || !ApplicationName.isValid(application)) {
            return;
        }
        String tenant = ApplicationName.tenant(application);
        Long limit = all.get(tenant);
        if (limit == null) {
            return;
        }
        Counted counted = byTenant.computeIfAbsent(tenant, name -> new Counted());
        if (counted.isOlderThan(OLD_NS) && counted.counting.tryLock()) {
            counted(counted, tenant, OLD_NS);
        }
        if (counted.now() + bytes > limit && counted.isOlderThan(FRESH_NS)) {
            counted.counting.lock();
            counted(counted, tenant, FRESH_NS);
        }
        long after = counted.now() + bytes;
        if (after > limit) {
            throw new StoreException(Kind.OVER_QUOTA, "tenant '" + tenant + "' may store " + limit + " bytes, and this would make it " + after
                    + "; delete something, and try again", after, limit);
        }
        counted.writtenSince.addAndGet(bytes);
    }

    private static void counted(Counted counted, String tenant, long ageNs) {
        try {
            if (counted.isOlderThan(ageNs)) {
                counted.count(tenant);
            }
        } finally {
            counted.counting.unlock();
        }
    }

    /** As of at most a second ago; blocks. */
    public long lately(String tenant) {
        Counted counted = byTenant.computeIfAbsent(tenant, name -> new Counted());
        counted.counting.lock();
        counted(counted, tenant, FRESH_NS);
        return counted.now();
    }

    private long of(String tenant) {
        return applications.get().stream().filter(name -> ApplicationName.tenant(name).equals(tenant)).mapToLong(this::ofApplication).sum();
    }

    private long ofApplication(String application) {
        return SharedData.bytes(store, application) + ProcessImages.bytes(store, application);
    }
}
