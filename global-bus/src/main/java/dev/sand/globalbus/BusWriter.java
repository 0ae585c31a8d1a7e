package dev.sand.globalbus;

import dev.sand.globalbus.BusCommand.Append;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The one thread that writes the bus's file. It takes all that waits in the backlog, writes it to a log beside the file in one write (group
 * commit) and then tells the listeners: nobody hears of a record that is not there. It is on the disk when somebody in the batch
 * waits for that; else {@link LaterSync} brings it there. That much, where nobody waits for the disk, whoever gathers records does in
 * this thread's place. What has not been trimmed a second later is brought to the database ({@link Unsettled}). A transaction that
 * fails, fails for all in it of whom nobody was told, with the cause, and leaves the file as it was; the next one is tried afresh.
 */
final class BusWriter implements Runnable {
    /** Trims come with nearly every record, and each costs a write: nobody waits for them. */
    private static final long TRIM_AFTER_NS = 1_000_000_000L;

    private final Backlog<BusCommand> backlog;
    private final BusTransactions transactions;
    private final BusTopics topics;
    private final RecordWriter records;
    /** Not done yet; of each partition the last counts. */
    private final Map<Partition, Long> trims = new LinkedHashMap<>();
    private long trimsSinceNs;
    /** What who gathers could not write: it goes first. */
    private final List<Append> returned = new ArrayList<>(0);
    /** Held by who works: this thread, or who gathers. This thread lets go of it while it brings to the database what is in a log. */
    private final ReentrantLock working = new ReentrantLock();

    /** @param later closed at its end */
    BusWriter(Backlog<BusCommand> backlog, BusTransactions transactions, BusTopics topics, Unsettled unsettled, LaterSync later,
            Consumer<Partition> onAppended) {
        this.backlog = backlog;
        this.transactions = transactions;
        this.topics = topics;
        this.records = new RecordWriter(transactions, unsettled, later, backlog, working, onAppended);
    }

    @Override
    public void run() {
        boolean open = true;
        for (long waitNs = 0; open; ) {
            backlog.await(waitNs);
            working.lock();
            try {
                open = work(backlog.take());
            } finally {
                working.unlock();
            }
            if (open && topics.hasLeftovers()) { // nobody waits for that, nor for its end
                transactions.attempt("remove trimmed records", false, topics::removeLeftovers);
            }
            working.lock();
            try {
                waitNs = untilWork();
            } finally {
                working.unlock();
            }
        }
    }

    /** @return false: it is closed */
    private boolean work(List<BusCommand> batch) {
        List<Append> appends = new ArrayList<>(returned);
        returned.clear();
        for (BusCommand command : batch) {
            switch (command) {
                case Append append -> appends.add(append);
                case BusCommand.Trim trim -> note(trim);
                case BusCommand.Create _, BusCommand.Delete _, BusCommand.Close _ -> {
                    records.write(appends);
                    appends.clear();
                    trim();
                    records.settle();
                    if (command instanceof BusCommand.Close close) {
                        end(close);
                        return false;
                    }
                    control(command);
                }
            }
        }
        records.write(appends);
        boolean isDue = records.untilDueNs() <= 0;
        if (isDue || untilTrims() <= 0) {
            trim(); // first: what is trimmed is in no transaction
        }
        if (isDue) {
            records.settleAside();
        }
        return true;
    }

    private void note(BusCommand.Trim trim) {
        trimsSinceNs = trims.isEmpty() ? System.nanoTime() : trimsSinceNs;
        trims.merge(trim.partition(), trim.offset(), Math::max);
    }

    /** Of a thread that has added something: what waits for the file alone it writes itself, unless the writer is at work, which looks again. */
    void writeGathered() {
        try {
            if (!backlog.isUrgent()) {
                backlog.wakeForAny();
            } else if (working.tryLock()) {
                writeInTurn();
            }
        } finally {
            backlog.gatheredBy(null);
        }
    }

    private void writeInTurn() {
        boolean isSooner;
        boolean isReturned;
        try {
            if (!returned.isEmpty()) {
                return; // the writer is at work
            }
            boolean hadTrims = !trims.isEmpty();
            long dueBefore = records.untilDueNs();
            List<Append> appends = new ArrayList<>();
            for (BusCommand command : backlog.takeWhile(BusWriter::isForFileAlone)) {
                if (command instanceof Append append) {
                    appends.add(append);
                } else if (command instanceof BusCommand.Trim trim) {
                    note(trim);
                }
            }
            if (!appends.isEmpty() && !records.log(appends)) {
                returned.addAll(appends);
            }
            while (backlog.peek() instanceof BusCommand.Trim trim) { // what has just been told of lets earlier records go
                note(trim);
                backlog.poll();
            }
            isReturned = !returned.isEmpty();
            isSooner = !hadTrims && !trims.isEmpty() || dueBefore > 0 && isSooner(dueBefore);
        } finally {
            working.unlock();
        }
        if (!backlog.isEmpty()) {
            backlog.wake(true);
        } else if (isSooner || isReturned) {
            backlog.ask(); // it waits too long
        }
    }

    /** It has to be looked after before the writer would. */
    private boolean isSooner(long dueBefore) {
        return dueBefore == Long.MAX_VALUE ? !records.isSettled() : records.untilDueNs() <= 0;
    }

    private static boolean isForFileAlone(BusCommand command) {
        return command instanceof BusCommand.Trim || command instanceof Append append && !append.isForDisk();
    }

    /** Nanoseconds for which there is nothing to do but what comes. */
    private long untilWork() {
        if (topics.hasLeftovers()) {
            return 0;
        }
        return returned.isEmpty() ? Math.min(untilTrims(), records.untilDueNs()) : 0;
    }

    private long untilTrims() {
        if (transactions.wasFull()) {
            trimsSinceNs -= TRIM_AFTER_NS;
        }
        return trims.isEmpty() ? Long.MAX_VALUE : trimsSinceNs + TRIM_AFTER_NS - System.nanoTime();
    }

    private void trim() {
        trimsSinceNs = System.nanoTime(); // of those that are left
        if (!trims.isEmpty() && records.isReadyForTrims()
                && transactions.attempt("trim " + trims.size() + " partitions", false, () -> topics.trim(trims)) == null) {
            trims.clear();
        } else {
            transactions.wasFull(); // by this: it is tried again in a second
        }
    }

    private void control(BusCommand command) {
        switch (command) {
            case BusCommand.Create create -> answer(create.done(), transactions.attempt("create topic " + create.topic(), true,
                    () -> topics.create(create.topic(), create.partitions())));
            case BusCommand.Delete delete -> answer(delete.done(), transactions.attempt("delete topic " + delete.topic(), true,
                    () -> topics.delete(delete.topic())));
            case Append _, BusCommand.Trim _, BusCommand.Close _ -> throw new IllegalStateException("not a control command: " + command);
        }
    }

    private static void answer(CompletableFuture<Void> done, BusException failure) {
        if (failure == null) {
            done.complete(null);
        } else {
            done.completeExceptionally(failure);
        }
    }

    private void end(BusCommand.Close close) {
        records.close();
        try {
            transactions.connection.close();
            close.done().complete(null);
        } catch (SQLException e) {
            close.done().completeExceptionally(transactions.failure("cannot close", e));
        }
    }
}
