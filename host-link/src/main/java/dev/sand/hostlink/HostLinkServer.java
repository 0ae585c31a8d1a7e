package dev.sand.hostlink;

import dev.sand.event.HostAgentPort;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A host agent on the network: the door through which frontends on other machines come. One event loop for all connections. */
public final class HostLinkServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HostLinkServer.class);

    /**
     * @param name of the host, told in the handshake
     * @param host what calls are passed on to
     * @param epochs what its answers carry
     * @param work folder for archives of applications while they are built; what an earlier run left in it is deleted
     */
    public record Parts(String name, HostAgentPort host, SlotEpochs epochs, ClusterKey key, Path work) {}

    /** The name of its thread. */
    public static final String THREAD = "host-link-server";

    final Parts parts;
    final LinkOptions options;
    private final Loop loop;
    private final ExecutorService blocking = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("host-link-", 0).factory());
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final Room room;
    private final Channel listener;
    private int strangers;

    /** Listens, on a thread of its own. @throws IOException when the address cannot be had */
    public HostLinkServer(InetSocketAddress address, Parts parts, LinkOptions options) throws IOException {
        this(address, parts, options, Loop.own(THREAD));
    }

    /** @param loop is closed with this server */
    public HostLinkServer(InetSocketAddress address, Parts parts, LinkOptions options, Loop loop) throws IOException {
        this.parts = parts;
        this.loop = loop;
        this.options = options;
        this.room = new Room(options.incomingBytes());
        ReceivedFolder.clean(parts.work());
        try {
            listener = new ServerBootstrap().group(loop.events()).channel(EpollServerSocketChannel.class)
                    .option(ChannelOption.SO_REUSEADDR, true)
                    .childOption(ChannelOption.TCP_NODELAY, true)
                    .childHandler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            accept(channel);
                        }
                    })
                    .bind(address).syncUninterruptibly().channel();
        } catch (Exception e) {
            loop.close();
            blocking.shutdownNow();
            // Netty throws the channel's checked exception as it is.
            throw new IOException("cannot listen for frontends on " + address + ": " + e.getMessage(), e);
        }
    }

    private void accept(Channel channel) {
        if (connections.size() >= options.connections() || strangers >= options.strangers()) {
            LOG.warn("refusing a connection from {}: {} are open, {} of them strangers", channel.remoteAddress(),
                    connections.size(), strangers);
            channel.unsafe().closeForcibly();
            return;
        }
        connections.add(channel);
        strangers++;
        channel.pipeline().addLast(new ServerConnection(this, String.valueOf(channel.remoteAddress()), room, blocking));
    }

    /** The connection has proven to know the key, or ended before. On the loop. */
    void noStranger() {
        strangers--;
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    /** Takes no new connection and ends those that are open: what runs goes on, and its frontends ask elsewhere. */
    @Override
    public void close() {
        if (!loop.events().isShuttingDown()) { // else it has closed them
            listener.close().syncUninterruptibly();
            connections.close().awaitUninterruptibly();
        }
        loop.close();
        blocking.shutdownNow();
    }
}
