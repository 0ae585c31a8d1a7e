package dev.sand.hostagent;

import dev.sand.hostagent.mask.Masks;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * The secrets of an application, by name.
 *
 * @param unopened by name, why one that was set cannot be told: a sentence for a grain that asks
 * @param masks of these, and of those that were before: made with them, by whoever reads them, since that takes its time
 */
public record ApplicationSecrets(Map<String, String> values, Map<String, String> unopened, Masks masks) {
    public static final ApplicationSecrets NONE = new ApplicationSecrets(Map.of(), Map.of(), Masks.NONE);

    public static ApplicationSecrets of(Map<String, String> values) {
        return NONE.renewed(values, Map.of());
    }

    /** As they were read now. @return this, when they are as before */
    public ApplicationSecrets renewed(Map<String, String> now, Map<String, String> unopenedNow) {
        return now.equals(values) && unopenedNow.equals(unopened) ? this : new ApplicationSecrets(now, unopenedNow, masks.with(now.values()));
    }

    /** Those of these names alone. */
    public ApplicationSecrets named(Collection<String> names) {
        return new ApplicationSecrets(only(values, names), only(unopened, names), masks);
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
