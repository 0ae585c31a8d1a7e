package dev.sand.datalayer;

import static dev.sand.datalayer.SqliteStore.AT_KEY;
import static dev.sand.datalayer.SqliteStore.IN_SCOPE;
import static dev.sand.datalayer.SqliteStore.number;

import dev.sand.datalayer.GlobalStore.Entry;
import dev.sand.datalayer.GlobalStore.Versioned;
import dev.sand.datalayer.StoreException.Kind;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What the embedded store reads, beside its writer: small values with their rows, large ones after them from where those say. */
final class SqliteReads {
    /** Its bytes, or where they are: columns for {@link #value}. */
    private static final String VALUE = "value, at, size, crc";
    private static final String JOINED = " FROM entry LEFT JOIN large USING (id) WHERE tbl = ? AND scope = ?";
    /** Of a value that another one has taken the place of, each time that it was looked for. */
    private static final int MOST_READS = 100;

    private final SqliteFile file;
    private final LargeRows large;

    SqliteReads(SqliteFile file, LargeRows large) {
        this.file = file;
        this.large = large;
    }

    /** An entry of which a large value is read after the transaction that found it. */
    private record Found(String key, long version, byte[] inRow, ValueFile.Place place) {
        static Found in(ResultSet row) throws SQLException {
            return new Found(Key.text(row.getBytes(1)), row.getLong(2), row.getBytes(3), LargeRows.joined(row, 4));
        }

        byte[] value(LargeRows large) {
            return place == null ? inRow : large.read(place);
        }
    }

    /** Of those that were found; one that was replaced since is as it is now. */
    private List<Entry> entries(String table, String scope, List<Found> found) {
        List<Entry> entries = new ArrayList<>();
        for (Found each : found) {
            byte[] value = each.value(large);
            if (value != null) {
                entries.add(new Entry(each.key, each.version, value));
            } else {
                get(table, scope, each.key).ifPresent(now -> entries.add(new Entry(each.key, now.version(), now.value())));
            }
        }
        return entries;
    }

    Optional<Versioned> get(String table, String scope, String key) {
        byte[] name = Key.of(key);
        byte[] in = Key.of(scope);
        for (int attempt = 1; ; attempt++) {
            Optional<Found> found = file.read(connection -> {
                try (ResultSet row = connection.prepare("SELECT key, version, " + VALUE + JOINED + " AND key = ?", table, in, name)
                        .executeQuery()) {
                    return row.next() ? Optional.of(Found.in(row)) : Optional.empty();
                }
            });
            if (found.isEmpty()) {
                return Optional.empty();
            }
            byte[] value = found.get().value(large);
            if (value != null) {
                return Optional.of(new Versioned(found.get().version(), value));
            }
            if (attempt == MOST_READS) {
                throw new StoreException(Kind.BROKEN, "the value of " + key + " in " + scope + " is damaged: it has another checksum than"
                        + " was written", 0, null);
            }
        }
    }

    long version(String table, String scope, String key) {
        byte[] name = Key.of(key);
        byte[] in = Key.of(scope);
        return file.read(connection -> number(connection.prepare("SELECT version" + AT_KEY, table, in, name)));
    }

    List<Entry> getAll(String table, String scope, List<String> keys) {
        List<Object> parameters = new ArrayList<>(List.of(table, Key.of(scope)));
        keys.forEach(key -> parameters.add(Key.of(key)));
        String sql = "SELECT key, version, " + VALUE + JOINED + " AND key IN (" + "?, ".repeat(keys.size()).replaceAll(", $", "") + ")";
        return entries(table, scope, file.read(connection -> {
            List<Found> found = new ArrayList<>();
            try (ResultSet rows = connection.prepare(sql, parameters.toArray()).executeQuery()) {
                while (rows.next()) {
                    found.add(Found.in(rows));
                }
            }
            return found;
        }));
    }

    long bytes(String table, String scope) {
        byte[] in = Key.of(scope);
        return file.read(connection -> number(connection.prepare(
                "SELECT COALESCE(SUM(LENGTH(value) + COALESCE(size, 0)), 0)" + JOINED, table, in)));
    }

    List<Entry> scan(String table, String scope, String prefix, String after, int limit) {
        return entries(table, scope, rows("key, version, " + VALUE + JOINED, table, scope, prefix, after, null, "ASC", limit, Found::in));
    }

    List<Entry> scanDescending(String table, String scope, String prefix, String before, int limit) {
        return entries(table, scope, rows("key, version, " + VALUE + JOINED, table, scope, prefix, null, before, "DESC", limit, Found::in));
    }

    List<String> keys(String table, String scope, String prefix, String after, int limit) {
        return rows("key" + IN_SCOPE, table, scope, prefix, after, null, "ASC", limit, row -> Key.text(row.getBytes(1)));
    }

    private interface Row<T> {
        T of(ResultSet row) throws SQLException;
    }

    private <T> List<T> rows(String columns, String table, String scope, String prefix, String after, String before,
            String order, int limit, Row<T> make) {
        byte[] first = Key.prefix(prefix);
        List<Object> parameters = new ArrayList<>(List.of(table, Key.of(scope), first));
        StringBuilder sql = new StringBuilder("SELECT " + columns + " AND key >= ?");
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
}
