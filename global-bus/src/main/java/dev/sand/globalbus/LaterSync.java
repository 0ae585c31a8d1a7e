package dev.sand.globalbus;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings to the disk, a few milliseconds later, what the logs were given for the file alone. On a thread of its own: who writes does not
 * wait for it, and nobody interrupts it.
 */
final class LaterSync implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LaterSync.class);
    /** With the disk's own time 10 ms, which is what is promised ({@link GlobalBus#appendWritten}). */
    private static final long AFTER_NS = 8_000_000L;

    private final Unsettled logs;
    private final Runnable onBroken;
    private final Queue<CompletableFuture<Void>> waiting = new ConcurrentLinkedQueue<>();
    private final Thread thread = Thread.ofPlatform().daemon().name("global-bus-sync").unstarted(this::run);
    private volatile boolean wanted;
    private volatile boolean closed;

    /** @param onBroken called once the disk does not take something: what was to be there later is to be in the database soon */
    LaterSync(Unsettled logs, Runnable onBroken) {
        this.logs = logs;
        this.onBroken = onBroken;
        this.wanted = !logs.isEmpty(); // an earlier run's
    }

    void start() {
        thread.start();
    }

    /** The writer's: something has not waited for the disk. */
    void soon() {
        if (!wanted) {
            wanted = true;
            LockSupport.unpark(thread);
        }
    }

    /** The writer's: something has, and all before it with it. */
    void done() {
        wanted = false;
    }

    /** Not later, for who cannot go on before: all that was written is on the disk when it returns. Blocks. */
    void now() throws IOException {
        CompletableFuture<Void> done = new CompletableFuture<>();
        waiting.add(done);
        LockSupport.unpark(thread);
        if (closed) {
            refuse();
        }
        try {
            done.join();
        } catch (CompletionException e) {
            throw (IOException) e.getCause();
        }
    }

    private void refuse() {
        for (CompletableFuture<Void> each = waiting.poll(); each != null; each = waiting.poll()) {
            each.completeExceptionally(new IOException("the global bus is closed"));
        }
    }

    private void run() {
        while (!closed) {
            if (!wanted && waiting.isEmpty()) {
                LockSupport.park(this);
                continue;
            }
            pause();
            if (!closed) {
                wanted = false;
                force();
            }
        }
        if (wanted) { // the database has not taken it
            force();
        }
        refuse();
    }

    private void force() {
        List<CompletableFuture<Void>> served = new ArrayList<>(0);
        for (CompletableFuture<Void> each = waiting.poll(); each != null; each = waiting.poll()) {
            served.add(each);
        }
        boolean wasBroken = logs.isBroken();
        IOException failure = null;
        try {
            logs.force();
        } catch (IOException e) {
            failure = logs.isEmpty() ? null : e; // or the database has all
            if (!wasBroken) {
                broken(e);
            }
        }
        for (CompletableFuture<Void> each : served) {
            answer(each, failure);
        }
    }

    /** The disk did not take it. */
    void broken(IOException e) {
        LOG.error("global bus: its log is not on the disk, each record waits for the database from now on", e);
        onBroken.run();
    }

    private static void answer(CompletableFuture<Void> done, IOException failure) {
        if (failure == null) {
            done.complete(null);
        } else {
            done.completeExceptionally(failure);
        }
    }

    private void pause() {
        long until = System.nanoTime() + AFTER_NS;
        for (long left = AFTER_NS; left > 0 && !closed && waiting.isEmpty(); left = until - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
        }
    }

    /** Before the database is. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
