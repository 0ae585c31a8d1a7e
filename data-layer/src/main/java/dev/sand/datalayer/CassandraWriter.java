package dev.sand.datalayer;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchStatementBuilder;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.uuid.Uuids;
import dev.sand.datalayer.CassandraChunks.Stored;
import dev.sand.datalayer.CassandraSession.Unclear;
import dev.sand.datalayer.StoreException.Kind;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Changes of entries: read, decide, write on condition that what was read still stands, all in one partition and so all or
 * nothing; from the start when another was faster. Every change of an entry goes this way, because a lightweight transaction
 * and a plain write of one partition do not see each other's time. Each carries a drawn stamp: when its answer is lost, the
 * stamp tells whether it happened.
 */
final class CassandraWriter {
    /** The row of a scope itself: no key is empty. */
    static final ByteBuffer SCOPE_ROW = ByteBuffer.allocate(0);
    private static final int STRIPES = 256;
    private static final Duration MOST_PAUSE = Duration.ofMillis(50);
    private static final String AT_KEY = " WHERE tbl = ? AND scope = ? AND key = ?";
    private static final String SELECT = "SELECT key, version, epoch, stamp, size, chunks, hash, value FROM %sentry"
            + " WHERE tbl = ? AND scope = ? AND key IN ?";
    private static final String UPDATE = "UPDATE %sentry SET version = ?, epoch = ?, stamp = ?, value = ?, size = ?, chunks = ?, hash = ?"
            + AT_KEY + " IF version = ?";
    private static final String RAISE_FLOOR = "UPDATE %sentry SET version = ?, stamp = ?" + AT_KEY + " IF version = ?";
    private static final String TOUCH = "UPDATE %sentry SET stamp = ?" + AT_KEY + " IF version = ?";
    private static final String DELETE = "DELETE FROM %sentry" + AT_KEY + " IF version = ?";
    private static final String DELETE_ALL = "DELETE FROM %sentry WHERE tbl = ? AND scope = ? AND key > ?";
    private static final String DELETE_BELOW = DELETE_ALL + " AND key < ?";

    record Partition(String table, byte[] scope) {}

    /** An entry as it stands. */
    record Current(long version, long epoch, UUID stamp, Stored stored) {}

    /** @param value null: delete; @param before what it replaces, or null */
    private record Change(ByteBuffer key, Current before, long version, long epoch, Stored value, boolean checked) {
        boolean hasChunks() {
            return value != null && value.chunks() != null;
        }

        /** An entry that comes or goes needs the floor to stand; one that changes does not. */
        boolean touchesFloor() {
            return !checked && (before == null || value == null);
        }
    }

    /** What was read of a partition, and what is to come of it. */
    static final class Draft {
        private final Map<ByteBuffer, Current> rows;
        private final List<Change> changes = new ArrayList<>();
        private long floor;

        private Draft(Map<ByteBuffer, Current> rows) {
            this.rows = rows;
            this.floor = rows.containsKey(SCOPE_ROW) ? rows.get(SCOPE_ROW).version() : 0;
        }

        /** @return null when there is none */
        Current at(byte[] key) {
            return rows.get(ByteBuffer.wrap(key));
        }

        long put(String name, byte[] key, Stored value, long expected, long epoch) {
            Current before = at(key);
            long version = Versions.next(name, before == null ? 0 : before.version(), floor, expected);
            changes.add(new Change(ByteBuffer.wrap(key), before, version, before == null ? epoch : Math.max(epoch, before.epoch()), value, false));
            return version;
        }

        boolean delete(String name, byte[] key, long expected) {
            Current before = at(key);
            Versions.next(name, before == null ? 0 : before.version(), 0, expected);
            if (before != null) {
                changes.add(new Change(ByteBuffer.wrap(key), before, 0, 0, null, false));
                floor = Math.max(floor, before.version() + 1);
            }
            return before != null;
        }

        /** It is to be as it was read when the rest is written. */
        void check(String name, byte[] key, long expected) {
            Current before = at(key);
            Versions.next(name, before == null ? 0 : before.version(), 0, expected);
            changes.add(new Change(ByteBuffer.wrap(key), before, 0, 0, null, true));
        }

        private boolean touchesFloor() {
            return changes.stream().anyMatch(Change::touchesFloor);
        }
    }

    /** What to do with what is there; called again when that has changed meanwhile. */
    interface Decision<T> {
        T decide(Draft draft);
    }

