package dev.sand.hostagent.sandbox;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The build steps that run in an engine, so that none outlives it: what it wrote to is somebody else's by then. Thread-safe. */
final class RunningSteps {
    private static final Duration LONGEST = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(50);
    private final Set<String> running = ConcurrentHashMap.newKeySet();
    private volatile boolean closing;

    /** @throws SandboxException none is begun any more */
    void begin(String id, String doing) throws SandboxException {
        running.add(id);
        if (closing) {
            running.remove(id);
            throw stopping(doing);
        }
    }

    /** How it ended is not its own doing. */
    void requireOpen(String doing) throws SandboxException {
        if (closing) {
            throw stopping(doing);
        }
    }

    private static SandboxException stopping(String doing) {
        return new SandboxException("cannot " + doing + ": the host agent is stopping");
    }

    void ended(String id) {
        running.remove(id);
    }

    /** @param kill whatever there is of a step; again while it is about to be started. Blocks until all have ended, 10 s at most */
    void close(Consumer<String> kill) {
        closing = true;
        long untilNs = System.nanoTime() + LONGEST.toNanos();
        while (!running.isEmpty() && System.nanoTime() - untilNs < 0) {
            running.forEach(kill);
            try {
                Thread.sleep(PAUSE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
