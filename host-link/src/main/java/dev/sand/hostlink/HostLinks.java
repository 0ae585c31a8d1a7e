package dev.sand.hostlink;

import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The links of a frontend, or of a host, to host agents, on one event loop, which also runs what decides about them: one owner, no locks. */
public final class HostLinks implements Executor, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HostLinks.class);
    /** The name of their thread. */
    public static final String THREAD = "host-links";

    final LinkOptions options;
    final ClusterKey key;
    final String name;
    final Room room;
    private final Loop thread;
    private final EventLoop loop;
    private final ExecutorService blocking = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("host-links-", 0).factory());

    /** On a thread of their own. @param name of this frontend, told in the handshake; @param key null when no host is ever reached over the network */
    public HostLinks(String name, ClusterKey key, LinkOptions options) {
        this(name, key, options, Loop.own(THREAD));
    }

    /** @param thread is closed with them */
    public HostLinks(String name, ClusterKey key, LinkOptions options, Loop thread) {
        this.thread = thread;
        this.loop = thread.events();
        this.name = name;
        this.key = key;
        this.options = options;
        this.room = new Room(options.incomingBytes());
    }

    /**
     * Connects, and again whenever the connection breaks, until closed. On the loop.
     *
     * @param host its id: another host at that address is refused
     * @param onChange on the loop: the link came up or went down
     */
    public HostLink open(String host, InetSocketAddress address, Runnable onChange) {
        HostLink link = new HostLink(this, host, address, onChange);
        link.connect();
        return link;
    }

    EventLoop loop() {
        return loop;
    }

    /** For what takes a while. */
    public Executor blocking() {
        return blocking;
    }

    /** Does nothing once the loop has ended: what comes late from other threads finds nobody to tell. */
    @Override
    public void execute(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("the links are closed");
        }
    }

    public boolean inLoop() {
        return loop.inEventLoop();
    }

    /** On the loop, later. */
    public void after(Duration delay, Runnable task) {
        if (!loop.isShuttingDown()) {
            loop.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void close() {
        thread.close();
        blocking.shutdownNow();
    }
}
