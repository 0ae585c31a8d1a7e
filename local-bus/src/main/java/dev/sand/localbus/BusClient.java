package dev.sand.localbus;

import dev.sand.event.thrift.Control;

/** One connection to a local bus as a grain runtime has it: blocking calls, used by one thread. */
public interface BusClient extends dev.sand.event.thrift.LocalBus.Iface, Control.Iface, AutoCloseable {
    @Override
    void close();
}
