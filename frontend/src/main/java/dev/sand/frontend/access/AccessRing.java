package dev.sand.frontend.access;

import dev.sand.datalayer.AccessTables;
import dev.sand.datalayer.AccessTables.KeyRow;
import dev.sand.datalayer.AccessTables.SessionRow;
import dev.sand.datalayer.StoreException;
import dev.sand.frontend.http.Caller;
import dev.sand.frontend.http.Entrance;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Scope;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this frontend remembers of API keys and sessions, so that a request with one reads nothing. A row that was read is good as long as the
 * <b>epoch</b> is what it was before the row was read: whatever changes keys counts it up. The epoch itself is good for a second:
 * a change has reached every frontend once it is that old. While the store is away, what is remembered stays good for a while.
 */
public final class AccessRing {
    static final Duration MOST_AGE = Duration.ofSeconds(1);
    static final Duration GRACE = Duration.ofMinutes(5);
    /** Rows are read again after this long in any case: a grain may end between its change and the count. */
    static final Duration MOST_ROW_AGE = Duration.ofMinutes(2);
    private static final Duration STRANGER_AGE = Duration.ofSeconds(1);
    private static final Duration IDLE = Duration.ofSeconds(10);
    private static final int MOST_KEYS = 50_000;
    private static final int MOST_STRANGERS = 10_000;
    private static final int READS_AT_ONCE = 64;
    private static final int TRIES = 4;
    /** What members of a tenant may, as the management's own who.py has it. */
    private static final Map<String, Set<Scope>> OF_ROLES = Map.of("viewer", EnumSet.of(Scope.READ),
            "developer", EnumSet.of(Scope.READ, Scope.INVOKE, Scope.DEPLOY),
            "owner", EnumSet.of(Scope.READ, Scope.INVOKE, Scope.DEPLOY, Scope.ADMIN));
    private static final Logger LOG = LoggerFactory.getLogger(AccessRing.class);
    private final AccessTables tables;
    private final LongSupplier clockMs;
    private final LongSupplier clockNs;
    private final Map<String, Known> keys = new ConcurrentHashMap<>();
    /** Keys that nobody has, by the time when that was read. */
    private final Map<String, Long> strangers = new ConcurrentHashMap<>();
    private final Map<String, CompletableFuture<Optional<Known>>> reads = new ConcurrentHashMap<>();
    private final Semaphore room = new Semaphore(READS_AT_ONCE);
    /** For those that were good once: whoever makes up keys does not take their room. */
    private final Semaphore roomOfKnown = new Semaphore(READS_AT_ONCE);
    private final ReentrantLock asking = new ReentrantLock();
    private final AtomicLong generation = new AtomicLong();
    private volatile Seen seen;
    private volatile long asked;
    private volatile long usedNs;

    /**
     * @param atNs before it was read
     * @param triedNs when it was last known whether it can be read
     * @param away it could not be read since
     * @param late it took so long to read that it would never be good, or away
     */
    private record Seen(long epoch, long atNs, long triedNs, boolean away, boolean late) {}

    /**
     * @param refusal of whoever has all of it, or null; @param expiresMs 0: never; @param noted when it is used
     */
    private record Row(byte[] hash, Caller caller, String refusal, long expiresMs, boolean noted) {}

    private static final class Known {
        final Row row;
        final long epoch;
        final long generation;
        final long readNs;
        volatile long usedMs;
        volatile long notedMs;

        Known(Row row, long epoch, long generation, long readNs, Known before) {
            this.row = row;
            this.epoch = epoch;
            this.generation = generation;
            this.readNs = readNs;
            this.usedMs = before == null ? 0 : before.usedMs;
            this.notedMs = before == null ? 0 : before.notedMs;
        }
    }

    /** @param clockMs that all frontends agree on; @param clockNs that only goes forward */
    public AccessRing(AccessTables tables, LongSupplier clockMs, LongSupplier clockNs) {
        this.tables = tables;
        this.clockMs = clockMs;
        this.clockNs = clockNs;
        this.usedNs = clockNs.getAsLong() - IDLE.toNanos();
    }

    /** From memory, at once. @return null: {@link #look} knows */
    Entrance known(Credential key) {
        long nowNs = clockNs.getAsLong();
        usedNs = nowNs;
        Known known = keys.get(key.id());
        return known != null && isGood(known, seen, nowNs) ? judged(known, key) : null;
    }

