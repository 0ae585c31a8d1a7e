package dev.sand.hostagent.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The shards' part for tests: the other end of the stand-in supervisor, which runs Python inside the sandbox on demand. */
final class TestSockets implements SandboxSockets {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Override
    public Endpoint open(String place, Path directory) throws IOException {
        return new Endpoint(directory);
    }

    static final class Endpoint implements SandboxEndpoint {
        private final Path directory;
        private final String token = UUID.randomUUID().toString();
        private final List<ServerSocketChannel> listening = new ArrayList<>();
        private final CompletableFuture<Void> ready = new CompletableFuture<>();
        private final CompletableFuture<Void> lost = new CompletableFuture<>();
        private final CompletableFuture<String> presented = new CompletableFuture<>();
        private volatile SocketChannel supervisor;
        private BufferedReader reader;
        private BufferedWriter writer;
        private CompletableFuture<String> reply;

        Endpoint(Path directory) throws IOException {
            this.directory = directory;
            for (String name : List.of("bus.sock", "data.sock", "log.sock")) {
                ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                channel.bind(UnixDomainSocketAddress.of(directory.resolve(name)));
                listening.add(channel);
            }
            Thread.ofVirtual().start(this::serve);
        }

        private void serve() {
            try {
                supervisor = listening.getFirst().accept();
                reader = new BufferedReader(Channels.newReader(supervisor, StandardCharsets.UTF_8));
                writer = new BufferedWriter(Channels.newWriter(supervisor, StandardCharsets.UTF_8));
                presented.complete(reader.readLine());
                ready.complete(null);
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    reply.complete(line);
                }
            } catch (IOException closed) {
                presented.completeExceptionally(closed);
            }
            lost.complete(null);
        }

        /** What the Python prints, run by process 1 inside. */
        String run(String python) {
            JsonNode answer = answer(python);
            if (answer.has("error")) {
                throw new AssertionError(answer.get("error").asText());
            }
            return answer.get("out").asText();
        }

        /** The traceback of Python that is expected to fail. */
        String failure(String python) {
            JsonNode answer = answer(python);
            if (!answer.has("error")) {
                throw new AssertionError("it succeeded: " + answer.get("out").asText());
            }
            return answer.get("error").asText();
        }

        private JsonNode answer(String python) {
            try {
                reply = new CompletableFuture<>();
                writer.write(JSON.writeValueAsString(python) + "\n");
                writer.flush();
                return JSON.readTree(reply.orTimeout(60, TimeUnit.SECONDS).join());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        String presentedToken() {
            return presented.join();
        }

        @Override
        public Path directory() {
            return directory;
        }

        @Override
        public String token() {
            return token;
        }

        @Override
        public CompletableFuture<Void> supervisorReady() {
            return ready;
        }

        @Override
        public CompletableFuture<Void> supervisorLost() {
            return lost;
        }

        @Override
        public void close() {
            try {
                for (ServerSocketChannel channel : listening) {
                    channel.close();
                }
                if (supervisor != null) {
                    supervisor.close();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
