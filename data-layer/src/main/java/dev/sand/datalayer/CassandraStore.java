package dev.sand.datalayer;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.sand.datalayer.CassandraChunks.Stored;
import dev.sand.datalayer.CassandraWriter.Draft;
import dev.sand.datalayer.CassandraWriter.Partition;
import dev.sand.datalayer.StoreException.Kind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The global store in a Cassandra cluster, as off the shelf (SAND 5). Writes are lightweight transactions, reads go to a
 * quorum: each key is linearizable. A call that has no answer by its deadline fails with AWAY; one that may have happened
 * says so.
 */
public final class CassandraStore implements GlobalStore {
    private static final int PAGE = 100;
    private static final int BATCH_WRITES = 64;
    private static final int BATCH_BYTES = 512 * 1024;
    /** How far a scope's floor rises with entries that were deleted unseen: more writes than happen to one meanwhile. */
    private static final long UNSEEN_WRITES = 1 << 20;
    private static final String SELECT = "SELECT version, value, size, chunks, hash FROM %sentry WHERE tbl = ? AND scope = ? AND key = ?";
    private static final String VERSION = "SELECT version FROM %sentry WHERE tbl = ? AND scope = ? AND key = ?";
    private static final String ENTRIES = "SELECT key, version, value, size, chunks, hash";
    private static final String SELECT_ALL = ENTRIES + " FROM %sentry WHERE tbl = ? AND scope = ? AND key IN ?";
    private static final String BYTES = "SELECT SUM(CAST(size AS bigint)) FROM %sentry WHERE tbl = ? AND scope = ? AND key > ?";
    private static final String KEYS = "SELECT key";
    private static final String VERSIONS = "SELECT key, version, size, chunks";

    private final CassandraSession session;
    private final CassandraChunks chunks;
    private final CassandraWriter writer;

    /** Waits for the cluster, and makes the keyspace when it is not there. @throws StoreException AWAY when it does not come */
    public CassandraStore(CassandraOptions options) {
        this.session = new CassandraSession(options);
        this.chunks = new CassandraChunks(session);
        this.writer = new CassandraWriter(session, chunks);
    }

    @Override
    public Optional<Versioned> get(String table, String scope, String key) {
        byte[] name = Key.of(key);
        Deadline deadline = session.deadline();
        UUID damaged = null;
        while (true) {
            Row row = session.read(session.bind(SELECT, table, ByteBuffer.wrap(Key.of(scope)), ByteBuffer.wrap(name)), deadline).one();
            if (row == null) {
                return Optional.empty();
            }
            Stored stored = CassandraWriter.stored(row);
            byte[] value = value(stored);
            if (value != null) {
                return Optional.of(new Versioned(row.getLong("version"), value));
            }
            if (stored.chunks().equals(damaged)) {
                throw new StoreException(Kind.BROKEN, "the value of \"" + key + "\" in " + table + " is damaged: its chunks do not"
                        + " have the hash that was written with it", 0, null);
            }
            damaged = stored.chunks(); // replaced while it was read, or damaged: the entry tells
        }
    }

    @Override
    public long version(String table, String scope, String key) {
        Row row = session.read(session.bind(VERSION, table, ByteBuffer.wrap(Key.of(scope)), ByteBuffer.wrap(Key.of(key))),
                session.deadline()).one();
        return row == null ? 0 : row.getLong(0);
    }

    private byte[] value(Stored stored) {
        if (stored.chunks() != null) {
            return chunks.load(stored.chunks(), stored.size(), stored.hash());
        }
        return stored.inline() == null ? new byte[0] : stored.inline();
    }

    @Override
    public long put(String table, String scope, String key, byte[] value, long expected) {
        return write(table, scope, key, value, expected == ANY, (draft, name, stored) -> draft.put(key, name, stored, expected, 0));
    }

    @Override
    public boolean putFenced(String table, String scope, String key, byte[] value, long epoch, long expected) {
        return write(table, scope, key, value, expected == ANY,
                (draft, name, stored) -> putFenced(draft, key, name, stored, epoch, expected));
    }

    private static boolean putFenced(Draft draft, String key, byte[] name, Stored stored, long epoch, long expected) {
        if (draft.at(name) != null && draft.at(name).epoch() > epoch) {
            return false;
        }
        draft.put(key, name, stored, expected, epoch);
        return true;
    }

    private interface Put<T> {
        T put(Draft draft, byte[] name, Stored stored);
    }

    private <T> T write(String table, String scope, String key, byte[] value, boolean repeatable, Put<T> put) {
        byte[] name = Key.of(key);
        Partition in = new Partition(table, Key.of(scope));
        Stored stored = chunks.store(in, name, value);
        try {
            return writer.change(in, List.of(name), repeatable, draft -> put.put(draft, name, stored));
        } catch (StoreException e) {
            if (e.kind() == Kind.CONFLICT && stored.chunks() != null) {
                chunks.deleteSoon(stored);
            }
            throw e;
        }
    }

