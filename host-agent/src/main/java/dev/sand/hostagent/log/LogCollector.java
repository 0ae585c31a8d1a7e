package dev.sand.hostagent.log;

import dev.sand.datalayer.LogStore;
import dev.sand.datalayer.LogStore.Line;
import dev.sand.event.DeletedVersions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what all processes of all sandboxes write, on one thread of its own, and stores it by invocation. Log bytes never go
 * over a shard. A slow store or a busy writer holds up writers alone: their sockets' buffers fill.
 *
 * <p>It works in rounds with a short pause between: an instance's two connections, its lines and its end are then mostly
 * met together, which costs a few system calls instead of many wake-ups. A socket takes some 250 short writes before it
 * holds up whoever writes: once a process writes much, the pause shrinks to what such a burst needs, and grows back after it.
 */
public final class LogCollector implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LogCollector.class);
    private static final int BACKLOG = 4096;
    private static final int BUFFER_BYTES = 64 * 1024;
    private static final int BATCH_LINES = 1000;
    /** A process that wrote this much between two rounds may be waiting for the next one. */
    private static final int BUSY_BYTES = 4 * 1024;
    private static final int BUSY_LINES = 64;
    private static final long BUSY_PAUSE_NS = 50_000;
    /** Where nobody writes, nothing wakes the collector: what it is told would pile up. */
    private static final int MAX_WAITING_TASKS = 1000;
    private static final long COMPLAINT_PAUSE_NS = 1_000_000_000;

    private final LogStore store;
    private final LogConfiguration configuration;
    private final LongSupplier epochMs;
    private final LogLevels levels = new LogLevels();
    private final Selector selector;
    /** Log sockets that open and close. */
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    /** Whose output is whose. */
    private final Queue<Runnable> told = new ConcurrentLinkedQueue<>();
    private final AtomicInteger added = new AtomicInteger();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final List<Line> batch = new ArrayList<>();
    private final Thread thread;
    private volatile boolean closed;
    private long roundMs;
    private long complainedNs;
    private long lost;
    private DeletedVersions deleted = DeletedVersions.NONE;

    /** @param epochMs the wall clock */
    public LogCollector(LogStore store, LogConfiguration configuration, LongSupplier epochMs) {
        this.store = store;
        this.configuration = configuration;
        this.epochMs = epochMs;
        try {
            this.selector = Selector.open();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start the log collector", e);
        }
        this.thread = Thread.ofPlatform().name("sand-logs").daemon().start(this::run);
    }

    /** Opens log.sock. */
    public LogEndpoint open(Path socket) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            listener.bind(UnixDomainSocketAddress.of(socket), BACKLOG);
            listener.configureBlocking(false);
        } catch (IOException e) {
            listener.close();
            throw new IOException("cannot listen on " + socket + ": " + e.getMessage(), e);
        }
        CollectorEndpoint endpoint = new CollectorEndpoint(this, listener);
        tasks.add(() -> {
            try {
                endpoint.registered(listener.register(selector, SelectionKey.OP_ACCEPT, endpoint));
            } catch (IOException e) {
                LOG.warn("the log socket {} was closed before it was opened", socket);
            }
        });
        selector.wakeup();
        return endpoint;
    }

    /** Stores what has come so far, and ends. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        LockSupport.unpark(thread);
        try {
            thread.join();
            selector.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException("closing the log collector failed", e);
        }
    }

    LogConfiguration configuration() {
        return configuration;
    }

    LogLevels levels() {
        return levels;
    }

    /** Wall clock of the round. */
    long epochMs() {
        return roundMs;
    }

    /** Known before any byte is looked at that was written after this call: no wake-up is needed. */
    void tell(Runnable fact) {
        told.add(fact);
        if (added.incrementAndGet() % MAX_WAITING_TASKS == 0) {
            selector.wakeup();
        }
    }

    /**
     * A cloud process was killed: what functions write that still run in it is not of its log, which a namesake may begin.
     *
     * @return done once all that was written in it before is stored, or could not be
     */
    public CompletableFuture<Void> killed(String application, String cloudProcess) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        tasks.add(() -> { // between two rounds, each of which stores what it has read
            for (SelectionKey key : selector.keys()) {
                if (key.attachment() instanceof CollectorEndpoint endpoint) {
                    endpoint.killed(application, cloudProcess);
                }
            }
            done.complete(null);
        });
        selector.wakeup();
        return done;
    }

    void close(CollectorEndpoint endpoint) {
        tasks.add(() -> {
            acceptAll(endpoint);
            try {
                endpoint.listener().close();
            } catch (IOException e) {
                throw new UncheckedIOException("closing a log socket failed", e);
            }
        });
        selector.wakeup();
    }

    void emit(Line line) {
        batch.add(line);
        if (batch.size() >= BATCH_LINES) {
            flush();
        }
    }

    private void run() {
        long longestNs = configuration.pause().toNanos();
        long pauseNs = longestNs;
        while (!closed) {
            try {
                selector.select();
            } catch (IOException e) {
                throw new UncheckedIOException("the log collector cannot wait for output", e);
            }
            pauseNs = switch (round()) {
                case FULL -> 0;
                case BUSY -> Math.min(longestNs, BUSY_PAUSE_NS);
                case QUIET -> Math.min(longestNs, Math.max(BUSY_PAUSE_NS, pauseNs * 2));
            };
            if (pauseNs > 0) {
                LockSupport.parkNanos(this, pauseNs);
            }
        }
        try {
            selector.selectNow();
        } catch (IOException e) {
            throw new UncheckedIOException("the log collector cannot wait for output", e);
        }
        round();
        selector.keys().forEach(key -> {
            if (key.attachment() instanceof Connection connection) {
                end(connection);
            } else if (key.attachment() instanceof CollectorEndpoint endpoint) {
                closeQuietly(endpoint.listener());
            }
        });
        flush();
    }

    /** What the process that wrote most had written: a FULL buffer is read on at once. */
    private enum Pace { QUIET, BUSY, FULL }

    private Pace round() {
        Pace pace = Pace.QUIET;
        roundMs = epochMs.getAsLong();
        runAll(told);
        runAll(tasks);
        Iterator<SelectionKey> ready = selector.selectedKeys().iterator();
        while (ready.hasNext()) {
            SelectionKey key = ready.next();
            ready.remove();
            if (key.attachment() instanceof CollectorEndpoint endpoint) {
                acceptAll(endpoint);
            } else if (key.attachment() instanceof Connection connection) {
                if (!connection.stream().read(buffer)) {
                    key.cancel();
                    end(connection);
                } else if (buffer.limit() == buffer.capacity()) {
                    pace = Pace.FULL;
                } else if (pace == Pace.QUIET && (buffer.limit() >= BUSY_BYTES || connection.stream().linesRead() >= BUSY_LINES)) {
                    pace = Pace.BUSY;
                }
            }
        }
        flush();
        return pace;
    }

    /** Between a read and a look at its bytes: what a shard said before it let an instance write is known by then. */
    void catchUp() {
        runAll(told);
    }

    private static void runAll(Queue<Runnable> tasks) {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    private record Connection(LogStream stream, CollectorEndpoint endpoint) {}

    private void acceptAll(CollectorEndpoint endpoint) {
        while (endpoint.listener().isOpen() && !endpoint.isFull(configuration.connections())) {
            SocketChannel channel;
            try {
                channel = endpoint.listener().accept();
                if (channel == null) {
                    return;
                }
                channel.configureBlocking(false);
            } catch (IOException e) {
                complain("cannot accept a log connection: " + e.getMessage());
                return;
            }
            Connection connection = new Connection(new LogStream(channel, endpoint, configuration.lineBytes()), endpoint);
            endpoint.connectionOpened(configuration.connections());
            if (!connection.stream().read(buffer)) {
                end(connection);
                continue;
            }
            try {
                channel.register(selector, SelectionKey.OP_READ, connection);
            } catch (IOException e) {
                end(connection);
            }
        }
    }

    private void end(Connection connection) {
        connection.stream().close();
        connection.endpoint().connectionClosed(configuration.connections());
    }

    /** Nothing of these versions is stored any more, once it completes. */
    public CompletableFuture<Void> forget(String application, int upTo) {
        CompletableFuture<Void> forgotten = new CompletableFuture<>();
        tasks.add(() -> {
            deleted = deleted.with(application, upTo);
            forgotten.complete(null);
        });
        selector.wakeup();
        LockSupport.unpark(thread);
        return forgotten;
    }

    private void flush() {
        batch.removeIf(line -> deleted.covers(line.application(), line.version()));
        if (batch.isEmpty()) {
            return;
        }
        try {
            store.append(batch);
        } catch (RuntimeException e) {
            // The disk is full, most likely: output is lost, and nothing else may suffer for it.
            lost += batch.size();
            complain(lost + " lines of output could not be stored so far: " + e.getMessage());
        }
        batch.clear();
    }

    private void complain(String message) {
        long now = System.nanoTime();
        if (complainedNs == 0 || now - complainedNs > COMPLAINT_PAUSE_NS) {
            complainedNs = now;
            LOG.warn(message);
        }
    }

    private static void closeQuietly(ServerSocketChannel listener) {
        try {
            listener.close();
        } catch (IOException e) {
            LOG.debug("closing a log socket failed", e);
        }
    }
}
