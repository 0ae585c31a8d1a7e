package dev.sand.hostagent;

import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A client of a data plane in a test's hands, frame by frame, over TCP or a WebSocket. What it is sent it reads at once. */
abstract class DataPlaneClient implements AutoCloseable {
    private final BlockingQueue<Frame> came = new LinkedBlockingQueue<>();

    static DataPlaneClient overTcp(int port) throws IOException {
        return new OverTcp(new Socket("127.0.0.1", port));
    }

    static DataPlaneClient overWebSocket(int port) throws IOException {
        return new OverWebSocket(port);
    }

    abstract void send(byte[] bytes) throws IOException;

    abstract void ping() throws IOException;

    @Override
    public abstract void close() throws IOException;

    /** The host may stop reading it. */
    final void sendInTheBackground(byte[] first, byte[] then) {
        inTheBackground(() -> {
            send(first);
            send(then);
        });
    }

    final void pingInTheBackground(int times, byte[] then) {
        inTheBackground(() -> {
            for (int each = 0; each < times; each++) {
                ping();
            }
            send(then);
        });
    }

    private interface Step {
        void run() throws IOException;
    }

    private static void inTheBackground(Step step) {
        Thread.ofVirtual().start(() -> {
            try {
                step.run();
            } catch (IOException | CompletionException e) {
                // The test has ended before all was sent.
            }
        });
    }

    final Frame next() throws InterruptedException {
        Frame next = came.poll(OpenDataPlane.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("nothing came for " + OpenDataPlane.PATIENCE);
        }
        return next;
    }

    final void read(DataInputStream in) {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                while (true) {
                    came.add(Frames.decode(ByteBuffer.wrap(in.readNBytes(in.readInt()))));
                }
            } catch (IOException e) {
                // It was closed.
            }
        });
    }

    private static final class OverTcp extends DataPlaneClient {
        private final Socket socket;

        OverTcp(Socket socket) throws IOException {
            this.socket = socket;
            read(new DataInputStream(socket.getInputStream()));
        }

        @Override
        void send(byte[] bytes) throws IOException {
            socket.getOutputStream().write(bytes);
        }

        @Override
        void ping() {
            throw new UnsupportedOperationException("only a WebSocket has its own");
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static final class OverWebSocket extends DataPlaneClient {
        private final HttpClient http = HttpClient.newHttpClient();
        private final WebSocket socket;

        OverWebSocket(int port) throws IOException {
            PipedInputStream in = new PipedInputStream(1 << 20);
            OutputStream out = new PipedOutputStream(in);
            read(new DataInputStream(in));
            socket = http.newWebSocketBuilder().buildAsync(URI.create("ws://127.0.0.1:" + port + "/data"), new WebSocket.Listener() {
                @Override
                public CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
                    byte[] bytes = new byte[data.remaining()];
                    data.get(bytes);
                    try {
                        out.write(bytes);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                    from.request(1);
                    return null;
                }
            }).join();
        }

        @Override
        void send(byte[] bytes) {
            socket.sendBinary(ByteBuffer.wrap(bytes), true).join();
        }

        @Override
        void ping() {
            socket.sendPing(ByteBuffer.allocate(0)).join();
        }

        @Override
        public void close() {
            socket.abort();
            http.shutdownNow();
        }
    }
}
