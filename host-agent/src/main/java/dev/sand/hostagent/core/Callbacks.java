package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.TaskCallback;
import dev.sand.event.TaskCallback.Outcome;
import dev.sand.hostagent.core.Input.Listener;
import dev.sand.workflow.Execution.Signal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The callbacks that an execution's steps wait for, and those who brought one and wait for an answer. A callback is told as
 * taken once its record is in the global bus: {@link RunningExecution#isStrict}.
 */
final class Callbacks {
    /** @param signal that it has become; of equal ones each is its own */
    private record Brought(Signal signal, Listener<Outcome> listener) {}

    private final CoreContext context;
    private final RunningExecution execution;
    /** Most executions have none: made when the first one comes. */
    private Set<String> awaited = Set.of();
    private List<Brought> brought = List.of();

    Callbacks(CoreContext context, RunningExecution execution) {
        this.context = context;
        this.execution = execution;
    }

    static void notAwaited(CoreContext context, Listener<Outcome> listener) {
        context.emit(new Action.AnswerCallback(listener, Outcome.NOT_AWAITED, null));
    }

    static void later(CoreContext context, Input.Callback callback, String why) {
        context.emit(new Action.AnswerCallback(callback.listener(), null, Failure.platform(Errors.UNAVAILABLE, "execution "
                + callback.executionId() + " " + why + "; report again", true)));
    }

    // --- steps

    void await(String step) {
        if (awaited.isEmpty()) {
            awaited = new HashSet<>(4);
        }
        awaited.add(step);
    }

    /** @return whether it was one that is awaited */
    boolean abandon(String step) {
        return !awaited.isEmpty() && awaited.remove(step);
    }

    int openCount() {
        return awaited.size();
    }

    // --- who brings one

    Signal bring(Input.Callback callback) {
        TaskCallback what = callback.what();
        Signal signal = switch (what.kind()) {
            case SUCCESS -> new Signal.TaskSucceeded(callback.step(), what.output(), List.of(), context.epochMs());
            case FAILURE -> new Signal.TaskFailed(callback.step(), what.error(), what.cause(), context.epochMs());
            case HEARTBEAT -> new Signal.Heartbeat(callback.step(), context.epochMs());
        };
        if (brought.isEmpty()) {
            brought = new ArrayList<>(2);
        }
        brought.add(new Brought(signal, callback.listener()));
        return signal;
    }

    /** Whether the signal's turn may come: true for all that are no callbacks, and for those that are awaited now. */
    boolean take(Signal signal) {
        Brought callback = find(signal);
        if (callback == null) {
            return true;
        }
        boolean isAwaited = switch (signal) {
            case Signal.TaskSucceeded done -> abandon(done.step());
            case Signal.TaskFailed failed -> abandon(failed.step());
            case Signal.Heartbeat beat -> awaited.contains(beat.step());
            default -> throw new IllegalStateException("no callback is a " + signal);
        };
        if (!isAwaited) {
            brought.remove(callback);
            notAwaited(context, callback.listener());
        }
        return isAwaited;
    }

    /** The signal's record is in the global bus. */
    void journaled(Signal signal) {
        Brought callback = find(signal);
        if (callback != null) {
            brought.remove(callback);
            context.emit(new Action.AnswerCallback(callback.listener(), Outcome.TAKEN, null));
        }
    }

    private Brought find(Signal signal) {
        for (Brought each : brought) {
            if (each.signal() == signal) {
                return each;
            }
        }
        return null;
    }

    /** The execution has ended, or goes on elsewhere. */
    void close(boolean isMoved) {
        for (Brought callback : brought) {
            if (isMoved) {
                context.emit(new Action.AnswerCallback(callback.listener(), null, Refusals.moved(execution.id(), execution.slot())));
            } else {
                notAwaited(context, callback.listener());
            }
        }
        brought = List.of();
        awaited = Set.of();
    }
}