    @Override
    public boolean delete(String table, String scope, String key, long expected) {
        byte[] name = Key.of(key);
        return writer.change(new Partition(table, Key.of(scope)), List.of(name), expected == ANY,
                draft -> draft.delete(key, name, expected));
    }

    @Override
    public List<Entry> getAll(String table, String scope, List<String> keys) {
        List<ByteBuffer> names = keys.stream().map(key -> ByteBuffer.wrap(Key.of(key))).toList();
        List<Entry> entries = new ArrayList<>();
        for (Row row : session.readAll(session.bind(SELECT_ALL, table, ByteBuffer.wrap(Key.of(scope)), names))) {
            add(entries, table, scope, row);
        }
        return entries;
    }

    @Override
    public List<Long> transact(String table, String scope, List<Step> steps) {
        Partition in = new Partition(table, Key.of(scope));
        List<byte[]> names = steps.stream().map(step -> Key.of(step.key())).toList();
        List<Stored> values = steps.stream().map(step -> step.value() == null ? null
                : chunks.store(in, Key.of(step.key()), step.value())).toList();
        boolean repeatable = steps.stream().allMatch(step -> step.expected() == ANY);
        return writer.change(in, names, repeatable, draft -> {
            List<Long> versions = new ArrayList<>();
            for (int i = 0; i < steps.size(); i++) {
                Step step = steps.get(i);
                if (step.value() != null) {
                    versions.add(draft.put(step.key(), names.get(i), values.get(i), step.expected(), 0));
                    continue;
                }
                if (step.checked()) {
                    draft.check(step.key(), names.get(i), step.expected());
                } else {
                    draft.delete(step.key(), names.get(i), step.expected());
                }
                versions.add(0L);
            }
            return versions;
        });
    }

    @Override
    public long add(String table, String scope, String key, long delta) {
        byte[] name = Key.of(key);
        return writer.change(new Partition(table, Key.of(scope)), List.of(name), false, draft -> {
            byte[] value = draft.at(name) == null ? null : value(draft.at(name).stored());
            long sum = Versions.sum(key, value, delta);
            byte[] text = Versions.counter(sum);
            draft.put(key, name, new Stored(text, text.length, null, null), ANY, 0);
            return sum;
        });
    }

    @Override
    public void writeAll(List<Write> writes) {
        writes.forEach(write -> {
            Key.of(write.scope());
            Key.of(write.key());
        });
        Map<List<String>, Map<String, Write>> partitions = new LinkedHashMap<>();
        for (Write write : writes) {
            Map<String, Write> batch = partitions.computeIfAbsent(List.of(write.table(), write.scope()), name -> new LinkedHashMap<>());
            // A second write of a key comes behind the first, whose fence it has to see.
            if (batch.size() >= BATCH_WRITES || batch.containsKey(write.key()) || bytes(batch) >= BATCH_BYTES) {
                writeTogether(batch);
                batch.clear();
            }
            batch.put(write.key(), write);
        }
        partitions.values().forEach(this::writeTogether);
    }

    private static long bytes(Map<String, Write> batch) {
        return batch.values().stream().mapToLong(write -> write.value() == null ? 0
                : Math.min(write.value().length, CassandraChunks.INLINE_BYTES)).sum();
    }

    private void writeTogether(Map<String, Write> batch) {
        if (batch.isEmpty()) {
            return;
        }
        Write any = batch.values().iterator().next();
        Partition in = new Partition(any.table(), Key.of(any.scope()));
        Map<String, Stored> values = new LinkedHashMap<>();
        batch.forEach((key, write) ->
                values.put(key, write.value() == null ? null : chunks.store(in, Key.of(key), write.value())));
        writer.change(in, batch.keySet().stream().map(Key::of).toList(), true, draft -> {
            values.forEach((key, stored) -> {
                if (stored == null) {
                    draft.delete(key, Key.of(key), ANY);
                } else if (batch.get(key).epoch() > 0) {
                    putFenced(draft, key, Key.of(key), stored, batch.get(key).epoch(), ANY);
                } else {
                    draft.put(key, Key.of(key), stored, ANY, 0);
                }
            });
            return null;
        });
    }

    @Override
    public void deleteScope(String table, String scope) {
        deleteRange(table, Key.of(scope), null);
    }

    @Override
    public void deleteBefore(String table, String scope, String key) {
        deleteRange(table, Key.of(scope), Key.of(key));
    }

