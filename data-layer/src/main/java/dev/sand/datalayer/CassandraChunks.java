package dev.sand.datalayer;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.uuid.Uuids;
import dev.sand.datalayer.CassandraWriter.Partition;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.Digests;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * Values too large for a row, in pieces of their own under a drawn id: written before the entry that names them, deleted after
 * the entry that named them. They never change, so a reader has all of one value or misses a piece, and the hash tells. Before
 * the first of them, and until the last is gone, a row says for which entry they are: by these is found what a crash left.
 */
final class CassandraChunks {
    /** A larger value goes in chunks: a conditional write costs its row's bytes several times over. */
    static final int INLINE_BYTES = 128 * 1024;
    static final int CHUNK_BYTES = 1 << 20;
    private static final int UNDER_WAY = 8;
    private static final Duration A_CHUNK = Duration.ofSeconds(10);
    private static final String INSERT = "INSERT INTO %schunk(id, n, bytes) VALUES(?, ?, ?)";
    private static final String SELECT = "SELECT bytes FROM %schunk WHERE id = ? AND n = ?";
    private static final String DELETE = "DELETE FROM %schunk WHERE id = ? AND n = ?";
    private static final String OWN = "INSERT INTO %schunk_owner(part, id, tbl, scope, key, size) VALUES(?, ?, ?, ?, ?, ?)";
    private static final String OWNERS = "SELECT id, tbl, scope, key, size FROM %schunk_owner WHERE part = ?";
    private static final String OWNER = OWNERS + " AND id = ?";
    private static final String DISOWN = "DELETE FROM %schunk_owner WHERE part = ? AND id = ?";
    private static final String NAMED = "SELECT chunks FROM %sentry WHERE tbl = ? AND scope = ? AND key = ?";

    /** How a value stands in its entry: inline, or by the id of its chunks and its hash. */
    record Stored(byte[] inline, int size, UUID chunks, byte[] hash) {}

    private final CassandraSession session;

    CassandraChunks(CassandraSession session) {
        this.session = session;
    }

    /** Writes the chunks of a large value for that entry; blocks until they are stored. */
    Stored store(Partition in, byte[] key, byte[] value) {
        if (value.length <= INLINE_BYTES) {
            return new Stored(value, value.length, null, null);
        }
        UUID id = Uuids.random();
        await(session.bind(OWN, part(id), id, in.table(), ByteBuffer.wrap(in.scope()), ByteBuffer.wrap(key), value.length));
        each(value.length, n -> session.bind(INSERT, id, n, ByteBuffer.wrap(value, n * CHUNK_BYTES, length(value.length, n)).slice()),
                row -> {});
        return new Stored(null, value.length, id, Digests.sha256(value));
    }

    private void await(BoundStatement statement) {
        try {
            session.executeAsync(statement.setTimeout(A_CHUNK).setIdempotent(true)).toCompletableFuture().join();
        } catch (CompletionException e) {
            throw CassandraSession.failure(e.getCause());
        }
    }

    private static int part(UUID id) {
        return Math.floorMod(id.hashCode(), GlobalStore.PARTS);
    }

    // --- what no entry names

    List<String> unnamed(int part) {
        List<String> found = new ArrayList<>();
        for (Row row : session.readAll(session.bind(OWNERS, part))) {
            if (!isNamed(row)) {
                found.add(row.getUuid("id").toString());
            }
        }
        return found;
    }

    void deleteUnnamed(String name) {
        UUID id = UUID.fromString(name);
        Row row = session.read(session.bind(OWNER, part(id), id), session.deadline()).one();
        if (row != null && !isNamed(row)) {
            each(row.getInt("size"), n -> session.bind(DELETE, id, n), none -> {});
            await(session.bind(DISOWN, part(id), id));
        }
    }

    /** Read so that a write of the entry which nobody knows the outcome of has one from here on. */
    private boolean isNamed(Row owner) {
        Row entry = session.read(session.bind(NAMED, owner.getString("tbl"), owner.getByteBuffer("scope"), owner.getByteBuffer("key"))
                .setConsistencyLevel(DefaultConsistencyLevel.SERIAL), session.deadline()).one();
        return entry != null && owner.getUuid("id").equals(entry.getUuid(0));
    }

    /** @return null when a chunk is missing: the value was replaced meanwhile, or is damaged */
    byte[] load(UUID id, int size, byte[] hash) {
        byte[] value = new byte[size];
        int[] at = {0};
        each(size, n -> session.bind(SELECT, id, n), row -> {
            ByteBuffer bytes = row == null ? null : row.getByteBuffer(0);
            if (bytes != null && bytes.remaining() <= size - at[0]) {
                int length = bytes.remaining();
                bytes.get(value, at[0], length);
                at[0] += length;
            }
        });
        return at[0] == size && MessageDigest.isEqual(hash, Digests.sha256(value)) ? value : null;
    }

    /** Not waited for: chunks that stay by accident are garbage, not wrong, and found later. */
    void deleteSoon(Stored value) {
        List<CompletableFuture<?>> deletions = new ArrayList<>();
        for (int n = 0; n * (long) CHUNK_BYTES < value.size(); n++) {
            deletions.add(session.executeAsync(session.bind(DELETE, value.chunks(), n).setTimeout(A_CHUNK)).toCompletableFuture());
        }
        CompletableFuture.allOf(deletions.toArray(CompletableFuture[]::new)).thenCompose(all -> session.executeAsync(
                session.bind(DISOWN, part(value.chunks()), value.chunks()).setTimeout(A_CHUNK))).exceptionally(failure -> null);
    }

    /** Runs a statement a chunk, a few at a time, and gives their rows in order. */
    private void each(int size, IntFunction<BoundStatement> statement, Consumer<Row> onRow) {
        Deque<CompletableFuture<AsyncResultSet>> underWay = new ArrayDeque<>();
        int chunks = (size + CHUNK_BYTES - 1) / CHUNK_BYTES;
        try {
            for (int n = 0; n < chunks || !underWay.isEmpty();) {
                if (n < chunks && underWay.size() < UNDER_WAY) {
                    underWay.add(session.executeAsync(statement.apply(n++).setTimeout(A_CHUNK).setIdempotent(true)).toCompletableFuture());
                } else {
                    onRow.accept(underWay.remove().join().one());
                }
            }
        } catch (CompletionException e) {
            throw CassandraSession.failure(e.getCause());
        }
    }

    private static int length(int size, int n) {
        return Math.min(CHUNK_BYTES, size - n * CHUNK_BYTES);
    }
}
