package dev.sand.datalayer;

import java.util.List;
import java.util.Optional;

/** Events that people saved to test grains and workflows with, by application, target and name: JSON as it was typed. Blocks. */
public final class SavedEvents {
    /** Of one application. */
    public static final int MOST = 1000;
    /** Bytes of one. */
    public static final int BYTES = 256 * 1024;
    private static final String TABLE = "saved-events";
    private final GlobalStore store;

    public SavedEvents(GlobalStore store) {
        this.store = store;
    }

    /** In byte order. */
    public List<String> names(String application, String target) {
        String prefix = key(target, "");
        return store.keys(TABLE, application, prefix, null, MOST).stream().map(key -> key.substring(prefix.length())).toList();
    }

    public Optional<GlobalStore.Versioned> get(String application, String target, String name) {
        return store.get(TABLE, application, key(target, name));
    }

    /**
     * Two that are saved at the same moment may both have the last place.
     *
     * @return its version, or nothing: there are {@link #MOST} others; @throws StoreException CONFLICT when it is not at {@code expected}
     */
    public Optional<Long> save(String application, String target, String name, byte[] json, long expected) {
        String key = key(target, name);
        if (store.version(TABLE, application, key) == 0 && store.keys(TABLE, application, "", null, MOST).size() >= MOST) {
            return Optional.empty();
        }
        return Optional.of(store.put(TABLE, application, key, json, expected));
    }

    /** @return whether there was one; @throws StoreException CONFLICT */
    public boolean delete(String application, String target, String name, long expected) {
        return store.delete(TABLE, application, key(target, name), expected);
    }

    public static void deleteApplication(GlobalStore store, String application) {
        store.deleteScope(TABLE, application);
    }

    /** No name of a grain or workflow has a slash; nor have two of one application the same. */
    private static String key(String target, String name) {
        return target + "/" + name;
    }
}
