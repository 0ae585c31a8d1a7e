package dev.sand.localbus;

import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The local bus on Unix sockets, read by one epoll event loop: the shard that owns what comes in. A reply is written from the
 * very read that caused it, so between one grain's output and the next grain's input lies no other thread.
 */
public final class SocketLocalBus implements LocalBus {
    private final EventLoop loop;
    private final BusConfiguration configuration;
    private final BusCodec codec;
    private final FrameReads reads = new FrameReads();
    private final Set<SocketEndpoint> endpoints = ConcurrentHashMap.newKeySet();
    private final AtomicLong open = new AtomicLong();
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong violations = new AtomicLong();

    /** @param loop of an epoll group; stays the caller's */
    public SocketLocalBus(EventLoop loop, BusConfiguration configuration) {
        this.loop = loop;
        this.configuration = configuration;
        this.codec = new BusCodec(configuration.frameBytes());
    }

    @Override
    public BusEndpoint listen(Path socket, BusHandler handler) throws IOException {
        SocketEndpoint endpoint = new SocketEndpoint(this, socket, handler, endpoints::remove);
        endpoint.bind();
        endpoints.add(endpoint);
        return endpoint;
    }

    @Override
    public BusCounts counts() {
        return new BusCounts(open.get(), accepted.get(), refused.get(), violations.get());
    }

    @Override
    public void close() {
        List<SocketEndpoint> all = new ArrayList<>(endpoints);
        all.forEach(SocketEndpoint::close);
    }

    EventLoop loop() {
        return loop;
    }

    BusConfiguration configuration() {
        return configuration;
    }

    /** Of the event loop. */
    BusCodec codec() {
        return codec;
    }

    /** Of the event loop. */
    FrameReads reads() {
        return reads;
    }

    void onAccepted() {
        open.incrementAndGet();
        accepted.incrementAndGet();
    }

    void onClosed() {
        open.decrementAndGet();
    }

    void onRefused() {
        refused.incrementAndGet();
    }

    void onViolation() {
        violations.incrementAndGet();
    }
}
