package dev.sand.datalayer;

import dev.sand.datalayer.LargeRows.Given;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.datalayer.StoreWriter.Operation;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The embedded global store: one SQLite file, one writer thread with group commit, concurrent readers. A write is durable
 * when its call returns (WAL, synchronous=FULL). Keys are stored as bytes, so that they compare as bytes.
 */
public class SqliteStore implements GlobalStore {
    private static final List<List<String>> SCHEMAS = List.of(
            List.of("CREATE TABLE entry(id INTEGER PRIMARY KEY, tbl TEXT NOT NULL, scope BLOB NOT NULL,"
                            + " key BLOB NOT NULL, version INTEGER NOT NULL, value BLOB NOT NULL)",
                    "CREATE UNIQUE INDEX entry_key ON entry(tbl, scope, key)",
                    "CREATE TABLE floor(tbl TEXT NOT NULL, scope BLOB NOT NULL, version INTEGER NOT NULL,"
                            + " PRIMARY KEY(tbl, scope)) WITHOUT ROWID"),
            // entries have the epoch that they were written under
            List.of("ALTER TABLE entry ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0"),
            List.of(LargeRows.TABLE));
    static final String IN_SCOPE = " FROM entry WHERE tbl = ? AND scope = ?";
    static final String AT_KEY = IN_SCOPE + " AND key = ?";
    /** An entry without bytes of its own may have a large value. */
    private static final String IDS = "SELECT id" + IN_SCOPE + " AND LENGTH(value) = 0";
    private static final String RAISE_FLOOR = "INSERT INTO floor(tbl, scope, version) VALUES(?, ?, ?)"
            + " ON CONFLICT(tbl, scope) DO UPDATE SET version = max(version, excluded.version)";

    private static final String INSERT = "INSERT INTO entry(tbl, scope, key, version, value, epoch) VALUES(?1, ?2, ?3,"
            + " 1 + ifnull((SELECT version FROM floor WHERE tbl = ?1 AND scope = ?2), 0), ?4, ?5)"
            + " ON CONFLICT(tbl, scope, key) DO ";
    private static final String INSERT_NEW = INSERT + "NOTHING RETURNING id";
    /** Over whatever is there, but for a value that is large, or empty, and a higher epoch's. */
    private static final String INSERT_OVER = INSERT + "UPDATE SET version = version + 1, value = excluded.value,"
            + " epoch = max(epoch, excluded.epoch)"
            + " WHERE LENGTH(value) > 0 AND (excluded.epoch = 0 OR epoch <= excluded.epoch)";

    private final SqliteFile file;
    private final LargeRows large;
    private final SqliteReads reads;
    private final StoreWriter writer;

    /** Opens the files, or makes them: the second has the name of the first and {@code .values}. @throws StoreException when that cannot be done */
    public SqliteStore(Path path) {
        this(path, 0);
    }

    /** @param maxPages of 16 KiB in either file; 0: as much as the disk has */
    SqliteStore(Path path, long maxPages) {
        this.file = new SqliteFile(path, new SqliteFile.Options("FULL", maxPages), SCHEMAS);
        this.large = new LargeRows(path.resolveSibling(path.getFileName() + ".values"), file, maxPages * SqliteFile.PAGE_BYTES);
        this.reads = new SqliteReads(file, large);
        this.writer = new StoreWriter(file, "global-store", large);
    }

    @Override
    public boolean isOfOneProgram() {
        return true;
    }

    @Override
    public Optional<Versioned> get(String table, String scope, String key) {
        return reads.get(table, scope, key);
    }

    @Override
    public long version(String table, String scope, String key) {
        return reads.version(table, scope, key);
    }

    /** A large value is written before its transaction, and given up when no row names it then. */
    private <T> T write(List<byte[]> values, Function<List<Given>, Operation<T>> operation) {
        return write(List.of(), values, operation);
    }

    private <T> T write(List<Lent> lent, List<byte[]> values, Function<List<Given>, Operation<T>> operation) {
        List<Given> given = new ArrayList<>();
        try {
            for (Lent each : lent) {
                given.add(large.give(each.value(), each.crc()));
            }
            for (byte[] value : values) {
                given.add(value == null ? null : large.give(value));
            }
            return writer.call(operation.apply(given));
        } finally {
            large.unlessNamed(given);
        }
    }

    private <T> T write(byte[] value, Function<Given, Operation<T>> operation) {
        return write(Collections.singletonList(value), given -> operation.apply(given.getFirst()));
    }

    @Override
    public long put(String table, String scope, String key, byte[] value, long expected) {
        byte[] name = Key.of(key);
        byte[] in = Key.of(scope);
        return write(value, given -> connection -> put(connection, table, in, key, name, given, expected));
    }

