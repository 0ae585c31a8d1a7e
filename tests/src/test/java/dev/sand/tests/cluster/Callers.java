package dev.sand.tests.cluster;

import static org.awaitility.Awaitility.await;

import dev.sand.dataplane.client.ProcessClient;
import dev.sand.dataplane.client.Value;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A Java and a Python client of one process over the data plane, each with many invocations in flight, until they are told to end. */
final class Callers implements AutoCloseable {
    private static final Duration LONGEST = Duration.ofSeconds(150);
    private static final int IN_FLIGHT = 16;
    private static final Path ROOT = Path.of(System.getProperty("user.dir")).getParent();
    private static final String SCRIPT = """
            import sys, threading
            from sand import client
            server, app, process = sys.argv[1:]
            room, enough, told = threading.Semaphore(%d), threading.Event(), threading.Lock()
            def say(*words):
                with told:
                    print(*words, flush=True)
            threading.Thread(target=lambda: (sys.stdin.read(), enough.set()), daemon=True).start()
            def ended(name, future):
                room.release()
                error = future.exception()
                say("failed" if error else "ok", name, repr(error) if error else future.result())
            with client.Process(server, app, process) as p:
                n = 0
                while not enough.is_set():
                    room.acquire()
                    name = f"python-{n:05d}"
                    p.submit("count", name, timeout=120).add_done_callback(lambda f, name=name: ended(name, f))
                    n += 1
                for _ in range(%d):
                    room.acquire()
                say("reconnects", p.reconnects, 0)
            """.formatted(IN_FLIGHT, IN_FLIGHT);

    /** What functions answered, "times" they had run for that name; and what failed. */
    final Queue<String> java = new ConcurrentLinkedQueue<>();
    final Queue<String> python = new ConcurrentLinkedQueue<>();
    final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final ProcessClient client;
    private final Process other;
    private final Thread calling;
    private final Thread reading;
    private final Semaphore room = new Semaphore(IN_FLIGHT);
    private volatile boolean enough;
    volatile int pythonReconnects;

    Callers(URI server, String application, String process) throws IOException {
        client = ProcessClient.connect(server, application, process);
        ProcessBuilder builder = new ProcessBuilder(ROOT.resolve(".sand/venv/bin/python").toString(), "-c", SCRIPT, server.toString(),
                application, process).redirectErrorStream(true);
        builder.environment().put("PYTHONPATH", ROOT.resolve("grain-worker/src").toString());
        other = builder.start();
        calling = Thread.ofVirtual().start(this::call);
        reading = Thread.ofVirtual().start(this::read);
    }

    private void call() {
        try {
            for (int n = 0; !enough; n++) {
                room.acquire();
                String name = String.format("java-%05d", n);
                client.submit("count", Value.json('"' + name + '"'), Duration.ofSeconds(120)).whenComplete((value, thrown) -> {
                    room.release();
                    took(java, name, thrown == null ? value.text() : thrown.toString());
                });
            }
        } catch (IOException e) {
            wrong.add("java: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void took(Queue<String> of, String name, String answer) {
        if (answer.equals("1")) {
            of.add(name);
        } else {
            wrong.add(name + ": " + answer);
        }
    }

    private void read() {
        try (BufferedReader lines = other.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ", 3);
                switch (words[0]) {
                    case "ok" -> took(python, words[1], words[2]);
                    case "reconnects" -> pythonReconnects = Integer.parseInt(words[1]);
                    default -> wrong.add("python: " + line);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int javaReconnects() {
        return client.reconnects();
    }

    /** Both have been answered so much more. */
    void awaitMore(int count) {
        int ofJava = java.size() + count;
        int ofPython = python.size() + count;
        await("answers").atMost(LONGEST).until(() -> java.size() >= ofJava && python.size() >= ofPython || !wrong.isEmpty());
    }

    /** Everything that is under way is answered first. */
    void end() throws InterruptedException, IOException {
        enough = true;
        other.getOutputStream().close();
        calling.join(LONGEST);
        room.tryAcquire(IN_FLIGHT, LONGEST.toSeconds(), TimeUnit.SECONDS);
        other.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS);
        reading.join(LONGEST);
    }

    List<String> answered() {
        return Stream.concat(java.stream(), python.stream()).toList();
    }

    @Override
    public void close() {
        enough = true;
        client.close();
        other.destroyForcibly();
    }
}
