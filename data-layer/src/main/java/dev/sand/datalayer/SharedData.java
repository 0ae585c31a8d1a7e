package dev.sand.datalayer;

import dev.sand.datalayer.GlobalStore.Versioned;
import dev.sand.datalayer.SharedCache.Cached;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.event.TriggerSpec;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * The data that an application's grains share (SAND 4.3, {@code shared/}): the host's memory over the global store. A write
 * goes through and is acknowledged when it is durable, so that no grain builds on what a crash takes back; a read comes from
 * memory. The application's name is the store's scope and its key the exact bytes: nothing in a key leads out of it.
 *
 * <p>Calls block, but {@link #cached}. Writes of one key take turns; those of different keys share a disk write.
 *
 * <p>The other namespaces of an application's data lie beside it and go with it: {@link #tables}, {@link #locks} and
 * {@link #objects}, which nobody caches.
 */
public final class SharedData {
    private static final String TABLE = "shared";
    private static final String OBJECTS = "object";
    /** Any host writes any key. */
    private static final ScopeParts PARTS = new ScopeParts(16);
    private static final int STRIPES = 256;
    public static final int MAX_LIST = 1000;
    /** In place of a version: there was nothing to delete. */
    public static final long UNCHANGED = -1;

    /**
     * @param maxValueBytes one value
     * @param perApplicationBytes and {@code totalBytes}: kept in memory
     * @param age of a value in memory, from which on the store is asked whether it still has that version: so old may be what
     *            is read, when another host writes
     */
    public record Options(int maxValueBytes, long perApplicationBytes, long totalBytes, Duration age) {
        public static final Options DEFAULT = new Options(64 << 20, 64L << 20, 512L << 20, Duration.ofSeconds(1));
        /** Where no grains are, and people look at one value and another. */
        public static final Options SMALL = new Options(DEFAULT.maxValueBytes, 8L << 20, 32L << 20, DEFAULT.age);
    }

    /** @param version 0, and payload null: there is none */
    public record Value(long version, Payload payload) {
        static final Value NONE = new Value(0, null);
    }

    /** Told of every write, for triggers on data. */
    public interface ChangeListener {
        ChangeListener NONE = (application, key, operation) -> null;

        /** Before the write; may block, and keep the write from happening by throwing. @return null: nobody is interested */
        Change begin(String application, String key, TriggerSpec.Operation operation);
    }

    /** One write. */
    public interface Change {
        /** It is durable. @param version the key's new one, 0: not known here, {@link #UNCHANGED}: nothing changed; may block */
        void done(long version);

        /** It did not happen, or nobody knows. @param certainly nothing was written */
        void failed(boolean certainly);
    }

    public record Keys(List<String> keys, boolean more) {}

    private final GlobalStore store;
    private final LongSupplier nanoTime;
    private final Room room;
    private final LargeValues large;
    private final Options options;
    private final SharedCache cache;
    private final TableStore tables;
    private final TimedLocks locks;
    private final ObjectStore objects;
    private final ReentrantLock[] stripes = new ReentrantLock[STRIPES];
    private volatile ChangeListener changes = ChangeListener.NONE;

    public SharedData(GlobalStore store, LargeValues large, Options options) {
        this(store, large, options, Room.ENDLESS);
    }

    public SharedData(GlobalStore store, LargeValues large, Options options, Room room) {
        this(store, large, options, room, System::nanoTime);
    }

    /** @param nanoTime this process's monotonic clock */
    SharedData(GlobalStore store, LargeValues large, Options options, Room room, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.room = room;
        this.store = store;
        this.large = large;
        this.options = options;
        this.tables = new TableStore(store, room);
        this.locks = new TimedLocks(store, tables, nanoTime);
        this.objects = new ObjectStore(store, OBJECTS, ObjectStore.MOST_BYTES, room);
        this.cache = new SharedCache(options.perApplicationBytes(), options.totalBytes(), large::forget);
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new ReentrantLock();
        }
    }

    /** @param listener in place of the one before */
    public void listen(ChangeListener listener) {
        changes = listener;
    }

    private <T> T changing(String application, String key, TriggerSpec.Operation operation, Supplier<T> write,
                           ToLongFunction<T> version) {
        Change change = changes.begin(application, key, operation);
        if (change == null) {
            return inTurn(application, key, write);
        }
        T result;
        try {
            result = inTurn(application, key, write);
        } catch (RuntimeException e) {
            change.failed(e instanceof StoreException refused && (refused.kind() == Kind.CONFLICT || refused.kind() == Kind.BAD_VALUE));
            throw e;
        }
        change.done(version.applyAsLong(result));
        return result;
    }

    /** What memory has of the key; never blocks for the store. Empty: ask {@link #get}. */
    public Optional<Value> cached(String application, String key) {
        Cached known = cache.get(application, key);
        return known != null && isFresh(known) ? Optional.of(known.value()) : Optional.empty();
    }

    private boolean isFresh(Cached known) {
        return nanoTime.getAsLong() - known.asOfNs() < options.age().toNanos();
    }

    public Value get(String application, String key) {
        return cached(application, key).orElseGet(() -> inTurn(application, key, () -> read(application, key)));
    }

    private Value read(String application, String key) {
        Cached known = cache.get(application, key);
        if (known != null && isFresh(known)) {
            return known.value();
        }
        long askedNs = nanoTime.getAsLong();
        if (known != null && store.version(TABLE, PARTS.of(application, key), key) == known.value().version()) {
            cache.confirm(application, key, known, askedNs);
            return known.value();
        }
        cache.remove(application, key);
        Optional<Versioned> found = store.get(TABLE, PARTS.of(application, key), key);
        if (found.isEmpty()) {
            return Value.NONE;
        }
        Payload payload = SharedValue.decode(key, found.get().value());
        Payload.Reference object = payload.size() <= Limits.INLINE_BYTES ? null
                : large.putRetained(application, payload.contentType(), payload.bytes());
        Value value = new Value(found.get().version(),
                object == null ? payload : new Payload(payload.contentType(), null, object));
        cache.put(application, key, value, askedNs);
        return value;
    }

    /** Of a value that was got. */
    public byte[] bytes(String application, Value value) {
        Payload payload = value.payload();
        return payload.bytes() != null ? payload.bytes() : large.read(application, payload.reference());
    }

    /**
     * @param expected a version, {@link GlobalStore#ABSENT} or {@link GlobalStore#ANY}
     * @return the new version; @throws StoreException CONFLICT with the actual version, BAD_VALUE over the limit, OVER_QUOTA
     */
    public long put(String application, String key, Payload payload, long expected) {
        if (payload.size() > options.maxValueBytes()) {
            throw new StoreException(Kind.BAD_VALUE, "a value of " + payload.size() + " bytes for \"" + key
                    + "\" is over the limit of " + options.maxValueBytes(), 0, null);
        }
        byte[] bytes = payload.bytes() != null ? payload.bytes() : large.read(application, payload.reference());
        byte[] stored = SharedValue.encode(payload.contentType(), bytes);
        room.take(application, stored.length);
        return changing(application, key, TriggerSpec.Operation.PUT, () -> {
            long writtenNs = nanoTime.getAsLong();
            long version = store.put(TABLE, PARTS.of(application, key), key, stored, expected);
            if (payload.reference() != null) {
                large.retain(application, payload.reference());
            }
            if (payload.bytes() != null && payload.size() > Limits.INLINE_BYTES) {
                cache.remove(application, key); // Grains get such a one by reference, which who reads it first makes.
            } else {
                cache.put(application, key, new Value(version, payload), writtenNs);
            }
            return version;
        }, version -> version);
    }

    /** @return whether there was a value; @throws StoreException CONFLICT */
    public boolean delete(String application, String key, long expected) {
        return changing(application, key, TriggerSpec.Operation.DELETE, () -> {
            boolean deleted = store.delete(TABLE, PARTS.of(application, key), key, expected);
            cache.remove(application, key);
            return deleted;
        }, deleted -> deleted ? 0 : UNCHANGED);
    }

    /** Keys that start with the prefix and come after {@code after} (or null), in byte order; at most {@link #MAX_LIST}. */
    public Keys list(String application, String prefix, String after, int limit) {
        int most = Math.clamp(limit, 1, MAX_LIST);
        List<String> keys = PARTS.keys(store, TABLE, application, prefix, after, most + 1);
        return new Keys(keys.subList(0, Math.min(keys.size(), most)), keys.size() > most);
    }

    /** Atomic: adds to a whole number, an absent one counting as 0, and returns the sum. */
    public long add(String application, String key, long delta) {
        return changing(application, key, TriggerSpec.Operation.PUT, () -> {
            long sum = store.add(TABLE, PARTS.of(application, key), key, delta);
            cache.remove(application, key);
            return sum;
        }, sum -> 0);
    }

    /** What memory has of the application: the store is asked again. */
    public void forget(String application) {
        cache.removeApplication(application);
    }

    /** The application is gone, and its data with it. */
    public void deleteApplication(String application) {
        PARTS.delete(store, TABLE, application);
        forget(application);
        tables.deleteApplication(application);
        objects.deleteScope(application);
    }

    /** That an application has stored. */
    static long bytes(GlobalStore store, String application) {
        return PARTS.bytes(store, TABLE, application) + TableStore.bytes(store, application) + store.bytes(OBJECTS, application)
                + store.bytes(ObjectStore.pieces(OBJECTS), application);
    }

    /** The same where no host agent is, and so nothing of it in memory. */
    public static void deleteApplication(GlobalStore store, String application) {
        new SharedData(store, LargeValues.NONE, Options.DEFAULT).deleteApplication(application);
    }

    public TableStore tables() {
        return tables;
    }

    public TimedLocks locks() {
        return locks;
    }

    /** Scope: the application. */
    public ObjectStore objects() {
        return objects;
    }

    /** Writes a whole object from a value of any size. @return the new version */
    public long putObject(String application, String key, Payload value, long expected) {
        try {
            return objects.put(application, key, value.contentType(), out -> {
                if (value.bytes() != null) {
                    out.write(value.bytes());
                } else {
                    large.transfer(application, value.reference(), out);
                }
            }, expected);
        } catch (IOException e) {
            throw new StoreException(Kind.BROKEN, "object \"" + key + "\" cannot be copied: " + e.getMessage(), 0, e);
        }
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
