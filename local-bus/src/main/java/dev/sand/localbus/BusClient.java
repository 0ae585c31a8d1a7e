package dev.sand.localbus;

/** One connection to a local bus as a grain runtime has it: blocking calls, used by one thread. */
public interface BusClient extends dev.sand.event.thrift.LocalBus.Iface, dev.sand.event.thrift.Control.Iface, AutoCloseable {
    @Override
    void close();
}
