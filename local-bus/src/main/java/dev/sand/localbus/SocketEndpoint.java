package dev.sand.localbus;

import dev.sand.event.Limits;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One listening socket, on the event loop of the bus that opened it; what it accepts goes to the bus it has moved to. */
final class SocketEndpoint extends ChannelInboundHandlerAdapter implements BusEndpoint {
    private static final Logger LOG = LoggerFactory.getLogger(SocketEndpoint.class);
    private static final int BACKLOG = 1024;
    private static final int ACCEPT_PAUSE_MS = 100;

    private final Path socket;
    private final BusHandler handler;
    private final Consumer<SocketEndpoint> onClosed;
    private final EpollServerDomainSocketChannel listener = new EpollServerDomainSocketChannel();
    private final SocketLocalBus home;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private volatile SocketLocalBus bus;

    SocketEndpoint(SocketLocalBus bus, Path socket, BusHandler handler, Consumer<SocketEndpoint> onClosed) {
        this.home = bus;
        this.bus = bus;
        this.socket = socket;
        this.handler = handler;
        this.onClosed = onClosed;
    }

    void bind() throws IOException {
        int length = socket.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > Limits.SOCKET_PATH_BYTES) {
            throw new IOException("the socket's path has " + length + " bytes, more than " + Limits.SOCKET_PATH_BYTES
                    + "; choose a shorter home folder: " + socket);
        }
        listener.config().setBacklog(BACKLOG);
        listener.pipeline().addLast(this);
        home.loop().register(listener).syncUninterruptibly();
        try {
            listener.bind(new DomainSocketAddress(socket.toString())).syncUninterruptibly();
        } catch (Exception e) {
            // Netty throws the channel's checked exception as it is.
            listener.close();
            throw new IOException("cannot listen on " + socket + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void moveTo(LocalBus newBus) {
        bus = (SocketLocalBus) newBus;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Channel connection = (Channel) message;
        SocketLocalBus owner = bus;
        if (connections.size() >= owner.configuration().connections()) {
            owner.onRefused();
            connection.unsafe().closeForcibly();
            return;
        }
        connections.add(connection);
        owner.onAccepted();
        connection.config().setOption(ChannelOption.RECVBUF_ALLOCATOR, owner.reads());
        connection.pipeline().addLast(new SocketConnection(owner, handler));
        owner.loop().register(connection);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // Out of file descriptors, most likely: those who connect wait in the backlog for a moment.
        LOG.warn("cannot accept on {} for {} ms: {}", socket, ACCEPT_PAUSE_MS, cause.toString());
        listener.config().setAutoRead(false);
        home.loop().schedule(() -> listener.config().setAutoRead(true), ACCEPT_PAUSE_MS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        onClosed.accept(this);
        listener.close();
        connections.close();
    }
}
