package dev.sand.frontend.http;

import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * Jetty, set up so that a request is parsed and handed on by the selector's own thread: the handler never blocks there, so
 * no thread is woken on the way in. Operations that block run on virtual threads of their own.
 */
public final class HttpServer implements AutoCloseable {
    private static final int HEADER_BYTES = 16 * 1024;
    private static final long IDLE_MS = 60_000;
    private static final int THREADS = 16;
    private final Server server;
    private final ServerConnector connector;

    public HttpServer(String host, int port, int selectors, Handler handler, RequestCounts counts) {
        this(host, port, selectors, handler, counts, IDLE_MS);
    }

    /** @param idleMs after which a connection that says nothing is given up */
    HttpServer(String host, int port, int selectors, Handler handler, RequestCounts counts, long idleMs) {
        QueuedThreadPool threads = new QueuedThreadPool(THREADS);
        threads.setName("http");
        threads.setReservedThreads(1);
        server = new Server(threads);
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        configuration.setRequestHeaderSize(HEADER_BYTES);
        configuration.setResponseHeaderSize(HEADER_BYTES);
        // A slash or a per cent sign that is data of a route's parameter; the gate refuses them everywhere else.
        configuration.setUriCompliance(UriCompliance.DEFAULT.with("sand", UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR,
                UriCompliance.Violation.AMBIGUOUS_PATH_ENCODING));
        // No acceptor thread: connections are accepted by a selector too.
        connector = new ServerConnector(server, 0, selectors, new HttpConnectionFactory(configuration)) {
            @Override
            protected SocketChannelEndPoint newEndPoint(SocketChannel channel, ManagedSelector selector, SelectionKey key) {
                SocketChannelEndPoint endPoint = new WatchedEndPoint(channel, selector, key, getScheduler(), getExecutor());
                endPoint.setIdleTimeout(getIdleTimeout());
                return endPoint;
            }
        };
        connector.setHost(host);
        connector.setPort(port);
        connector.setIdleTimeout(idleMs);
        connector.setAcceptQueueSize(1024);
        server.addConnector(connector);
        server.setErrorHandler(new JettyErrors());
        server.setHandler(handler);
        server.setRequestLog(counts);
        server.setStopTimeout(0);
    }

    /** @throws java.io.IOException with the address, when it cannot be listened on */
    public void start() throws Exception {
        server.start();
    }

    public InetSocketAddress address() {
        return new InetSocketAddress(connector.getHost(), connector.getLocalPort());
    }

    /** No new connections; those that are open go on. */
    public void closeDoor() {
        connector.close();
    }

    @Override
    public void close() throws Exception {
        server.stop();
    }
}
