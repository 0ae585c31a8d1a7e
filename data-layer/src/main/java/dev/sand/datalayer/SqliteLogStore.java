package dev.sand.datalayer;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Logs in one SQLite file, bounded for each application: what goes over the bound takes the oldest lines with it. Written
 * without waiting for the disk (synchronous=NORMAL): a power failure may take the last lines, nothing else does.
 */
public final class SqliteLogStore implements LogStore {
    public static final long DEFAULT_BYTES_AN_APPLICATION = 64L << 20;
    /** What a line costs besides its text. */
    private static final int LINE_BYTES = 150;
    private static final List<List<String>> SCHEMAS = List.of(
            List.of("CREATE TABLE line(sequence INTEGER PRIMARY KEY AUTOINCREMENT, application BLOB NOT NULL,"
                            + " version INTEGER NOT NULL, grain TEXT, execution TEXT, event TEXT, attempt INTEGER NOT NULL,"
                            + " epoch_ms INTEGER NOT NULL, stream TEXT NOT NULL, level TEXT, text BLOB NOT NULL)",
                    "CREATE INDEX line_application ON line(application)",
                    "CREATE INDEX line_execution ON line(application, execution)",
                    "CREATE TABLE usage(application BLOB PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID"),
            List.of("ALTER TABLE line ADD COLUMN process TEXT",
                    "CREATE INDEX line_process ON line(application, process) WHERE process IS NOT NULL"));
    private static final String COLUMNS = "SELECT sequence, epoch_ms, version, grain, execution, event, attempt, stream, level,"
            + " text, process FROM line WHERE application = ?";

    private final SqliteFile file;
    private final StoreWriter writer;
    private final long bytesAnApplication;

    public SqliteLogStore(Path path, long bytesAnApplication) {
        this.bytesAnApplication = bytesAnApplication;
        this.file = new SqliteFile(path, new SqliteFile.Options("NORMAL", 0), SCHEMAS);
        this.writer = new StoreWriter(file, "log-store");
    }

    @Override
    public void append(List<Line> lines) {
        if (!lines.isEmpty()) {
            writer.call(connection -> {
                insert(connection, lines);
                return null;
            });
        }
    }

    private void insert(SqliteConnection connection, List<Line> lines) throws SQLException {
        Map<String, Long> added = new LinkedHashMap<>();
        for (Line line : lines) {
            byte[] text = line.text().getBytes(StandardCharsets.UTF_8);
            connection.update("INSERT INTO line(application, version, grain, execution, event, attempt, epoch_ms, stream, level,"
                            + " text, process) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", Key.of(line.application()), line.version(),
                    line.grain(), line.executionId(), line.eventId(), line.attempt(), line.epochMs(), line.stream(),
                    line.level(), text, line.process());
            added.merge(line.application(), (long) LINE_BYTES + text.length, Long::sum);
        }
        for (Map.Entry<String, Long> application : added.entrySet()) {
            byte[] name = Key.of(application.getKey());
            connection.update("INSERT INTO usage(application, bytes) VALUES(?, ?) ON CONFLICT(application)"
                    + " DO UPDATE SET bytes = bytes + excluded.bytes", name, application.getValue());
            trim(connection, name);
        }
    }

    private void trim(SqliteConnection connection, byte[] application) throws SQLException {
        long used;
        try (ResultSet row = connection.prepare("SELECT bytes FROM usage WHERE application = ?", application).executeQuery()) {
            used = row.getLong(1);
        }
        if (used <= bytesAnApplication) {
            return;
        }
        // A tenth more than needed, so that a full log is not trimmed for every line.
        long surplus = used - bytesAnApplication + bytesAnApplication / 10;
        long freed = 0;
        long last = 0;
        try (ResultSet rows = connection.prepare("SELECT sequence, length(text) FROM line WHERE application = ?"
                + " ORDER BY sequence", application).executeQuery()) {
            while (freed < surplus && rows.next()) {
                last = rows.getLong(1);
                freed += LINE_BYTES + rows.getLong(2);
            }
        }
        connection.update("DELETE FROM line WHERE application = ? AND sequence <= ?", application, last);
        connection.update("UPDATE usage SET bytes = bytes - ? WHERE application = ?", freed, application);
    }

    @Override
    public Page after(String application, Which which, long afterSequence, int limit) {
        LookedAt looked = new LookedAt(which, limit, afterSequence);
        look(application, which, " AND sequence > ? ORDER BY sequence", afterSequence, looked);
        return looked.oldestFirst();
    }

    @Override
    public Page before(String application, Which which, long beforeSequence, int limit) {
        LookedAt looked = new LookedAt(which, limit, 0);
        look(application, which, " AND sequence < ? ORDER BY sequence DESC", beforeSequence, looked);
        return looked.newestFirst();
    }

    /** What has an index is found by it; what lines say is looked at line by line. */
    private void look(String application, Which which, String bound, long sequence, LookedAt looked) {
        StringBuilder sql = new StringBuilder(COLUMNS);
        List<Object> parameters = new ArrayList<>();
        parameters.add(Key.of(application));
        if (which.executionId() != null) {
            sql.append(" AND execution = ?");
            parameters.add(which.executionId());
        }
        if (which.grain() != null) {
            sql.append(" AND grain = ?");
            parameters.add(which.grain());
        }
        if (which.process() != null) {
            sql.append(" AND process = ?");
            parameters.add(which.process());
        }
        sql.append(bound);
        parameters.add(sequence);
        file.read(connection -> {
            try (ResultSet rows = connection.prepare(sql.toString(), parameters.toArray()).executeQuery()) {
                while (rows.next() && looked.look(line(application, rows))) {
                    // It keeps what it wants.
                }
            }
            return null;
        });
    }

    private static Line line(String application, ResultSet row) throws SQLException {
        return new Line(row.getLong(1), row.getLong(2), application, row.getInt(3), row.getString(4), row.getString(5),
                row.getString(6), row.getInt(7), row.getString(8), row.getString(9),
                new String(row.getBytes(10), StandardCharsets.UTF_8), row.getString(11));
    }

    @Override
    public void deleteApplication(String application) {
        byte[] name = Key.of(application);
        writer.call(connection -> {
            connection.update("DELETE FROM line WHERE application = ?", name);
            connection.update("DELETE FROM usage WHERE application = ?", name);
            return null;
        });
    }

    @Override
    public void deleteProcess(String application, String process) {
        byte[] name = Key.of(application);
        writer.call(connection -> {
            connection.update("UPDATE line SET process = NULL WHERE application = ? AND process = ?", name, process);
            return null;
        });
    }

    @Override
    public void close() {
        writer.close();
    }
}
