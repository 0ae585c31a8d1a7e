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
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** One connection to a host's data plane: read by the thread of its process, written to by whoever calls. */
final class Connection implements AutoCloseable {
    private static final String NAME = "sand-java";
    private static final int BUFFER_BYTES = 64 << 10;

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

        MovedAway() {
            super("the process is another host's");
        }
    }

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private final ReentrantLock writing = new ReentrantLock();
    private final Map<Long, Call> calls = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();
    private final Frame.Welcome welcome;

    Connection(Place place, SSLContext tls, int timeoutMs) throws IOException {
        Socket plain = new Socket();
        try {
            plain.connect(new InetSocketAddress(place.host(), place.port()), timeoutMs);
            plain.setTcpNoDelay(true);
            socket = place.tls() ? encrypted(plain, place, tls) : plain;
            socket.setSoTimeout(timeoutMs);
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES));
            out = socket.getOutputStream();
            ByteBuffer hello = Frames.encode(new Frame.Hello(Frames.VERSION, place.grant(), NAME));
            byte[] first = ByteBuffer.allocate(Frames.PREFACE.length + hello.remaining()).put(Frames.PREFACE).put(hello).array();
            out.write(first);
            switch (frame()) {
                case Frame.Welcome it -> welcome = it;
                case Frame.Refused refused -> throw new Refused(refused);
                case Frame.Moved moved -> throw new MovedAway();
                case null, default -> throw new IOException(place.host() + " does not answer as a data plane does");
            }
            socket.setSoTimeout(0);
        } catch (IOException | RuntimeException e) {
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

    /** Sends it. @throws IOException when the connection is lost, and the call with it */
    void invoke(Call call) throws IOException {
        long request = numbers.incrementAndGet();
        calls.put(request, call);
        write(Frames.encode(call.frame(request)));
        byte[] bytes = call.input.bytes();
        for (int at = 0; !call.isSmall() && at < bytes.length && calls.containsKey(request); at += welcome.partBytes()) {
            // Others' small frames go between two parts of a large one.
            int length = Math.min(welcome.partBytes(), bytes.length - at);
            Frame.Part part = new Frame.Part(request, ByteBuffer.wrap(bytes, at, length));
            writing.lock();
            try {
                ByteBuffer head = Frames.head(part);
                out.write(head.array(), 0, head.remaining());
                out.write(bytes, at, length);
            } finally {
                writing.unlock();
            }
        }
    }

    void cancel(Call call) {
        calls.forEach((request, known) -> {
            if (known == call) {
                send(new Frame.Cancel(request));
            }
        });
    }

    void send(Frame frame) {
        try {
            write(Frames.encode(frame));
        } catch (IOException e) {
            close(); // whoever reads finds out
        }
    }

    private void write(ByteBuffer frame) throws IOException {
        writing.lock();
        try {
            out.write(frame.array(), frame.position(), frame.remaining());
        } finally {
            writing.unlock();
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
            case Frame.Moved moved -> throw new MovedAway();
            case Frame.GoAway end -> throw new IOException("the host ends the connection: " + end.cause());
            case Frame.Ping ping -> send(new Frame.Pong(ping.number()));
            case null, default -> { }
        }
        return null;
    }

    /** A part's bytes have gone to where they belong. */
    private Frame frame() throws IOException {
        try {
            int length = in.readInt();
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
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // It was closed by the other side.
        }
    }
}
