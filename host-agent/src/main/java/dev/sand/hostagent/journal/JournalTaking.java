package dev.sand.hostagent.journal;

import dev.sand.datalayer.StoreException;
import dev.sand.event.BusRecords;
import dev.sand.event.LogFields;
import dev.sand.event.Topics;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.BusException.Kind;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.GlobalBus.BusRecord;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.journal.JournalAdapter.Unfinished;
import dev.sand.hostagent.objects.ObjectCopies;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a new owner takes a journal partition (SAND 4.2.1): it appends a claim with its epoch, reads up to it, and leaves out
 * what is void. An event whose flag says <i>storing</i> is compared with the global data layer: when all its values are there,
 * whole, it counts as finished, and that is written down at once, for this host may die too. Blocks.
 */
final class JournalTaking {
    private static final Logger LOG = LoggerFactory.getLogger(JournalTaking.class);
    private static final int PAGE = 500;
    private static final long RETRY_NS = 300_000_000L;

    /** This owner's claim. @param atNs when it was known here that the bus has it */
    record Claim(long offset, long atNs) {}

    /**
     * @param ended executions that are over, with values that may still be there; kept as if they were open until they are gone
     * @param stopped why nothing of the partition may be used, or null
     * @param voided records of owners that were none any more
     */
    record Taken(List<Unfinished> unfinished, List<Input.RecoverProcess> processes, List<ProcessReading.Ended> ended, OpenExecutions open,
                 String stopped, long voided) {}

    /** The slot went to another host meanwhile. */
    static final class NoLongerOursException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private final GlobalBus bus;
    private final BusHealth health;
    private final ObjectCopies copies;
    private final String host;
    private final long epoch;
    private final BooleanSupplier current;
    private final TakingTrouble trouble;

    JournalTaking(GlobalBus bus, BusHealth health, ObjectCopies copies, String host, long epoch, BooleanSupplier current,
                  TakingTrouble trouble) {
        this.trouble = trouble;
        this.bus = bus;
        this.health = health;
        this.copies = copies;
        this.host = host;
        this.epoch = epoch;
        this.current = current;
    }

    CompletableFuture<Claim> claim(JournalPartition partition) {
        return append(partition, JournalRecord.claim(epoch, host)).thenApply(offset -> new Claim(offset, System.nanoTime()));
    }

    /** @param first the first try's outcome */
    Taken take(JournalPartition partition, CompletableFuture<Claim> first) {
        Claim claim = patiently(() -> (first.isCompletedExceptionally() ? claim(partition) : first).join());
        return patiently(() -> read(partition, claim));
    }

    private Taken read(JournalPartition partition, Claim claim) {
        PartitionReading reading = new PartitionReading();
        long begin = bus.beginOffset(partition.topic, partition.number);
        for (long next = begin; next <= claim.offset();) {
            List<BusRecord> page = bus.read(partition.topic, partition.number, next, PAGE);
            if (page.isEmpty()) {
                break;
            }
            for (BusRecord record : page) {
                if (record.offset() > claim.offset()) {
                    break;
                }
                try {
                    reading.take(record.offset(), record.atMs(), ours(partition, record));
                } catch (BusRecords.ForeignException e) {
                    LOG.atWarn().addKeyValue(LogFields.TOPIC, partition.topic).addKeyValue(LogFields.SLOT, partition.number)
                            .addKeyValue(LogFields.EPOCH, epoch)
                            .log("{}-{}, offset {}: passed over, {}", partition.topic, partition.number, record.offset(), e.getMessage());
                } catch (JournalRecord.NewerSchemaException | UncheckedIOException e) {
                    return stopped(partition, record.offset(), e);
                }
            }
            next = page.getLast().offset() + 1;
        }
        if (reading.epoch() > epoch) {
            throw new NoLongerOursException();
        }
        if (reading.voided() > 0) {
            LOG.atInfo().addKeyValue(LogFields.TOPIC, partition.topic).addKeyValue(LogFields.SLOT, partition.number)
                    .addKeyValue(LogFields.EPOCH, epoch)
                    .log("{}-{}: {} records of owners that were none any more are void", partition.topic, partition.number,
                    reading.voided());
        }
        return taken(partition, reading, new OpenExecutions(begin, claim.offset()), claim);
    }

    /** Whatever this platform writes, in whatever version, begins with a schema and is about the topic's own application. */
    private static JournalRecord ours(JournalPartition partition, BusRecord stored) {
        JournalRecord record = JournalRecord.decode(stored.value());
        BusRecords.require(record.request() == null || Topics.journal(record.request().application()).equals(partition.topic),
                "it is about another application");
        return record;
    }

