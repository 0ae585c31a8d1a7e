package dev.sand.hostagent.segments;

import dev.sand.event.Payload;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.LockSupport;
import org.apache.thrift.TException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The data.sock of one sandbox: a thread that accepts, and one for each connection, which waits most of the time. Each instance that has to do
 * with large values has one: as many as an application runs at once.
 */
final class SegmentEndpoint implements SegmentServer.Endpoint {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentEndpoint.class);
    private static final long PAUSE_NS = 100_000_000L;
    private static final int MAX_FRAME_BYTES = 64 * 1024;

    private final Path path;
    private final UnixSocket listening;
    private final SegmentCalls calls;
    private final ExecutorService threads;
    private final int maxConnections;
    private final Set<UnixSocket> connections = ConcurrentHashMap.newKeySet();
    /** By instance, those that have said whose they are. */
    private final Map<String, UnixSocket> introduced = new ConcurrentHashMap<>();
    private volatile String application;
    private volatile boolean closed;

    /** @param maxConnections a further one is closed at once */
    SegmentEndpoint(Path directory, SegmentCalls calls, ExecutorService threads, int maxConnections) throws IOException {
        this.maxConnections = maxConnections;
        this.path = directory.resolve("data.sock");
        this.calls = calls;
        this.threads = threads;
        this.listening = UnixSocket.listen(path);
        threads.execute(this::accept);
    }

    @Override
    public void bind(String toApplication) {
        application = toApplication;
    }

    @Override
    public void push(String instance, Payload.Reference reference) {
        UnixSocket connection = introduced.get(instance);
        SegmentCalls.Reply reply = connection == null ? null : calls.pushed(application, reference.object());
        if (reply != null) {
            connection.sendAtOnce(reply.frame(), reply.fd());
            Kernel.close(reply.fd());
        }
    }

    private void accept() {
        boolean crowded = false;
        try {
            while (!closed) {
                UnixSocket connection = acceptOne();
                boolean surplus = connections.size() >= maxConnections;
                if (surplus && !crowded) {
                    LOG.warn("{} has {} connections and takes no more", path, maxConnections);
                }
                crowded = surplus;
                if (surplus) {
                    connection.close();
                    continue;
                }
                connections.add(connection);
                threads.execute(() -> serve(connection));
            }
        } catch (KernelException e) {
            if (!closed) {
                LOG.error("{} accepts no more connections", path, e);
            }
        } finally {
            listening.close();
        }
    }

    /** A shortage of descriptors passes; the client waits in the socket's backlog. */
    private UnixSocket acceptOne() throws KernelException {
        while (true) {
            try {
                return listening.accept();
            } catch (KernelException e) {
                if (closed || !e.isShortage()) {
                    throw e;
                }
                LOG.warn("{}: {}", path, e.getMessage());
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }

    private void serve(UnixSocket connection) {
        Introduction whose = new Introduction(connection);
        byte[] length = new byte[4];
        try {
            while (!closed && connection.receive(length)) {
                int size = ByteBuffer.wrap(length).getInt();
                if (size < 1 || size > MAX_FRAME_BYTES) {
                    throw new IOException("a frame of " + size + " bytes; the limit is " + MAX_FRAME_BYTES);
                }
                byte[] frame = new byte[size];
                connection.receive(frame);
                answer(connection, frame, whose);
            }
        } catch (IOException | TException e) {
            LOG.debug("{}: a connection ends: {}", path, e.getMessage());
        } finally {
            whose.leave();
            connections.remove(connection);
            connection.close();
        }
    }

    /** Once: an instance has one connection, the first that says so. */
    private final class Introduction implements SegmentCalls.Caller {
        private final UnixSocket connection;
        private String instance;

        Introduction(UnixSocket connection) {
            this.connection = connection;
        }

        @Override
        public void is(String name) {
            if (instance == null && introduced.putIfAbsent(name, connection) == null) {
                instance = name;
            }
        }

        void leave() {
            if (instance != null) {
                introduced.remove(instance, connection);
            }
        }
    }

    private void answer(UnixSocket connection, byte[] frame, Introduction whose) throws IOException, TException {
        SegmentCalls.Reply reply = calls.answer(application, frame, whose);
        try {
            connection.send(reply.frame(), reply.fd());
        } finally {
            if (reply.fd() >= 0) {
                Kernel.close(reply.fd());
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        listening.shutDown();
        connections.forEach(UnixSocket::shutDown);
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            LOG.debug("{} stays: {}", path, e.getMessage());
        }
    }
}
