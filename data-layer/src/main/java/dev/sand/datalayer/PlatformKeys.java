package dev.sand.datalayer;

import java.security.SecureRandom;

/** Secrets that all hosts of a platform share, made by whichever comes first and kept for good in the global store. */
public final class PlatformKeys {
    private static final String TABLE = "keys";
    private static final String SCOPE = "platform";
    private static final int BYTES = 32;

    private PlatformKeys() {}

    /** The key of that name; the same for all who ask, ever. Blocks. @throws StoreException when the store cannot tell */
    public static byte[] of(GlobalStore store, String name) {
        return store.get(TABLE, SCOPE, name).map(GlobalStore.Versioned::value).orElseGet(() -> make(store, name));
    }

    private static byte[] make(GlobalStore store, String name) {
        byte[] key = new byte[BYTES];
        new SecureRandom().nextBytes(key);
        try {
            store.put(TABLE, SCOPE, name, key, GlobalStore.ABSENT);
            return key;
        } catch (StoreException e) {
            if (e.kind() != StoreException.Kind.CONFLICT) {
                throw e;
            }
            return store.get(TABLE, SCOPE, name).orElseThrow().value();
        }
    }
}
