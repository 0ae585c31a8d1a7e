package dev.sand.localbus;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The local bus's connections (SAND 4.1): where grain instances take event messages and bring outputs, and where supervisors
 * and workers get their commands. It carries calls; queues, order and triggers are its users' (see the queues beside this).
 *
 * <p>One bus has one owner thread, which alone reads its connections and calls its handlers: nothing here takes a lock.
 */
public interface LocalBus extends AutoCloseable {
    /**
     * Opens the socket of one sandbox. Blocks; not to be called on an owner thread.
     *
     * @param handler told of every call, on the owner thread of the connection that it came on
     * @throws IOException when the socket cannot be made
     */
    BusEndpoint listen(Path socket, BusHandler handler) throws IOException;

    /** Counted since the start; may be read from any thread. */
    BusCounts counts();

    /** Closes every endpoint and connection; the owner thread is its giver's. */
    @Override
    void close();
}
