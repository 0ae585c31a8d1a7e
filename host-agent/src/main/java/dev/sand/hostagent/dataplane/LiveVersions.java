package dev.sand.hostagent.dataplane;

import dev.sand.event.ApplicationVersion;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Which version of an application is live, as it was at most a second ago: asked for in the background while it is used. */
final class LiveVersions {
    private static final long MOST_AGE_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST = 10_000;

    private record Found(Optional<ApplicationVersion> version, long askedNs) {}

    private final Function<String, Optional<ApplicationVersion>> registry;
    private final Executor blocking;
    private final Map<String, Found> known = new ConcurrentHashMap<>();
    private final Map<String, Boolean> asked = new ConcurrentHashMap<>();

    /** @param registry blocks */
    LiveVersions(Function<String, Optional<ApplicationVersion>> registry, Executor blocking) {
        this.registry = registry;
        this.blocking = blocking;
    }

    /** Null when it is to be loaded. */
    ApplicationVersion known(String application, long nowNs) {
        Found found = known.get(application);
        if (found == null || nowNs - found.askedNs > MOST_AGE_NS) {
            return null;
        }
        if (nowNs - found.askedNs > MOST_AGE_NS / 2 && asked.putIfAbsent(application, true) == null) {
            blocking.execute(() -> {
                try {
                    load(application);
                } finally {
                    asked.remove(application);
                }
            });
        }
        return found.version.orElse(null);
    }

    /** Blocks. @throws RuntimeException when the registry cannot tell */
    Optional<ApplicationVersion> load(String application) {
        long askedNs = System.nanoTime();
        Optional<ApplicationVersion> version = registry.apply(application);
        if (known.size() >= MOST) {
            known.clear();
        }
        known.put(application, new Found(version, askedNs));
        return version;
    }
}
