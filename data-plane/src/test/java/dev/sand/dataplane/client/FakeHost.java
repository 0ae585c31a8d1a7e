package dev.sand.dataplane.client;

import com.sun.net.httpserver.HttpServer;
import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;

/** A host that welcomes a client, and then says nothing, or what a test wants; and a control plane that names it, or says something else. */
final class FakeHost implements AutoCloseable {
    final List<Socket> connections = new CopyOnWriteArrayList<>();
    final LinkedBlockingQueue<Frame> heard = new LinkedBlockingQueue<>();
    /** Queries and paths of who has asked for a grant. */
    final List<String> asked = new CopyOnWriteArrayList<>();
    final List<String> paths = new CopyOnWriteArrayList<>();
    volatile Frame greeting = welcome(60_000, 2);
    volatile boolean reads;
    volatile boolean moves;
    volatile int status = 200;
    /** What the control plane answers. */
    volatile String grant;
    /** What is said to an invocation, while the host reads. */
    volatile Function<Frame.Invoke, List<Frame>> answers = invoke -> List.of();
    private final ServerSocket host = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    private final HttpServer control = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);

    FakeHost() throws IOException {
        grant = goodGrant();
        Thread.startVirtualThread(this::accept);
        control.createContext("/", exchange -> {
            asked.add(String.valueOf(exchange.getRequestURI().getQuery()));
            paths.add(exchange.getRequestURI().getRawPath());
            byte[] answer = grant.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        control.start();
    }

    static Frame welcome(int idleMs, int inFlight) {
        return new Frame.Welcome(Frames.VERSION, "h", "p", 1, System.currentTimeMillis(), inFlight, 1L << 28, 256 << 10, idleMs);
    }

    String goodGrant() {
        return "{\"address\": \"127.0.0.1:" + host.getLocalPort() + "\", \"tls\": false, \"grant\": \"g\"}";
    }

    URI server() {
        return URI.create("http://127.0.0.1:" + control.getAddress().getPort());
    }

    void stopControl() {
        control.stop(0);
    }

    @Override
    public void close() throws IOException {
        control.stop(0);
        host.close();
        for (Socket connection : connections) {
            connection.close();
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = host.accept();
                Thread.startVirtualThread(() -> serve(socket));
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    private void serve(Socket socket) {
        try {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            in.readNBytes(Frames.PREFACE.length);
            frame(in);
            write(socket, greeting);
            connections.add(socket);
            while (reads) {
                Frame frame = frame(in);
                heard.add(frame);
                if (frame instanceof Frame.Invoke invoke) {
                    for (Frame answer : moves ? List.of(new Frame.Moved(invoke.request(), "10.0.0.9:7265")) : answers.apply(invoke)) {
                        write(socket, answer);
                    }
                }
            }
        } catch (IOException e) {
            // It has hung up.
        }
    }

    private static Frame frame(DataInputStream in) throws IOException {
        return Frames.decode(ByteBuffer.wrap(in.readNBytes(in.readInt())));
    }

    private static void write(Socket socket, Frame frame) throws IOException {
        ByteBuffer bytes = Frames.encode(frame);
        socket.getOutputStream().write(bytes.array(), bytes.position(), bytes.remaining());
    }
}
