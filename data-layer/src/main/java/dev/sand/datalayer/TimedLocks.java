package dev.sand.datalayer;

import dev.sand.datalayer.GlobalStore.Versioned;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.Codec;
import dev.sand.event.Payload;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Timed locks (FaaSKeeper 2.2): held for a bounded time, so that a holder that died blocks nobody for ever. Each acquisition
 * has a token, higher than all before it; writes in the lock's partition can be made conditional on it, and those of a holder
 * that lost the lock are refused.
 *
 * <p>No two clocks are compared. Each acquisition and renewal changes the lock's version. Whoever wants a lock that is held
 * notes when he first saw its version, by his own monotonic clock, and takes it over once it has not changed for the holding
 * time and a margin. The holder began to count before it wrote, so its own time is over first.
 *
 * <pre>
 * free ─ acquire ─▶ held(token+1) ─ release(token) ─▶ free
 *                    │  ▲   ─ renew(token): another version
 *                    └──┘ unchanged for holding time + margin, seen by one waiter: acquire ─▶ held(token+1)
 * </pre>
 */
public final class TimedLocks {
    static final String LOCK = "l";
    public static final long LEAST_HOLDING_MS = 100;
    public static final long MOST_HOLDING_MS = 3_600_000;
    private static final int MOST_WATCHED = 10_000;
    private static final short SCHEMA = 1;

    /** @param by who holds it, for people; @param token of the last acquisition */
    private record State(short schema, long token, boolean held, long holdingMs, String by) {}

    /** @param held whether it is the caller's now; @param token then; @param retryAfterMs otherwise: when it may be free at the latest */
    public record Grant(boolean held, long token, long retryAfterMs) {}

    private record Watch(long version, long sinceNs) {}

    private final GlobalStore store;
    private final TableStore tables;
    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Watch> watched = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Watch> eldest) {
            return size() > MOST_WATCHED;
        }
    };

    /** @param nanoTime this process's monotonic clock */
    public TimedLocks(GlobalStore store, TableStore tables, LongSupplier nanoTime) {
        this.store = store;
        this.tables = tables;
        this.nanoTime = nanoTime;
    }

    /** Returns at once, with the lock or without. @param holdingMs how long it may be held without a renewal */
    public Grant acquire(String application, String partition, String name, long holdingMs, String by) {
        checkHolding(holdingMs);
        String scope = TableStore.scope(application, partition);
        Optional<Versioned> found = store.get(TableStore.TABLE, scope, LOCK + name);
        State state = found.map(at -> decode(at.value())).orElse(new State(SCHEMA, 0, false, 0, null));
        long version = found.map(Versioned::version).orElse(GlobalStore.ABSENT);
        if (state.held()) {
            long leftMs = leftMs(scope + "/" + name, version, state.holdingMs());
            if (leftMs > 0) {
                return new Grant(false, 0, leftMs);
            }
        }
        if (found.isEmpty()) {
            tables.remember(application, partition);
        }
        long token = state.token() + 1;
        try {
            store.put(TableStore.TABLE, scope, LOCK + name, Codec.encode(new State(SCHEMA, token, true, holdingMs, by)), version);
            return new Grant(true, token, 0);
        } catch (StoreException e) {
            if (e.kind() != Kind.CONFLICT) {
                throw e;
            }
            return new Grant(false, 0, 1); // another was faster; his holding time is known at the next look
        }
    }

    /** How long its version is to be seen unchanged until the lock may be taken over. */
    private long leftMs(String name, long version, long holdingMs) {
        long now = nanoTime.getAsLong();
        lock.lock();
        try {
            Watch watch = watched.get(name);
            if (watch == null || watch.version() != version) {
                watched.put(name, new Watch(version, now));
                return untilTakenOverMs(holdingMs);
            }
            return untilTakenOverMs(holdingMs) - (now - watch.sinceNs()) / 1_000_000;
        } finally {
            lock.unlock();
        }
    }

    /** A twentieth and 50 ms more: clocks do not run at quite the same speed. */
    static long untilTakenOverMs(long holdingMs) {
        return holdingMs + holdingMs / 20 + 50;
    }

    /** The holding time begins anew. @throws StoreException CONFLICT when the lock was lost */
    public void renew(String application, String partition, String name, long token, long holdingMs) {
        checkHolding(holdingMs);
        String scope = TableStore.scope(application, partition);
        Versioned found = held(scope, name, token);
        State state = decode(found.value());
        store.put(TableStore.TABLE, scope, LOCK + name,
                Codec.encode(new State(SCHEMA, token, true, holdingMs, state.by())), found.version());
    }

    /** @return false when it was lost already */
    public boolean release(String application, String partition, String name, long token) {
        String scope = TableStore.scope(application, partition);
        try {
            Versioned found = held(scope, name, token);
            store.put(TableStore.TABLE, scope, LOCK + name, Codec.encode(new State(SCHEMA, token, false, 0, null)), found.version());
            return true;
        } catch (StoreException e) {
            if (e.kind() == Kind.CONFLICT) {
                return false;
            }
            throw e;
        }
    }

    private Versioned held(String scope, String name, long token) {
        Optional<Versioned> found = store.get(TableStore.TABLE, scope, LOCK + name);
        check(name, found.map(at -> Payload.json(at.value())).orElse(null), token);
        return found.orElseThrow();
    }

    /** @throws StoreException CONFLICT unless the lock is held under that token */
    static void check(String name, Payload stored, long token) {
        State state = stored == null ? null : decode(stored.bytes());
        if (state == null || !state.held() || state.token() != token) {
            throw new StoreException(Kind.CONFLICT, "lock \"" + name + "\" is not held under token " + token + " any more: "
                    + (state == null ? "nobody ever held it" : state.held() ? "it is held under " + state.token() : "it is free"),
                    state == null ? 0 : state.token(), null);
        }
    }

    private static State decode(byte[] value) {
        State state = Codec.decode(value, State.class);
        if (state.schema() > SCHEMA) {
            throw new StoreException(Kind.BROKEN, "a lock has schema " + state.schema() + ", newer than this platform understands", 0, null);
        }
        return state;
    }

    private static void checkHolding(long holdingMs) {
        if (holdingMs < LEAST_HOLDING_MS || holdingMs > MOST_HOLDING_MS) {
            throw new StoreException(Kind.BAD_VALUE, "a lock is held for " + LEAST_HOLDING_MS + " to " + MOST_HOLDING_MS
                    + " ms, not " + holdingMs, 0, null);
        }
    }
}
