package dev.sand.frontend.hosts;

import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.InvocationStore;
import dev.sand.frontend.FakeHostAgent;
import dev.sand.hostlink.ClusterKey;
import dev.sand.hostlink.HostLinkServer;
import dev.sand.hostlink.LinkOptions;
import dev.sand.hostlink.SlotEpochs;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/** A fake host agent behind a real door on a free port. */
final class FakeHost implements AutoCloseable {
    static final ClusterKey KEY = ClusterKey.of("a key that all of the tests' cluster share".getBytes(StandardCharsets.UTF_8));

    final String name;
    final FakeHostAgent agent;
    final Path folder;
    volatile long epoch;
    private HostLinkServer server;

    FakeHost(String name, InvocationStore records, long epoch) throws IOException {
        this.name = name;
        this.epoch = epoch;
        this.folder = Files.createTempDirectory("sand-h");
        this.agent = new FakeHostAgent(records, Files.createDirectory(folder.resolve("bundles")));
        open(0);
    }

    final void open(int port) throws IOException {
        server = new HostLinkServer(new InetSocketAddress("127.0.0.1", port), new HostLinkServer.Parts(name, agent, new SlotEpochs() {
            @Override
            public int slots() {
                return HandMadeMembership.SLOTS;
            }

            @Override
            public long epoch(int slot) {
                return epoch;
            }
        }, KEY, folder.resolve("builds")), LinkOptions.DEFAULT);
    }

    int port() {
        return server.address().getPort();
    }

    String address() {
        return "127.0.0.1:" + port();
    }

    /** The connections break; whatever runs goes on. */
    void cut() {
        server.close();
    }

    @Override
    public void close() throws Exception {
        server.close();
        // A build's files are deleted behind its answer.
        Path builds = folder.resolve("builds");
        await().until(() -> !Files.exists(builds) || isEmpty(builds));
        try (var walk = Files.walk(folder)) {
            for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (var entries = Files.list(folder)) {
            return entries.findAny().isEmpty();
        }
    }
}
