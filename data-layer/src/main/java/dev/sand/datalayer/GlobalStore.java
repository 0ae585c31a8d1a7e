package dev.sand.datalayer;

import java.util.List;
import java.util.Optional;

/**
 * The global level of the data layer (SAND 4.3): durable, versioned values by table, scope and key. A scope is one
 * application's (or the platform's) own; nothing reaches across scopes. All calls block and are made off the shards.
 */
public interface GlobalStore extends AutoCloseable {
    /** The version of a write that does not care what is there. */
    long ANY = -1;
    /** The version of a write that wants nothing there. */
    long ABSENT = 0;

    /** @param version from 1, higher with each write of the key, deletions included: a key never has the same version twice */
    record Versioned(long version, byte[] value) {}

    record Entry(String key, long version, byte[] value) {}

    Optional<Versioned> get(String table, String scope, String key);

    /**
     * Writes when the key is at {@code expected} ({@link #ANY}, {@link #ABSENT} or a version).
     *
     * @return the new version; @throws StoreException with kind CONFLICT and the actual version
     */
    long put(String table, String scope, String key, byte[] value, long expected);

    /** @return whether there was a value; @throws StoreException with kind CONFLICT */
    boolean delete(String table, String scope, String key, long expected);

    /** Entries whose key starts with the prefix and comes after {@code after} (or null), in byte order of the key. */
    List<Entry> scan(String table, String scope, String prefix, String after, int limit);

    /** As scan, in descending order and before {@code before}: for the newest first of time-ordered keys. */
    List<Entry> scanDescending(String table, String scope, String prefix, String before, int limit);

    /** Adds to a counter kept as decimal text; an absent one is 0. Atomic. */
    long add(String table, String scope, String key, long delta);

    void deleteScope(String table, String scope);

    /** @param value null: delete */
    record Write(String table, String scope, String key, byte[] value) {}

    /** Writes that do not care what is there, in one go where the store can; all of them are durable on return. */
    default void writeAll(List<Write> writes) {
        for (Write write : writes) {
            if (write.value() == null) {
                delete(write.table(), write.scope(), write.key(), ANY);
            } else {
                put(write.table(), write.scope(), write.key(), write.value(), ANY);
            }
        }
    }

    /** As scan, keys alone: for values that may be large. */
    default List<String> keys(String table, String scope, String prefix, String after, int limit) {
        return scan(table, scope, prefix, after, limit).stream().map(Entry::key).toList();
    }

    /** Deletes all but the last {@code keep} keys in byte order: the oldest of time-ordered ones. @return keys deleted */
    default List<String> keepLast(String table, String scope, int keep) {
        List<Entry> kept = scanDescending(table, scope, "", null, keep);
        List<Entry> surplus = kept.isEmpty() ? List.of()
                : scanDescending(table, scope, "", kept.getLast().key(), Integer.MAX_VALUE);
        surplus.forEach(entry -> delete(table, scope, entry.key(), ANY));
        return surplus.stream().map(Entry::key).toList();
    }

    @Override
    void close();
}
