package dev.sand.datalayer;

import dev.sand.datalayer.StoreException.Kind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;

/** A connection with its prepared statements; used by one thread at a time. */
final class SqliteConnection implements AutoCloseable {
    private final Connection connection;
    private final Map<String, PreparedStatement> statements = new HashMap<>();

    SqliteConnection(Connection connection) {
        this.connection = connection;
    }

    /** The statement with its parameters set, in order: text, bytes, or whole numbers. */
    PreparedStatement prepare(String sql, Object... parameters) throws SQLException {
        PreparedStatement statement = statements.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            statements.put(sql, statement);
        }
        for (int i = 0; i < parameters.length; i++) {
            if (parameters[i] instanceof byte[] bytes) {
                statement.setBytes(i + 1, bytes);
            } else {
                statement.setObject(i + 1, parameters[i]);
            }
        }
        return statement;
    }

    /** After a failure: the driver finishes a statement that failed, and it cannot be used again. */
    void forgetStatements() {
        for (PreparedStatement statement : statements.values()) {
            try {
                statement.close();
            } catch (SQLException e) {
                // closing repeats the failure that the statement had, which its user has seen
            }
        }
        statements.clear();
    }

    void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    int update(String sql, Object... parameters) throws SQLException {
        return prepare(sql, parameters).executeUpdate();
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new StoreException(Kind.BROKEN, "cannot close: " + e.getMessage(), 0, e);
        }
    }
}
