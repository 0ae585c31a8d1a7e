package dev.sand.frontend.invoke;

import dev.sand.datalayer.Registry;
import dev.sand.event.ApplicationVersion;
import dev.sand.frontend.http.Problems;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The registry as the data plane reads it: what a request names, found in memory without blocking. Versions never change;
 * aliases are looked up again once they are older than a second, in the background, so that another frontend's deployment
 * is seen, while this frontend's own changes count at once.
 */
public final class Directory {
    private static final long FRESH_NS = 1_000_000_000L;
    /** Past this many entries the memory starts anew: nothing here is worth more than a read. */
    private static final int MOST = 10_000;

    private record Key(String application, String qualifier) {}

    private record Found(ApplicationVersion version, long atNs) {}

    private final Registry registry;
    private final Executor background;
    private final AtomicReference<Map<Key, Found>> known = new AtomicReference<>(Map.of());

    public Directory(Registry registry, Executor background) {
        this.registry = registry;
        this.background = background;
    }

    /** @param qualifier alias or version, or null for {@link Registry#LIVE}; @return null when it must be loaded first */
    ApplicationVersion known(String application, String qualifier) {
        Key key = new Key(application, qualifier == null ? Registry.LIVE : qualifier);
        Found found = known.get().get(key);
        if (found == null) {
            return null;
        }
        long nowNs = System.nanoTime();
        if (nowNs - found.atNs > FRESH_NS && !isNumber(key.qualifier)) {
            // Marked as fresh first, so that one request a second pays for the look and no more.
            remember(key, new Found(found.version, nowNs));
            background.execute(() -> refresh(key));
        }
        return found.version;
    }

    /** Blocks. @throws dev.sand.frontend.http.ProblemException when there is no such application, alias or version */
    public ApplicationVersion load(String application, String qualifier) {
        Key key = new Key(application, qualifier == null ? Registry.LIVE : qualifier);
        ApplicationVersion version = read(key);
        if (version == null) {
            throw (!Names.isApplication(application) || !registry.exists(application) ? Problems.unknownApplication(application)
                    : Problems.unknownVersion(application, key.qualifier)).asException();
        }
        remember(key, new Found(version, System.nanoTime()));
        return version;
    }

    /** The application has changed. */
    public void forget(String application) {
        known.updateAndGet(old -> {
            Map<Key, Found> rest = new HashMap<>(old);
            rest.keySet().removeIf(key -> key.application.equals(application));
            return Map.copyOf(rest);
        });
    }

    private void refresh(Key key) {
        ApplicationVersion version = read(key);
        if (version == null) {
            forget(key.application);
        } else {
            remember(key, new Found(version, System.nanoTime()));
        }
    }

    private ApplicationVersion read(Key key) {
        return Names.isApplication(key.application) && (isNumber(key.qualifier) || Names.isGrain(key.qualifier))
                ? registry.resolve(key.application, key.qualifier).orElse(null) : null;
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
