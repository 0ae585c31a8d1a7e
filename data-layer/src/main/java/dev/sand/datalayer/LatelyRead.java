package dev.sand.datalayer;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the global store says, found in memory without blocking, and no older than {@link #MOST_AGE}: it is read again, in the
 * background, once it is half as old; who finds an older one waits for that read. While the store does not answer, things go on with
 * what was known. Any thread.
 */
public final class LatelyRead<K, V> {
    public static final Duration MOST_AGE = Duration.ofSeconds(1);
    private static final Logger LOG = LoggerFactory.getLogger(LatelyRead.class);
    /** How long somebody who knows something waits for a store that is slow; from then on it is away, until it answers again. */
    private static final Duration PATIENCE = Duration.ofMillis(500);
    /** While it is away, somebody waits for it once in so long. */
    private static final Duration AWAY = Duration.ofSeconds(5);
    /** Past this many entries the memory starts anew: nothing here is worth more than a read. */
    private static final int MOST = 10_000;

    /** @param askedNs when the read began that found it */
    private record Found<V>(V value, long askedNs) {}

    private final Function<K, Optional<V>> store;
    private final Predicate<K> isForEver;
    private final Executor background;
    private final LongSupplier clockNs;
    private final Map<K, Found<V>> known = new ConcurrentHashMap<>();
    /** Whoever wants to know the same waits for the same read. */
    private final Map<K, CompletableFuture<Optional<V>>> reads = new ConcurrentHashMap<>();
    /** The store is away; 0: it is not. */
    private volatile long awayUntilNs;

    /** @param store blocks; @param isForEver whether what a key stands for never changes */
    public LatelyRead(Function<K, Optional<V>> store, Predicate<K> isForEver, Executor background, LongSupplier clockNs) {
        this.store = store;
        this.isForEver = isForEver;
        this.background = background;
        this.clockNs = clockNs;
    }

    /** Null when it is to be loaded. */
    public V known(K key) {
        Found<V> found = known.get(key);
        if (found == null || isForEver.test(key)) {
            return found == null ? null : found.value;
        }
        long ageNs = clockNs.getAsLong() - found.askedNs;
        if (ageNs > MOST_AGE.toNanos() / 2) {
            read(key);
        }
        return ageNs <= MOST_AGE.toNanos() || isAway() ? found.value : null;
    }

    private boolean isAway() {
        long until = awayUntilNs;
        return until != 0 && clockNs.getAsLong() - until < 0;
    }

    /** Blocks. @throws RuntimeException when the store cannot tell, and never could */
    public Optional<V> load(K key) {
        Found<V> before = known.get(key);
        CompletableFuture<Optional<V>> read = read(key);
        try {
            return before == null ? read.get() : read.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return asBefore(key, before, "it has not answered for " + PATIENCE.toMillis() + " ms");
        } catch (ExecutionException e) {
            if (before != null && e.getCause() instanceof StoreException away && away.kind() == StoreException.Kind.AWAY) {
                return asBefore(key, before, away.getMessage());
            }
            throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + key + " was looked up", e);
        }
    }

    private Optional<V> asBefore(K key, Found<V> before, String why) {
        if (!isAway()) {
            LOG.warn("{} stays as it was known: what has changed elsewhere is not seen here now, the global store is away: {}", key, why);
        }
        long untilNs = clockNs.getAsLong() + AWAY.toNanos();
        awayUntilNs = untilNs == 0 ? 1 : untilNs;
        return Optional.of(before.value);
    }

    /** They have changed: a read of one that is under way may have found what was before. */
    public void forget(Predicate<K> which) {
        reads.keySet().removeIf(which);
        known.keySet().removeIf(which);
    }

    private CompletableFuture<Optional<V>> read(K key) {
        CompletableFuture<Optional<V>> earlier = reads.get(key);
        if (earlier != null) {
            return earlier;
        }
        CompletableFuture<Optional<V>> read = new CompletableFuture<>();
        earlier = reads.putIfAbsent(key, read);
        if (earlier != null) {
            return earlier;
        }
        try {
            background.execute(() -> ask(key, read));
        } catch (RejectedExecutionException e) { // whoever reads stops
            fail(key, read, e);
        }
        return read;
    }

    private void ask(K key, CompletableFuture<Optional<V>> read) {
        long askedNs = clockNs.getAsLong();
        try {
            Optional<V> value = store.apply(key);
            awayUntilNs = 0;
            if (reads.get(key) == read) {
                value.ifPresentOrElse(found -> remember(key, new Found<>(found, askedNs)), () -> known.remove(key));
            }
            reads.remove(key, read);
            read.complete(value);
        } catch (RuntimeException | Error e) {
            fail(key, read, e);
        }
    }

    /** Whoever waits for this read, and comes after it, is told. */
    private void fail(K key, CompletableFuture<Optional<V>> read, Throwable why) {
        reads.remove(key, read);
        read.completeExceptionally(why);
    }

    private void remember(K key, Found<V> found) {
        if (known.size() >= MOST) {
            known.clear();
        }
        known.put(key, found);
    }
}
