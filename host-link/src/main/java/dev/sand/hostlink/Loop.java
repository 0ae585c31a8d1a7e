package dev.sand.hostlink;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * The event loop of what talks with other machines: a thread of its own, or one that has other work too, so that nothing is handed
 * from one thread to another on the way.
 */
public final class Loop implements AutoCloseable {
    private final EventLoop loop;
    private final boolean isOwn;

    private Loop(EventLoop loop, boolean isOwn) {
        this.loop = loop;
        this.isOwn = isOwn;
    }

    /** With a thread of that name. */
    public static Loop own(String thread) {
        return new Loop(new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory(thread, true), EpollIoHandler.newFactory()).next(), true);
    }

    /** Somebody else's, who ends it later than whoever is given it. */
    public static Loop of(EventLoop other) {
        return new Loop(other, false);
    }

    public EventLoop events() {
        return loop;
    }

    /** Ends the thread, if it has one of its own, with all channels. Blocks. */
    @Override
    public void close() {
        if (isOwn) {
            loop.parent().shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }
}
