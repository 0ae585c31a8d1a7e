package dev.sand.hostagent.journal;

import dev.sand.datalayer.StoreException;
import dev.sand.event.Payload;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.journal.JournalAdapter.Entry;
import dev.sand.hostagent.journal.JournalQueue.Given;
import dev.sand.hostagent.objects.GlobalObjects;
import dev.sand.hostagent.objects.GlobalObjects.Stored;
import dev.sand.hostagent.objects.ObjectCopies;
import dev.sand.hostagent.objects.Urgency;
import dev.sand.hostagent.process.ProcessChange;
import dev.sand.hostagent.process.RecordBytes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Copies the values of a record to the global data layer before the record is written (SAND 4.3): first they are described,
 * and a <i>storing</i> flag says what will be there; then they are copied. On threads of its own, a few at once, which leave the
 * cores to those who work on what is asked now.
 */
final class ValueCopying implements AutoCloseable {
    private static final int AT_ONCE = 6;
    private static final long RETRY_MS = 1000;
    /** When values are to travel by reference, small ones need not. */
    private static final int SMALL_BYTES = RecordBytes.SMALL_BYTES;
    /** An object is a transaction to make, and one to delete. */
    private static final int TAKEN_IN_BYTES = RecordBytes.TAKEN_IN_BYTES;

    private final ObjectCopies copies;
    private final int maxInlineBytes;
    private final ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE,
            work -> Thread.ofPlatform().daemon().name("journal-copy").unstarted(() -> {
                Urgency.later();
                work.run();
            }));
    private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().name("journal-copy-retry").daemon().factory());

    ValueCopying(ObjectCopies copies, int maxInlineBytes) {
        this.copies = copies;
        this.maxInlineBytes = maxInlineBytes;
    }

    /** Whether values of it are to be in the global data layer before the record is written. */
    boolean isWanted(Entry entry) {
        for (Payload payload : Values.payloads(entry)) {
            if (isHere(payload) && payload.size() > TAKEN_IN_BYTES) {
                return true;
            }
        }
        return inlineBytes(entry) > maxInlineBytes;
    }

    /** Whether it is in this host's memory. */
    static boolean isHere(Payload payload) {
        return payload.reference() != null && !GlobalObjects.isGlobal(payload) && !payload.isNotKept();
    }

    /** Of values that travel in the record, unless it is better that all travel by reference. */
    static long inlineBytes(Entry entry) {
        long bytes = 0;
        for (Payload payload : Values.payloads(entry)) {
            bytes += payload.bytes() != null ? payload.bytes().length
                    : isHere(payload) && payload.size() <= TAKEN_IN_BYTES ? payload.size() : 0;
        }
        return bytes;
    }

    /** The record of which nothing is to be copied, with the bytes of what is in this host's memory. @throws StoreException it is not (any more) */
    Given takenIn(Given given) {
        Entry entry = given.entry();
        if (Values.payloads(entry).stream().noneMatch(ValueCopying::isHere)) {
            return given;
        }
        UnaryOperator<Payload> taken = payload -> isHere(payload)
                ? new Payload(payload.contentType(), copies.bytes(entry.application(), payload.reference()), null) : payload;
        return given.with(Values.map(entry.backup(), taken), entry.change() == null ? null : entry.change().map(taken));
    }

    private static boolean isCopied(Payload payload) {
        return payload.reference() == null ? payload.bytes().length > SMALL_BYTES : isHere(payload);
    }

    /**
     * @param storing given the flag, before the copy begins; not for a request, nor for a process, which count only once they are
     *                written
     * @param then given the record with the values' names in the global data layer, or the failure; on another thread
     */
    void start(Given given, Consumer<Given> storing, BiConsumer<Given, StoreException> then) {
        threads.execute(() -> {
            try {
                then.accept(copy(given, storing), null);
            } catch (StoreException e) {
                then.accept(null, e);
            }
        });
    }

    /**
     * Copies its values while it waits for those before it; {@link #start} finds them there, or on their way, or tries again. Not those
     * that a flag comes before.
     */
    void ahead(Given given) {
        if (isFlagged(given.entry())) {
            return;
        }
        threads.execute(() -> {
            List<Runnable> work = work(given);
            try {
                work.forEach(Runnable::run);
            } catch (StoreException e) {
                // told to whoever waits for the record, should it be the same when its turn comes
            }
        });
    }

    private List<Runnable> work(Given given) {
        List<Runnable> work = new ArrayList<>();
        named(given, new ArrayList<>(), work);
        return work;
    }

    private Given copy(Given given, Consumer<Given> storing) {
        Entry entry = given.entry();
        List<Stored> values = new ArrayList<>();
        List<Runnable> work = new ArrayList<>();
        Given result = named(given, values, work);
        if (isFlagged(entry)) {
            storing.accept(result.storing(values));
        }
        work.forEach(Runnable::run);
        return result;
    }

    private Given named(Given given, List<Stored> values, List<Runnable> work) {
        Entry entry = given.entry();
        Backup named = Values.map(entry.backup(), payload -> named(entry, entry.executionId(), entry.sequence(), payload, values, work));
        // Of a process's journal: each function's end has the same place in the records of its own execution.
        ProcessChange change = entry.change() == null ? null : entry.change().map(payload ->
                named(entry, entry.change().journalId(), entry.change().number(), payload, values, work));
        return given.with(named, change);
    }

    /**
     * @param id with which it is kept, and {@code number} of the record or change among those of that id
     * @param work to copy it is added to this, and what it will be to the values if that is flagged
     */
    private Payload named(Entry entry, String id, long number, Payload payload, List<Stored> values, List<Runnable> work) {
        if (!isCopied(payload)) {
            return payload;
        }
        String object = entry.epoch() + "." + number + "." + work.size();
        if (isFlagged(entry)) {
            values.add(copies.describe(entry.application(), id, object, payload));
        }
        work.add(() -> copies.toGlobal(entry.application(), id, object, payload));
        return ObjectCopies.named(id, object, payload);
    }

    /** Whether a flag says what will be there: then values are read twice. */
    private static boolean isFlagged(Entry entry) {
        return entry.backup() instanceof Backup.Finished && entry.change() == null;
    }

    void later(Runnable task) {
        if (!clock.isShutdown()) {
            clock.schedule(task, RETRY_MS, TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
        threads.close();
    }
}