    /** Blocks, at most as long as the store takes to say no. */
    Entrance look(Credential key) {
        for (int i = 0; i < TRIES; i++) {
            Seen now = fresh();
            if (now == null) {
                return away();
            }
            Known known = keys.get(key.id());
            if (known != null && isGood(known, now, clockNs.getAsLong())) {
                return judged(known, key);
            }
            if (now.away) {
                return away();
            }
            Long strange = strangers.get(key.id());
            if (strange != null && clockNs.getAsLong() - strange < STRANGER_AGE.toNanos()) {
                return none(key);
            }
            try {
                Optional<Known> read = read(key, now.epoch);
                if (read == null) {
                    return Entrance.refused(Problem.platform(429, "overloaded", "A bounded queue is full",
                            "Too many keys are looked up at once; try again.", true));
                }
                if (read.isEmpty()) {
                    return none(key);
                }
            } catch (StoreException e) {
                LOG.debug("{} cannot be looked up: {}", key, e.toString());
                return known != null && isRemembered(known, now) ? judged(known, key) : away();
            }
        }
        return away(); // keys change faster than they can be read
    }

    /** Keys have changed, and nothing that was known before is to count any more. Blocks. */
    public void forget() {
        generation.incrementAndGet();
        ask(asked);
    }

    /** Each few hundred milliseconds: while keys are used the epoch is read here, and not where a request waits. */
    void refresh() {
        if (clockNs.getAsLong() - usedNs < IDLE.toNanos()) {
            ask(asked);
        }
    }

    /** Now and then: when keys were last used. */
    void note() {
        keys.forEach((id, known) -> {
            long usedMs = known.usedMs;
            if (known.row.noted && usedMs > known.notedMs) {
                try {
                    tables.used(id, usedMs);
                    known.notedMs = usedMs;
                } catch (StoreException e) {
                    LOG.debug("when key {} was last used is not noted: {}", id, e.toString());
                }
            }
        });
    }

    private boolean isGood(Known known, Seen now, long nowNs) {
        return now != null && isRemembered(known, now) && isFresh(now, nowNs)
                && (now.away || nowNs - known.readNs < MOST_ROW_AGE.toNanos());
    }

    /** Nothing is known that would speak against it. */
    private boolean isRemembered(Known known, Seen now) {
        return known.epoch == now.epoch && known.generation == generation.get()
                && clockNs.getAsLong() - known.readNs < MOST_ROW_AGE.plus(GRACE).toNanos();
    }

    /** While the store is away, or slow, what was read last is good for longer, if it was tried just now, or is being tried again. */
    private boolean isFresh(Seen now, long nowNs) {
        if (!now.late) {
            return nowNs - now.atNs <= MOST_AGE.toNanos();
        }
        long tried = nowNs - now.triedNs;
        return nowNs - now.atNs <= GRACE.toNanos() && (tried <= MOST_AGE.toNanos() || tried <= IDLE.toNanos() && asking.isLocked());
    }

    /** Null: it cannot be read, and has not been for too long. */
    private Seen fresh() {
        Seen now = seen;
        if (now == null || !isFresh(now, clockNs.getAsLong())) {
            ask(asked);
            now = seen;
        }
        return now != null && isFresh(now, clockNs.getAsLong()) ? now : null;
    }

    /** Once for all who wait. @param before attempts that the caller knows of, none of which will do */
    private void ask(long before) {
        asking.lock();
        try {
            if (asked > before) { // it began since then, and is as good as another one
                return;
            }
            long atNs = clockNs.getAsLong();
            Seen last = seen;
            try {
                asked++;
                long epoch = tables.epoch();
                long readNs = clockNs.getAsLong();
                boolean late = readNs - atNs > MOST_AGE.toNanos();
                seen = new Seen(epoch, atNs, readNs, false, late);
                if (late && (last == null || !last.late)) {
                    LOG.warn("the global store is slow: changes of keys are seen after {} ms", (readNs - atNs) / 1_000_000);
                }
            } catch (StoreException e) {
                if (last != null && !last.away) {
                    LOG.warn("keys cannot be looked up, the global store is away; those that are known count for {} more: {}", GRACE, e.toString());
                }
                seen = last == null ? null : new Seen(last.epoch, last.atNs, clockNs.getAsLong(), true, true);
            }
        } finally {
            asking.unlock();
        }
    }

