package dev.sand.datalayer;

import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.FullDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** One SQLite file of the data layer: one connection that writes, a few that read, and what its errors mean. */
final class SqliteFile implements AutoCloseable {
    private static final int READERS = 4;
    private static final int BUSY_TIMEOUT_MS = 10_000;
    /** Below this much room an I/O error is taken for a full disk. */
    private static final long NO_ROOM_BYTES = 1L << 20;
    /** Of a new file. Large values cost half of what they cost with SQLite's 4 KiB, small transactions the same. */
    static final int PAGE_BYTES = 16 << 10;
    /** What is not yet in the file itself needs its room there again. */
    private static final int CHECKPOINT_BYTES = 8 << 20;
    private static final long MAX_WAL_BYTES = 64L << 20;

    /** @param synchronous FULL: on the disk at commit; NORMAL: a power failure may lose the last moments */
    record Options(String synchronous, long maxPages) {}

    /** What is done with a connection. */
    interface Work<T> {
        T run(SqliteConnection connection) throws SQLException;
    }

    private final Path file;
    private final SqliteConnection writer;
    private final ArrayBlockingQueue<SqliteConnection> readers = new ArrayBlockingQueue<>(READERS);

    /** @param schemas what makes each schema of the one before; the first of an empty file */
    SqliteFile(Path file, Options options, List<List<String>> schemas) {
        this.file = file;
        try {
            writer = open(List.of("PRAGMA page_size=" + PAGE_BYTES, "PRAGMA journal_mode=WAL", "PRAGMA synchronous=" + options.synchronous(),
                    "PRAGMA journal_size_limit=" + MAX_WAL_BYTES));
            writer.execute("PRAGMA wal_autocheckpoint=" + CHECKPOINT_BYTES / pageBytes());
            // A file that is as it should be is opened without a write: its disk may be full.
            int found = schema(schemas.size());
            if (found < schemas.size()) {
                writer.execute("BEGIN IMMEDIATE");
                for (List<String> statements : schemas.subList(found, schemas.size())) {
                    for (String statement : statements) {
                        writer.execute(statement);
                    }
                }
                writer.execute("PRAGMA user_version=" + schemas.size());
                writer.execute("COMMIT");
            }
            if (options.maxPages() > 0) {
                writer.execute("PRAGMA max_page_count=" + options.maxPages());
            }
            for (int i = 0; i < READERS; i++) {
                readers.add(open(List.of("PRAGMA query_only=1")));
            }
        } catch (SQLException e) {
            throw failure("cannot open", e);
        }
    }

    private SqliteConnection open(List<String> settings) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setBusyTimeout(BUSY_TIMEOUT_MS);
        config.setGetGeneratedKeys(false); // the driver asks for one behind each insertion, in a statement that it makes anew
        Connection connection = config.createConnection("jdbc:sqlite:" + file);
        try (Statement statement = connection.createStatement()) {
            for (String setting : settings) {
                statement.execute(setting);
            }
        }
        return new SqliteConnection(connection);
    }

    private int pageBytes() throws SQLException {
        try (ResultSet row = writer.prepare("PRAGMA page_size").executeQuery()) {
            return row.getInt(1);
        }
    }

    private int schema(int understood) throws SQLException {
        try (ResultSet row = writer.prepare("PRAGMA user_version").executeQuery()) {
            int found = row.getInt(1);
            if (found > understood) {
                throw new StoreException(Kind.BROKEN, file + " has schema " + found + ", written by a newer platform than this"
                        + " one, which understands " + understood + ": run that one", 0, null);
            }
            return found;
        }
    }

    /** For the one thread that writes: all of the work is stored on return, or nothing of it. */
    <T> T transaction(Work<T> work) throws SQLException {
        writer.execute("BEGIN IMMEDIATE");
        try {
            T result = work.run(writer);
            writer.execute("COMMIT");
            return result;
        } catch (SQLException | RuntimeException e) {
            rollBack(e);
            throw e;
        }
    }

    private void rollBack(Exception cause) {
        writer.forgetStatements();
        try {
            writer.execute("ROLLBACK");
        } catch (SQLException e) {
            writer.forgetStatements();
            // SQLite has rolled back by itself after some errors, a full disk among them.
            cause.addSuppressed(e);
        }
    }

    /** Reads on one of the other connections; blocks while all of them are in use. */
    <T> T read(Work<T> work) {
        SqliteConnection connection = takeReader();
        try {
            return work.run(connection);
        } catch (SQLException e) {
            connection.forgetStatements();
            throw failure("cannot read", e);
        } finally {
            readers.add(connection);
        }
    }

    /** After a full disk: moves the write-ahead log into the file and gives its room back, so that deletions can go on. */
    void giveRoomBack() {
        try {
            writer.execute("PRAGMA wal_checkpoint(TRUNCATE)");
        } catch (SQLException e) {
            throw failure("no checkpoint", e);
        }
    }

    StoreException failure(String what, Exception cause) {
        SQLiteErrorCode code = cause instanceof SQLiteException e ? e.getResultCode() : SQLiteErrorCode.UNKNOWN_ERROR;
        boolean full = FullDisk.is(cause) || (code.code & 0xFF) == SQLiteErrorCode.SQLITE_FULL.code
                || (code.code & 0xFF) == SQLiteErrorCode.SQLITE_IOERR.code && hasNoRoom();
        return full
                ? new StoreException(Kind.FULL, what + ": no room for " + file + "; free space on its disk", 0, cause)
                : new StoreException(Kind.BROKEN, what + " (" + file + "): " + cause.getMessage(), 0, cause);
    }

    private boolean hasNoRoom() {
        try {
            return Files.getFileStore(file).getUsableSpace() < NO_ROOM_BYTES;
        } catch (IOException e) {
            return false;
        }
    }

    private SqliteConnection takeReader() {
        try {
            return readers.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException(Kind.BROKEN, "interrupted while waiting for a connection to " + file, 0, e);
        }
    }

    /** Called by the thread that writes, after its last transaction. */
    @Override
    public void close() {
        for (int i = 0; i < READERS; i++) {
            takeReader().close();
        }
        writer.close();
    }
}
