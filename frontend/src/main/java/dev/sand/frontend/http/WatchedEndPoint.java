package dev.sand.frontend.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * A connection that can tell, while its request is being answered, that the client has hung up. Jetty does not read a
 * HTTP/1.1 connection between a request and its answer, so that an end of stream goes unseen; here a watch reads in its
 * place. What it reads when that was not the end (a pipelined request) is kept and given to Jetty's next fill; when Jetty
 * wants to read while a watch is waiting, the watch passes its turn on.
 */
public final class WatchedEndPoint extends SocketChannelEndPoint {
    private static final int STASH_BYTES = 1024;

    /** Registered with the selector in place of Jetty's own callback; {@code next} is that one once Jetty wants to read. */
    private final class Watch implements Callback {
        private final Runnable onHangUp;
        private Callback next;

        private Watch(Runnable onHangUp) {
            this.onHangUp = onHangUp;
        }

        @Override
        public void succeeded() {
            Callback turn = readable(this);
            if (turn != null) {
                turn.succeeded();
            } else if (isHungUp()) {
                onHangUp.run();
            }
        }

        @Override
        public void failed(Throwable cause) {
            Callback turn = passOn(this);
            if (turn != null) {
                turn.failed(cause);
            } else {
                onHangUp.run();
            }
        }

        @Override
        public InvocationType getInvocationType() {
            Callback turn = next;
            return turn == null ? InvocationType.NON_BLOCKING : turn.getInvocationType();
        }
    }

    private final Object monitor = new Object();
    private final Executor executor;
    private Watch waiting;
    private ByteBuffer stash;
    private boolean hungUp;

    public WatchedEndPoint(SocketChannel channel, ManagedSelector selector, SelectionKey key, Scheduler scheduler,
                           Executor executor) {
        super(channel, selector, key, scheduler);
        this.executor = executor;
    }

    /** Calls {@code onHangUp} at most once, when the client closes its side before its answer; on a selector's thread. */
    public void watch(Runnable onHangUp) {
        synchronized (monitor) {
            if (waiting != null || stash != null) {
                return;
            }
            if (!hungUp) {
                Watch watch = new Watch(onHangUp);
                if (super.tryFillInterested(watch)) {
                    waiting = watch;
                }
                return;
            }
        }
        onHangUp.run();
    }

    private boolean isHungUp() {
        synchronized (monitor) {
            return hungUp;
        }
    }

    private Callback readable(Watch watch) {
        synchronized (monitor) {
            waiting = null;
            if (watch.next != null) {
                return watch.next;
            }
            ByteBuffer bytes = BufferUtil.allocate(STASH_BYTES);
            try {
                int size = super.fill(bytes);
                hungUp = size < 0;
                stash = size > 0 ? bytes : null;
            } catch (IOException e) {
                hungUp = true;
            }
            return null;
        }
    }

    private Callback passOn(Watch watch) {
        synchronized (monitor) {
            waiting = null;
            return watch.next;
        }
    }

    @Override
    public int fill(ByteBuffer buffer) throws IOException {
        synchronized (monitor) {
            if (stash != null) {
                int size = BufferUtil.append(buffer, stash);
                stash = stash.hasRemaining() ? stash : null;
                return size;
            }
            return super.fill(buffer);
        }
    }

    @Override
    public void fillInterested(Callback callback) {
        if (!takeOver(callback)) {
            super.fillInterested(callback);
        }
    }

    @Override
    public boolean tryFillInterested(Callback callback) {
        return takeOver(callback) || super.tryFillInterested(callback);
    }

    @Override
    public boolean isFillInterested() {
        synchronized (monitor) {
            return waiting == null ? super.isFillInterested() : waiting.next != null;
        }
    }

    private boolean takeOver(Callback callback) {
        synchronized (monitor) {
            if (waiting != null && waiting.next == null) {
                waiting.next = callback;
                notIdle();
                return true;
            }
            if (stash == null) {
                return false;
            }
        }
        // Not here: whoever calls is in the middle of its own reading.
        executor.execute(callback::succeeded);
        return true;
    }

    @Override
    protected void onIdleExpired(TimeoutException timeout) {
        synchronized (monitor) {
            if (waiting != null && waiting.next == null) {
                notIdle();
                return;
            }
        }
        super.onIdleExpired(timeout);
    }
}
