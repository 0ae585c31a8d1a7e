package dev.sand.localbus;

/** One listening socket: one sandbox's. */
public interface BusEndpoint extends AutoCloseable {
    /**
     * Connections accepted from now on belong to another bus of the same kind, and to its owner thread; those that are there
     * already stay. A blank sandbox is claimed so: its instances connect after that.
     */
    void moveTo(LocalBus bus);

    /** Stops listening, and closes every connection of the endpoint. */
    @Override
    void close();
}
