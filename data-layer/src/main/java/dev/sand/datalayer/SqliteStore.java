package dev.sand.datalayer;

import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The embedded global store: one SQLite file, one writer thread with group commit, concurrent readers. A write is durable
 * when its call returns (WAL, synchronous=FULL). Keys are stored as bytes, so that they compare as bytes.
 */
public class SqliteStore implements GlobalStore {
    /** 2: entries have the epoch that they were written under. */
    private static final int SCHEMA = 2;
    private static final List<String> TABLES = List.of(
            "CREATE TABLE IF NOT EXISTS entry(id INTEGER PRIMARY KEY, tbl TEXT NOT NULL, scope BLOB NOT NULL,"
                    + " key BLOB NOT NULL, version INTEGER NOT NULL, value BLOB NOT NULL)",
            "CREATE UNIQUE INDEX IF NOT EXISTS entry_key ON entry(tbl, scope, key)",
            "CREATE TABLE IF NOT EXISTS floor(tbl TEXT NOT NULL, scope BLOB NOT NULL, version INTEGER NOT NULL,"
                    + " PRIMARY KEY(tbl, scope)) WITHOUT ROWID",
            "ALTER TABLE entry ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0");
    private static final String IN_SCOPE = " FROM entry WHERE tbl = ? AND scope = ?";
    private static final String AT_KEY = IN_SCOPE + " AND key = ?";
    private static final String RAISE_FLOOR = "INSERT INTO floor(tbl, scope, version) VALUES(?, ?, ?)"
            + " ON CONFLICT(tbl, scope) DO UPDATE SET version = max(version, excluded.version)";

    private final SqliteFile file;
    private final StoreWriter writer;

    /** Opens the file, or makes it. @throws StoreException when that cannot be done */
    public SqliteStore(Path path) {
        this(path, 0);
    }

    /** @param maxPages of 16 KiB; 0: as much as the disk has */
    SqliteStore(Path path, long maxPages) {
        this.file = new SqliteFile(path, new SqliteFile.Options(SCHEMA, "FULL", maxPages), TABLES);
        this.writer = new StoreWriter(file, "global-store");
    }

    @Override
    public Optional<Versioned> get(String table, String scope, String key) {
        byte[] name = Key.of(key);
        byte[] in = Key.of(scope);
        return file.read(connection -> {
            try (ResultSet row = connection.prepare("SELECT version, value" + AT_KEY, table, in, name).executeQuery()) {
                return row.next() ? Optional.of(new Versioned(row.getLong(1), row.getBytes(2))) : Optional.empty();
            }
        });
    }

    @Override
    public long version(String table, String scope, String key) {
        byte[] name = Key.of(key);
        byte[] in = Key.of(scope);
        return file.read(connection -> number(connection.prepare("SELECT version" + AT_KEY, table, in, name)));
    }

    @Override
    public long put(String table, String scope, String key, byte[] value, long expected) {
        byte[] name = Key.of(key);
        byte[] in = Key.of(scope);
        return writer.call(connection -> put(connection, table, in, key, name, value, expected));
    }

    private static long put(SqliteConnection connection, String table, byte[] scope, String key, byte[] name, byte[] value,
            long expected) throws SQLException {
        long actual = number(connection.prepare("SELECT version" + AT_KEY, table, scope, name));
        long floor = actual != 0 ? 0
                : number(connection.prepare("SELECT version FROM floor WHERE tbl = ? AND scope = ?", table, scope));
        long version = Versions.next(key, actual, floor, expected);
        if (actual == 0) {
            connection.update("INSERT INTO entry(tbl, scope, key, version, value) VALUES(?, ?, ?, ?, ?)",
                    table, scope, name, version, value);
        } else {
            connection.update("UPDATE entry SET version = ?, value = ? WHERE tbl = ? AND scope = ? AND key = ?",
                    version, value, table, scope, name);
        }
        return version;
    }

    @Override
    public boolean putFenced(String table, String scope, String key, byte[] value, long epoch, long expected) {
        byte[] name = Key.of(key);
        byte[] in = Key.of(scope);
        return writer.call(connection -> putFenced(connection, table, in, key, name, value, epoch, expected));
    }

