package dev.sand.globalbus;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Passes connections on, until it is cut: then they stay and nothing comes through, as with a cable. What was on its way comes late. */
public final class CuttableLine implements AutoCloseable {
    private final ServerSocket server;
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private volatile CompletableFuture<Void> whole = CompletableFuture.completedFuture(null);
    private volatile int address;
    private volatile boolean refusing;
    private volatile int target;

    public CuttableLine() {
        try {
            server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return server.getLocalPort();
    }

    public void leadTo(int port) {
        target = port;
        Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    Socket from = server.accept();
                    if (refusing) {
                        from.close();
                        continue;
                    }
                    sockets.add(from);
                    Thread.ofVirtual().start(() -> connect(from));
                }
            } catch (IOException e) {
                // closed
            }
        });
    }

    private void connect(Socket from) {
        int under = address;
        try {
            Socket to = new Socket(InetAddress.getLoopbackAddress(), target);
            sockets.add(to);
            Thread.ofVirtual().start(() -> pass(from, to, under));
            pass(to, from, under);
        } catch (IOException e) {
            close(from);
        }
    }

    private void pass(Socket from, Socket to, int under) {
        byte[] bytes = new byte[16 << 10];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
                whole.join();
                if (under == address) {
                    out.write(bytes, 0, n);
                }
            }
        } catch (IOException e) {
            // one end is gone
        }
        close(from);
        close(to);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void cut() {
        whole = new CompletableFuture<>();
    }

    /** As when the network is gone, and known to be: connections break, and there are no new ones. */
    public void breakOff() {
        refusing = true;
        for (Socket socket = sockets.poll(); socket != null; socket = sockets.poll()) {
            close(socket);
        }
    }

    public void mend() {
        refusing = false;
        whole.complete(null);
    }

    /** As when the host comes back under another address: what was connected before stays so, and hears nothing ever again. */
    public void mendUnderAnotherAddress() {
        address++;
        mend();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        mend();
        sockets.forEach(CuttableLine::close);
    }
}
