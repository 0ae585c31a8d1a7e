package dev.sand.globalbus;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which topics the embedded bus has, and the removal of what was trimmed. Changed by the writer thread alone, each method a
 * transaction; anyone may read {@link #all}.
 */
final class BusTopics {
    /** Records removed in one step, so that an append never waits long behind a trim. */
    private static final int LEFTOVERS_A_STEP = 500;

    /** Positions that nobody can read any more, from {@code from} up to, not including, {@code to}. */
    private record Leftovers(long from, long to) {}

    private final Connection connection;
    private final ArrayDeque<Leftovers> leftovers = new ArrayDeque<>();
    private volatile Map<String, List<Partition>> all;

    BusTopics(Connection connection) throws SQLException {
        this.connection = connection;
        this.all = load(connection);
        findLeftoversOfAnEarlierRun();
    }

    Map<String, List<Partition>> all() {
        return all;
    }

    void create(String topic, int partitions) throws SQLException {
        if (all.containsKey(topic)) {
            return;
        }
        List<Partition> made = new ArrayList<>();
        BusDatabase.transaction(connection, () -> {
            for (int number = 0; number < partitions; number++) {
                made.add(insert(topic, number));
            }
        });
        Map<String, List<Partition>> now = new TreeMap<>(all);
        now.put(topic, List.copyOf(made));
        all = now;
    }

    private Partition insert(String topic, int number) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO partition(topic, number, first, next) VALUES(?, ?, 0, 0) RETURNING id")) {
            insert.setString(1, topic);
            insert.setInt(2, number);
            try (ResultSet row = insert.executeQuery()) {
                return new Partition(row.getLong(1), topic, number, 0, 0);
            }
        }
    }

    void delete(String topic) throws SQLException {
        List<Partition> gone = all.get(topic);
        if (gone == null) {
            return;
        }
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM partition WHERE topic = ?")) {
            delete.setString(1, topic);
            delete.executeUpdate();
        }
        Map<String, List<Partition>> now = new TreeMap<>(all);
        now.remove(topic);
        all = now;
        for (Partition partition : gone) {
            partition.deleted = true;
            leftovers.add(new Leftovers(partition.position(0), partition.position(partition.rowsEnd)));
        }
    }

    /**
     * The new beginnings count at once; the rows below are removed step by step, and what is in a log never becomes one. With each goes
     * the end: the last record may be among them.
     */
    void trim(Map<Partition, Long> wanted) throws SQLException {
        Map<Partition, Long> offsets = new HashMap<>();
        wanted.forEach((partition, below) -> {
            long offset = Math.min(below, partition.told);
            if (!partition.deleted && offset > partition.begin) {
                offsets.put(partition, offset);
            }
        });
        if (offsets.isEmpty()) {
            return;
        }
        BusDatabase.transaction(connection, () -> begin(offsets));
        offsets.forEach((partition, offset) -> {
            if (partition.rowsEnd > partition.begin) {
                leftovers.add(new Leftovers(partition.position(0), partition.position(offset)));
            }
            partition.begin = offset;
        });
    }

    private void begin(Map<Partition, Long> offsets) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE partition SET first = ?, next = ? WHERE id = ?")) {
            for (Map.Entry<Partition, Long> each : offsets.entrySet()) {
                update.setLong(1, each.getValue());
                update.setLong(2, Math.max(each.getKey().end, each.getValue()));
                update.setLong(3, each.getKey().id);
                update.executeUpdate();
            }
        }
    }

    boolean hasLeftovers() {
        return !leftovers.isEmpty();
    }

    void removeLeftovers() throws SQLException {
        // Taken off the list first: when this fails, the next start finds them again, and no full disk makes a busy loop.
        Leftovers next = leftovers.remove();
        try (PreparedStatement remove = connection.prepareStatement("DELETE FROM record WHERE position IN (SELECT position"
                + " FROM record WHERE position >= ? AND position < ? ORDER BY position LIMIT " + LEFTOVERS_A_STEP + ")")) {
            remove.setLong(1, next.from());
            remove.setLong(2, next.to());
            if (remove.executeUpdate() == LEFTOVERS_A_STEP) {
                leftovers.add(next);
            }
        }
    }

    /** A crash after a trim or a deletion leaves records that belong to no partition, or lie below its beginning. */
    private void findLeftoversOfAnEarlierRun() {
        TreeMap<Long, Partition> byId = new TreeMap<>();
        all.values().forEach(list -> list.forEach(partition -> byId.put(partition.id, partition)));
        long from = 0;
        for (Partition partition : byId.values()) {
            leftovers.add(new Leftovers(from, partition.position(partition.begin)));
            from = Partition.position(partition.id + 1, 0);
        }
        leftovers.add(new Leftovers(from, Long.MAX_VALUE));
    }

    private static Map<String, List<Partition>> load(Connection connection) throws SQLException {
        Map<String, List<Partition>> topics = new TreeMap<>();
        try (Statement statement = connection.createStatement();
                PreparedStatement last = connection.prepareStatement(
                        "SELECT position FROM record WHERE position >= ? AND position < ? ORDER BY position DESC LIMIT 1");
                ResultSet rows = statement.executeQuery("SELECT id, topic, number, first, next FROM partition ORDER BY topic, number")) {
            while (rows.next()) {
                long id = rows.getLong(1);
                Partition partition = new Partition(id, rows.getString(2), rows.getInt(3), rows.getLong(4),
                        Math.max(rows.getLong(5), behindLast(last, id)));
                topics.computeIfAbsent(partition.topic, t -> new ArrayList<>()).add(partition);
            }
        }
        return topics;
    }

    /** @return the offset behind the partition's last record; 0: it has none */
    private static long behindLast(PreparedStatement last, long id) throws SQLException {
        last.setLong(1, Partition.position(id, 0));
        last.setLong(2, Partition.position(id + 1, 0));
        try (ResultSet row = last.executeQuery()) {
            return row.next() ? row.getLong(1) - Partition.position(id, 0) + 1 : 0;
        }
    }
}
