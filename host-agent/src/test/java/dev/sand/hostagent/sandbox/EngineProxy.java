package dev.sand.hostagent.sandbox;

import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Stands between us and the Docker engine: counts requests, and can go away or fall silent as an engine does. */
final class EngineProxy implements Closeable {
    private static final Path ENGINE = Path.of("/var/run/docker.sock");

    private enum Mode { FORWARD, CUT, SILENT }

    private final Path socket;
    private final ServerSocketChannel server;
    private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private volatile Mode mode = Mode.FORWARD;

    EngineProxy(Path folder) throws IOException {
        socket = folder.resolve("engine.sock");
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        Thread.ofVirtual().start(this::accept);
    }

    String address() {
        return "unix://" + socket;
    }

    /** The request lines so far. */
    List<String> requests() {
        return List.copyOf(requests);
    }

    /** The engine is stopped: what is connected breaks, and nothing can be reached. */
    void cut() throws IOException {
        mode = Mode.CUT;
        for (SocketChannel channel : open) {
            channel.close();
        }
    }

    /** The engine hangs: it takes requests and answers none. */
    void silence() {
        mode = Mode.SILENT;
    }

    void restore() {
        mode = Mode.FORWARD;
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel client = server.accept();
                if (mode == Mode.CUT) {
                    client.close();
                    continue;
                }
                SocketChannel engine = SocketChannel.open(UnixDomainSocketAddress.of(ENGINE));
                open.add(client);
                open.add(engine);
                Thread.ofVirtual().start(() -> copy(client, engine, true));
                Thread.ofVirtual().start(() -> copy(engine, client, false));
            }
        } catch (IOException closed) {
            open.clear();
        }
    }

    private void copy(SocketChannel from, SocketChannel to, boolean asks) {
        ByteBuffer buffer = ByteBuffer.allocate(64 * 1024);
        try (from; to) {
            while (from.read(buffer.clear()) >= 0) {
                buffer.flip();
                if (asks) {
                    String text = StandardCharsets.ISO_8859_1.decode(buffer.duplicate()).toString();
                    text.lines().filter(line -> line.endsWith(" HTTP/1.1")).forEach(requests::add);
                }
                if (mode == Mode.SILENT) {
                    continue;
                }
                while (buffer.hasRemaining()) {
                    to.write(buffer);
                }
            }
        } catch (IOException closed) {
            open.remove(from);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        cut();
        Files.deleteIfExists(socket);
    }
}
