package dev.sand.datalayer;

import java.nio.ByteBuffer;
import java.util.ArrayList;
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

    /** Parts in which {@link #unnamed} looks: so many may look beside each other. */
    int PARTS = 16;

    /** @param version from 1, higher with each write of the key, deletions included: a key never has the same version twice */
    record Versioned(long version, byte[] value) {}

    record Entry(String key, long version, byte[] value) {}

    /** Whether this program alone reads and writes it: no host of another version does. */
    default boolean isOfOneProgram() {
        return false;
    }

    Optional<Versioned> get(String table, String scope, String key);

    /** As get, the version alone; 0: nothing is there. */
    default long version(String table, String scope, String key) {
        return get(table, scope, key).map(Versioned::version).orElse(0L);
    }

    /**
     * Writes when the key is at {@code expected} ({@link #ANY}, {@link #ABSENT} or a version).
     *
     * @return the new version; @throws StoreException with kind CONFLICT and the actual version
     */
    long put(String table, String scope, String key, byte[] value, long expected);

    /**
     * Writes unless what is there was written under a higher epoch: what an owner that lost its slot writes late changes
     * nothing. A write without an epoch leaves the fence as it is; deletion takes it away.
     *
     * @param epoch of the writer's ownership, from 1; @param expected as in {@link #put}; @return whether it was written: false
     *              when a higher epoch is there, whatever the version; @throws StoreException CONFLICT
     */
    boolean putFenced(String table, String scope, String key, byte[] value, long epoch, long expected);

    default boolean putFenced(String table, String scope, String key, byte[] value, long epoch) {
        return putFenced(table, scope, key, value, epoch, ANY);
    }

    /** @return whether there was a value; @throws StoreException with kind CONFLICT */
    boolean delete(String table, String scope, String key, long expected);

    /** Entries whose key starts with the prefix and comes after {@code after} (or null), in byte order of the key. */
    List<Entry> scan(String table, String scope, String prefix, String after, int limit);

    /** As scan, in descending order and before {@code before}: for the newest first of time-ordered keys. */
    List<Entry> scanDescending(String table, String scope, String prefix, String before, int limit);

    /** Adds to a counter kept as decimal text; an absent one is 0. Atomic. */
    long add(String table, String scope, String key, long delta);

    void deleteScope(String table, String scope);

    /** Deletes all keys that begin with that, which is not empty; those that are written meanwhile perhaps not. */
    default void deleteAll(String table, String scope, String prefix) {
        for (List<String> keys = keys(table, scope, prefix, null, 1000); !keys.isEmpty(); keys = keys(table, scope, prefix, null, 1000)) {
            writeAll(keys.stream().map(key -> new Write(table, scope, key, null)).toList());
        }
    }

    /** @param value null: delete; @param epoch as in {@link #putFenced}, or 0: unfenced, as every deletion is */
    record Write(String table, String scope, String key, byte[] value, long epoch) {
        public Write(String table, String scope, String key, byte[] value) {
            this(table, scope, key, value, 0);
        }
    }

    /** Writes that ask for no version, in one go where the store can; all that its fence lets through are durable on return. */
    default void writeAll(List<Write> writes) {
        for (Write write : writes) {
            if (write.value() == null) {
                delete(write.table(), write.scope(), write.key(), ANY);
            } else if (write.epoch() > 0) {
                putFenced(write.table(), write.scope(), write.key(), write.value(), write.epoch());
            } else {
                put(write.table(), write.scope(), write.key(), write.value(), ANY);
            }
        }
    }

    /**
     * A value in the caller's memory, which stays as it is until it is stored; without an epoch.
     *
     * @param crc of the value: its CRC-32, where whoever lends it knows it; or null
     */
    record Lent(String table, String scope, String key, ByteBuffer value, Integer crc) {
        public Lent(String table, String scope, String key, ByteBuffer value) {
            this(table, scope, key, value, null);
        }

        private Write copied() {
            byte[] bytes = new byte[value.remaining()];
            value.get(value.position(), bytes);
            return new Write(table, scope, key, bytes);
        }
    }

    /** As {@link #writeAll(List)}, first of values that the store need not have copied where it can write them from where they lie. */
    default void writeAll(List<Lent> lent, List<Write> behind) {
        List<Write> all = new ArrayList<>();
        lent.forEach(each -> all.add(each.copied()));
        all.addAll(behind);
        writeAll(all);
    }

    /**
     * Writes without an epoch, of keys that are not there: in the order in which they are given, or in one go where the store can.
     *
     * @throws StoreException with kind CONFLICT: one of the keys is there; nothing was written of it, nor of those behind it
     */
    default void addAll(List<Write> writes) {
        for (Write write : writes) {
            put(write.table(), write.scope(), write.key(), write.value(), ABSENT);
        }
    }

    /** What is stored under these keys of one scope, all of it as of one moment; keys that are not there are left out. */
    List<Entry> getAll(String table, String scope, List<String> keys);

    /** @param expected as in {@link #put}; @param value to be written, null to delete; @param checked only looked at, not changed */
    record Step(String key, long expected, byte[] value, boolean checked) {
        public static Step check(String key, long expected) {
            return new Step(key, expected, null, true);
        }

        public static Step put(String key, byte[] value, long expected) {
            return new Step(key, expected, value, false);
        }

        public static Step delete(String key, long expected) {
            return new Step(key, expected, null, false);
        }
    }

    /**
     * Does all steps, of different keys of one scope, or none of them: linearizable with every other write of the scope.
     *
     * @return the new version for each step, 0 where nothing was written
     * @throws StoreException CONFLICT when a key is not at its expected version
     */
    List<Long> transact(String table, String scope, List<Step> steps);

    /** As scan, keys alone: for values that may be large. */
    default List<String> keys(String table, String scope, String prefix, String after, int limit) {
        return scan(table, scope, prefix, after, limit).stream().map(Entry::key).toList();
    }

    /** Of all the scope's values; counted where they are, as far as the store can. */
    long bytes(String table, String scope);

    /** Deletes all but the last {@code keep} keys in byte order: the oldest of time-ordered ones. @return keys deleted */
    default List<String> keepLast(String table, String scope, int keep) {
        List<Entry> kept = scanDescending(table, scope, "", null, keep);
        List<Entry> surplus = kept.isEmpty() ? List.of()
                : scanDescending(table, scope, "", kept.getLast().key(), Integer.MAX_VALUE);
        surplus.forEach(entry -> delete(table, scope, entry.key(), ANY));
        return surplus.stream().map(Entry::key).toList();
    }

    /** Deletes all keys that come before this one in byte order. */
    default void deleteBefore(String table, String scope, String key) {
        keys(table, scope, "", null, Integer.MAX_VALUE).stream().takeWhile(found -> !found.equals(key))
                .forEach(found -> delete(table, scope, found, ANY));
    }

    /**
     * Ids of pieces of large values that no entry names: of those being written now, and of those that a crash left.
     *
     * @param part below {@link #PARTS}
     */
    default List<String> unnamed(int part) {
        return List.of();
    }

    /** For an id that no entry has named for longer than any write takes. Nothing happens when one names it after all. */
    default void deleteUnnamed(String id) {}

    /** Why it took nothing lately for want of room; null: it is not known to have none. */
    default String full() {
        return null;
    }

    @Override
    void close();
}