    private long put(SqliteConnection connection, String table, byte[] scope, String key, byte[] name, Given value,
            long expected) throws SQLException {
        long id = 0;
        long actual = 0;
        boolean isLarge = false;
        try (ResultSet row = connection.prepare("SELECT id, version, LENGTH(value)" + AT_KEY, table, scope, name).executeQuery()) {
            if (row.next()) {
                id = row.getLong(1);
                actual = row.getLong(2);
                isLarge = row.getLong(3) == 0;
            }
        }
        long floor = actual != 0 ? 0
                : number(connection.prepare("SELECT version FROM floor WHERE tbl = ? AND scope = ?", table, scope));
        long version = Versions.next(key, actual, floor, expected);
        if (isLarge) {
            large.release(connection, "?", id);
        }
        if (actual == 0) {
            id = number(connection.prepare("INSERT INTO entry(tbl, scope, key, version, value) VALUES(?, ?, ?, ?, ?) RETURNING id",
                    table, scope, name, version, value.inRow()));
        } else {
            connection.update("UPDATE entry SET version = ?, value = ? WHERE id = ?", version, value.inRow(), id);
        }
        large.name(connection, id, value);
        return version;
    }

    @Override
    public boolean putFenced(String table, String scope, String key, byte[] value, long epoch, long expected) {
        byte[] name = Key.of(key);
        byte[] in = Key.of(scope);
        return write(value, given -> connection -> putFenced(connection, table, in, key, name, given, epoch, expected));
    }

    private boolean putFenced(SqliteConnection connection, String table, byte[] scope, String key, byte[] name,
            Given value, long epoch, long expected) throws SQLException {
        if (number(connection.prepare("SELECT epoch" + AT_KEY, table, scope, name)) > epoch) {
            return false;
        }
        put(connection, table, scope, key, name, value, expected);
        connection.update("UPDATE entry SET epoch = ? WHERE tbl = ? AND scope = ? AND key = ?", epoch, table, scope, name);
        return true;
    }

    @Override
    public boolean delete(String table, String scope, String key, long expected) {
        byte[] name = Key.of(key);
        byte[] in = Key.of(scope);
        return writer.call(connection -> delete(connection, table, in, key, name, expected));
    }

    private boolean delete(SqliteConnection connection, String table, byte[] scope, String key, byte[] name,
            long expected) throws SQLException {
        long actual = number(connection.prepare("SELECT version" + AT_KEY, table, scope, name));
        Versions.next(key, actual, 0, expected);
        if (actual == 0) {
            return false;
        }
        large.release(connection, IDS + " AND key = ?", table, scope, name);
        connection.update("DELETE" + AT_KEY, table, scope, name);
        connection.update(RAISE_FLOOR, table, scope, actual + 1);
        return true;
    }

    @Override
    public void writeAll(List<Write> writes) {
        writeAll(List.of(), writes);
    }

    @Override
    public void writeAll(List<Lent> lent, List<Write> writes) {
        lent.forEach(each -> {
            Key.of(each.scope());
            Key.of(each.key());
        });
        writes.forEach(write -> {
            Key.of(write.scope());
            Key.of(write.key());
        });
        write(lent, writes.stream().map(Write::value).collect(Collectors.toCollection(ArrayList::new)), all -> connection -> {
            for (int i = 0; i < lent.size(); i++) {
                Lent each = lent.get(i);
                upsert(connection, each.table(), Key.of(each.scope()), each.key(), all.get(i), 0);
            }
            for (int i = 0; i < writes.size(); i++) {
                Write write = writes.get(i);
                byte[] in = Key.of(write.scope());
                if (write.value() == null) {
                    delete(connection, write.table(), in, write.key(), Key.of(write.key()), ANY);
                } else {
                    upsert(connection, write.table(), in, write.key(), all.get(lent.size() + i), write.epoch());
                }
            }
            return null;
        });
    }

    /** In one statement, but where a row is to be looked at: {@link #INSERT_OVER}, or a large value over another. @param epoch 0: none */
    private void upsert(SqliteConnection connection, String table, byte[] scope, String key, Given value, long epoch)
            throws SQLException {
        byte[] name = Key.of(key);
        if (value.isElsewhere()) {
            long id = number(connection.prepare(INSERT_NEW, table, scope, name, value.inRow(), epoch));
            if (id > 0) {
                large.name(connection, id, value);
                return;
            }
        } else if (connection.update(INSERT_OVER, table, scope, name, value.inRow(), epoch) == 1) {
            return;
        }
        if (epoch > 0) {
            putFenced(connection, table, scope, key, name, value, epoch, ANY);
        } else {
            put(connection, table, scope, key, name, value, ANY);
        }
    }

    /** All of them or none. */
    @Override
    public void addAll(List<Write> writes) {
        writes.forEach(write -> {
            Key.of(write.scope());
            Key.of(write.key());
        });
        write(writes.stream().map(Write::value).toList(), given -> connection -> {
            for (Write write : writes) {
                long actual = number(connection.prepare("SELECT version" + AT_KEY, write.table(), Key.of(write.scope()), Key.of(write.key())));
                Versions.next(write.key(), actual, 0, ABSENT);
            }
            for (int i = 0; i < writes.size(); i++) {
                Write write = writes.get(i);
                put(connection, write.table(), Key.of(write.scope()), write.key(), Key.of(write.key()), given.get(i), ABSENT);
            }
            return null;
        });
    }

