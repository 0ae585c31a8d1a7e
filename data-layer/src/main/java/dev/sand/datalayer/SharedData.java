package dev.sand.datalayer;

import dev.sand.datalayer.GlobalStore.Versioned;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The data that an application's grains share (SAND 4.3, {@code shared/}): the host's memory over the global store. A write
 * goes through and is acknowledged when it is durable, so that no grain builds on what a crash takes back; a read comes from
 * memory. The application's name is the store's scope and its key the exact bytes: nothing in a key leads out of it.
 *
 * <p>Calls block, but {@link #cached}. Writes of one key take turns; those of different keys share a disk write.
 */
public final class SharedData {
    private static final String TABLE = "shared";
    private static final int STRIPES = 256;
    public static final int MAX_LIST = 1000;

    /**
     * @param maxValueBytes one value
     * @param perApplicationBytes and {@code totalBytes}: kept in memory
     */
    public record Options(int maxValueBytes, long perApplicationBytes, long totalBytes) {
        public static final Options DEFAULT = new Options(64 << 20, 64L << 20, 512L << 20);
    }

    /** @param version 0, and payload null: there is none */
    public record Value(long version, Payload payload) {
        static final Value NONE = new Value(0, null);
    }

    public record Keys(List<String> keys, boolean more) {}

    private final GlobalStore store;
    private final LargeValues large;
    private final Options options;
    private final SharedCache cache;
    private final ReentrantLock[] stripes = new ReentrantLock[STRIPES];

    public SharedData(GlobalStore store, LargeValues large, Options options) {
        this.store = store;
        this.large = large;
        this.options = options;
        this.cache = new SharedCache(options.perApplicationBytes(), options.totalBytes(), large::forget);
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new ReentrantLock();
        }
    }

    /** What memory has of the key; never blocks for the store. Empty: ask {@link #get}. */
    public Optional<Value> cached(String application, String key) {
        return Optional.ofNullable(cache.get(application, key));
    }

    public Value get(String application, String key) {
        Value known = cache.get(application, key);
        return known != null ? known : inTurn(application, key, () -> read(application, key));
    }

    private Value read(String application, String key) {
        Value known = cache.get(application, key);
        if (known != null) {
            return known;
        }
        Optional<Versioned> found = store.get(TABLE, application, key);
        if (found.isEmpty()) {
            return Value.NONE;
        }
        Payload payload = SharedValue.decode(key, found.get().value());
        Payload.Reference object = payload.size() <= Limits.INLINE_BYTES ? null
                : large.putRetained(application, payload.contentType(), payload.bytes());
        Value value = new Value(found.get().version(),
                object == null ? payload : new Payload(payload.contentType(), null, object));
        cache.put(application, key, value);
        return value;
    }

    /**
     * @param expected a version, {@link GlobalStore#ABSENT} or {@link GlobalStore#ANY}
     * @return the new version; @throws StoreException CONFLICT with the actual version, or BAD_VALUE over the limit
     */
    public long put(String application, String key, Payload payload, long expected) {
        if (payload.size() > options.maxValueBytes()) {
            throw new StoreException(Kind.BAD_VALUE, "a value of " + payload.size() + " bytes for \"" + key
                    + "\" is over the limit of " + options.maxValueBytes(), 0, null);
        }
        byte[] bytes = payload.bytes() != null ? payload.bytes() : large.read(application, payload.reference());
        byte[] stored = SharedValue.encode(payload.contentType(), bytes);
        return inTurn(application, key, () -> {
            long version = store.put(TABLE, application, key, stored, expected);
            if (payload.reference() != null) {
                large.retain(application, payload.reference());
            }
            cache.put(application, key, new Value(version, payload));
            return version;
        });
    }

    /** @return whether there was a value; @throws StoreException CONFLICT */
    public boolean delete(String application, String key, long expected) {
        return inTurn(application, key, () -> {
            boolean deleted = store.delete(TABLE, application, key, expected);
            cache.remove(application, key);
            return deleted;
        });
    }

    /** Keys that start with the prefix and come after {@code after} (or null), in byte order; at most {@link #MAX_LIST}. */
    public Keys list(String application, String prefix, String after, int limit) {
        int most = Math.clamp(limit, 1, MAX_LIST);
        List<String> keys = store.keys(TABLE, application, prefix, after, most + 1);
        return new Keys(keys.subList(0, Math.min(keys.size(), most)), keys.size() > most);
    }

    /** Atomic: adds to a whole number, an absent one counting as 0, and returns the sum. */
    public long add(String application, String key, long delta) {
        return inTurn(application, key, () -> {
            long sum = store.add(TABLE, application, key, delta);
            cache.remove(application, key);
            return sum;
        });
    }

    /** The application is gone, and its data with it. */
    public void deleteApplication(String application) {
        store.deleteScope(TABLE, application);
        cache.removeApplication(application);
    }

    /** Bytes in memory. */
    public long cachedBytes() {
        return cache.bytes();
    }

    private <T> T inTurn(String application, String key, Supplier<T> work) {
        ReentrantLock stripe = stripes[Math.floorMod(31 * application.hashCode() + key.hashCode(), STRIPES)];
        stripe.lock();
        try {
            return work.get();
        } finally {
            stripe.unlock();
        }
    }
}