    private enum Outcome { DONE, NOT_DONE, UNKNOWN }

    private final CassandraSession session;
    private final CassandraChunks chunks;
    /** Own threads take turns in a partition, since its transactions exclude each other anyway, at a higher price. */
    private final ReentrantLock[] stripes = new ReentrantLock[STRIPES];

    CassandraWriter(CassandraSession session, CassandraChunks chunks) {
        this.session = session;
        this.chunks = chunks;
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new ReentrantLock();
        }
    }

    /** @param repeatable whether doing it twice is as good as once, when nobody can say whether it was done */
    <T> T change(Partition in, List<byte[]> keys, boolean repeatable, Decision<T> decision) {
        Deadline deadline = session.deadline();
        return inTurn(in, deadline, () -> {
            boolean serial = false;
            while (true) {
                Draft draft = read(in, keys, serial, deadline);
                T result = decision.decide(draft);
                UUID stamp = Uuids.random();
                Outcome outcome = Outcome.DONE;
                StoreException cause = null;
                try {
                    outcome = draft.changes.stream().allMatch(Change::checked) || apply(in, draft, stamp, deadline) ? Outcome.DONE : Outcome.NOT_DONE;
                } catch (Unclear e) {
                    cause = e.failure();
                    outcome = find(in, draft, stamp, e.failure());
                }
                if (outcome == Outcome.DONE) {
                    dropReplaced(draft);
                    return result;
                }
                // Large values: who replaced ours has deleted its chunks, and they must not be named again.
                if (outcome == Outcome.UNKNOWN && !(repeatable && draft.changes.stream().noneMatch(Change::hasChunks))) {
                    throw new StoreException(Kind.AWAY, "it is not known whether the write happened: " + cause.getMessage(), 0, cause);
                }
                serial = true;
                deadline.pause(Duration.ofNanos(ThreadLocalRandom.current().nextLong(1_000_000, MOST_PAUSE.toNanos())),
                        cause != null ? cause : new StoreException(Kind.AWAY, "others kept changing the same data", 0, null));
            }
        });
    }

    /** Deletes entries without looking at each. @param below null: all of the scope; @param highest version among them */
    void deleteRange(Partition in, byte[] below, long highest) {
        Deadline deadline = session.deadline();
        inTurn(in, deadline, () -> {
            while (true) {
                Draft now = read(in, List.of(), true, deadline);
                BoundStatement range = below == null ? session.bind(DELETE_ALL, in.table(), ByteBuffer.wrap(in.scope()), SCOPE_ROW)
                        : session.bind(DELETE_BELOW, in.table(), ByteBuffer.wrap(in.scope()), SCOPE_ROW, ByteBuffer.wrap(below));
                try {
                    if (session.write(batch().addStatement(floor(in, now, Math.max(now.floor, highest), Uuids.random()))
                            .addStatement(range).build(), deadline).wasApplied()) {
                        return null;
                    }
                } catch (Unclear e) {
                    deadline.pause(MOST_PAUSE, e.failure());
                }
            }
        });
    }

    private Draft read(Partition in, List<byte[]> keys, boolean serial, Deadline deadline) {
        List<ByteBuffer> wanted = new ArrayList<>(keys.size() + 1);
        wanted.add(SCOPE_ROW);
        keys.forEach(key -> wanted.add(ByteBuffer.wrap(key)));
        BoundStatement select = session.bind(SELECT, in.table(), ByteBuffer.wrap(in.scope()), wanted);
        Map<ByteBuffer, Current> rows = new HashMap<>();
        for (Row row : session.read(serial ? select.setConsistencyLevel(DefaultConsistencyLevel.SERIAL) : select, deadline)) {
            rows.put(row.getByteBuffer("key"), new Current(row.getLong("version"), row.getLong("epoch"), row.getUuid("stamp"), stored(row)));
        }
        return new Draft(rows);
    }

    static Stored stored(Row row) {
        return new Stored(bytes(row, "value"), row.getInt("size"), row.getUuid("chunks"), bytes(row, "hash"));
    }

    static byte[] bytes(Row row, String column) {
        ByteBuffer buffer = row.getByteBuffer(column);
        if (buffer == null) {
            return null;
        }
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private boolean apply(Partition in, Draft draft, UUID stamp, Deadline deadline) {
        List<BatchableStatement<?>> statements = new ArrayList<>();
        if (draft.touchesFloor()) {
            statements.add(floor(in, draft, draft.floor, stamp));
        }
        draft.changes.forEach(change -> statements.add(statement(in, change, stamp)));
        Statement<?> all = statements.size() == 1 ? (Statement<?>) statements.getFirst() : batch().addStatements(statements).build();
        return session.write(all, deadline).wasApplied();
    }

    private static BatchStatementBuilder batch() {
        return BatchStatement.builder(BatchType.UNLOGGED);
    }

    private BoundStatement floor(Partition in, Draft draft, long floor, UUID stamp) {
        Current before = draft.rows.get(SCOPE_ROW);
        return session.bind(RAISE_FLOOR, floor, stamp, in.table(), ByteBuffer.wrap(in.scope()), SCOPE_ROW,
                before == null ? null : before.version());
    }

    private BoundStatement statement(Partition in, Change change, UUID stamp) {
        ByteBuffer scope = ByteBuffer.wrap(in.scope());
        Long expected = change.before() == null ? null : change.before().version();
        if (change.checked() && change.before() != null) {
            return session.bind(TOUCH, change.before().stamp(), in.table(), scope, change.key(), expected);
        }
        if (change.value() == null) {
            return session.bind(DELETE, in.table(), scope, change.key(), expected);
        }
        Stored value = change.value();
        BoundStatementBuilder update = session.prepare(UPDATE).boundStatementBuilder()
                .setLong(0, change.version()).setLong(1, change.epoch()).setUuid(2, stamp).setInt(4, value.size())
                .setString(7, in.table()).setByteBuffer(8, scope).setByteBuffer(9, change.key()).set(10, expected, Long.class);
        // What is null and was null is left unset: a null that is written is a tombstone.
        Stored before = change.before() == null ? null : change.before().stored();
        if (value.inline() != null || before != null && before.inline() != null) {
            update = update.setByteBuffer(3, value.inline() == null ? null : ByteBuffer.wrap(value.inline()));
        }
        if (value.chunks() != null || before != null && before.chunks() != null) {
            update = update.setUuid(5, value.chunks()).setByteBuffer(6, value.hash() == null ? null : ByteBuffer.wrap(value.hash()));
        }
        return update.build();
    }

    /** After a write without an answer: whether it happened. A read of this kind ends what was half done. */
    private Outcome find(Partition in, Draft draft, UUID stamp, StoreException cause) {
        Change first = draft.changes.stream().filter(change -> !change.checked()).findFirst().orElse(draft.changes.getFirst());
        Draft now;
        try {
            now = read(in, List.of(first.key().array()), true, session.deadline());
        } catch (StoreException e) {
            cause.addSuppressed(e);
            return Outcome.UNKNOWN;
        }
        Current row = now.rows.get(first.key());
        Current scope = now.rows.get(SCOPE_ROW);
        if (row != null && stamp.equals(row.stamp()) || draft.touchesFloor() && scope != null && stamp.equals(scope.stamp())) {
            return Outcome.DONE;
        }
        boolean scopeAsBefore = Objects.equals(stamp(scope), stamp(draft.rows.get(SCOPE_ROW)));
        boolean asBefore = draft.touchesFloor() ? scopeAsBefore
                : row != null && first.before() != null && row.version() == first.before().version();
        boolean otherTookVersion = row != null && first.value() != null && row.version() == first.version();
        return asBefore || otherTookVersion ? Outcome.NOT_DONE : Outcome.UNKNOWN;
    }

    private static UUID stamp(Current row) {
        return row == null ? null : row.stamp();
    }

    private void dropReplaced(Draft draft) {
        for (Change change : draft.changes) {
            if (!change.checked() && change.before() != null && change.before().stored().chunks() != null) {
                chunks.deleteSoon(change.before().stored());
            }
        }
    }

    private <T> T inTurn(Partition in, Deadline deadline, Supplier<T> work) {
        ReentrantLock stripe = stripes[Math.floorMod(31 * in.table().hashCode() + Arrays.hashCode(in.scope()), STRIPES)];
        try {
            if (!stripe.tryLock(deadline.remaining().toNanos(), TimeUnit.NANOSECONDS)) {
                throw new StoreException(Kind.AWAY, "too many writes of " + in.table() + " wait for Cassandra", 0, null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException(Kind.AWAY, "interrupted while waiting for Cassandra", 0, e);
        }
        try {
            return work.get();
        } finally {
            stripe.unlock();
        }
    }
}
