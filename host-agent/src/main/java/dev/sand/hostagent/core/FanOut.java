package dev.sand.hostagent.core;

import java.util.ArrayDeque;

/**
 * New events of one execution on their way to where they are to run, in order: of many that one signal commands, a few go at once, the
 * others in turns of their own, so that a wide Map does not hold its shard.
 */
final class FanOut {
    /** What is due now is done in this turn, what is due behind now in the next. */
    static final long NEXT_TURN_NS = 1;
    /** Steps that make an execution a wide one: what is done for each of them at its end is done in turns of their own. */
    static final int WIDE = 100;

    private final CoreContext context;
    private final RunningExecution execution;
    /** Null: none waits. */
    private ArrayDeque<Event> waiting;

    FanOut(CoreContext context, RunningExecution execution) {
        this.context = context;
        this.execution = execution;
    }

    /** @param commands of the signal that this event is one of: when they are many, its turn has had enough with making them */
    void submit(Event event, int commands) {
        if (waiting == null && commands <= CoreContext.EVENTS_A_TURN && context.mayBeginOne()) {
            context.placing.submit(event, execution);
            return;
        }
        if (waiting == null) {
            waiting = new ArrayDeque<>();
            context.later(NEXT_TURN_NS, this::next);
        }
        waiting.add(event);
    }

    private void next() {
        while (waiting != null && !waiting.isEmpty() && context.mayBeginOne()) {
            Event event = waiting.poll();
            if (event.state() == Event.State.HELD) {
                context.placing.submit(event, execution);
            }
        }
        if (waiting == null || waiting.isEmpty()) {
            waiting = null;
        } else {
            context.later(NEXT_TURN_NS, this::next);
        }
    }

    /** The execution has ended. */
    void close() {
        waiting = null;
    }
}
