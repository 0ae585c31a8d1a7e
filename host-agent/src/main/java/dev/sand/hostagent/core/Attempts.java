package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.Payload;
import dev.sand.hostagent.process.StateWrite;
import dev.sand.workflow.Execution.Published;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * How the attempts of a grain end. One that finished or failed is its workflow's matter; one whose instance crashed under it
 * failed; one that was lost with its worker or sandbox, or never reached its handler, is run again as the next attempt, last
 * in the queue and so often at most.
 */
final class Attempts {
    private final Grain grain;
    private final CoreContext context;

    Attempts(Grain grain, CoreContext context) {
        this.grain = grain;
        this.context = context;
    }

    /** @param stateWrites of the process that it runs in */
    void onFinish(Event event, Payload output, List<Published> withFinish, List<StateWrite> stateWrites, long startedNs, long endedNs) {
        boolean inProcess = event.owner.process() != null;
        List<Published> published = event.published(withFinish);
        Failure refusal = Refusals.ofResult(event, output, published, grain.application());
        Failure lacking = null;
        if (refusal == null && inProcess) {
            refusal = context.processes.refusal(event, stateWrites);
            lacking = context.processes.lacksRoom(event, stateWrites);
        }
        if (refusal != null) {
            context.processes.free(grain.application().key().application(), StateWrite.values(stateWrites));
            onFail(event, refusal, startedNs, endedNs);
            return;
        }
        if (inProcess) {
            event.change = context.processes.finished(event, stateWrites);
        }
        context.counters.finished++;
        end(event, null, startedNs, endedNs);
        Runnable told = () -> whenSent(event, () -> event.owner.onEventSucceeded(event, output, published));
        if (lacking == null) {
            told.run();
        } else { // it is not run again for that: what it did besides would be done twice
            context.processes.whenRoom(event, lacking, told, failure -> whenSent(event, () -> event.owner.onEventFailed(event, failure)));
        }
        grain.dispatch();
    }

    void onFail(Event event, Failure failure, long startedNs, long endedNs) {
        context.counters.attemptsFailed++;
        end(event, failure.error(), startedNs, endedNs);
        whenSent(event, () -> event.owner.onEventFailed(event, failure));
        grain.dispatch();
    }

    /** Its end is told when what it sent to processes, and invoked there, is durable: of one that is known to have ended nothing is lost. */
    private void whenSent(Event event, Runnable told) {
        if (!event.followUps.isEmpty() && context.has(Rule.FOLLOW_UPS_BEFORE_END)) {
            List.copyOf(event.followUps).forEach(FollowUp::delaysEnd);
        }
        if (event.owner.process() == null || !context.processes.sends().delays(event.id, told)) {
            told.run();
        }
    }

    private void end(Event event, String error, long startedNs, long endedNs) {
        grain.worker().proved();
        grain.application().sandbox().proved();
        Instance instance = event.instance;
        if (instance == null) {
            grain.queue().remove(event); // only with STALE_ATTEMPT_DROPPED off: a late result ends an event that waits again
            event.end(context);
            return;
        }
        event.end(context);
        int hop = event.owner.attemptLog().add(event, error, startedNs, endedNs);
        boolean takesAgain = grain.spec().isolation() == Isolation.WORKER;
        if (!takesAgain) {
            instance.expectFigures(event.owner.attemptLog(), hop);
        }
        instance.attemptEnded(takesAgain);
    }

    /** The event's own limit has passed, not its execution's; or it has been away for a while. */
    void onDue(Event event) {
        if (event.isAway() && context.nowNs < event.stepDeadlineNs) {
            context.placing.sending().onOverdue(event);
        } else {
            onDeadline(event);
        }
    }

    private void onDeadline(Event event) {
        Failure failure = event.state() == Event.State.UNPLACED && context.nowNs < event.stepDeadlineNs
                ? context.placing.nowhere(event) : Refusals.deadline(event, context.nowNs, context.placing.whyNowhere(event));
        withdraw(event, Errors.TIMEOUT, context.has(Rule.DEADLINE_KILLS));
        event.owner.onEventFailed(event, failure);
    }

    /** The event is not to run (any more): it leaves the queue, or its instance is killed. Tells its execution nothing. */
    void withdraw(Event event, String error, boolean kills) {
        if (event.isAway()) {
            event.owner.attemptLog().add(event, error, 0, 0);
        }
        if (!event.isRunning()) {
            grain.queue().remove(event);
            context.placing.forget(event);
            event.end(context);
            return;
        }
        Instance instance = event.instance;
        AttemptLog log = event.owner.attemptLog();
        instance.expectFigures(log, log.add(event, error, 0, 0));
        event.end(context);
        if (kills) {
            instance.kill();
        }
    }

    void onLost(Event event, String cause) {
        lost(event, () -> event.owner.onEventLost(event, cause));
    }

    private void lost(Event event, BooleanSupplier mayRunAgain) {
        context.counters.lost++;
        event.owner.attemptLog().add(event, Errors.CRASHED, 0, 0);
        if (mayRunAgain.getAsBoolean()) {
            context.counters.reruns++;
            event.nextAttempt(context);
            grain.readmit(event);
        }
    }

    /**
     * An instance is dead, by the first of the two reports.
     *
     * @param failure what the event fails with when it ran one
     * @param reaped whether the process is known to be gone
     */
    void onInstanceDied(Instance instance, Failure failure, boolean reaped) {
        Event event = instance.runningEvent();
        boolean spawning = instance.state() == Instance.State.SPAWNING;
        grain.pool().remove(instance);
        if (event != null) {
            context.counters.crashed++;
            int hop = event.owner.attemptLog().add(event, failure.error(), 0, 0);
            event.end(context);
            instance.expectFigures(event.owner.attemptLog(), hop);
        }
        instance.gone(reaped);
        if (spawning) {
            onForkFailed(failure.cause());
        }
        if (event != null) {
            event.owner.onEventFailed(event, failure);
        }
        grain.dispatch();
        grain.pool().refill(true);
    }

    /** The instance was gone before its handler saw the event. */
    void onHandOverFailed(Instance instance) {
        Event event = instance.event;
        instance.gone(false);
        lost(event, () -> event.owner.onEventUnseen(event, "instance " + instance.id + " was gone when it was handed over"));
        grain.pool().refill(true);
    }

    void onForkFailed(String cause) {
        if (grain.pool().onForkFailed()) {
            grain.failQueued(Refusals.noInstances(grain, cause));
        }
    }
}
