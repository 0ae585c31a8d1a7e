package dev.sand.hostagent;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/** The secrets of an application, by name. @param unopened by name, why one that was set cannot be told: a sentence for a grain that asks */
public record ApplicationSecrets(Map<String, String> values, Map<String, String> unopened) {
    public static final ApplicationSecrets NONE = new ApplicationSecrets(Map.of(), Map.of());

    public static ApplicationSecrets of(Map<String, String> values) {
        return new ApplicationSecrets(values, Map.of());
    }

    /** Those of these names alone. */
    public ApplicationSecrets named(Collection<String> names) {
        return new ApplicationSecrets(only(values, names), only(unopened, names));
    }

    private static Map<String, String> only(Map<String, String> all, Collection<String> names) {
        Map<String, String> some = new TreeMap<>(all);
        some.keySet().retainAll(names);
        return some;
    }

    @Override
    public String toString() {
        return "secrets " + values.keySet();
    }
}
