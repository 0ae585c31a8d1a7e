package dev.sand.globalbus;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings to the disk, a few milliseconds later (with those of {@link Unsettled} 10), what the writer has left to the operating system. On a thread of its own: the writer's
 * next transaction does not wait for it. SQLite's own locks are on other files than this one, so that it may be opened beside it.
 */
final class LaterSync implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LaterSync.class);
    private static final long AFTER_NS = 2_000_000L;

    private final Path log;
    private final Thread thread = Thread.ofPlatform().daemon().name("global-bus-sync").unstarted(this::run);
    private volatile boolean wanted;
    private volatile boolean failed;
    private volatile boolean closed;

    /** @param log the database's write-ahead log, there once a transaction was written */
    LaterSync(Path log) {
        this.log = log;
        thread.start();
    }

    /** The writer's: a transaction has not waited for the disk. */
    void soon() {
        if (!wanted) {
            wanted = true;
            LockSupport.unpark(thread);
        }
    }

    /** The writer's: one has, and all before it with it. */
    void done() {
        wanted = false;
    }

    /** Not later, for who cannot go on before: all that was written is on the disk when it returns. Blocks. */
    void now() throws IOException {
        if (Files.exists(log)) {
            try (FileChannel channel = FileChannel.open(log, StandardOpenOption.WRITE)) {
                channel.force(false);
            }
        }
    }

    /** The disk did not take something: from then on everybody waits for it, and is told. */
    boolean hasFailed() {
        return failed;
    }

    private void run() {
        FileChannel channel = null;
        try {
            while (!closed) {
                if (!wanted) {
                    LockSupport.park(this);
                    continue;
                }
                pause();
                if (wanted && !closed) {
                    wanted = false;
                    channel = channel == null ? FileChannel.open(log, StandardOpenOption.WRITE) : channel;
                    channel.force(false);
                }
            }
        } catch (IOException e) {
            failed = true;
            LOG.error("global bus: {} is not on the disk, each record waits for that from now on", log, e);
        } finally {
            close(channel);
        }
    }

    private void pause() {
        long until = System.nanoTime() + AFTER_NS;
        for (long left = AFTER_NS; left > 0 && !closed; left = until - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
        }
    }

    private void close(FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            LOG.debug("{} stays open: {}", log, e.getMessage());
        }
    }

    /** Before the database is: that brings all to the disk. */
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
