package dev.sand.hostagent.core;

import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.hostagent.core.Action.Await;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.Execution.Signal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What goes to the global bus of one execution (SAND 3.2), in sequence: 0 the accepted request, then its transitions, then
 * the end. One that ends before its request was written is not written at all. Nothing is written once the slot is lost.
 */
final class Backups {
    private static final class Awaited {
        final Backup backup;
        final Runnable then;
        boolean there;

        Awaited(Backup backup, Runnable then) {
            this.backup = backup;
            this.then = then;
        }
    }

    private final CoreContext context;
    private final InvocationRequest request;
    private final int slot;
    private final long epoch;
    private final long deadlineNs;
    private boolean begun;
    private boolean ofMessages;
    private boolean ofGrain;
    private boolean awaited;
    private boolean durable;
    private long next;
    /** By number: what effects wait for, and what has values by reference on their way to the global layer. Null: nothing. */
    private TreeMap<Long, Awaited> awaiting;

    /** @param next the first number that earlier owners did not use; 0: the execution is new */
    Backups(CoreContext context, InvocationRequest request, int slot, long epoch, long deadlineNs, long next) {
        this.context = context;
        this.request = request;
        this.slot = slot;
        this.epoch = epoch;
        this.deadlineNs = deadlineNs;
        this.begun = next > 0;
        this.durable = begun;
        this.next = Math.max(next, 1);
    }

    /** What earlier owners wrote from that number on does not count. */
    void goesOnFrom(long number) {
        next = number;
    }

    /** Somebody waits to hear that the request is in the bus. */
    boolean isAwaited() {
        return awaited;
    }

    /** The request is in the bus: the execution outlives this process. */
    boolean isDurable() {
        return durable;
    }

    /** Its request was given to the bus: it may be there. */
    boolean isBegun() {
        return begun;
    }

    /** Its request was given to the bus, which has not said that it has it. */
    boolean isUnsure() {
        return begun && awaited && !durable;
    }

    void durable() {
        durable = true;
    }

    /** It is of a single grain. */
    void ofGrain() {
        ofGrain = true;
    }

    /** A new owner counts the time from the record on: what was spent before it is spent. */
    private InvocationRequest withWhatRemains() {
        long remainingMs = Math.max(0, (deadlineNs - context.nowNs) / 1_000_000);
        return remainingMs >= request.timeoutMs() ? request : request.withTimeoutMs(remainingMs);
    }

    void acceptFailed() {
        awaited = false;
    }

    void accepted(Await await) {
        begun = true;
        awaited |= await == Await.YES;
        emit(0, new Backup.Accepted(withWhatRemains(), ofGrain), await);
    }

    /** In the background: whoever asked may forget its copy once it hears of it. */
    void ensureBegun() {
        if (!begun) {
            accepted(Await.IF_WRITTEN);
        }
    }

    /** @param then what waits for it to be in the bus; null: nothing */
    void finished(Signal signal, List<Command> effects, Runnable then) {
        ensureBegun();
        Backup backup = new Backup.Finished(signal, effects);
        if (then != null || namesObject(signal)) {
            await(backup, then);
        } else {
            emit(next++, backup, Await.NO);
        }
    }

    /** What the signal is about has changed a process as well. @param then once that is durable; not when the execution has ended */
    void finished(Signal signal, List<Command> effects, ProcessRecords.Ending change, Runnable then) {
        ensureBegun();
        change.write(request.executionId(), next++, new Backup.Finished(signal, effects), then);
    }

    /** Whether messages of its process make it. */
    boolean isOfMessages() {
        return ofMessages;
    }

    /** As the first thing of an execution that messages of its process make. */
    void acceptedBy(ProcessRecords.Firing firing) {
        ofMessages = true;
        begun = true;
        firing.write(request.executionId(), new Backup.Accepted(withWhatRemains()));
    }

    /** @param attempts of steps that run again because a host was lost; they wait for {@code then} */
    void resumed(Map<String, Integer> attempts, Runnable then) {
        await(new Backup.Resumed(attempts), then);
    }

    /** Of what earlier owners wrote nothing counts. @param then once whoever reads the journal knows that, and one of its id can be begun anew */
    void nothing(Runnable then) {
        await(new Backup.Ended(Status.FAILED), then);
    }

    private void await(Backup backup, Runnable then) {
        if (awaiting == null) {
            awaiting = new TreeMap<>();
        }
        awaiting.put(next, new Awaited(backup, then));
        emit(next++, backup, Await.YES);
    }

    private static boolean namesObject(Signal signal) {
        if (!(signal instanceof Signal.TaskSucceeded done)) {
            return false;
        }
        if (done.output().reference() != null) {
            return true;
        }
        for (int i = 0; i < done.published().size(); i++) {
            if (done.published().get(i).payload().reference() != null) {
                return true;
            }
        }
        return false;
    }

    /**
     * A record is in the bus; or it is not, and is given again under its number. It counts, and what waits for it goes on,
     * once those before it are there too: a reader stops at a gap.
     *
     * @return whether it was awaited
     */
    boolean onJournaled(long sequence, boolean succeeded) {
        Awaited record = awaiting == null ? null : awaiting.get(sequence);
        if (record == null) {
            return false;
        }
        if (!succeeded) {
            context.later(() -> {
                if (awaiting != null && awaiting.get(sequence) == record) {
                    emit(sequence, record.backup, Await.YES);
                }
            });
            return true;
        }
        record.there = true;
        if (!context.has(Rule.EARLIER_RECORDS_FIRST)) {
            awaiting.headMap(sequence).values().forEach(earlier -> earlier.there = true);
        }
        while (awaiting != null && !awaiting.isEmpty() && awaiting.firstEntry().getValue().there) {
            Runnable then = awaiting.pollFirstEntry().getValue().then;
            if (then != null) {
                then.run();
            }
        }
        return true;
    }

    /** The execution has ended: what is on its way is waited for no more. */
    void close() {
        awaiting = null;
    }

    void ended(Status status) {
        if (begun) {
            emit(next, new Backup.Ended(status), Await.NO);
        }
    }

    /** It has ended before anybody knew whether its request is in the bus. @return null: that was not given to the bus */
    Withdrawal withdrawn(Status status) {
        return begun && !ofMessages ? new Withdrawal(request.executionId(), slot,
                () -> emit(next, new Backup.Ended(status), Await.YES)) : null;
    }

    private void emit(long sequence, Backup backup, Await await) {
        if (context.mayAct(slot, epoch)) {
            context.emit(new Action.Journal(request.executionId(), request.application(), slot, epoch, sequence, backup, await,
                    request.process() == null ? null : request.processId(), null));
        }
    }
}
