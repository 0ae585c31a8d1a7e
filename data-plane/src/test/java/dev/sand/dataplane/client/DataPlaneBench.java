package dev.sand.dataplane.client;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;

/**
 * Echoes from Java, in turns: a function in a cloud process, and a bare TCP echo on the same machine. Prints a line a sample: what,
 * bytes, nanoseconds. Arguments: the platform's URL, application, rounds.
 */
final class DataPlaneBench {
    private static final int[] SIZES = {10, 1 << 10, 64 << 10, 1 << 20, 5 << 20};
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private DataPlaneBench() {}

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[2]);
        try (ProcessClient process = ProcessClient.connect(URI.create(arguments[0]), arguments[1], "bench-java");
                ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> echo(server));
            try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                socket.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(socket.getInputStream());
                for (int size : SIZES) {
                    Value value = Value.bytes(new byte[size]);
                    int count = size > 100_000 ? rounds / 5 : rounds;
                    for (int round = -count / 2; round < count; round++) {
                        long begin = System.nanoTime();
                        process.invoke("echo", value, PATIENCE);
                        long between = System.nanoTime();
                        socket.getOutputStream().write(value.bytes());
                        in.readFully(new byte[size]);
                        long end = System.nanoTime();
                        if (round >= 0) {
                            System.out.println("plane " + size + " " + (between - begin) + "\ntcp " + size + " " + (end - between));
                        }
                    }
                }
            }
        }
    }

    /** What comes goes back as it comes. */
    private static void echo(ServerSocket server) {
        try (Socket socket = server.accept()) {
            socket.setTcpNoDelay(true);
            byte[] buffer = new byte[1 << 20];
            for (int got = socket.getInputStream().read(buffer); got >= 0; got = socket.getInputStream().read(buffer)) {
                socket.getOutputStream().write(buffer, 0, got);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
