package dev.sand.hostagent.control;

import dev.sand.event.ApplicationVersion;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Which applications may control the platform, and by which of their grains what: the operator's configuration says so, and nothing
 * else does. An application has its capability by name and contents: one that gets the name, or is changed, has none.
 *
 * @param byName applications
 * @param vouched what other parts of the platform were started with, for one that is in {@code byName} with other contents; null: nothing.
 *     Called by shards: it does not block
 */
public record Capabilities(Map<String, Application> byName, Function<ApplicationVersion, Application> vouched) {
    public static final Capabilities NONE = new Capabilities(Map.of(), version -> null);

    /** @param bundle content address of its files; @param grains operations by grain */
    public record Application(String bundle, Map<String, Set<String>> grains) {
        public Application {
            grains = Map.copyOf(grains);
        }

        public boolean allows(String grain, String operation) {
            return grains.getOrDefault(grain, Set.of()).contains(operation);
        }
    }

    public Capabilities {
        byName = Map.copyOf(byName);
    }

    /** @return null: none, as nearly all have */
    public Application of(ApplicationVersion version) {
        Application application = byName.get(version.application());
        return application == null ? null : application.bundle.equals(version.bundle()) ? application : vouched.apply(version);
    }
}
