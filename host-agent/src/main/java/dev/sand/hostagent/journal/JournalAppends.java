package dev.sand.hostagent.journal;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.LogFields;
import dev.sand.event.Topics;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.GlobalBus;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.journal.JournalQueue.Given;
import dev.sand.hostagent.objects.ObjectCopies;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives records to the bus, and does what their outcome asks for: whoever awaits one is told, what is needed no more is trimmed,
 * and the values of an execution that has ended go. Sends are the journal's thread's; outcomes come on the bus's.
 */
final class JournalAppends {
    private static final Logger LOG = LoggerFactory.getLogger(JournalAppends.class);

    /** How long an acceptance waits for its partition's claim while nothing is known to be wrong. */
    private static final long CLAIM_PATIENCE_NS = 10_000_000_000L;

    /** Told of records that the bus did not take, and of how it ended with them; any thread. */
    interface Retries {
        void onFailed(Given given);

        /** One that was sent again is there, or given up. */
        void onSettled(Given given);

        /** The execution's end is there, and its beginning is not. */
        void onEndedFirst(Given end);
    }

    private final GlobalBus bus;
    private final String host;
    private final JournalQueue queue;
    private final JournalPartitions partitions;
    private final ObjectCopies copies;
    private final SureEnds ends;
    private final BusHealth health;
    private final Retries retries;
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong moved = new AtomicLong();
    /** Some record may wait for a claim. The journal's thread alone. */
    private boolean anyUnclaimed;
    private volatile IntConsumer unclaimed = slot -> { };

    JournalAppends(GlobalBus bus, String host, JournalQueue queue, JournalPartitions partitions, ObjectCopies copies,
                   SureEnds ends, BusHealth health, Retries retries) {
        this.bus = bus;
        this.host = host;
        this.queue = queue;
        this.partitions = partitions;
        this.copies = copies;
        this.ends = ends;
        this.health = health;
        this.retries = retries;
    }

    /** @param wanted told of a slot in which a journal is to be taken: its topic is new */
    void onUnclaimed(IntConsumer wanted) {
        unclaimed = wanted;
    }

    void send(Given given) {
        String application = given.entry().application();
        if (given.backup() instanceof Backup.Ended && partitions.known(application, given.entry().slot()) == null) {
            finish(given); // its application is deleted: nothing of it is there
            if (given.awaited()) {
                given.listener().onAppended(null);
            }
            return;
        }
        if (Values.areGlobal(given.entry().change())) {
            copies.expect(application, given.entry().change().journalId());
        }
        if (Values.areGlobal(given.backup())) {
            copies.expect(application, given.executionId()); // another host may have copied them: they go at the end all the same
        }
        JournalPartition partition;
        try {
            partition = partitions.of(application, given.entry().slot());
        } catch (BusException e) {
            onFailed(given, e);
            return;
        }
        switch (partition.give(given, each -> append(partition, each))) {
            case APPEND -> { }
            case WAITS -> {
                anyUnclaimed = true;
                unclaimed.accept(given.entry().slot());
            }
            case MOVED -> drop(given, moved(given));
            case STOPPED -> drop(given, Failure.platform(Errors.UNAVAILABLE, partition.stopped(), false));
        }
    }

    void append(JournalPartition partition, Given given) {
        health.given();
        Outcome outcome = new Outcome(given, partition);
        switch (given.entry().await()) {
            case YES -> bus.append(partition.topic, partition.number, given.encode(bus.isEmbedded()), outcome);
            case IN_BUS -> bus.appendWritten(partition.topic, partition.number, given.encode(bus.isEmbedded()), outcome);
            // What nobody awaits is written with what somebody does, a moment later, and costs no transaction of its own.
            case NO, IF_WRITTEN -> bus.appendInBackground(partition.topic, partition.number, given.encode(bus.isEmbedded()), outcome);
        }
    }

    // --- records that are not to be in the bus

    static Failure away(String why) {
        return Failure.platform(Errors.UNAVAILABLE, "the global bus takes nothing now: " + why + "; come back later", true);
    }

    static Failure moved(Given given) {
        return Failure.platform(Errors.MOVED, "slot " + given.entry().slot() + " is another host's", true);
    }

    /** A journal that is new is claimed before its first record; whoever waits for that hears of it when the bus takes no claim. */
    void giveUp() {
        if (!anyUnclaimed) {
            return;
        }
        anyUnclaimed = partitions.waiting() > 0;
        String away = health.away();
        long since = System.nanoTime() - (away == null ? CLAIM_PATIENCE_NS : 0);
        partitions.overdue(since).forEach((partition, overdue) -> overdue.forEach(given -> drop(given, away != null ? away(away)
                : Failure.platform(Errors.UNAVAILABLE, "partition " + partition.number + " of " + partition.topic
                        + " is not this host's yet, after " + CLAIM_PATIENCE_NS / 1_000_000 + " ms; come back later", true))));
    }

