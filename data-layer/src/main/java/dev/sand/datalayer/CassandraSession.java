package dev.sand.datalayer;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.NoNodeAvailableException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import com.datastax.oss.driver.api.core.servererrors.UnavailableException;
import com.datastax.oss.driver.internal.core.loadbalancing.DcInferringLoadBalancingPolicy;
import com.datastax.oss.driver.internal.core.time.ServerSideTimestampGenerator;
import dev.sand.datalayer.StoreException.Kind;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one connection of a process to a Cassandra cluster: waits for it at start, prepares statements, gives every statement
 * its deadline, and says what its errors mean. What certainly did not happen is tried again until the deadline.
 */
final class CassandraSession implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CassandraSession.class);
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(100);
    private static final Duration BETWEEN_CONNECTS = Duration.ofSeconds(1);
    private static final Duration SAY_AGAIN = Duration.ofSeconds(5);

    private final CqlSession session;
    private final CassandraOptions options;
    private final ConcurrentHashMap<String, PreparedStatement> prepared = new ConcurrentHashMap<>();

    CassandraSession(CassandraOptions options) {
        this.options = options;
        this.session = connect(options);
    }

    private static CqlSession connect(CassandraOptions options) {
        Deadline deadline = Deadline.in(options.connectWithin());
        Deadline quiet = Deadline.in(Duration.ZERO);
        while (true) {
            CqlSession opened = null;
            try {
                opened = builder(options).build();
                CassandraSchema.prepare(opened, options);
                return opened;
            } catch (DriverException e) {
                if (opened != null) {
                    opened.close();
                }
                if (quiet.passed()) {
                    LOG.warn("waiting for Cassandra at {}: {}", options.contactPoints(), e.getMessage());
                    quiet = Deadline.in(SAY_AGAIN);
                }
                deadline.pause(BETWEEN_CONNECTS, new StoreException(Kind.AWAY, "no Cassandra at " + options.contactPoints()
                        + " within " + options.connectWithin().toSeconds() + " s: " + e.getMessage(), 0, e));
            } catch (StoreException e) {
                opened.close();
                throw e;
            }
        }
    }

    private static CqlSessionBuilder builder(CassandraOptions options) {
        var config = DriverConfigLoader.programmaticBuilder()
                .withString(DefaultDriverOption.SESSION_NAME, "sand")
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, options.timeout())
                .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, Duration.ofSeconds(5))
                .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, Duration.ofSeconds(5))
                .withDuration(DefaultDriverOption.RECONNECTION_BASE_DELAY, Duration.ofMillis(200))
                .withDuration(DefaultDriverOption.RECONNECTION_MAX_DELAY, Duration.ofSeconds(5))
                .withDuration(DefaultDriverOption.HEARTBEAT_INTERVAL, Duration.ofSeconds(5))
                .withDuration(DefaultDriverOption.HEARTBEAT_TIMEOUT, Duration.ofSeconds(5))
                .withString(DefaultDriverOption.REQUEST_CONSISTENCY, DefaultConsistencyLevel.QUORUM.name())
                .withString(DefaultDriverOption.REQUEST_SERIAL_CONSISTENCY, DefaultConsistencyLevel.SERIAL.name())
                // The nodes' clocks, which must agree anyhow, and not those of whoever writes.
                .withClass(DefaultDriverOption.TIMESTAMP_GENERATOR_CLASS, ServerSideTimestampGenerator.class)
                .withBoolean(DefaultDriverOption.NETTY_DAEMON, true)
                .withInt(DefaultDriverOption.NETTY_IO_SIZE, 1)
                .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false);
        if (options.datacenter() == null) {
            config.withClass(DefaultDriverOption.LOAD_BALANCING_POLICY_CLASS, DcInferringLoadBalancingPolicy.class);
        } else {
            config.withString(DefaultDriverOption.LOAD_BALANCING_LOCAL_DATACENTER, options.datacenter());
        }
        CqlSessionBuilder builder = CqlSession.builder().withConfigLoader(config.build())
                .addContactPoints(options.contactPoints().stream().map(CassandraSession::resolved).toList());
        return options.user() == null ? builder : builder.withAuthCredentials(options.user(), options.password());
    }

    /** Anew with each try: a name that is not known yet may be known soon. */
    private static InetSocketAddress resolved(InetSocketAddress node) {
        return new InetSocketAddress(node.getHostString(), node.getPort());
    }

    /** @param cql with {@code %s} before a table's name for the keyspace */
    PreparedStatement prepare(String cql) {
        PreparedStatement known = prepared.get(cql);
        if (known != null) {
            return known;
        }
        try {
            PreparedStatement made = session.prepare(cql.replace("%s", options.keyspace() + "."));
            prepared.put(cql, made);
            return made;
        } catch (DriverException | IllegalStateException e) {
            throw failure(e);
        }
    }

    BoundStatement bind(String cql, Object... values) {
        return prepare(cql).bind(values);
    }

    Deadline deadline() {
        return Deadline.in(options.timeout());
    }

    /** Blocks. A read is tried again whatever went wrong on the way; a write only when it cannot have happened. */
    ResultSet read(Statement<?> statement, Deadline deadline) {
        return execute(statement, deadline, true);
    }

    /** All rows, page by page; each page may take a call's time. */
    Iterable<Row> readAll(BoundStatement statement) {
        List<Row> rows = new ArrayList<>();
        ByteBuffer page = null;
        do {
            ResultSet found = read(page == null ? statement : statement.setPagingState(page), deadline());
            for (int left = found.getAvailableWithoutFetching(); left > 0; left--) {
                rows.add(found.one());
            }
            page = found.getExecutionInfo().getPagingState();
        } while (page != null);
        return rows;
    }

    /** Blocks. @throws Unclear when it may have happened */
    ResultSet write(Statement<?> statement, Deadline deadline) {
        return execute(statement, deadline, false);
    }

    private ResultSet execute(Statement<?> statement, Deadline deadline, boolean again) {
        while (true) {
            try {
                return session.execute(statement.setTimeout(deadline.remaining()));
            } catch (DriverException | IllegalStateException e) {
                StoreException failure = failure(e);
                boolean notDone = e instanceof UnavailableException || e instanceof NoNodeAvailableException
                        || e instanceof AllNodesFailedException all && all.getAllErrors().isEmpty();
                if (failure.kind() != Kind.AWAY || !again && !notDone) {
                    throw failure.kind() == Kind.AWAY ? new Unclear(failure) : failure;
                }
                deadline.pause(BETWEEN_TRIES, failure);
            }
        }
    }

    CompletionStage<AsyncResultSet> executeAsync(Statement<?> statement) {
        try {
            return session.executeAsync(statement);
        } catch (IllegalStateException e) {
            throw failure(e);
        }
    }

    /** The answer to a write is missing: it may have happened. */
    static final class Unclear extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final StoreException failure;

        Unclear(StoreException failure) {
            super(failure);
            this.failure = failure;
        }

        StoreException failure() {
            return failure;
        }
    }

    static StoreException failure(Throwable e) {
        if (e instanceof QueryValidationException) {
            boolean full = e.getMessage().contains("disk usage");
            return new StoreException(full ? Kind.FULL : Kind.BROKEN, "Cassandra refused: " + e.getMessage(), 0, e);
        }
        if (e instanceof IllegalStateException) {
            return new StoreException(Kind.BROKEN, "the store is closed", 0, e);
        }
        return new StoreException(Kind.AWAY, "Cassandra does not answer: " + e.getMessage(), 0, e);
    }

    @Override
    public void close() {
        session.close();
    }
}