    private static boolean putFenced(SqliteConnection connection, String table, byte[] scope, String key, byte[] name,
            byte[] value, long epoch, long expected) throws SQLException {
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

    private static boolean delete(SqliteConnection connection, String table, byte[] scope, String key, byte[] name,
            long expected) throws SQLException {
        long actual = number(connection.prepare("SELECT version" + AT_KEY, table, scope, name));
        Versions.next(key, actual, 0, expected);
        if (actual == 0) {
            return false;
        }
        connection.update("DELETE" + AT_KEY, table, scope, name);
        connection.update(RAISE_FLOOR, table, scope, actual + 1);
        return true;
    }

    @Override
    public void writeAll(List<Write> writes) {
        writes.forEach(write -> {
            Key.of(write.scope());
            Key.of(write.key());
        });
        writer.call(connection -> {
            for (Write write : writes) {
                byte[] name = Key.of(write.key());
                byte[] in = Key.of(write.scope());
                if (write.value() == null) {
                    delete(connection, write.table(), in, write.key(), name, ANY);
                } else if (write.epoch() > 0) {
                    putFenced(connection, write.table(), in, write.key(), name, write.value(), write.epoch(), ANY);
                } else {
                    put(connection, write.table(), in, write.key(), name, write.value(), ANY);
                }
            }
            return null;
        });
    }

    @Override
    public List<Entry> getAll(String table, String scope, List<String> keys) {
        List<Object> parameters = new ArrayList<>(List.of(table, Key.of(scope)));
        keys.forEach(key -> parameters.add(Key.of(key)));
        String sql = "SELECT key, version, value" + IN_SCOPE + " AND key IN (" + "?, ".repeat(keys.size()).replaceAll(", $", "") + ")";
        return file.read(connection -> {
            List<Entry> found = new ArrayList<>();
            try (ResultSet rows = connection.prepare(sql, parameters.toArray()).executeQuery()) {
                while (rows.next()) {
                    found.add(new Entry(Key.text(rows.getBytes(1)), rows.getLong(2), rows.getBytes(3)));
                }
            }
            return found;
        });
    }

    @Override
    public List<Long> transact(String table, String scope, List<Step> steps) {
        byte[] in = Key.of(scope);
        steps.forEach(step -> Key.of(step.key()));
        return writer.call(connection -> {
            for (Step step : steps) {
                long actual = number(connection.prepare("SELECT version" + AT_KEY, table, in, Key.of(step.key())));
                Versions.next(step.key(), actual, 0, step.expected());
            }
            List<Long> versions = new ArrayList<>();
            for (Step step : steps) {
                byte[] name = Key.of(step.key());
                if (step.value() != null) {
                    versions.add(put(connection, table, in, step.key(), name, step.value(), ANY));
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
            put(connection, table, in, key, name, Versions.counter(sum), ANY);
            return sum;
        });
    }

    @Override
    public void deleteScope(String table, String scope) {
        byte[] in = Key.of(scope);
        writer.call(connection -> {
            long highest = number(connection.prepare("SELECT max(version)" + IN_SCOPE, table, in));
            connection.update(RAISE_FLOOR, table, in, highest + 1);
            connection.update("DELETE" + IN_SCOPE, table, in);
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

    private static List<String> deleteBelow(SqliteConnection connection, String table, byte[] scope, byte[] key)
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
        connection.update("DELETE" + IN_SCOPE + " AND key < ?", table, scope, key);
        connection.update(RAISE_FLOOR, table, scope, highest + 1);
        return deleted;
    }

    @Override
    public long bytes(String table, String scope) {
        byte[] in = Key.of(scope);
        return file.read(connection -> number(connection.prepare("SELECT COALESCE(SUM(LENGTH(value)), 0)" + IN_SCOPE, table, in)));
    }

    @Override
    public List<Entry> scan(String table, String scope, String prefix, String after, int limit) {
        return rows("key, version, value", table, scope, prefix, after, null, "ASC", limit,
                row -> new Entry(Key.text(row.getBytes(1)), row.getLong(2), row.getBytes(3)));
    }

    @Override
    public List<Entry> scanDescending(String table, String scope, String prefix, String before, int limit) {
        return rows("key, version, value", table, scope, prefix, null, before, "DESC", limit,
                row -> new Entry(Key.text(row.getBytes(1)), row.getLong(2), row.getBytes(3)));
    }

    @Override
    public List<String> keys(String table, String scope, String prefix, String after, int limit) {
        return rows("key", table, scope, prefix, after, null, "ASC", limit, row -> Key.text(row.getBytes(1)));
    }

    private interface Row<T> {
        T of(ResultSet row) throws SQLException;
    }

    private <T> List<T> rows(String columns, String table, String scope, String prefix, String after, String before,
            String order, int limit, Row<T> make) {
        byte[] first = Key.prefix(prefix);
        List<Object> parameters = new ArrayList<>(List.of(table, Key.of(scope), first));
        StringBuilder sql = new StringBuilder("SELECT " + columns + IN_SCOPE + " AND key >= ?");
        if (Key.afterPrefix(first) != null) {
            sql.append(" AND key < ?");
            parameters.add(Key.afterPrefix(first));
        }
        if (after != null) {
            sql.append(" AND key > ?");
            parameters.add(Key.of(after));
        }
        if (before != null) {
            sql.append(" AND key < ?");
            parameters.add(Key.of(before));
        }
        parameters.add(limit);
        sql.append(" ORDER BY key ").append(order).append(" LIMIT ?");
        return file.read(connection -> {
            List<T> found = new ArrayList<>();
            try (ResultSet rows = connection.prepare(sql.toString(), parameters.toArray()).executeQuery()) {
                while (rows.next()) {
                    found.add(make.of(rows));
                }
            }
            return found;
        });
    }

    private static long number(PreparedStatement select) throws SQLException {
        try (ResultSet row = select.executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    @Override
    public void close() {
        writer.close();
    }
}
