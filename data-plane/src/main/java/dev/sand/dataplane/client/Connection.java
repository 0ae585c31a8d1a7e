package dev.sand.dataplane.client;

import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames.BadFrame;
import dev.sand.dataplane.Frames;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * One connection to a host's data plane: read by the thread of its process, written to by whoever calls. Who calls waits for no longer
 * than the call may take; a write that takes longer is ended with the connection, by whoever looks ({@link #isStuck}). What is small may wait
 * for the next call ({@link Outgoing}).
 */
final class Connection implements AutoCloseable {
    private static final String NAME = "sand-java";
    private static final int BUFFER_BYTES = 64 << 10;
    /** That a write may go on behind its call's deadline. */
    private static final long GRACE_NS = TimeUnit.SECONDS.toNanos(1);
    private static final Duration FAREWELL = Duration.ofMillis(100);
    /** What an answer of this size takes of its host's memory may wait for the next call. */
    private static final int SOON_TAKEN_BYTES = 4 << 20;

    /** The grant was not taken. */
    static final class Refused extends IOException {
        private static final long serialVersionUID = 1L;
        private final transient Frame.Refused frame;

        Refused(Frame.Refused frame) {
            super(frame.cause());
            this.frame = frame;
        }

        Frame.Refused frame() {
            return frame;
        }
    }

    /** The process is another host's: the next attempt need not wait. */
    static final class MovedAway extends IOException {
        private static final long serialVersionUID = 1L;

        private final String address;

        /** @param address where it is reached now; empty: the host does not know */
        MovedAway(String address) {
            super("the process is another host's");
            this.address = address;
        }

        String address() {
            return address;
        }
    }

    private final Socket plain;
    private final DataInputStream in;
    private final Outgoing out;
    private final Map<Long, Call> calls = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();
    /** When the host last took a part of a large value. */
    private volatile long takenNs = System.nanoTime();
    private Frame.Welcome welcome;
    /** Why this side has ended it; null: it has not. */
    private volatile Throwable ended;

    Connection(Place place, SSLContext tls, int timeoutMs) throws IOException {
        plain = new Socket();
        try {
            plain.connect(new InetSocketAddress(place.host(), place.port()), timeoutMs);
            plain.setTcpNoDelay(true);
            Socket socket = place.tls() ? encrypted(plain, place, tls) : plain;
            socket.setSoTimeout(timeoutMs);
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES));
            out = new Outgoing(socket.getOutputStream());
            ByteBuffer hello = Frames.encode(new Frame.Hello(Frames.VERSION, place.grant(), NAME));
            byte[] first = ByteBuffer.allocate(Frames.PREFACE.length + hello.remaining()).put(Frames.PREFACE).put(hello).array();
            socket.getOutputStream().write(first);
            switch (frame()) {
                case Frame.Welcome it -> welcome = it;
                case Frame.Refused refused -> throw new Refused(refused);
                case Frame.Moved moved -> throw new MovedAway(moved.address());
                case Frame.GoAway end -> throw sentAway(end);
                case null, default -> throw new IOException(place.host() + " does not answer as a data plane does");
            }
            socket.setSoTimeout(welcome.idleMs());
        } catch (IOException | RuntimeException | Error e) {
            plain.close();
            throw e;
        }
    }

    private static SSLSocket encrypted(Socket plain, Place place, SSLContext tls) throws IOException {
        SSLSocket made = (SSLSocket) tls.getSocketFactory().createSocket(plain, place.host(), place.port(), true);
        SSLParameters checked = made.getSSLParameters();
        checked.setEndpointIdentificationAlgorithm("HTTPS");
        made.setSSLParameters(checked);
        made.startHandshake();
        return made;
    }

    Frame.Welcome welcome() {
        return welcome;
    }

    /** Sends it, or what its time allows of it. @throws IOException when the connection is lost, and the call with it */
    void invoke(Call call) throws IOException, InterruptedException {
        long request = numbers.incrementAndGet();
        calls.put(request, call);
        // Its beginning goes with it: each write wakes the host.
        boolean goesOn = write(call, request, () -> {
            out.frame(Frames.encode(call.frame(request)));
            part(call, request, 0);
        });
        if (!goesOn) {
            calls.remove(request); // nobody knows of it
            return;
        }
        for (int at = welcome.partBytes(); goesOn && !call.isSmall() && at < call.input.bytes().length; at += welcome.partBytes()) {
            // Others' small frames go between two parts of a large one.
            int from = at;
            goesOn = write(call, request, () -> part(call, request, from));
        }
    }

    private void part(Call call, long request, int from) throws IOException {
        if (call.isSmall()) {
            return;
        }
        byte[] bytes = call.input.bytes();
        int length = Math.min(welcome.partBytes(), bytes.length - from);
        out.frame(Frames.head(new Frame.Part(request, ByteBuffer.wrap(bytes, from, length))));
        out.bytes(bytes, from, length);
        takenNs = System.nanoTime();
    }

    /** @return whether it was its turn in time, and it has not ended before */
    private boolean write(Call call, long request, Outgoing.Write what) throws IOException, InterruptedException {
        // A cancelled call's Cancel waits from when it has ended, and what waits goes first: nothing of the call comes behind it.
        return out.write(call.untilNs, () -> !call.future.isDone() && calls.containsKey(request), call.untilNs + GRACE_NS, what);
    }

    boolean isStuck() {
        return out.isStuck();
    }

    void cancel(Call call) {
        calls.forEach((request, known) -> {
            if (known == call) {
                send(new Frame.Cancel(request));
            }
        });
    }

    /** Later, when it is its turn: neither who reads nor who looks after the calls may wait for a host that reads nothing. */
    void send(Frame frame) {
        try {
            out.later(frame);
            sendWaiting();
        } catch (IOException e) {
            end(e);
        }
    }

    private Thread sendWaiting() {
        return Thread.startVirtualThread(() -> {
            try {
                out.writeWaiting(TimeUnit.MILLISECONDS.toNanos(welcome.idleMs()));
            } catch (IOException | RuntimeException | Error e) {
                end(e);
            }
        });
    }

    /** Now and then: what was to go with a call, and none has come. */
    void look() {
        if (out.isLeftWaiting()) {
            sendWaiting();
        }
    }

    /** Reads what comes next. @return a call that it ends, or null @throws IOException when the connection is of no use any more */
    Call read() throws IOException {
        switch (frame()) {
            case Frame.Result result -> {
                Call call = calls.get(result.request());
                return call != null && call.onResult(result) ? calls.remove(result.request()) : null;
            }
            case Frame.Part part -> {
                Call call = calls.get(part.request());
                if (call == null || !call.isWhole()) {
                    return null;
                }
                calls.remove(part.request());
                // Before anybody goes on, whose next call takes it along, or who closes.
                out.later(new Frame.Got(part.request()));
                call.end();
                if (!calls.isEmpty() || call.memory().length > SOON_TAKEN_BYTES) {
                    sendWaiting(); // else with the next call, which is not far as a rule, or when somebody looks
                }
                return call;
            }
            case Frame.Failed failed -> {
                Call call = calls.remove(failed.request());
                if (call != null) {
                    call.onFailed(failed);
                }
                return call;
            }
            case Frame.Moved moved -> throw new MovedAway(moved.address());
            case Frame.GoAway end -> throw sentAway(end);
            case Frame.Ping ping -> send(new Frame.Pong(ping.number()));
            case null, default -> { }
        }
        return null;
    }

    private static IOException sentAway(Frame.GoAway end) {
        return new IOException("the host ends the connection: " + end.error() + ": " + end.cause());
    }

    /** It answers pings: a host that says nothing for so long, and takes nothing either, has gone. */
    private int first() throws IOException {
        while (true) {
            try {
                return in.readUnsignedByte();
            } catch (SocketTimeoutException e) {
                if (welcome == null || System.nanoTime() - takenNs > TimeUnit.MILLISECONDS.toNanos(welcome.idleMs())) {
                    throw new IOException("nothing was heard of the host, not even an answer to pings", e);
                }
            }
        }
    }

    /** A part's bytes have gone to where they belong. */
    private Frame frame() throws IOException {
        try {
            int length = first() << 24 | in.readUnsignedByte() << 16 | in.readUnsignedShort();
            byte kind = in.readByte();
            if (length < 1 || length > Frames.limit(kind)) {
                throw new BadFrame("a frame of " + Integer.toUnsignedString(length) + " bytes");
            }
            if (kind == Frames.PART && length >= 1 + Long.BYTES) {
                long request = in.readLong();
                int left = length - 1 - Long.BYTES;
                Call call = calls.get(request);
                if (call == null) {
                    in.skipNBytes(left);
                } else {
                    int at = call.place(left);
                    in.readFully(call.memory(), at, left);
                }
                return new Frame.Part(request, ByteBuffer.allocate(0));
            }
            byte[] frame = new byte[length];
            frame[0] = kind;
            in.readFully(frame, 1, length - 1);
            return Frames.decode(ByteBuffer.wrap(frame));
        } catch (BadFrame e) {
            throw new IOException(e.getMessage(), e);
        } catch (EOFException e) {
            throw new IOException("the host has closed the connection", e);
        } catch (IOException e) {
            throw ended == null ? e : new IOException(Reconnecting.reason(ended), ended);
        }
    }

    /** With what was to go with the next call, as far as the host takes it. */
    void finish() {
        try {
            sendWaiting().join(FAREWELL);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        close();
    }

    /** It is of no use any more: half a frame may have been written. Whoever reads finds out, and says why. */
    void end(Throwable why) {
        ended = why;
        close();
    }

    /** Without a farewell over TLS: that would wait for a write that is stuck. */
    @Override
    public void close() {
        try {
            plain.close();
        } catch (IOException e) {
            // It was closed by the other side.
        }
    }
}