    @Override
    public List<String> keepLast(String table, String scope, int keep) {
        byte[] in = Key.of(scope);
        byte[] oldestKept = null;
        int kept = 0;
        for (Row row : rows(KEYS, table, in, new Range(new byte[0], false, null), true, keep)) {
            oldestKept = CassandraWriter.bytes(row, "key");
            kept++;
        }
        return kept < keep ? List.of() : deleteRange(table, in, oldestKept);
    }

    /** @param below null: all */
    private List<String> deleteRange(String table, byte[] scope, byte[] below) {
        List<String> deleted = new ArrayList<>();
        List<Stored> large = new ArrayList<>();
        long highest = 0;
        for (Row row : rows(VERSIONS, table, scope, new Range(new byte[0], false, below), false, Integer.MAX_VALUE)) {
            deleted.add(Key.text(CassandraWriter.bytes(row, "key")));
            highest = Math.max(highest, row.getLong("version"));
            if (row.getUuid("chunks") != null) {
                large.add(new Stored(null, row.getInt("size"), row.getUuid("chunks"), null));
            }
        }
        if (!deleted.isEmpty()) {
            writer.deleteRange(new Partition(table, scope), below, highest + UNSEEN_WRITES);
            large.forEach(chunks::deleteSoon);
        }
        return deleted;
    }

    @Override
    public long bytes(String table, String scope) {
        BoundStatement sum = session.bind(BYTES, table, ByteBuffer.wrap(Key.of(scope)), ByteBuffer.wrap(new byte[0]));
        return session.read(sum, session.deadline()).one().getLong(0);
    }

    @Override
    public List<Entry> scan(String table, String scope, String prefix, String after, int limit) {
        return entries(table, scope, Range.of(prefix, after, null), false, limit);
    }

    @Override
    public List<Entry> scanDescending(String table, String scope, String prefix, String before, int limit) {
        return entries(table, scope, Range.of(prefix, null, before), true, limit);
    }

    private List<Entry> entries(String table, String scope, Range range, boolean descending, int limit) {
        List<Entry> entries = new ArrayList<>();
        for (Row row : rows(ENTRIES, table, Key.of(scope), range, descending, limit)) {
            add(entries, table, scope, row);
        }
        return entries;
    }

    private void add(List<Entry> entries, String table, String scope, Row row) {
        String key = Key.text(CassandraWriter.bytes(row, "key"));
        byte[] value = value(CassandraWriter.stored(row));
        if (value != null) {
            entries.add(new Entry(key, row.getLong("version"), value));
        } else {
            get(table, scope, key).ifPresent(found -> entries.add(new Entry(key, found.version(), found.value())));
        }
    }

    @Override
    public List<String> keys(String table, String scope, String prefix, String after, int limit) {
        List<String> keys = new ArrayList<>();
        rows(KEYS, table, Key.of(scope), Range.of(prefix, after, null), false, limit)
                .forEach(row -> keys.add(Key.text(CassandraWriter.bytes(row, "key"))));
        return keys;
    }

    /** Keys from {@code first} (or after it) up to {@code end}, which is not among them; null: to the last. */
    private record Range(byte[] first, boolean inclusive, byte[] end) {
        static Range of(String prefix, String after, String before) {
            byte[] start = Key.prefix(prefix);
            byte[] beyond = Key.afterPrefix(start);
            byte[] last = before == null ? null : Key.of(before);
            byte[] end = beyond == null || last != null && Arrays.compareUnsigned(last, beyond) < 0 ? last : beyond;
            byte[] from = after == null ? null : Key.of(after);
            return from != null && Arrays.compareUnsigned(from, start) >= 0 ? new Range(from, false, end)
                    : new Range(start, start.length > 0, end); // without a prefix: all but the scope's own row
        }
    }

    private Iterable<Row> rows(String columns, String table, byte[] scope, Range range, boolean descending, int limit) {
        if (limit < 1) {
            return List.of();
        }
        String cql = columns + " FROM %sentry WHERE tbl = ? AND scope = ? AND key " + (range.inclusive() ? ">= ?" : "> ?")
                + (range.end() == null ? "" : " AND key < ?") + " ORDER BY key " + (descending ? "DESC" : "ASC") + " LIMIT ?";
        List<Object> values = new ArrayList<>(List.of(table, ByteBuffer.wrap(scope), ByteBuffer.wrap(range.first())));
        if (range.end() != null) {
            values.add(ByteBuffer.wrap(range.end()));
        }
        values.add(limit);
        BoundStatement statement = session.bind(cql, values.toArray()).setPageSize(columns.equals(ENTRIES) ? PAGE : 10 * PAGE);
        return session.readAll(statement);
    }

    @Override
    public List<String> unnamed(int part) {
        return chunks.unnamed(part);
    }

    @Override
    public void deleteUnnamed(String id) {
        chunks.deleteUnnamed(id);
    }

    @Override
    public void close() {
        session.close();
    }
}
