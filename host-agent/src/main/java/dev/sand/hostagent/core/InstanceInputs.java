package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.process.StateWrite;
import java.util.List;

/** Inputs that come from instances, or tell of them: finds whom they are of, and drops those that count no more. */
final class InstanceInputs {
    private final CoreContext context;

    InstanceInputs(CoreContext context) {
        this.context = context;
    }

    private Instance instance(AppKey app, String id) {
        Instance instance = context.instances.get(id);
        return instance != null && instance.grain.application().key().equals(app) ? instance : null;
    }

    void on(Input.Take take) {
        Instance instance = instance(take.app(), take.instance());
        if (instance == null) {
            context.emit(new Action.Dismiss(take.app(), take.instance()));
            context.drop("instance " + take.instance() + " is not known (any more)", take);
        } else if (instance.state() == Instance.State.SPAWNING || instance.state() == Instance.State.RESTING) {
            instance.grain.onTake(instance, take.pid());
        } else {
            context.drop("instance " + instance + " cannot take now", take);
        }
    }

    void on(Input.Finish finish) {
        on(finish, List.of());
    }

    void on(Input.FinishInProcess finish) {
        on(finish.finish(), finish.stateWrites());
    }

    void on(Input.CallProcess call) {
        Event event = runningEvent(call.app(), call.instance(), call.eventId(), call.attempt(), call);
        if (event != null) {
            context.processes.calls().on(event, call);
        } else {
            context.processes.calls().refuse(call, Errors.CONFLICT, "attempt " + call.attempt() + " of " + call.eventId()
                    + " does not run (any more)");
        }
    }

    /** @see HostCore#delays */
    boolean delays(AppKey app, String id, Runnable step) {
        Instance instance = instance(app, id);
        if (instance == null || instance.state() == Instance.State.ENDING || instance.state() == Instance.State.CLOSED) {
            return true; // it ends, and nobody waits for the answer
        }
        Event event = instance.runningEvent();
        return event != null && context.processes.delays(event, step);
    }

    private void on(Input.Finish finish, List<StateWrite> stateWrites) {
        Event event = runningEvent(finish.app(), finish.instance(), finish.eventId(), finish.attempt(), finish);
        if (event != null) {
            event.grain.attempts().onFinish(event, finish.output(), finish.published(), stateWrites, finish.startedNs(), finish.endedNs());
            return;
        }
        context.counters.late++;
        context.processes.free(finish.app().application(), StateWrite.values(stateWrites));
        if (!context.has(Rule.ONE_ANSWER)) {
            Instance late = instance(finish.app(), finish.instance());
            if (late != null && late.event != null && late.event.id.equals(finish.eventId())) {
                late.event.owner.onEventSucceeded(late.event, finish.output(), finish.published());
            }
        }
    }

    void on(Input.Fail fail) {
        Event event = runningEvent(fail.app(), fail.instance(), fail.eventId(), fail.attempt(), fail);
        if (event != null) {
            event.grain.attempts().onFail(event, fail.failure(), fail.startedNs(), fail.endedNs());
        } else {
            context.counters.late++;
        }
    }

    void on(Input.Publish publish) {
        Event event = runningEvent(publish.app(), publish.instance(), publish.eventId(), publish.attempt(), publish);
        if (event != null) {
            event.publish(publish.published());
        }
    }

    void on(Input.HandOverFailed failed) {
        Event event = runningEvent(failed.app(), failed.instance(), failed.eventId(), failed.attempt(), failed);
        if (event != null && event.instance != null) {
            event.grain.attempts().onHandOverFailed(event.instance);
        }
    }

    /** The event whose running attempt this is about, or null: the input was dropped. */
    private Event runningEvent(AppKey app, String instanceId, String eventId, int attempt, Input input) {
        Instance instance = instance(app, instanceId);
        Event event = instance == null || instance.state() != Instance.State.RUNNING ? null : instance.runningEvent();
        if (event != null && event.attempt == attempt && event.id.equals(eventId)) {
            return event;
        }
        if (!context.has(Rule.STALE_ATTEMPT_DROPPED)) {
            Event other = context.executions.openEvent(eventId);
            if (other != null && !other.isEnded()) {
                return other;
            }
        }
        context.drop("instance " + instanceId + " does not run attempt " + attempt + " of " + eventId, input);
        return null;
    }

    /** The end of the connection and the exit are reported by two sides, in any order; the first is the death. */
    void on(Input.InstanceClosed closed) {
        Instance instance = instance(closed.app(), closed.instance());
        if (instance == null) {
            return; // its exit was reported before, and was its death
        }
        if (instance.state() == Instance.State.RUNNING && instance.runningEvent() != null) {
            if (closed.unread() && context.has(Rule.UNREAD_RUNS_AGAIN)) {
                instance.grain.attempts().onHandOverFailed(instance);
            } else {
                instance.closedWhileRunning();
            }
        } else if (instance.state() != Instance.State.GONE && instance.state() != Instance.State.CLOSED) {
            Grain grain = instance.grain;
            grain.attempts().onInstanceDied(instance, ExitWords.crashUnexplained(grain.spec(), instance.id), false);
        } else {
            context.drop("instance " + instance + " was closed before", closed);
        }
    }

    void on(Input.InstanceExited exited) {
        Instance instance = instance(exited.app(), exited.instance());
        if (instance == null) {
            context.drop("instance " + exited.instance() + " is not known (any more)", exited);
            return;
        }
        if (context.has(Rule.FIRST_DEATH_COUNTS)) {
            forget(instance);
        }
        instance.exited(exited.cpuUs(), exited.peakMemoryBytes());
        if (instance.state() == Instance.State.GONE) {
            context.timers.disarm(instance);
            if (!context.has(Rule.FIRST_DEATH_COUNTS)) {
                instance.grain.slotReleased();
            }
            return;
        }
        Application application = instance.grain.application();
        instance.grain.attempts().onInstanceDied(instance, ExitWords.crash(instance.grain.spec(), instance.id, exited.exitCode(),
                exited.signal(), exited.peakMemoryBytes(), exited.note(), application.version().sandbox()), true);
    }

    void on(Input.ForkFailed failed) {
        Instance instance = instance(failed.app(), failed.instance());
        if (instance == null || instance.state() != Instance.State.SPAWNING) {
            context.drop("instance " + failed.instance() + " is not being forked", failed);
            return;
        }
        forget(instance);
        instance.gone(true);
        instance.grain.attempts().onForkFailed(failed.cause());
    }

    private void forget(Instance instance) {
        context.instances.remove(instance.id);
        instance.worker.instances().remove(instance);
    }
}
