package dev.sand.hostagent.dataplane;

import dev.sand.datalayer.StoreException;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.LogFields;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which version of an application is live, as it was at most a second ago: asked for in the background while it is used. While the
 * global store does not answer, invocations go on with what was known, as they do over frontends.
 */
final class LiveVersions {
    private static final Logger LOG = LoggerFactory.getLogger(LiveVersions.class);
    private static final long MOST_AGE_NS = TimeUnit.SECONDS.toNanos(1);
    /** That whoever has something to go on with waits for an answer. */
    private static final long PATIENCE_MS = 500;
    /** For how long nobody waits again, once the store has not answered. */
    private static final long AWAY_NS = TimeUnit.SECONDS.toNanos(2);
    private static final int MOST = 10_000;

    private record Found(Optional<ApplicationVersion> version, long askedNs) {}

    private final Function<String, Optional<ApplicationVersion>> registry;
    private final Executor blocking;
    private final LongSupplier clockNs;
    private final Map<String, Found> known = new ConcurrentHashMap<>();
    /** Those that are under way: one of an application at once, whoever waits for it. */
    private final Map<String, CompletableFuture<Optional<ApplicationVersion>>> reads = new ConcurrentHashMap<>();
    private volatile Long awayUntilNs;

    /** @param registry blocks */
    LiveVersions(Function<String, Optional<ApplicationVersion>> registry, Executor blocking) {
        this(registry, blocking, System::nanoTime);
    }

    LiveVersions(Function<String, Optional<ApplicationVersion>> registry, Executor blocking, LongSupplier clockNs) {
        this.registry = registry;
        this.blocking = blocking;
        this.clockNs = clockNs;
    }

    /** Null when it is to be loaded. */
    ApplicationVersion known(String application, long nowNs) {
        Found found = known.get(application);
        if (found == null) {
            return null;
        }
        long ageNs = nowNs - found.askedNs;
        if (ageNs > MOST_AGE_NS / 2 && !reads.containsKey(application)) {
            read(application);
        }
        return ageNs <= MOST_AGE_NS || isAway(nowNs) ? found.version.orElse(null) : null;
    }

    private boolean isAway(long nowNs) {
        Long until = awayUntilNs;
        return until != null && nowNs - until < 0;
    }

    /** Blocks. @throws RuntimeException when the registry cannot tell, and never could */
    Optional<ApplicationVersion> load(String application) {
        Found before = known.get(application);
        CompletableFuture<Optional<ApplicationVersion>> read = read(application);
        try {
            return before == null ? read.get() : read.get(PATIENCE_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return asBefore(application, before, "it has not answered for " + PATIENCE_MS + " ms");
        } catch (ExecutionException e) {
            if (before != null && e.getCause() instanceof StoreException away && away.kind() == StoreException.Kind.AWAY) {
                return asBefore(application, before, away.getMessage());
            }
            throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + application + " was looked up", e);
        }
    }

    private Optional<ApplicationVersion> asBefore(String application, Found before, String why) {
        long nowNs = clockNs.getAsLong();
        if (!isAway(nowNs)) {
            LOG.atWarn().addKeyValue(LogFields.APPLICATION, application)
                    .log("what is deployed elsewhere is not seen by the data plane now, the global store is away: {}", why);
        }
        awayUntilNs = nowNs + AWAY_NS;
        return before.version;
    }

    private CompletableFuture<Optional<ApplicationVersion>> read(String application) {
        CompletableFuture<Optional<ApplicationVersion>> read = new CompletableFuture<>();
        CompletableFuture<Optional<ApplicationVersion>> earlier = reads.putIfAbsent(application, read);
        if (earlier != null) {
            return earlier;
        }
        try {
            blocking.execute(() -> ask(application, read));
        } catch (RejectedExecutionException e) { // the host stops
            reads.remove(application);
            read.completeExceptionally(e);
        }
        return read;
    }

    private void ask(String application, CompletableFuture<Optional<ApplicationVersion>> read) {
        long askedNs = clockNs.getAsLong();
        try {
            Optional<ApplicationVersion> version = registry.apply(application);
            if (known.size() >= MOST) {
                known.clear();
            }
            known.put(application, new Found(version, askedNs));
            reads.remove(application);
            awayUntilNs = null;
            read.complete(version);
        } catch (Throwable e) { // whoever waits is told
            reads.remove(application);
            read.completeExceptionally(e);
        }
    }
}
