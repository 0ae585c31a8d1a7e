package dev.sand.globalbus;

import dev.sand.globalbus.BusException.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The writer's transactions: each waits for the disk or does not, and one that fails says why. The writer's thread alone. */
final class BusTransactions {
    private static final Logger LOG = LoggerFactory.getLogger(BusTransactions.class);

    final Connection connection;
    private final BusDatabase database;
    private boolean waitsForDisk = true;
    private boolean full;

    BusTransactions(BusDatabase database, Connection connection) {
        this.database = database;
        this.connection = connection;
    }

    /** @return null, or why nothing of the transaction happened */
    BusException attempt(String what, boolean forDisk, BusDatabase.Work transaction) {
        try {
            if (forDisk != waitsForDisk) {
                BusDatabase.waitForDisk(connection, forDisk);
                waitsForDisk = forDisk;
            }
            transaction.run();
            return null;
        } catch (SQLException | RuntimeException e) { // whatever it was, somebody waits for an answer
            BusException failure = database.failure("cannot " + what, e);
            LOG.warn("global bus: {}", failure.getMessage());
            if (failure.kind() == Kind.FULL) {
                full = true;
                giveRoomBack();
            }
            return failure;
        }
    }

    /** So that trims can go on where appends cannot. */
    private void giveRoomBack() {
        try {
            BusDatabase.checkpoint(connection);
        } catch (SQLException e) {
            LOG.warn("global bus: no checkpoint: {}", e.getMessage());
        }
    }

    /** Whether there was no room since this was asked last: what can be trimmed is trimmed at once. */
    boolean wasFull() {
        boolean was = full;
        full = false;
        return was;
    }

    BusException failure(String what, SQLException cause) {
        return database.failure(what, cause);
    }
}
