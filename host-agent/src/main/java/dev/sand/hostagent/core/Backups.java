package dev.sand.hostagent.core;

import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.workflow.Execution.Signal;

/**
 * What goes to the global bus of one execution (SAND 3.2), in sequence: 0 the accepted request, then its signals, then the
 * end. One that ends before its request was written is not written at all.
 */
final class Backups {
    private final CoreContext context;
    private final InvocationRequest request;
    private boolean begun;
    private boolean awaited;
    private boolean durable;
    private long next;

    /** @param replayed signals of an earlier run, which are there already; -1: the execution is new */
    Backups(CoreContext context, InvocationRequest request, int replayed) {
        this.context = context;
        this.request = request;
        this.begun = replayed >= 0;
        this.durable = begun;
        this.next = Math.max(replayed, 0) + 1L;
    }

    /** The request is on its way to the bus. */
    boolean isBegun() {
        return begun;
    }

    /** Somebody waits to hear that the request is in the bus. */
    boolean isAwaited() {
        return awaited;
    }

    /** The request is in the bus: the execution outlives this process. */
    boolean isDurable() {
        return durable;
    }

    void durable() {
        durable = true;
    }

    void acceptFailed() {
        awaited = false;
    }

    void accepted(boolean await) {
        begun = true;
        awaited |= await;
        emit(0, new Backup.Accepted(request), await);
    }

    void ensureBegun() {
        if (!begun) {
            accepted(false);
        }
    }

    void advanced(Signal signal, boolean await) {
        ensureBegun();
        emit(next++, new Backup.Advanced(signal), await);
    }

    boolean isLast(long sequence) {
        return sequence == next - 1;
    }

    /** The last record did not get there; the next one takes its place. */
    void lastFailed() {
        next--;
    }

    void ended(Status status) {
        if (begun) {
            emit(next, new Backup.Ended(status), false);
        }
    }

    private void emit(long sequence, Backup backup, boolean await) {
        context.emit(new Action.Journal(request.executionId(), request.application(), sequence, backup, await));
    }
}
