package dev.sand.hostagent.slots;

import dev.sand.event.Failure;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.LogFields;
import dev.sand.hostagent.core.Action.Await;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.journal.JournalAdapter;
import dev.sand.hostagent.journal.JournalAdapter.Entry;
import dev.sand.hostagent.journal.JournalAdapter.Unfinished;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executions of which an earlier owner's journal has no input and no end ({@link Unfinished#isNothing}). They have not ended: whoever
 * asked asks again, and that is begun. So the mark that nothing of them is open is in the journal before the slot is ready: behind the
 * beginning of one of the same id it would be taken for its end.
 */
final class Unbegun {
    private static final Logger LOG = LoggerFactory.getLogger(Unbegun.class);
    private static final long LOOK_MS = 100;
    private static final long RETRY_NS = 500_000_000L;

    private final JournalAdapter journal;

    Unbegun(JournalAdapter journal) {
        this.journal = journal;
    }

    /** Blocks, and waits for a bus that is away. @param current whether the slot is ours still. @return false: it is not, and its next owner finds it so */
    boolean mark(Unfinished nothing, int slot, long epoch, BooleanSupplier current) {
        InvocationRequest request = nothing.request();
        Entry mark = new Entry(request.application(), request.executionId(), slot, epoch, nothing.next(), new Backup.Ended(Status.FAILED),
                Await.YES, request.process() == null ? null : request.processId(), null);
        while (current.getAsBoolean()) {
            CompletableFuture<Boolean> told = new CompletableFuture<>();
            journal.append(mark, failure -> told.complete(isOver(mark, failure)));
            while (current.getAsBoolean() && !told.isDone()) {
                await(told);
            }
            if (told.getNow(false)) {
                return true;
            }
            LockSupport.parkNanos(RETRY_NS);
        }
        return false;
    }

    /** A journal that will never take it, as a deleted application's, has nobody who reads it either. */
    private static boolean isOver(Entry mark, Failure failure) {
        if (failure != null) {
            LOG.atWarn().addKeyValue(LogFields.APPLICATION, mark.application()).addKeyValue(LogFields.EXECUTION_ID, mark.executionId())
                    .addKeyValue(LogFields.SLOT, mark.slot()).addKeyValue(LogFields.EPOCH, mark.epoch())
                    .log("that nothing is left of {} is not in the global bus{}: {}", mark.executionId(),
                            failure.retryable() ? " yet" : "", failure.cause());
        }
        return failure == null || !failure.retryable();
    }

    private static void await(CompletableFuture<Boolean> told) {
        try {
            told.get(LOOK_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // whether the slot is ours is looked at now and then
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
