package dev.sand.dataplane.client;

import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames.BadFrame;
import dev.sand.dataplane.Frames;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * One connection to a host's data plane: read by the thread of its process, written to by whoever calls. Who calls waits for no longer
 * than the call may take; a write that takes longer is ended with the connection, by whoever looks ({@link #isStuck}).
 */
final class Connection implements AutoCloseable {
    private static final String NAME = "sand-java";
    private static final int BUFFER_BYTES = 64 << 10;
    /** That a write may go on behind its call's deadline. */
    private static final long GRACE_NS = TimeUnit.SECONDS.toNanos(1);

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
    private final OutputStream out;
    private final ReentrantLock writing = new ReentrantLock();
    private final Map<Long, Call> calls = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();
    /** Until when what is being written may take; 0: nothing is. */
    private volatile long writingUntilNs;
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
            out = socket.getOutputStream();
            ByteBuffer hello = Frames.encode(new Frame.Hello(Frames.VERSION, place.grant(), NAME));
            byte[] first = ByteBuffer.allocate(Frames.PREFACE.length + hello.remaining()).put(Frames.PREFACE).put(hello).array();
            out.write(first);
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
        if (!write(call, request, () -> writeAll(Frames.encode(call.frame(request))))) {
            calls.remove(request); // nobody knows of it
            return;
        }
        byte[] bytes = call.input.bytes();
        boolean goesOn = !call.isSmall();
        for (int at = 0; goesOn && at < bytes.length; at += welcome.partBytes()) {
            // Others' small frames go between two parts of a large one.
            int from = at;
            int length = Math.min(welcome.partBytes(), bytes.length - at);
            goesOn = write(call, request, () -> {
                writeAll(Frames.head(new Frame.Part(request, ByteBuffer.wrap(bytes, from, length))));
                out.write(bytes, from, length);
                takenNs = System.nanoTime();
            });
        }
    }

    @FunctionalInterface
    private interface Write {
        void run() throws IOException;
    }

    /** @return whether it was its turn in time, and it has not ended before */
    private boolean write(Call call, long request, Write what) throws IOException, InterruptedException {
        if (!writing.tryLock(call.untilNs - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            return false;
        }
        try {
            // A cancelled call's Cancel is written under the lock too: nothing of the call comes behind it.
            if (call.future.isDone() || !calls.containsKey(request)) {
                return false;
            }
            during(call.untilNs + GRACE_NS, what);
            return true;
        } finally {
            writing.unlock();
        }
    }

    private void during(long untilNs, Write what) throws IOException {
        writingUntilNs = untilNs | 1;
        try {
            what.run();
        } finally {
            writingUntilNs = 0;
        }
    }

    private void writeAll(ByteBuffer frame) throws IOException {
        out.write(frame.array(), frame.position(), frame.remaining());
    }

    /** Something is being written for longer than it may take. */
    boolean isStuck() {
        long untilNs = writingUntilNs;
        return untilNs != 0 && System.nanoTime() - untilNs > 0;
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
        Thread.startVirtualThread(() -> {
            writing.lock();
            try {
                during(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(welcome.idleMs()), () -> writeAll(Frames.encode(frame)));
            } catch (IOException | RuntimeException | Error e) {
                end(e);
            } finally {
                writing.unlock();
            }
        });
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
                if (call == null || !call.end()) {
                    return null;
                }
                send(new Frame.Got(part.request()));
                return calls.remove(part.request());
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
