package dev.sand.hostagent.work;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs tasks one after the other, in the order in which they came, on threads of an executor. */
final class Serial implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(Serial.class);

    private final Executor executor;
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();

    Serial(Executor executor) {
        this.executor = executor;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        if (waiting.getAndIncrement() == 0) {
            executor.execute(this::run);
        }
    }

    private void run() {
        do {
            try {
                tasks.remove().run();
            } catch (RuntimeException e) {
                LOG.error("a task failed; those behind it go on", e);
            }
        } while (waiting.decrementAndGet() > 0);
    }
}
