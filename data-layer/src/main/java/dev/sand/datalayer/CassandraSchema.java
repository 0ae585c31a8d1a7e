package dev.sand.datalayer;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.sand.datalayer.StoreException.Kind;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;

/**
 * The platform's keyspace. {@code entry}: a partition a table and scope, a row a key, in byte order; the row of the empty key
 * is the scope's own and holds its floor (see {@link Versions}). {@code chunk}: pieces of values over the inline limit,
 * immutable, under an id that the entry names. {@code chunk_owner}: for which entry an id was drawn, as long as there may be a
 * piece under it. It came later than the others, and a platform that does not know it misses nothing.
 */
final class CassandraSchema {
    /** Raised by one when a table changes; a keyspace of a newer platform is refused. */
    static final int VERSION = 1;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    /** A deletion is forgotten after a day: nodes that were away longer are to be repaired before they serve again. */
    private static final String OPTIONS = " AND gc_grace_seconds = 86400";

    private CassandraSchema() {}

    /** Makes what is not there; several platforms may do so at once. */
    static void prepare(CqlSession session, CassandraOptions options) {
        String keyspace = options.keyspace();
        if (session.execute(statement("SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = '" + keyspace + "'")).one() == null) {
            session.execute(statement("CREATE KEYSPACE IF NOT EXISTS " + keyspace + " WITH replication = " + options.replication()));
        }
        table(session, keyspace, "platform", "name text PRIMARY KEY, version int", "");
        table(session, keyspace, "entry", "tbl text, scope blob, key blob, version bigint, epoch bigint, stamp uuid, value blob,"
                + " size int, chunks uuid, hash blob, PRIMARY KEY ((tbl, scope), key)", OPTIONS);
        table(session, keyspace, "chunk", "id uuid, n int, bytes blob, PRIMARY KEY ((id, n))", OPTIONS);
        table(session, keyspace, "chunk_owner", "part int, id uuid, tbl text, scope blob, key blob, size int,"
                + " PRIMARY KEY (part, id)", OPTIONS);
        session.execute(statement("INSERT INTO " + keyspace + ".platform(name, version) VALUES('schema', " + VERSION + ") IF NOT EXISTS"));
        Row found = session.execute(statement("SELECT version FROM " + keyspace + ".platform WHERE name = 'schema'")).one();
        if (found != null && found.getInt(0) > VERSION) {
            throw new StoreException(Kind.BROKEN, "keyspace " + keyspace + " has schema " + found.getInt(0) + ", made by a newer"
                    + " platform than this one, which understands " + VERSION + ": run that one", 0, null);
        }
    }

    /** With an id derived from its name: two platforms that make it at once, on two nodes, make the same table. */
    private static void table(CqlSession session, String keyspace, String name, String columns, String options) {
        boolean there = session.execute(statement("SELECT table_name FROM system_schema.tables WHERE keyspace_name = '" + keyspace
                + "' AND table_name = '" + name + "'")).one() != null;
        if (!there) {
            UUID id = UUID.nameUUIDFromBytes(("sand/" + keyspace + "/" + name).getBytes(StandardCharsets.UTF_8));
            session.execute(statement("CREATE TABLE IF NOT EXISTS " + keyspace + "." + name + "(" + columns + ") WITH id = " + id + options));
        }
    }

    private static SimpleStatement statement(String cql) {
        return SimpleStatement.newInstance(cql).setTimeout(TIMEOUT);
    }
}
