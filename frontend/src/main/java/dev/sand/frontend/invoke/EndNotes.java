package dev.sand.frontend.invoke;

import dev.sand.datalayer.RecordedResults;
import dev.sand.event.LogFields;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notes with an Idempotency-Key that its execution has ended, once the execution's record can be read. Until then the host where
 * it ended answers who asks again; a note before that would make other frontends say that the result is kept no more.
 */
final class EndNotes {
    private static final Logger LOG = LoggerFactory.getLogger(EndNotes.class);
    private static final long FIRST_PAUSE_MS = 100;
    private static final long LONGEST_PAUSE_MS = 5_000;
    /** A record that is not there after so long does not come: its execution was refused, or the record has been collected. */
    static final long PATIENCE_MS = 60_000;
    /** Each waits on a virtual thread and reads the store; what would be one more is noted at once. */
    static final int MOST_WAITING = 1_000;
    private final RecordedResults recorded;
    private final IdempotencyKeys keys;
    private final Executor blocking;
    private final Pause pause;
    private final AtomicInteger waiting = new AtomicInteger();

    /** How time passes. */
    interface Pause {
        void forMs(long ms) throws InterruptedException;
    }

    EndNotes(RecordedResults recorded, IdempotencyKeys keys, Executor blocking, Pause pause) {
        this.recorded = recorded;
        this.keys = keys;
        this.blocking = blocking;
        this.pause = pause;
    }

    /** Returns at once. */
    void note(String application, String hash, String executionId) {
        blocking.execute(() -> {
            try {
                if (waiting.incrementAndGet() <= MOST_WAITING) {
                    awaitRecord(application, executionId);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // the frontend closes: the key goes on to stand for its execution
                return;
            } finally {
                waiting.decrementAndGet();
            }
            keys.ended(application, hash, executionId);
        });
    }

    private void awaitRecord(String application, String executionId) throws InterruptedException {
        long waitedMs = 0;
        long nextMs = FIRST_PAUSE_MS;
        while (waitedMs < PATIENCE_MS) {
            pause.forMs(nextMs);
            if (isRecorded(application, executionId)) {
                return;
            }
            waitedMs += nextMs;
            nextMs = Math.min(2 * nextMs, LONGEST_PAUSE_MS);
        }
    }

    private boolean isRecorded(String application, String executionId) {
        try {
            return recorded.find(application, executionId).isPresent();
        } catch (RuntimeException e) {
            LOG.atDebug().addKeyValue(LogFields.EXECUTION_ID, executionId).log("the record of {} cannot be read: {}", executionId,
                    e.getMessage());
            return false;
        }
    }
}