    /** Null: too many are being read. Empty: there is none. Once for all who wait. */
    private Optional<Known> read(Credential key, long epoch) {
        String id = key.id();
        CompletableFuture<Optional<Known>> mine = new CompletableFuture<>();
        CompletableFuture<Optional<Known>> earlier = reads.putIfAbsent(id, mine);
        if (earlier != null) {
            try {
                return earlier.join();
            } catch (CompletionException e) {
                throw e.getCause() instanceof StoreException away ? away : e;
            }
        }
        Optional<Known> found = null;
        try {
            Semaphore places = keys.containsKey(id) ? roomOfKnown : room;
            if (places.tryAcquire()) {
                try {
                    found = readRow(key, epoch);
                } finally {
                    places.release();
                }
            }
            return found;
        } catch (RuntimeException | Error e) {
            reads.remove(id, mine);
            mine.completeExceptionally(e);
            throw e;
        } finally {
            reads.remove(id, mine);
            mine.complete(found);
        }
    }

    private Optional<Known> readRow(Credential key, long epoch) {
        String id = key.id();
        long readNs = clockNs.getAsLong();
        long before = generation.get();
        Row row = switch (key) {
            case KeyText text -> tables.key(id).map(each -> ofKey(id, each, tables.isActive(each.tenant()))).orElse(null);
            case SessionToken session -> tables.session(id).map(each -> ofSession(session, each)).orElse(null);
        };
        if (row == null) {
            keys.remove(id);
            if (strangers.size() >= MOST_STRANGERS) {
                strangers.clear();
            }
            strangers.put(id, readNs);
            return Optional.empty();
        }
        if (keys.size() >= MOST_KEYS) {
            keys.clear();
        }
        Known known = new Known(row, epoch, before, readNs, keys.get(id));
        keys.put(id, known);
        return Optional.of(known);
    }

    private static Row ofKey(String id, KeyRow row, boolean active) {
        String refusal = row.revokedMs() > 0 ? "This key was revoked." : active ? null : "The tenant of this key is suspended, or gone.";
        return new Row(row.hash(), Caller.ofKey(id, row.tenant(), scopes(row)), refusal, row.expiresMs(), true);
    }

    private static Row ofSession(SessionToken session, SessionRow row) {
        Set<Scope> scopes = EnumSet.noneOf(Scope.class);
        scopes.addAll(OF_ROLES.getOrDefault(row.role(), Set.of()));
        if (row.operator()) {
            scopes.add(Scope.OPERATOR);
        }
        return new Row(session.hash(), Caller.ofSession(session.id(), row.user(), row.tenant(), scopes),
                row.disabled() ? "This user may not sign in any more." : null, row.expiresMs(), false);
    }

    /** Those of a key: what is the operator's alone is none's. */
    private static Set<Scope> scopes(KeyRow row) {
        Set<Scope> scopes = EnumSet.noneOf(Scope.class);
        for (Scope scope : EnumSet.of(Scope.INVOKE, Scope.DEPLOY, Scope.READ, Scope.ADMIN)) {
            if (row.scopes().contains(scope.inWords())) {
                scopes.add(scope);
            }
        }
        return scopes;
    }

    /** Whoever does not have all of it hears nothing of what its row says. */
    private Entrance judged(Known known, Credential key) {
        if (!MessageDigest.isEqual(known.row.hash, key.hash())) {
            return none(key);
        }
        long nowMs = clockMs.getAsLong();
        if (known.row.refusal != null) {
            return refused(known.row.refusal);
        }
        if (known.row.expiresMs > 0 && known.row.expiresMs <= nowMs) {
            return refused(key instanceof SessionToken ? key.unknown() : "This key has expired.");
        }
        if (nowMs - known.usedMs > MOST_AGE.toMillis()) {
            known.usedMs = nowMs;
        }
        return Entrance.of(known.row.caller);
    }

    private static Entrance none(Credential key) {
        return refused(key.unknown());
    }

    private static Entrance refused(String detail) {
        return Entrance.refused(Problem.caller(401, "unauthenticated", "A key is needed", detail));
    }

    private static Entrance away() {
        return Entrance.refused(Problem.platform(503, "unavailable", "Not available now",
                "Who this is cannot be looked up: the global store is away.", true));
    }
}
