package dev.sand.hostagent.shard;

import dev.sand.datalayer.StoreException;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where shards put what blocks: reads of the registry, data calls, copies of large values. Bounded; any thread may call it. */
final class Work implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Work.class);

    private final ExecutorService threads =
            Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("sand-work-", 0).factory());
    private final Semaphore room;

    /** @param limit tasks at once, running or waiting for what they block on */
    Work(int limit) {
        this.room = new Semaphore(limit);
    }

    /** @return false when there is too much to do already: the task does not run */
    boolean tryRun(Runnable task) {
        if (!room.tryAcquire()) {
            return false;
        }
        threads.execute(() -> {
            try {
                task.run();
            } catch (RuntimeException e) {
                LOG.error("a task off the shards failed without reporting it", e);
            } finally {
                room.release();
            }
        });
        return true;
    }

    /** A task with large values. @param failed told when a store has failed it, or when there is too much to do already */
    void run(Runnable task, Consumer<Failure> failed) {
        boolean taken = tryRun(() -> {
            try {
                task.run();
            } catch (StoreException e) {
                failed.accept(Failure.platform(Errors.UNAVAILABLE, e.getMessage(), false));
            }
        });
        if (!taken) {
            failed.accept(Failure.platform(Errors.OVERLOADED, "the host agent has too many large values to copy", true));
        }
    }

    /** Waits for what runs. */
    @Override
    public void close() {
        threads.close();
    }
}