    private Taken taken(JournalPartition partition, PartitionReading reading, OpenExecutions open, Claim claim) {
        List<Unfinished> unfinished = new ArrayList<>();
        for (PartitionReading.Found found : reading.open()) {
            open.onAccepted(found.request.executionId(), found.firstOffset);
            if (found.storing() != null) {
                settle(partition, found);
            }
            if (found.hasValues()) {
                copies.expect(found.request.application(), found.request.executionId());
            }
            unfinished.add(found.unfinished(reading.claimMs(), claim.atNs()));
        }
        reading.processes().forEachOpen(open::onAccepted);
        List<ProcessReading.Ended> ended = new ArrayList<>(reading.processes().endedWithValues());
        reading.endedWithValues().forEach(found -> ended.add(new ProcessReading.Ended(found.request.executionId(), found.firstOffset)));
        ended.forEach(each -> open.onAccepted(each.journalId(), each.firstOffset()));
        String application = Topics.applicationOfJournal(partition.topic);
        List<Input.RecoverProcess> processes = reading.processes().left(application, reading::isUnended).stream()
                .map(process -> process.in(partition.number)).toList();
        processes.forEach(process -> process.changes().stream().filter(Values::areGlobal)
                .forEach(change -> copies.expect(application, change.journalId())));
        return new Taken(unfinished, processes, ended, open, null, reading.voided());
    }

    /** Its owner died between the begin of the copy and the word that it was finished. */
    private void settle(JournalPartition partition, PartitionReading.Found found) {
        JournalRecord storing = found.storing();
        String application = found.request.application();
        boolean whole = storing.values().stream().allMatch(value -> copies.objects().matches(application, value));
        LOG.atInfo().addKeyValue(LogFields.APPLICATION, application).addKeyValue(LogFields.EXECUTION_ID, storing.executionId())
                .addKeyValue(LogFields.SLOT, partition.number).addKeyValue(LogFields.EPOCH, epoch)
                .log("execution {}, record {}: the copy of its values is {}", storing.executionId(), storing.sequence(),
                whole ? "there: the event is finished" : "not there, or not whole: the event runs again");
        if (whole) {
            JournalRecord finished = storing.asFinished(epoch);
            append(partition, finished).join();
            found.stored(finished);
        }
    }

    /** What follows a record that is not understood may depend on it: nothing of the partition is run, nothing is lost. */
    private static Taken stopped(JournalPartition partition, long offset, RuntimeException e) {
        String cause = "partition " + partition.number + " of " + partition.topic + " stops at offset " + offset + ": "
                + e.getMessage();
        LOG.atError().addKeyValue(LogFields.TOPIC, partition.topic).addKeyValue(LogFields.SLOT, partition.number).setCause(e)
                .log("{}; its executions wait until a platform that understands it runs", cause);
        return new Taken(List.of(), List.of(), List.of(), null, cause, 0);
    }

    private CompletableFuture<Long> append(JournalPartition partition, JournalRecord record) {
        CompletableFuture<Long> offset = new CompletableFuture<>();
        health.given();
        bus.append(partition.topic, partition.number, record.encode(), new GlobalBus.AppendListener() {
            @Override
            public void onAppended(long at) {
                health.appended();
                offset.complete(at);
            }

            @Override
            public void onFailed(BusException failure) {
                health.failed(failure.retryable() ? failure.getMessage() : null);
                offset.completeExceptionally(failure);
            }
        });
        return offset;
    }

    /** A bus or store that is away comes back, or the slot goes to another host: one of the two ends the waiting. */
    <T> T patiently(Supplier<T> work) {
        boolean waited = false;
        try {
            while (true) {
                if (!current.getAsBoolean()) {
                    throw new NoLongerOursException();
                }
                try {
                    return work.get();
                } catch (RuntimeException e) {
                    say(trouble.waits(!waited, passing(e), System.nanoTime()));
                    waited = true;
                    LockSupport.parkNanos(RETRY_NS);
                }
            }
        } finally {
            if (waited) {
                say(trouble.over(System.nanoTime()));
            }
        }
    }

    /** @return why it may be tried again; throws what will not pass */
    private static String passing(RuntimeException e) {
        RuntimeException cause = e instanceof CompletionException && e.getCause() instanceof RuntimeException inner ? inner : e;
        boolean passes = cause instanceof BusException failure && failure.retryable()
                || cause instanceof StoreException stored && stored.kind() == StoreException.Kind.AWAY;
        if (!passes) {
            throw cause;
        }
        return cause.getMessage();
    }

    private void say(String words) {
        if (words != null) {
            LOG.atInfo().addKeyValue(LogFields.EPOCH, epoch).log(words);
        }
    }

    static boolean isGone(RuntimeException e) {
        return e instanceof BusException failure && failure.kind() == Kind.UNKNOWN_TOPIC;
    }
}
