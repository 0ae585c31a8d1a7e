package dev.sand.frontend.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Invocable;

/**
 * Reads a request's content without blocking, up to a limit. A small body of known length is written once, into an array of
 * just that size; a large one takes memory only as it arrives. Whoever sends more than the limit is read on for a while,
 * since an answer sent against an open stream is often lost to a reset.
 */
public final class Body implements Invocable.Task {
    /** What comes of it; called once. */
    public interface Listener {
        /** @param content from its position to its limit, with an array */
        void onBody(ByteBuffer content);

        void onTooLarge(long limit, long actual);

        /** The client broke off in the middle. */
        void onGone(Throwable cause);

        /** The client is there, and the whole body is not, after {@code received} bytes. */
        void onSlow(long received);
    }

    private static final int FIRST_BYTES = 64 * 1024;
    private static final int PART_BYTES = 8 * 1024;
    /** Whoever sends a byte now and then holds a place among the requests in flight no longer than this. */
    private static final long LONGEST_NS = 300_000_000_000L;
    private static final long DISCARD_BYTES = 1L << 30;
    private static final long DISCARD_NS = 30_000_000_000L;
    private static final byte[] NONE = {};
    private final Request request;
    private final int limit;
    private final Listener listener;
    private final long length;
    private byte[] content;
    private final long beganNs = System.nanoTime();
    private long received;

    private Body(Request request, int limit, Listener listener) {
        this.request = request;
        this.limit = limit;
        this.listener = listener;
        this.length = request.getLength();
        this.content = length == 0 || length > limit ? NONE : new byte[(int) Math.min(length < 0 ? 8192 : length, FIRST_BYTES)];
    }

    public static void read(Request request, int limit, Listener listener) {
        if (request.getLength() > limit && request.getHeaders().contains(HttpHeader.EXPECT)) {
            listener.onTooLarge(limit, request.getLength());
            return;
        }
        new Body(request, limit, listener).run();
    }

    /** Reads what is left of the body and forgets it; {@code then} runs even when the client breaks off in the middle. */
    static void discard(Request request, Runnable then) {
        read(request, 0, new Listener() {
            @Override
            public void onBody(ByteBuffer content) {
                then.run();
            }

            @Override
            public void onTooLarge(long limit, long actual) {
                then.run();
            }

            @Override
            public void onGone(Throwable cause) {
                then.run();
            }

            @Override
            public void onSlow(long received) {
                then.run();
            }
        });
    }

    /** Blocks until the body is there. @throws ProblemException when it is over the limit, or not whole in time */
    public static byte[] readAll(Request request, int limit, String what) throws IOException {
        return readAll(request, limit, what, LONGEST_NS);
    }

    static byte[] readAll(Request request, int limit, String what, long longestNs) throws IOException {
        if (request.getLength() > limit) {
            throw Problems.tooLarge(what, limit, request.getLength()).asException();
        }
        long beganNs = System.nanoTime();
        InputStream in = Content.Source.asInputStream(request);
        ByteArrayOutputStream whole = new ByteArrayOutputStream((int) Math.clamp(request.getLength(), 32, FIRST_BYTES));
        byte[] part = new byte[PART_BYTES];
        for (int n = in.read(part); n >= 0; n = in.read(part)) {
            whole.write(part, 0, n);
            if (whole.size() > limit) {
                throw Problems.tooLarge(what, limit, whole.size()).asException();
            }
            if (System.nanoTime() - beganNs > longestNs) {
                throw Problems.bodyTooSlow(whole.size()).asException();
            }
        }
        return whole.toByteArray();
    }

    @Override
    public InvocationType getInvocationType() {
        return InvocationType.NON_BLOCKING;
    }

    @Override
    public void run() {
        while (true) {
            Content.Chunk chunk = request.read();
            if (chunk == null) {
                request.demand(this);
                return;
            }
            if (Content.Chunk.isFailure(chunk)) {
                if (chunk.isLast()) {
                    listener.onGone(chunk.getFailure());
                } else { // the connection's idle time-out: nothing is broken, and nothing comes
                    listener.onSlow(received);
                }
                return;
            }
            keep(chunk.getByteBuffer());
            boolean last = chunk.isLast();
            chunk.release();
            if (last || received > limit && isEnough()) {
                end();
                return;
            }
            if (System.nanoTime() - beganNs > LONGEST_NS) {
                listener.onSlow(received);
                return;
            }
        }
    }

    private boolean isEnough() {
        return received > DISCARD_BYTES || System.nanoTime() - beganNs > DISCARD_NS;
    }

    private void keep(ByteBuffer bytes) {
        int size = bytes.remaining();
        int at = (int) Math.min(received, limit);
        received += size;
        if (received > limit || length > limit) {
            return;
        }
        if (content.length < received) {
            long most = length > 0 ? length : limit;
            content = Arrays.copyOf(content, (int) Math.min(most, Math.max(received, content.length * 2L)));
        }
        bytes.get(content, at, size);
    }

    private void end() {
        long actual = Math.max(received, length);
        if (actual > limit) {
            listener.onTooLarge(limit, actual);
        } else {
            listener.onBody(ByteBuffer.wrap(content, 0, (int) received));
        }
    }
}