    /** The execution has ended meanwhile: nobody needs it. */
    void leaveOut(Given given) {
        finish(given);
        if (given.backup() instanceof Backup.Ended) {
            ends.release(given, () -> { });
        } else if (given.awaited()) {
            given.listener().onAppended(Failure.platform(Errors.UNAVAILABLE, "the execution has ended", false));
        }
    }

    void drop(Given given, Failure failure) {
        finish(given);
        refuse(given, failure);
    }

    /** The record will not be in the bus: the one who awaits it decides; otherwise re-execution from the last backup covers it. */
    void refuse(Given given, Failure failure) {
        boolean isMoved = Errors.MOVED.equals(failure.error());
        if (isMoved) {
            moved.incrementAndGet();
        }
        if (given.awaited()) {
            given.listener().onAppended(failure);
        } else if (!isMoved && Long.bitCount(dropped.incrementAndGet()) == 1) {
            // the 1st, 2nd, 4th, …: a full disk must not fill the log
            LOG.atWarn().addKeyValue(LogFields.APPLICATION, given.entry().application())
                    .addKeyValue(LogFields.EXECUTION_ID, given.executionId()).addKeyValue(LogFields.SLOT, given.entry().slot())
                    .addKeyValue(LogFields.EPOCH, given.entry().epoch())
                    .log("{} records are not backed up, the last of {} ({}): {}", dropped.get(), given.executionId(),
                    given.entry().application(), failure.cause());
        }
    }

    /** Records that were refused since their slot was another host's by then. */
    long moved() {
        return moved.get();
    }

    private void finish(Given given) {
        queue.done(given);
        if (given.again()) {
            retries.onSettled(given);
        }
    }

    private void onFailed(Given given, BusException failure) {
        boolean told = given.awaited() && (!given.isOfProcess() || given.isAcceptance());
        if (!told && given.values() == null && failure.retryable() && !queue.isClosed()) {
            retries.onFailed(given);
            return;
        }
        if (JournalTaking.isGone(failure)) {
            forget(Topics.journal(given.entry().application()));
        }
        String why = "not backed up: " + failure.getMessage();
        // A bus that did not answer may have it all the same.
        drop(given, failure.kind() == BusException.Kind.AWAY ? Failure.mayHaveRun(Errors.UNAVAILABLE, why) : Failure.platform(
                failure.kind() == BusException.Kind.TOO_LARGE ? Errors.TOO_LARGE : Errors.UNAVAILABLE, why, failure.retryable()));
    }

    /** One that is made again under its name is another journal. */
    void forget(String topic) {
        partitions.forget(topic).forEach(partition -> partition.leave(Long.MAX_VALUE).forEach(given ->
                drop(given, Failure.platform(Errors.NOT_FOUND, "the application is deleted", false))));
    }

    // --- the bus's thread

    /** What the bus's thread does when a record is in the bus, or is not. */
    private final class Outcome implements GlobalBus.AppendListener {
        private final Given given;
        private final JournalPartition partition;

        Outcome(Given given, JournalPartition partition) {
            this.given = given;
            this.partition = partition;
        }

        @Override
        public void onAppended(long offset) {
            health.appended();
            if (given.entry().change() != null) {
                partition.onAccepted(given.entry().change().journalId(), offset);
            }
            switch (given.backup()) {
                case Backup.Accepted _ -> partition.onAccepted(given.executionId(), offset);
                case Backup.Ended _ -> ended(offset);
                case Backup.Finished _, Backup.Resumed _, Backup.Changed _ -> { }
            }
            finish(given);
            if (given.listener() != null) {
                given.listener().onAppended(null);
            }
        }

        /** Its records stay until its values are gone: should this host die before, the next owner finds them by these. */
        private void ended(long offset) {
            String id = given.executionId();
            if (copies.has(given.entry().application(), id)) {
                ends.release(given, () -> partition.onEnded(id, offset));
            } else if (!partition.onEnded(id, offset)) {
                retries.onEndedFirst(given);
            }
            trim(partition);
        }

        @Override
        public void onFailed(BusException failure) {
            health.failed(failure.retryable() ? failure.getMessage() : null);
            JournalAppends.this.onFailed(given, failure);
        }
    }

    private void trim(JournalPartition partition) {
        int atLeast = bus.isEmbedded() ? OpenExecutions.SOON_TRIMMED_RECORDS : OpenExecutions.TRIM_RECORDS;
        long low = partition.trimTo(atLeast);
        if (low >= 0) {
            bus.trim(partition.topic, partition.number, low);
        }
        long epoch = partition.wantsClaim(atLeast);
        if (epoch > 0) {
            bus.appendInBackground(partition.topic, partition.number, JournalRecord.claim(epoch, host).encode(), new GlobalBus.AppendListener() {
                @Override
                public void onAppended(long offset) {
                    partition.onClaimed(offset);
                }

                @Override
                public void onFailed(BusException failure) {
                    partition.onClaimed(-1);
                }
            });
        }
    }
}
