package dev.sand.globalbus;

import dev.sand.globalbus.BusException.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** The bus's SQLite file: its schema, its connections, and what its errors mean. */
final class BusDatabase {
    private static final Logger LOG = LoggerFactory.getLogger(BusDatabase.class);
    /**
     * Version of the file's schema; a newer one than understood is refused. 2: a partition's {@code next} is that of its last trim. 3: the
     * logs beside it have what it has not, after a loss of power too.
     */
    private static final int SCHEMA = 3;
    private static final int BUSY_TIMEOUT_MS = 10_000;
    /** Below this much room an I/O error is taken for a full disk. */
    private static final long NO_ROOM_BYTES = 1L << 20;
    /** Of a new file. Large records cost half of what they cost with SQLite's 4 KiB, small transactions the same. */
    private static final int PAGE_BYTES = 16 << 10;
    /** What is not yet in the file itself needs its room there again. */
    private static final int CHECKPOINT_BYTES = 4 << 20;
    private static final long MAX_WAL_BYTES = 64L << 20;

    private final Path file;

    BusDatabase(Path file) {
        this.file = file;
    }

    /** @param maxPages 0: no limit */
    Connection openWriter(long maxPages) {
        try {
            Connection connection = connect();
            try (Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA page_size=" + PAGE_BYTES);
                statement.execute("PRAGMA journal_mode=WAL");
                statement.execute("PRAGMA wal_autocheckpoint=" + CHECKPOINT_BYTES / pageBytes(statement));
                statement.execute("PRAGMA journal_size_limit=" + MAX_WAL_BYTES);
                if (maxPages > 0) {
                    statement.execute("PRAGMA max_page_count=" + maxPages);
                }
                createSchema(statement);
            }
            waitForDisk(connection, true);
            return connection;
        } catch (SQLException e) {
            throw failure("cannot open " + file, e);
        }
    }

    private static int pageBytes(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("PRAGMA page_size")) {
            return row.getInt(1);
        }
    }

    Connection openReader() throws SQLException {
        Connection connection = connect();
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA query_only=1");
        }
        return connection;
    }

    private Connection connect() throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setBusyTimeout(BUSY_TIMEOUT_MS);
        config.setGetGeneratedKeys(false); // the driver asks for one behind each insertion, in a statement that it makes anew
        return config.createConnection("jdbc:sqlite:" + file);
    }

    private void createSchema(Statement statement) throws SQLException {
        int found;
        try (ResultSet rows = statement.executeQuery("PRAGMA user_version")) {
            found = rows.getInt(1);
        }
        if (found > SCHEMA) {
            throw new BusException(Kind.BROKEN, file + " has schema " + found + ", written by a newer platform than this one, "
                    + "which understands " + SCHEMA + ": run that one", null);
        }
        statement.execute("CREATE TABLE IF NOT EXISTS partition(id INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL,"
                + " number INTEGER NOT NULL, first INTEGER NOT NULL, next INTEGER NOT NULL, UNIQUE(topic, number))");
        statement.execute("CREATE TABLE IF NOT EXISTS record(position INTEGER PRIMARY KEY, value BLOB NOT NULL,"
                + " at INTEGER NOT NULL DEFAULT 0)");
        if (!hasTimes(statement)) { // a file of before: one of that time reads and writes it as it was
            statement.execute("ALTER TABLE record ADD COLUMN at INTEGER NOT NULL DEFAULT 0");
        }
        statement.execute("CREATE TABLE IF NOT EXISTS ahead(settled INTEGER NOT NULL)");
        if (found < SCHEMA) { // a file that is as it should be is opened without a write: its disk may be full
            statement.execute("PRAGMA user_version=" + SCHEMA);
        }
    }

    /** Whether records have the time at which they were taken. */
    private static boolean hasTimes(Statement statement) throws SQLException {
        try (ResultSet columns = statement.executeQuery("PRAGMA table_info(record)")) {
            while (columns.next()) {
                if (columns.getString("name").equals("at")) {
                    return true;
                }
            }
            return false;
        }
    }

    /** Of the logs' batches, the number of the last that is in the database; 0: none ever was. */
    static long settled(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet row = statement.executeQuery("SELECT settled FROM ahead")) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    /** Part of the transaction that brings it there. */
    static void settled(Connection connection, long number) throws SQLException {
        try (PreparedStatement put = connection.prepareStatement("INSERT OR REPLACE INTO ahead(rowid, settled) VALUES(1, ?)")) {
            put.setLong(1, number);
            put.executeUpdate();
        }
    }

    /** What a transaction does. */
    interface Work {
        void run() throws SQLException;
    }

    /** Runs the work in one transaction: all of it is there when this returns, or nothing of it happened. */
    static void transaction(Connection connection, Work work) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            try {
                work.run();
                statement.execute("COMMIT");
            } catch (SQLException | RuntimeException e) {
                rollBack(statement, e);
                throw e;
            }
        }
    }

    /**
     * Whether the connection's transactions wait until they, and all before them, are on the disk, whatever happens to this process or
     * to the machine. Those that do not are with the operating system, which this process's death does nothing to; a power failure may
     * undo the last of them, as if they had not been.
     */
    static void waitForDisk(Connection connection, boolean waits) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA synchronous=" + (waits ? "FULL" : "NORMAL"));
        }
    }

    /** Of a bus that cannot be opened: why is told. */
    void closeAnyway(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            LOG.debug("{} stays open: {}", file, e.getMessage());
        }
    }

    /** Beside the file. */
    List<Path> aheadLogs() {
        return List.of(file.resolveSibling(file.getFileName() + "-ahead"), file.resolveSibling(file.getFileName() + "-ahead2"));
    }

    private static void rollBack(Statement statement, Exception cause) {
        try {
            statement.execute("ROLLBACK");
        } catch (SQLException e) {
            // SQLite has rolled back by itself after some errors, a full disk among them.
            cause.addSuppressed(e);
        }
    }

    /** Moves the write-ahead log into the file and gives its room back. */
    static void checkpoint(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA wal_checkpoint(TRUNCATE)");
        }
    }

    /** The failure that callers see, with what can be done about it. */
    BusException failure(String what, Exception cause) {
        SQLiteErrorCode code = cause instanceof SQLiteException e ? e.getResultCode() : SQLiteErrorCode.UNKNOWN_ERROR;
        boolean full = (code.code & 0xFF) == SQLiteErrorCode.SQLITE_FULL.code
                || (code.code & 0xFF) == SQLiteErrorCode.SQLITE_IOERR.code && hasNoRoom();
        return full
                ? new BusException(Kind.FULL, what + ": no room for " + file + "; free space on its disk", cause)
                : new BusException(Kind.BROKEN, what + " (" + file + "): " + cause.getMessage(), cause);
    }

    private boolean hasNoRoom() {
        try {
            return Files.getFileStore(file).getUsableSpace() < NO_ROOM_BYTES;
        } catch (IOException e) {
            return false;
        }
    }
}
