package dev.sand.hostagent.dataplane;

import dev.sand.event.Errors;
import io.netty.channel.Channel;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** For how long a client may show no grant, read nothing, or say nothing. On the connection's event loop. */
final class Patience {
    private static final long LOOK_MS = 500;

    private final DataConnection connection;
    private final ClientStream stream;
    private final ClientWriter writer;
    private final DataPlaneOptions options;
    private final ScheduledFuture<?> look;
    private final long beganNs = System.nanoTime();

    Patience(DataConnection connection, Channel channel, ClientStream stream, ClientWriter writer, DataPlaneOptions options) {
        this.connection = connection;
        this.stream = stream;
        this.writer = writer;
        this.options = options;
        this.look = channel.eventLoop().scheduleWithFixedDelay(this::look, LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
    }

    private void look() {
        long nowNs = System.nanoTime();
        long unreadNs = nowNs - writer.unreadSinceNs(nowNs);
        if (!connection.isKnown() && nowNs - beganNs > options.hello().toNanos()) {
            connection.close("it has shown no grant for " + options.hello().toMillis() + " ms");
        } else if (unreadNs > options.unread().toNanos()) {
            connection.close("it has read nothing of its answers for " + options.unread().toMillis() + " ms");
        } else if (unreadNs == 0 && !stream.isPreparing() && nowNs - stream.heardNs() > options.idle().toNanos()) {
            connection.goAway(Errors.TIMEOUT, "nothing was heard for " + options.idle().toMillis() + " ms");
        } else {
            connection.expire(nowNs);
        }
    }

    void end() {
        look.cancel(false);
    }
}
