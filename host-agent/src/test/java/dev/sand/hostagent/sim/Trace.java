package dev.sand.hostagent.sim;

import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Input;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** What happened, as a hash over all of it and the last part in full. */
final class Trace {
    private static final int KEPT = Integer.getInteger("sand.sim.trace", 400);

    private final ArrayDeque<Object> last = new ArrayDeque<>();
    private long hash = 17;
    private long steps;

    void input(Input input, long nowNs) {
        steps++;
        hash = hash * 31 + nowNs;
        add(input.getClass().getSimpleName().hashCode());
        add(switch (input) {
            case Input.Take take -> take.instance().hashCode();
            case Input.Finish finish -> finish.eventId().hashCode() + finish.attempt();
            case Input.Fail fail -> fail.eventId().hashCode() + fail.attempt();
            case Input.Invoke invoke -> invoke.request().executionId().hashCode();
            case Input.InstanceClosed closed -> closed.instance().hashCode();
            case Input.InstanceExited exited -> exited.instance().hashCode();
            default -> 0;
        });
        keep(nowNs);
        keep(input);
    }

    /** What follows happens on that host. */
    void on(String host) {
        add(host.hashCode());
        keep("@@ " + host);
    }

    void action(Action action) {
        add(action.getClass().getSimpleName().hashCode());
        add(switch (action) {
            case Action.HandOver over -> (over.instance() + over.eventId() + over.attempt() + over.remainingMs()).hashCode();
            case Action.Respond respond -> (respond.result().executionId() + respond.result().status()).hashCode();
            case Action.Spawn spawn -> spawn.instances().hashCode();
            case Action.StartWorker start -> start.worker().hashCode();
            case Action.StartSandbox start -> start.sandbox().hashCode();
            case Action.Kill kill -> kill.instance().hashCode();
            case Action.Journal journal -> (journal.executionId() + journal.sequence()).hashCode();
            case Action.Dropped dropped -> dropped.reason().hashCode();
            default -> 0;
        });
        keep(action);
    }

    void note(String what, long nowNs) {
        add((what + nowNs).hashCode());
        keep("== " + what);
    }

    private void add(int value) {
        hash = (hash ^ value) * 0x100000001B3L;
    }

    private void keep(Object step) {
        if (last.size() == KEPT) {
            last.removeFirst();
        }
        last.add(step);
    }

    long hash() {
        return hash;
    }

    long steps() {
        return steps;
    }

    List<String> tail() {
        List<String> lines = new ArrayList<>();
        for (Object step : last) {
            lines.add(switch (step) {
                case Action action -> "     " + action;
                case Long nowNs -> "-- " + nowNs / 1000 + " us";
                default -> step.toString();
            });
        }
        return lines;
    }
}
