package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import java.util.HashMap;
import java.util.Map;

/**
 * Executions that somebody wants to stop. Who is told that one has ended is told so for good: no crash makes it run on, and nobody was
 * told of another end. While that cannot be known, nothing is stopped, and it may be asked for again; of what is held, it is known soon.
 */
final class Stops {
    private final CoreContext context;
    /**
     * By the id of an execution that is held, or not replayed yet: whoever wanted it stopped first. A journal that is being read may have it,
     * or what it did may lead to its end.
     */
    private final Map<String, Input.Cancel> held = new HashMap<>();

    Stops(CoreContext context) {
        this.context = context;
    }

    void on(Input.Cancel cancel) {
        String id = cancel.executionId();
        RunningExecution execution = context.executions.get(id);
        if (execution != null && (execution.isHeld() || execution.isUnreplayed()) && held.putIfAbsent(id, cancel) == null) {
            return;
        }
        Failure unsure = execution != null ? unsure(execution) : unsure(id);
        if (unsure != null) {
            context.emit(new Action.AnswerCancel(cancel.listener(), unsure));
        } else if (execution != null) {
            execution.ending().cancelled(cancel);
        } else {
            context.executions.afterRecord(id, cancel.listener(), false);
        }
    }

    /** What is held is held no more: the journal has it, or has its end, or it is replayed, or has ended while that was not known. */
    void onKnown(String executionId) {
        Input.Cancel cancel = held.remove(executionId);
        if (cancel != null) {
            on(cancel);
        }
    }

    /** No journal has what is held. @return whether it ends by that, and does not begin */
    boolean onUnknown(RunningExecution execution) {
        Input.Cancel cancel = held.remove(execution.id());
        if (cancel != null) {
            execution.ending().cancelled(cancel);
        }
        return cancel != null;
    }

    private static Failure unsure(RunningExecution execution) {
        if (execution.isHeld()) {
            return isBeingRead(execution.id());
        }
        if (execution.isUnreplayed()) {
            return unavailable("execution " + execution.id() + " has lost its host, and whether it had ended is not known yet");
        }
        if (execution.writesChange()) {
            return unavailable("execution " + execution.id()
                    + " is over, and what it did to its process is on its way into the global bus");
        }
        return execution.mayHaveEnded() ? unavailable("execution " + execution.id()
                + " had ended when its host was lost, and its process is not here yet, which knows whether that counts") : null;
    }

    /** Of one that does not run here. */
    private Failure unsure(String executionId) {
        if (context.slots.state(context.slots.of(executionId)) != SlotTable.State.OURS) {
            return isBeingRead(executionId);
        }
        return context.executions.isWithdrawn(executionId) ? Refusals.withdrawn(executionId) : null;
    }

    private static Failure isBeingRead(String executionId) {
        return unavailable("execution " + executionId + " is another host's, or its journal is being read");
    }

    private static Failure unavailable(String cause) {
        return Failure.platform(Errors.UNAVAILABLE, cause, true);
    }
}
