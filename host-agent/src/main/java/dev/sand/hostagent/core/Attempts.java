package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Published;
import java.util.List;

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

    void onFinish(Event event, Payload output, List<Published> withFinish, long startedNs, long endedNs) {
        List<Published> published = event.published(withFinish);
        Failure refusal = Refusals.ofResult(event, output, published, grain.application());
        if (refusal != null) {
            onFail(event, refusal, startedNs, endedNs);
            return;
        }
        context.counters.finished++;
        Instance instance = end(event, null, startedNs, endedNs);
        event.execution.onEventSucceeded(event, output, published);
        after(event, instance);
    }

    void onFail(Event event, Failure failure, long startedNs, long endedNs) {
        context.counters.attemptsFailed++;
        Instance instance = end(event, failure.error(), startedNs, endedNs);
        event.execution.onEventFailed(event, failure);
        after(event, instance);
    }

    private Instance end(Event event, String error, long startedNs, long endedNs) {
        grain.worker().proved();
        grain.application().sandbox().proved();
        Instance instance = event.instance;
        if (instance == null) {
            grain.queue().remove(event); // only with STALE_ATTEMPT_DROPPED off: a late result ends an event that waits again
            event.end(context);
            return null;
        }
        event.end(context);
        int hop = event.execution.addHop(event, error, startedNs, endedNs);
        boolean takesAgain = grain.spec().isolation() == Isolation.WORKER;
        if (!takesAgain) {
            instance.expectFigures(event.execution, hop);
        }
        instance.attemptEnded(takesAgain);
        return instance;
    }

    private void after(Event event, Instance instance) {
        grain.dispatch();
        if (instance != null) {
            closeLogScope(event, instance);
        }
    }

    /** The event's own limit has passed, not its execution's. */
    void onDeadline(Event event) {
        Failure failure = Refusals.deadline(event, context.nowNs);
        withdraw(event, Errors.TIMEOUT, context.has(Rule.DEADLINE_KILLS));
        event.execution.onEventFailed(event, failure);
    }

    /** The event is not to run (any more): it leaves the queue, or its instance is killed. Tells its execution nothing. */
    void withdraw(Event event, String error, boolean kills) {
        if (!event.isRunning()) {
            grain.queue().remove(event);
            event.end(context);
            return;
        }
        Instance instance = event.instance;
        instance.expectFigures(event.execution, event.execution.addHop(event, error, 0, 0));
        closeLogScope(event, instance);
        event.end(context);
        if (kills) {
            instance.kill();
        }
    }

    void onLost(Event event, String cause) {
        context.counters.lost++;
        event.execution.addHop(event, Errors.CRASHED, 0, 0);
        closeLogScope(event, event.instance);
        if (event.attempt < context.configuration.runsPerEvent() || !context.has(Rule.RETRY_LIMIT)) {
            context.counters.reruns++;
            event.nextAttempt(context);
            grain.readmit(event);
        } else {
            Failure failure = Refusals.lost(event, cause);
            event.end(context);
            event.execution.onEventFailed(event, failure);
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
            int hop = event.execution.addHop(event, failure.error(), 0, 0);
            event.end(context);
            instance.expectFigures(event.execution, hop);
        }
        instance.gone(reaped);
        if (spawning) {
            onForkFailed(failure.cause());
        }
        if (event != null) {
            closeLogScope(event, instance);
            event.execution.onEventFailed(event, failure);
        }
        grain.dispatch();
        grain.pool().refill(true);
    }

    /** The instance was gone before its handler saw the event. */
    void onHandOverFailed(Instance instance) {
        Event event = instance.event;
        instance.gone(false);
        onLost(event, "instance " + instance.id + " was gone when it was handed over");
        grain.pool().refill(true);
    }

    void onForkFailed(String cause) {
        if (grain.pool().onForkFailed()) {
            grain.failQueued(Refusals.noInstances(grain, cause));
        }
    }

    private void closeLogScope(Event event, Instance instance) {
        context.emit(new Action.LogScope(grain.application().key(), instance.id, event.execution.id(), event.id, event.attempt,
                false));
    }
}
