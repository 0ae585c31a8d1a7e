package dev.sand.frontend.deployment;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.GlobalStore.Versioned;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.StoreException;
import dev.sand.event.ApplicationVersion;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;

/** Which version a content became, so that nothing is built twice: scope is the application, key the digest of its folder. Blocks. */
final class Contents {
    private static final String TABLE = "deployments";
    private final GlobalStore store;
    private final Registry registry;

    Contents(GlobalStore store, Registry registry) {
        this.store = store;
        this.registry = registry;
    }

    /** @return empty: it was not deployed yet, or its version is gone */
    Optional<ApplicationVersion> version(String application, String digest) {
        return store.get(TABLE, application, digest).flatMap(found -> registry.version(application, number(found.value())));
    }

    /** Two frontends may have built the same content. @return the version that it is */
    ApplicationVersion first(ApplicationVersion made, String digest) {
        byte[] number = Integer.toString(made.version()).getBytes(StandardCharsets.US_ASCII);
        while (true) {
            Optional<Versioned> found = store.get(TABLE, made.application(), digest);
            Optional<ApplicationVersion> other = found.flatMap(entry -> registry.version(made.application(), number(entry.value())));
            if (other.isPresent()) {
                return other.get();
            }
            try {
                store.put(TABLE, made.application(), digest, number, found.map(Versioned::version).orElse(GlobalStore.ABSENT));
                return made;
            } catch (StoreException e) {
                if (e.kind() != StoreException.Kind.CONFLICT) {
                    throw e;
                }
            }
        }
    }

    /** The same content deployed again is a new version then. */
    void forget(String application, Set<Integer> versions) {
        store.scan(TABLE, application, "", null, Integer.MAX_VALUE).forEach(entry -> {
            if (versions.contains(number(entry.value()))) {
                store.delete(TABLE, application, entry.key(), entry.version());
            }
        });
    }

    static void forget(GlobalStore store, String application) {
        store.deleteScope(TABLE, application);
    }

    private static int number(byte[] stored) {
        return Integer.parseInt(new String(stored, StandardCharsets.US_ASCII));
    }
}
