package dev.sand.standalone;

import static org.awaitility.Awaitility.await;

import dev.sand.globalbus.FreePort;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** A host agent or a frontend as a process of its own, as it is run in a cluster; what it says is kept. */
final class PartProcess implements AutoCloseable {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    final String id;
    final int port;
    private final int healthPort;
    private final Process process;
    private final Queue<String> said = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<String> ready = new CompletableFuture<>();

    /** @param port of its door: for other hosts and frontends, or for clients */
    private PartProcess(Path home, String id, int port, List<String> jvm, List<String> options) {
        this.id = id;
        this.port = port;
        this.healthPort = FreePort.next();
        // Dozens are started, and live for seconds: the second compiler and the rehearsal would never pay.
        List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElseThrow(), "-Xmx256m",
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dsand.test.rehearsal=off", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(jvm);
        // Not the tests' own, which other modules' test jars bring.
        command.add("-Dlogback.configurationFile=" + Main.class.getResource("/logback.xml"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName(), "--home=" + home.resolve(id),
                "--host-id=" + id, "--health-listen=127.0.0.1:" + healthPort, "--drain=2s", "--management=off"));
        command.addAll(options);
        try {
            process = new ProcessBuilder(command).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(() -> process.errorReader().lines().forEach(said::add));
        Thread.ofVirtual().start(() -> {
            try (BufferedReader out = process.inputReader()) {
                ready.complete(String.valueOf(out.readLine()));
            } catch (IOException e) {
                ready.completeExceptionally(e);
            }
        });
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    }

    static PartProcess host(Path home, String id, List<String> jvm, List<String> options) {
        int port = FreePort.next();
        List<String> all = new ArrayList<>(List.of("--role=host", "--agent-listen=127.0.0.1:" + port,
                "--advertise=127.0.0.1:" + port, "--sandbox=process", "--pool=0"));
        all.addAll(options);
        return new PartProcess(home, id, port, jvm, all);
    }

    static PartProcess frontend(Path home, String id, List<String> jvm, List<String> options) {
        int port = FreePort.next();
        List<String> all = new ArrayList<>(List.of("--role=frontend", "--listen=127.0.0.1:" + port));
        all.addAll(options);
        return new PartProcess(home, id, port, jvm, all);
    }

    /** All that it has said on stderr. */
    String said() {
        return String.join("\n", said);
    }

    /** Its line on stdout. */
    boolean isReady() {
        return ready.isDone() && ready.join().startsWith("ready ");
    }

    void awaitReady() {
        await().atMost(ClusterProcesses.PATIENCE).until(() -> isReady() || !isAlive());
        if (!isReady()) {
            throw new IllegalStateException(id + " has not started; it said\n" + said());
        }
    }

    void kill() {
        process.destroyForcibly();
    }

    /** @param name STOP: it stands still, and the processes of its sandboxes do not; or CONT */
    void signal(String name) throws IOException, InterruptedException {
        int exit = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
        if (exit != 0) {
            throw new IllegalStateException("kill -" + name + " of " + id + " exits with " + exit);
        }
    }

    /** @return status and body, as {@code 503 {…}}; empty while nobody listens */
    String health(String path) {
        return get("http://127.0.0.1:" + healthPort + path);
    }

    static String get(String address) {
        try {
            HttpResponse<String> answer = CLIENT.send(HttpRequest.newBuilder(URI.create(address)).build(),
                    HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() + " " + answer.body();
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** SIGTERM. @return its exit code */
    int terminate() {
        process.toHandle().destroy(); // unlike the process's own method, it leaves the pipes to be read
        return exit();
    }

    /** Waits for its end. */
    int exit() {
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException(id + " does not end; it said\n" + said());
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        terminate();
    }
}
