package dev.sand.hostagent.core;

import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.objects.ObjectCall;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The steps of an execution that read or write objects. One that was under way when its owner was lost is begun again. */
final class ObjectSteps {
    private final CoreContext context;
    private final RunningExecution execution;
    private final Signals signals;
    /** Most executions have none: made when the first one comes. */
    private Map<String, ObjectCall> open = Map.of();

    ObjectSteps(CoreContext context, RunningExecution execution, Signals signals) {
        this.context = context;
        this.execution = execution;
        this.signals = signals;
    }

    void call(Command.CallObjects command) {
        if (open.isEmpty()) {
            open = new LinkedHashMap<>(4);
        }
        open.put(command.step(), command.call());
        if (!signals.isReplaying()) {
            begin(command.step(), command.call());
        }
    }

    private void begin(String step, ObjectCall call) {
        context.emit(new Action.CallObjects(execution.request().application(), execution.id(), execution.slot(), execution.epoch(),
                step, call));
    }

    /** The replay is over. */
    void resume() {
        open.forEach(this::begin);
    }

    /** @return false: no step waits for it (any more) */
    boolean on(Input.ObjectsCalled called) {
        if (signals.isReplaying() || !abandon(called.step())) {
            return false;
        }
        signals.signal(called.output() != null ? new Signal.TaskSucceeded(called.step(), called.output(), List.of(), context.epochMs())
                : new Signal.TaskFailed(called.step(), null, called.cause(), context.epochMs()));
        return true;
    }

    /** @return whether it was one of these */
    boolean abandon(String step) {
        return !open.isEmpty() && open.remove(step) != null;
    }

    int openCount() {
        return open.size();
    }

    void abandonAll() {
        open = Map.of();
    }
}
