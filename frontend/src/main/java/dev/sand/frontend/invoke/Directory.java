package dev.sand.frontend.invoke;

import dev.sand.datalayer.Registry;
import dev.sand.datalayer.StoreException;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.LogFields;
import dev.sand.frontend.http.Problems;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The registry as the data plane reads it: what a request names, found in memory without blocking. Versions never change. What an
 * alias names is read again, in the background, once it is half as old as it may be; who finds an older one waits for that read. So
 * a change is seen by every request that begins {@link #MOST_AGE} after it, at any frontend: whoever makes one waits for that long
 * before it is answered ({@link #awaitSeen}). The exception is a store that does not answer: invocations go on as they were.
 */
public final class Directory {
    private static final Logger LOG = LoggerFactory.getLogger(Directory.class);
    /** What an alias names was read at most so long ago, by the reading frontend's own clock. */
    static final Duration MOST_AGE = Duration.ofSeconds(1);
    /** More than frontends' clocks may differ in pace, and than a request takes from its arrival to its look. */
    private static final Duration SLACK = Duration.ofMillis(100);
    /** How long a request waits for a store that is slow; from then on it is away, until it answers again. */
    private static final Duration PATIENCE = Duration.ofMillis(500);
    /** While it is away, a request waits for it once in so long. */
    private static final Duration AWAY = Duration.ofSeconds(5);
    /** Past this many entries the memory starts anew: nothing here is worth more than a read. */
    private static final int MOST = 10_000;

    private record Key(String application, String qualifier) {}

    /** @param askedNs when the read began that found it */
    private record Found(ApplicationVersion version, long askedNs) {}

    private final Registry registry;
    private final Executor background;
    private final boolean alone;
    private final LongSupplier clockNs;
    private final AtomicReference<Map<Key, Found>> known = new AtomicReference<>(Map.of());
    /** Whoever wants to know the same waits for the same read. */
    private final Map<Key, CompletableFuture<Optional<ApplicationVersion>>> reads = new ConcurrentHashMap<>();
    /** The store is away; 0: it is not. */
    private volatile long awayUntilNs;

    /** @param alone no other frontend serves these applications */
    public Directory(Registry registry, Executor background, boolean alone) {
        this(registry, background, alone, System::nanoTime);
    }

    Directory(Registry registry, Executor background, boolean alone, LongSupplier clockNs) {
        this.registry = registry;
        this.background = background;
        this.alone = alone;
        this.clockNs = clockNs;
    }

    /** @param qualifier alias or version, or null for {@link Registry#LIVE}; @return null when it must be loaded first */
    ApplicationVersion known(String application, String qualifier) {
        return Names.isSystem(application) ? null : look(application, qualifier);
    }

    /** Of the platform's own application, which no caller can name. Blocks when it must be loaded first. @throws dev.sand.frontend.http.ProblemException as load */
    public ApplicationVersion ofSystem(String qualifier) {
        ApplicationVersion found = look(Names.MANAGEMENT, qualifier);
        return found == null ? read(Names.MANAGEMENT, qualifier) : found;
    }

    private ApplicationVersion look(String application, String qualifier) {
        Key key = new Key(application, qualifier == null ? Registry.LIVE : qualifier);
        Found found = known.get().get(key);
        if (found == null || isNumber(key.qualifier)) {
            return found == null ? null : found.version;
        }
        long ageNs = clockNs.getAsLong() - found.askedNs;
        if (ageNs > MOST_AGE.toNanos() / 2) {
            read(key);
        }
        return ageNs <= MOST_AGE.toNanos() || isAway() ? found.version : null;
    }

    private boolean isAway() {
        long until = awayUntilNs;
        return until != 0 && clockNs.getAsLong() - until < 0;
    }

    /** Blocks. @throws dev.sand.frontend.http.ProblemException when there is no such application, alias or version */
    public ApplicationVersion load(String application, String qualifier) {
        if (Names.isSystem(application)) {
            throw Problems.unknownApplication(application).asException();
        }
        return read(application, qualifier);
    }

    private ApplicationVersion read(String application, String qualifier) {
        Key key = new Key(application, qualifier == null ? Registry.LIVE : qualifier);
        Found before = known.get().get(key);
        Optional<ApplicationVersion> version;
        try {
            version = before == null ? read(key).get() : read(key).get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return asBefore(before, "it has not answered for " + PATIENCE.toMillis() + " ms");
        } catch (ExecutionException e) {
            if (before != null && e.getCause() instanceof StoreException away && away.kind() == StoreException.Kind.AWAY) {
                return asBefore(before, away.getMessage());
            }
            throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + application + " was looked up", e);
        }
        return version.orElseThrow(() -> (!registry.exists(application)
                ? Problems.unknownApplication(application) : Problems.unknownVersion(application, key.qualifier)).asException());
    }

    private ApplicationVersion asBefore(Found before, String why) {
        if (!isAway()) {
            LOG.atWarn().addKeyValue(LogFields.APPLICATION, before.version.application())
                    .log("what is deployed elsewhere is not seen here now, the global store is away: {}", why);
        }
        long untilNs = clockNs.getAsLong() + AWAY.toNanos();
        awayUntilNs = untilNs == 0 ? 1 : untilNs;
        return before.version;
    }

    /** Blocks until what was changed before is what every frontend serves. */
    public void awaitSeen() {
        if (alone) {
            return;
        }
        try {
            Thread.sleep(MOST_AGE.plus(SLACK));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The application has changed. */
    public void forget(String application) {
        reads.keySet().removeIf(key -> key.application.equals(application)); // one that is under way may have found what was before
        known.updateAndGet(old -> {
            Map<Key, Found> rest = new HashMap<>(old);
            rest.keySet().removeIf(key -> key.application.equals(application));
            return Map.copyOf(rest);
        });
    }

    private CompletableFuture<Optional<ApplicationVersion>> read(Key key) {
        CompletableFuture<Optional<ApplicationVersion>> read = new CompletableFuture<>();
        CompletableFuture<Optional<ApplicationVersion>> earlier = reads.putIfAbsent(key, read);
        if (earlier != null) {
            return earlier;
        }
        background.execute(() -> {
            long askedNs = clockNs.getAsLong();
            try {
                Optional<ApplicationVersion> version = find(key);
                awayUntilNs = 0;
                if (reads.get(key) == read) {
                    version.ifPresentOrElse(found -> remember(key, new Found(found, askedNs)), () -> forget(key.application));
                }
                reads.remove(key, read);
                read.complete(version);
            } catch (RuntimeException | Error e) { // whoever waits for this read, and comes after it, is told
                reads.remove(key, read);
                read.completeExceptionally(e);
            }
        });
        return read;
    }

    private Optional<ApplicationVersion> find(Key key) {
        return (Names.isApplication(key.application) || Names.isSystem(key.application)) && (isNumber(key.qualifier) || Names.isGrain(key.qualifier))
                ? registry.resolveNow(key.application, key.qualifier) : Optional.empty();
    }

    private void remember(Key key, Found found) {
        known.updateAndGet(old -> {
            Map<Key, Found> more = old.size() >= MOST ? new HashMap<>() : new HashMap<>(old);
            more.put(key, found);
            return Map.copyOf(more);
        });
    }

    /** An alias starts with a letter, so that the two are never mistaken for each other. */
    private static boolean isNumber(String qualifier) {
        return !qualifier.isEmpty() && qualifier.length() <= 9 && qualifier.chars().allMatch(c -> c >= '0' && c <= '9');
    }
}
