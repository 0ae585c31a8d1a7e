package dev.sand.localbus;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The local bus in memory, with the same rules and no socket: for tests of what stands on it, and for grains that run in the
 * host agent's own process. Its owner thread is the one of the executor.
 */
public final class EmbeddedLocalBus implements LocalBus {
    private final Executor owner;
    private final BusConfiguration configuration;
    private final Map<Path, Endpoint> endpoints = new ConcurrentHashMap<>();
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong violations = new AtomicLong();
    private final AtomicLong open = new AtomicLong();

    /** @param owner runs one task at a time, in order */
    public EmbeddedLocalBus(Executor owner, BusConfiguration configuration) {
        this.owner = owner;
        this.configuration = configuration;
    }

    @Override
    public BusEndpoint listen(Path socket, BusHandler handler) throws IOException {
        Endpoint endpoint = new Endpoint(socket, handler, this);
        if (endpoints.putIfAbsent(socket, endpoint) != null) {
            throw new IOException("cannot listen on " + socket + ": it is in use");
        }
        return endpoint;
    }

    /** @throws IOException when nobody listens there, or it has too many connections */
    public BusClient connect(Path socket) throws IOException {
        Endpoint endpoint = endpoints.get(socket);
        if (endpoint == null) {
            throw new IOException("nobody listens on " + socket);
        }
        return endpoint.accept();
    }

    @Override
    public BusCounts counts() {
        return new BusCounts(open.get(), accepted.get(), refused.get(), violations.get());
    }

    @Override
    public void close() {
        endpoints.values().forEach(Endpoint::close);
    }

    Executor owner() {
        return owner;
    }

    void onViolation() {
        violations.incrementAndGet();
    }

    private static final class Endpoint implements BusEndpoint {
        private final Path socket;
        private final BusHandler handler;
        private final EmbeddedLocalBus home;
        private final Set<EmbeddedConnection> connections = ConcurrentHashMap.newKeySet();
        private volatile EmbeddedLocalBus bus;

        Endpoint(Path socket, BusHandler handler, EmbeddedLocalBus bus) {
            this.socket = socket;
            this.handler = handler;
            this.home = bus;
            this.bus = bus;
        }

        BusClient accept() throws IOException {
            EmbeddedLocalBus current = bus;
            if (connections.size() >= current.configuration.connections()) {
                current.refused.incrementAndGet();
                throw new IOException("too many connections on " + socket);
            }
            current.open.incrementAndGet();
            current.accepted.incrementAndGet();
            EmbeddedConnection connection = new EmbeddedConnection(current, handler,
                    current.configuration.outstandingCalls(), closed -> {
                        connections.remove(closed);
                        current.open.decrementAndGet();
                    });
            connections.add(connection);
            return connection.client();
        }

        @Override
        public void moveTo(LocalBus newBus) {
            bus = (EmbeddedLocalBus) newBus;
        }

        @Override
        public void close() {
            home.endpoints.remove(socket, this);
            connections.forEach(EmbeddedConnection::close);
        }
    }
}
