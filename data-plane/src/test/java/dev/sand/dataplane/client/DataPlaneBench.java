package dev.sand.dataplane.client;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * Echoes from Java, in turns of a block of each: a function in a cloud process, and bare TCP echoes on the same machine. Prints a
 * line a sample: what, bytes, nanoseconds. Arguments: the platform's URL, application, blocks, calls a block, seconds that each
 * size is called for before the first is measured.
 */
final class DataPlaneBench {
    private static final int[] SIZES = {10, 1 << 10, 64 << 10, 1 << 20, 5 << 20};
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private DataPlaneBench() {}

    public static void main(String[] arguments) throws Exception {
        int blocks = Integer.parseInt(arguments[2]);
        int calls = Integer.parseInt(arguments[3]);
        Duration warm = Duration.ofSeconds(Integer.parseInt(arguments[4]));
        try (ProcessClient process = ProcessClient.connect(URI.create(arguments[0]), arguments[1], "bench-java");
                ServerSocket whole = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket stream = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket tcp = echoing(whole, DataPlaneBench::whole);
                Socket streamed = echoing(stream, DataPlaneBench::asItComes)) {
            for (int size : SIZES) {
                Value value = Value.bytes(new byte[size]);
                for (long begin = System.nanoTime(); System.nanoTime() - begin < warm.toNanos();) {
                    process.invoke("echo", value, PATIENCE);
                }
            }
            for (int size : SIZES) {
                Value value = Value.bytes(new byte[size]);
                for (int block = -1; block < blocks; block++) {
                    boolean counts = block >= 0;
                    timed("plane", size, calls, counts, () -> process.invoke("echo", value, PATIENCE));
                    timed("tcp", size, calls, counts, () -> thereAndBack(tcp, value.bytes(), true));
                    timed("stream", size, calls, counts, () -> thereAndBack(streamed, value.bytes(), false));
                }
            }
        }
    }

    @FunctionalInterface
    private interface Echo {
        void run(Socket socket) throws IOException;
    }

    @FunctionalInterface
    private interface Call {
        void run() throws Exception;
    }

    private static void timed(String what, int size, int calls, boolean counts, Call call) throws Exception {
        long[] took = new long[calls];
        for (int each = 0; each < calls; each++) {
            long begin = System.nanoTime();
            call.run();
            took[each] = System.nanoTime() - begin;
        }
        for (int each = 0; counts && each < calls; each++) {
            System.out.println(what + " " + size + " " + took[each]);
        }
    }

    private static Socket echoing(ServerSocket server, Echo echo) throws IOException {
        Thread.ofPlatform().daemon().start(() -> {
            try (Socket socket = server.accept()) {
                socket.setTcpNoDelay(true);
                echo.run(socket);
            } catch (EOFException e) {
                // The bench is over.
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
        socket.setTcpNoDelay(true);
        return socket;
    }

    private static void thereAndBack(Socket socket, byte[] value, boolean withLength) throws IOException {
        if (withLength) {
            socket.getOutputStream().write(ByteBuffer.allocate(4).putInt(value.length).array());
        }
        socket.getOutputStream().write(value);
        new DataInputStream(socket.getInputStream()).readFully(new byte[value.length]);
    }

    /** What a server does that has to have a value whole, as a function has. */
    private static void whole(Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] value = new byte[SIZES[SIZES.length - 1]];
        while (true) {
            int length = in.readInt();
            in.readFully(value, 0, length);
            socket.getOutputStream().write(value, 0, length);
        }
    }

    private static void asItComes(Socket socket) throws IOException {
        byte[] buffer = new byte[1 << 20];
        for (int got = socket.getInputStream().read(buffer); got >= 0; got = socket.getInputStream().read(buffer)) {
            socket.getOutputStream().write(buffer, 0, got);
        }
    }
}