    @Override
    public List<Entry> getAll(String table, String scope, List<String> keys) {
        return reads.getAll(table, scope, keys);
    }

    @Override
    public List<Long> transact(String table, String scope, List<Step> steps) {
        byte[] in = Key.of(scope);
        steps.forEach(step -> Key.of(step.key()));
        return write(steps.stream().map(Step::value).collect(Collectors.toCollection(ArrayList::new)), given -> connection -> {
            for (Step step : steps) {
                long actual = number(connection.prepare("SELECT version" + AT_KEY, table, in, Key.of(step.key())));
                Versions.next(step.key(), actual, 0, step.expected());
            }
            List<Long> versions = new ArrayList<>();
            for (int i = 0; i < steps.size(); i++) {
                Step step = steps.get(i);
                byte[] name = Key.of(step.key());
                if (step.value() != null) {
                    versions.add(put(connection, table, in, step.key(), name, given.get(i), ANY));
                    continue;
                }
                if (!step.checked()) {
                    delete(connection, table, in, step.key(), name, ANY);
                }
                versions.add(0L);
            }
            return versions;
        });
    }

    @Override
    public long add(String table, String scope, String key, long delta) {
        byte[] name = Key.of(key);
        byte[] in = Key.of(scope);
        return writer.call(connection -> {
            byte[] value = null;
            try (ResultSet row = connection.prepare("SELECT value" + AT_KEY, table, in, name).executeQuery()) {
                if (row.next()) {
                    value = row.getBytes(1);
                }
            }
            long sum = Versions.sum(key, value, delta);
            put(connection, table, in, key, name, large.give(Versions.counter(sum)), ANY);
            return sum;
        });
    }

    @Override
    public void deleteScope(String table, String scope) {
        byte[] in = Key.of(scope);
        writer.call(connection -> {
            long highest = number(connection.prepare("SELECT max(version)" + IN_SCOPE, table, in));
            connection.update(RAISE_FLOOR, table, in, highest + 1);
            large.release(connection, IDS, table, in);
            connection.update("DELETE" + IN_SCOPE, table, in);
            return null;
        });
    }

    /** In a few statements for all, however many they are. */
    @Override
    public void deleteAll(String table, String scope, String prefix) {
        byte[] in = Key.of(scope);
        byte[] first = Key.of(prefix);
        byte[] end = Key.afterPrefix(first);
        String range = IN_SCOPE + " AND key >= ? AND key < ?";
        writer.call(connection -> {
            long highest = number(connection.prepare("SELECT max(version)" + range, table, in, first, end));
            if (highest > 0) {
                connection.update(RAISE_FLOOR, table, in, highest + 1);
                large.release(connection, IDS + " AND key >= ? AND key < ?", table, in, first, end);
                connection.update("DELETE" + range, table, in, first, end);
            }
            return null;
        });
    }

    @Override
    public List<String> keepLast(String table, String scope, int keep) {
        byte[] in = Key.of(scope);
        byte[] oldestKept = file.read(connection -> {
            try (ResultSet row = connection.prepare("SELECT key" + IN_SCOPE + " ORDER BY key DESC LIMIT 1 OFFSET ?",
                    table, in, keep - 1).executeQuery()) {
                return row.next() ? row.getBytes(1) : null;
            }
        });
        return oldestKept == null ? List.of() : writer.call(connection -> deleteBelow(connection, table, in, oldestKept));
    }

    @Override
    public void deleteBefore(String table, String scope, String key) {
        byte[] name = Key.of(key);
        byte[] in = Key.of(scope);
        writer.call(connection -> deleteBelow(connection, table, in, name));
    }

    private List<String> deleteBelow(SqliteConnection connection, String table, byte[] scope, byte[] key)
            throws SQLException {
        List<String> deleted = new ArrayList<>();
        long highest = 0;
        try (ResultSet rows = connection.prepare("SELECT key, version" + IN_SCOPE + " AND key < ?", table, scope, key)
                .executeQuery()) {
            while (rows.next()) {
                deleted.add(Key.text(rows.getBytes(1)));
                highest = Math.max(highest, rows.getLong(2));
            }
        }
        large.release(connection, IDS + " AND key < ?", table, scope, key);
        connection.update("DELETE" + IN_SCOPE + " AND key < ?", table, scope, key);
        connection.update(RAISE_FLOOR, table, scope, highest + 1);
        return deleted;
    }

    @Override
    public long bytes(String table, String scope) {
        return reads.bytes(table, scope);
    }

    @Override
    public List<Entry> scan(String table, String scope, String prefix, String after, int limit) {
        return reads.scan(table, scope, prefix, after, limit);
    }

    @Override
    public List<Entry> scanDescending(String table, String scope, String prefix, String before, int limit) {
        return reads.scanDescending(table, scope, prefix, before, limit);
    }

    @Override
    public List<String> keys(String table, String scope, String prefix, String after, int limit) {
        return reads.keys(table, scope, prefix, after, limit);
    }

    static long number(PreparedStatement select) throws SQLException {
        try (ResultSet row = select.executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    @Override
    public void close() {
        writer.close();
    }
}
