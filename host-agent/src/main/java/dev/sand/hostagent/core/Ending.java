package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import java.util.ArrayList;
import java.util.List;

/** How an execution ends: what was promised of it is told, recorded and backed up, once; or it goes on elsewhere, without effect. */
final class Ending {
    private final CoreContext context;
    private final RunningExecution execution;
    private final InvocationRequest request;
    private final Backups backups;
    private final Audience audience;
    private final Story story;
    private final long arrivedNs;
    private Status endedAs;
    private boolean isStopped;
    /** Of those who stopped it, or wanted to: what they are told once its record is stored. */
    private List<Action.AnswerCancel> stops = List.of();

    Ending(CoreContext context, RunningExecution execution, Backups backups, Audience audience, Story story) {
        this.context = context;
        this.execution = execution;
        this.request = execution.request();
        this.backups = backups;
        this.audience = audience;
        this.story = story;
        this.arrivedNs = context.nowNs;
    }

    void succeeded(Payload output) {
        end(Status.SUCCEEDED, output, null);
    }

    /** @param timedOut by its own limit: the workflow's, or the grain's that it consists of */
    void failed(Failure failure, boolean timedOut) {
        end(timedOut ? Status.TIMED_OUT : Status.FAILED, null, failure);
    }

    /** Not the grain's or the workflow's own failure: a limit, or an evaluation that was stopped. */
    void machineFailed(Failure failure) {
        end(Status.FAILED, null, failure);
    }

    void cancelled(String cause) {
        cancelled(null, cause);
    }

    /** A stop that was answered holds: it is once a crash would not make the execution run on. */
    void cancelled(Input.Cancel cancel) {
        isStopped = true;
        cancelled(cancel.error(), cancel.cause());
        context.executions.afterRecord(execution.id(), cancel.listener(), true);
    }

    /** @param error whoever stops it says what it ends with, and why; null: the platform does */
    private void cancelled(String error, String cause) {
        end(Status.CANCELLED, null, error != null ? Failure.caller(error, cause)
                : Failure.platform(Errors.CANCELLED, "execution " + execution.id() + " was cancelled: " + cause, false));
    }

    /** Before it was accepted: nothing of it is kept. */
    void refused(Failure failure) {
        end(Status.FAILED, null, failure);
    }

    /** Its deadline. @param where it was then; @param unsure it may have run before, or may run yet: that is not known here */
    void timedOut(String where, boolean unsure) {
        Failure failure = Failure.platform(Errors.TIMEOUT, "execution " + execution.id() + " did not end within its "
                + request.timeoutMs() + " ms: the deadline passed " + where, true);
        end(Status.TIMED_OUT, null, unsure ? failure.mayHaveRun() : failure);
    }

    private void end(Status status, Payload output, Failure failure) {
        boolean again = execution.isEnded();
        if (again && context.has(Rule.ONE_ANSWER)) {
            return;
        }
        // A request that may be in the bus would run on from there after a crash, though it was stopped.
        boolean outlives = backups.isDurable() || isStopped && backups.isBegun();
        boolean kept = execution.isRunning() || outlives;
        if (!again) {
            endedAs = status;
        }
        execution.close(failure == null || status == Status.CANCELLED ? Errors.CANCELLED : failure.error(),
                status != Status.TIMED_OUT || context.has(Rule.DEADLINE_KILLS));
        InvocationResult result = story.ended(status, output, failure);
        audience.answer(result);
        if (again) {
            return;
        }
        context.counters.ended(status);
        context.figures.ended(request.application(), status, context.nowNs - arrivedNs);
        boolean recordFirst = outlives && context.has(Rule.RECORD_BEFORE_END);
        Withdrawal withdrawal = kept ? null : backups.withdrawn(status);
        if (withdrawal != null) {
            context.executions.withdraw(withdrawal);
        } else if (!recordFirst) {
            backUpEnd();
        }
        if (kept) {
            story.recordEnd(recordFirst);
        }
        // Of what was stopped the same request may be on its way once more: it is not to begin anew.
        execution.leave(kept || isStopped ? result : null, kept, recordFirst);
    }

    /** It ended, and not well. */
    boolean hasFailed() {
        return endedAs != null && endedAs != Status.SUCCEEDED;
    }

    /** Its record is stored: from now on a crash loses nothing of it. */
    void recorded() {
        backUpEnd();
        stops.forEach(context::emit);
    }

    /** Its slot was lost before that was known: whether it has ended is the next owner's to say. */
    void unrecorded() {
        Failure failure = Refusals.moved(execution.id(), execution.slot());
        stops.forEach(stop -> context.emit(new Action.AnswerCancel(stop.listener(), failure)));
    }

    void tellOnceRecorded(Input.Listener<Boolean> listener, boolean byThis) {
        if (stops.isEmpty()) {
            stops = new ArrayList<>(1);
        }
        stops.add(new Action.AnswerCancel(listener, byThis, execution.slot(), execution.epoch()));
    }

    /** What it sends at its end is in the receivers' journals first: until then its own has it. */
    private void backUpEnd() {
        if (!context.processes.sends().delays(execution.id(), () -> backups.ended(endedAs))) {
            backups.ended(endedAs);
        }
    }

    /** Its slot is another host's now, where it goes on. */
    void moved() {
        withoutEffect(Refusals.moved(execution.id(), execution.slot()));
    }

    /** Its process is another host's: nothing of it has begun, and nobody was promised anything. */
    void elsewhere(Failure failure) {
        if (execution.isEnded()) {
            return;
        }
        execution.close(failure.error(), true);
        context.counters.moved++;
        audience.answer(new InvocationResult(execution.id(), Status.FAILED, null, failure, List.of()));
        execution.leave(null, false, false);
    }

    /** It was held, and has ended under an earlier owner. */
    void isInItsRecord() {
        withoutEffect(Refusals.inItsRecord(execution.id()));
    }

    /** An earlier owner left neither its input nor its end. Once the journal knows that, whoever asked asks again, and it is begun anew. */
    void isNothing() {
        backups.nothing(() -> withoutEffect(Refusals.nothing(execution.id())));
    }

    private void withoutEffect(Failure failure) {
        if (execution.isEnded()) {
            return;
        }
        execution.close(failure.error(), true);
        context.counters.moved++;
        audience.refuse(request, failure);
        execution.leave(null, false, false);
    }
}
