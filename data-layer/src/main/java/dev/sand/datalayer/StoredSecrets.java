package dev.sand.datalayer;

import dev.sand.event.Codec;
import dev.sand.event.Limits;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Secrets that were set through the API, by application and name: closed in the global store. Whoever has the key opens them. Blocks. */
public final class StoredSecrets {
    /** Secrets of one application. */
    public static final int MOST = 1000;
    /** Bytes of one value. */
    public static final int VALUE_BYTES = 64 * 1024;
    /** Bytes of all boxes of one application: what a grain gets of them goes to its worker in one frame. */
    public static final int MOST_BYTES = 256 * 1024;
    private static final String TABLE = "secrets";
    /** One row that is written after each change: hosts look at its version, and read secrets when it has moved. */
    private static final String CHANGES = "secret-changes";
    private static final String SCOPE = "platform";
    private static final String LAST = "last";
    private static final byte[] MARK = {1};

    /** @param keyId of the key that closed the box */
    private record Row(short schema, byte[] box, String keyId, long changedMs) {}

    /** A secret without its value. */
    public record Listed(String name, long changedMs) {}

    /** What an application would have too much of. */
    public record Refusal(String what, long limit, long actual) {}

    /** @param unopened by name, why it cannot be opened: a sentence for whoever asks for it */
    public record Opened(Map<String, String> values, Map<String, String> unopened) {
        public static final Opened NONE = new Opened(Map.of(), Map.of());
    }

    private final GlobalStore store;
    private final SecretsKey key;

    /** @param key null: what is stored is listed and deleted, and neither set nor opened */
    public StoredSecrets(GlobalStore store, SecretsKey key) {
        this.store = store;
        this.key = key;
    }

    public boolean hasKey() {
        return key != null;
    }

    /** In order of their names. */
    public List<Listed> list(String application) {
        return store.scan(TABLE, application, "", null, MOST).stream()
                .map(entry -> new Listed(entry.key(), decoded(entry).changedMs)).toList();
    }

    /** Two that are set at the same moment may both have the last place. @return why not, or nothing: it is stored */
    public Optional<Refusal> set(String application, String name, String value, long nowMs) {
        byte[] box = key.seal(application, name, value.getBytes(StandardCharsets.UTF_8));
        int others = 0;
        long bytes = box.length;
        for (GlobalStore.Entry entry : store.scan(TABLE, application, "", null, MOST + 1)) {
            if (!entry.key().equals(name)) {
                others++;
                bytes += decoded(entry).box.length;
            }
        }
        if (others >= MOST) {
            return Optional.of(new Refusal("secrets", MOST, others + 1L));
        }
        if (bytes > MOST_BYTES) {
            return Optional.of(new Refusal("bytes of secrets", MOST_BYTES, bytes));
        }
        store.put(TABLE, application, name, Codec.encode(new Row(Limits.SCHEMA_VERSION, box, key.id(), nowMs)), GlobalStore.ANY);
        changed(store);
        return Optional.empty();
    }

    /** @return whether there was one */
    public boolean delete(String application, String name) {
        boolean deleted = store.delete(TABLE, application, name, GlobalStore.ANY);
        changed(store);
        return deleted;
    }

    public static void deleteApplication(GlobalStore store, String application) {
        store.deleteScope(TABLE, application);
        changed(store);
    }

    /** All of an application. */
    public Opened open(String application) {
        Map<String, String> values = new TreeMap<>();
        Map<String, String> unopened = new TreeMap<>();
        for (GlobalStore.Entry entry : store.scan(TABLE, application, "", null, MOST)) {
            Row row = decoded(entry);
            open(application, entry.key(), row).ifPresentOrElse(value -> values.put(entry.key(), value),
                    () -> unopened.put(entry.key(), why(row)));
        }
        return new Opened(Map.copyOf(values), Map.copyOf(unopened));
    }

    private Optional<String> open(String application, String name, Row row) {
        return key == null ? Optional.empty()
                : key.open(row.keyId, application, name, row.box).map(value -> new String(value, StandardCharsets.UTF_8));
    }

    private String why(Row row) {
        if (key == null) {
            return "this host has no key for stored secrets: start it with --secrets-key";
        }
        return key.has(row.keyId) ? "it is not what was stored for this application under this name: set it again"
                : "it was closed with the key " + row.keyId + ", which this host does not have: name that key's file under --secrets-key"
                        + " behind the current one, or set the secret again";
    }

    /** Another number: secrets of some application have changed. */
    public long changes() {
        return store.version(CHANGES, SCOPE, LAST);
    }

    private static void changed(GlobalStore store) {
        store.put(CHANGES, SCOPE, LAST, MARK, GlobalStore.ANY);
    }

    private static Row decoded(GlobalStore.Entry entry) {
        return Codec.decode(entry.value(), Row.class);
    }
}
