package dev.sand.datalayer;

import dev.sand.datalayer.StoreException.Kind;
import dev.sand.datalayer.ValueFile.Place;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Which entries of the store have their value in the {@link ValueFile}: table {@code large}, by the entry's id; the entry's own
 * value is empty. What a transaction frees is free once it is stored.
 */
final class LargeRows implements StoreWriter.Beside {
    static final String TABLE =
            "CREATE TABLE large(id INTEGER PRIMARY KEY, at INTEGER NOT NULL, size INTEGER NOT NULL, crc INTEGER NOT NULL)";
    /** From here on: one of 32 KiB costs SQLite as much as waiting once more for the disk (decision 16). */
    private static final int LARGE_BYTES = 64 << 10;
    private static final byte[] ELSEWHERE = {};

    /** A value that is to be stored: its bytes, or where they are already. */
    static final class Given {
        private final byte[] bytes;
        private final Place place;
        /** By the thread that writes. */
        private boolean isNamed;

        private Given(byte[] bytes, Place place) {
            this.bytes = bytes;
            this.place = place;
        }

        /** Not in the entry's row. */
        boolean isElsewhere() {
            return place != null;
        }

        /** For the entry's row. */
        byte[] inRow() {
            return isElsewhere() ? ELSEWHERE : bytes;
        }
    }

    private final ValueFile file;
    /** Of the transaction that is going on: the thread's that writes. */
    private final List<Place> named = new ArrayList<>();
    private final List<Place> released = new ArrayList<>();

    LargeRows(Path file, SqliteFile rows, long maxBytes) {
        this.file = new ValueFile(file, rows.read(connection -> {
            List<Place> taken = new ArrayList<>();
            try (ResultSet row = connection.prepare("SELECT at, size, crc FROM large").executeQuery()) {
                while (row.next()) {
                    taken.add(place(row, 1));
                }
            }
            return taken;
        }), maxBytes);
    }

    private static Place place(ResultSet row, int column) throws SQLException {
        return new Place(row.getLong(column), row.getInt(column + 1), row.getLong(column + 2));
    }

    /** Of a row that was joined with {@code large}: null when its value is its own. */
    static Place joined(ResultSet row, int column) throws SQLException {
        row.getLong(column);
        return row.wasNull() ? null : place(row, column);
    }

    /** A large value is written at once, by the caller's thread. {@link #unlessNamed} follows. */
    Given give(byte[] value) {
        return value.length < LARGE_BYTES ? new Given(value, null) : new Given(null, file.write(ByteBuffer.wrap(value), null));
    }

    /** The same from where it lies. @param crc its CRC-32, or null */
    Given give(ByteBuffer value, Integer crc) {
        if (value.remaining() >= LARGE_BYTES) {
            return new Given(null, file.write(value, crc));
        }
        byte[] bytes = new byte[value.remaining()];
        value.get(value.position(), bytes);
        return new Given(bytes, null);
    }

    /** After the transaction, whatever came of it: values that no row names need no place. */
    void unlessNamed(List<Given> all) {
        List<Place> unused = new ArrayList<>();
        for (Given given : all) {
            if (given != null && given.place != null && !given.isNamed) {
                unused.add(given.place);
            }
        }
        if (!unused.isEmpty()) {
            file.free(unused);
        }
    }

    /** In a transaction: the entry's row has the value from now on. */
    void name(SqliteConnection connection, long id, Given given) throws SQLException {
        if (given.place != null) {
            connection.update("INSERT INTO large(id, at, size, crc) VALUES(?, ?, ?, ?)", id, given.place.at(), given.place.size(),
                    given.place.crc());
            given.isNamed = true;
            named.add(given.place);
        }
    }

    /** In a transaction: the entries that the query selects (ids) give up their values. */
    void release(SqliteConnection connection, String ids, Object... parameters) throws SQLException {
        try (ResultSet row = connection.prepare("DELETE FROM large WHERE id IN (" + ids + ") RETURNING at, size, crc", parameters)
                .executeQuery()) {
            while (row.next()) {
                released.add(place(row, 1));
            }
        }
    }

    /** @return null: the entry has another value by now, or none */
    byte[] read(Place place) {
        return file.read(place);
    }

    @Override
    public void beforeCommit() {
        try {
            file.sync();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void committed() {
        named.clear();
        if (!released.isEmpty()) {
            file.free(released);
            released.clear();
        }
    }

    /** Of other failures than a full disk it is not sure that the rows are not there after a crash: their places stay taken. */
    @Override
    public void failed(StoreException failure) {
        released.clear();
        if (failure.kind() == Kind.FULL) {
            file.free(named);
            file.giveRoomBack();
        }
        named.clear();
    }

    @Override
    public void close() {
        file.close();
    }
}
