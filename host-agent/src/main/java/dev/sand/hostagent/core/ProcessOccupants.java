package dev.sand.hostagent.core;

import dev.sand.hostagent.process.LifeCycle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Executions that run in a cloud process, and those that wait to. Armed as a timer while it is active and has nothing to do, until it
 * counts as idle, and then until it is swapped out.
 */
final class ProcessOccupants extends Timed {
    private final CoreContext context;
    private final ProcessHome home;
    private final Set<RunningExecution> running = new LinkedHashSet<>();
    private final ArrayDeque<RunningExecution> waiting = new ArrayDeque<>();
    private long restingSinceNs;

    ProcessOccupants(CoreContext context, ProcessHome home) {
        this.context = context;
        this.home = home;
    }

    /** It runs now, or when others have ended: there is room for it. */
    void enter(RunningExecution execution) {
        context.timers.disarm(this);
        if (status() == LifeCycle.IDLE) {
            home.become(LifeCycle.ACTIVE);
        }
        waiting.add(execution);
        next();
    }

    void next() {
        while (status() == LifeCycle.ACTIVE && !home.overflow().holdsUp() && !home.imaging().stillness().holdsFunctions()
                && running.size() < (home.ahead().holdsOthers() ? 1 : home.spec().concurrency()) && !waiting.isEmpty()) {
            RunningExecution execution = waiting.poll();
            running.add(execution);
            execution.run();
        }
    }

    /** It has ended. @return whether it ran here, and did not wait to */
    boolean remove(RunningExecution execution) {
        if (running.remove(execution)) {
            return true;
        }
        waiting.remove(execution);
        return false;
    }

    /** All that run in it or wait to. */
    List<RunningExecution> all() {
        List<RunningExecution> open = new ArrayList<>(running);
        open.addAll(waiting);
        return open;
    }

    /** The same, which are here no more. */
    List<RunningExecution> take() {
        List<RunningExecution> open = all();
        running.clear();
        waiting.clear();
        return open;
    }

    int running() {
        return running.size();
    }

    int waiting() {
        return waiting.size();
    }

    /** Invocations that run here or wait to. */
    int count() {
        return running.size() + waiting.size();
    }

    boolean isAtRest() {
        return running.isEmpty() && waiting.isEmpty();
    }

    // --- idle

    void rest() {
        if (isAtRest() && status() == LifeCycle.ACTIVE) {
            restingSinceNs = context.nowNs;
            context.timers.arm(this, context.nowNs + home.spec().idleMs() * 1_000_000);
        }
    }

    /** It was to be swapped out, and was not: others go before it. @return whether it has nothing to do still */
    boolean restsOn() {
        restingSinceNs = context.nowNs;
        return isAtRest();
    }

    /** It is tried again later. */
    void restOn() {
        if (status() == LifeCycle.IDLE && !isArmed()) {
            armSwap();
        }
    }

    private void armSwap() {
        context.timers.arm(this, context.nowNs + home.spec().swapAfterMs() * 1_000_000);
    }

    /** Nothing ran in it for a while, or for long. */
    @Override
    void onDue() {
        if (status() == LifeCycle.ACTIVE) {
            home.become(LifeCycle.IDLE);
            armSwap();
        } else if (status() == LifeCycle.IDLE) {
            home.imaging().swapOut(failure -> { });
        }
    }

    /** Since when nothing ran in it; Long.MAX_VALUE: something does, or it is not to be swapped out. */
    long restingSinceNs() {
        boolean rests = isAtRest() && (status() == LifeCycle.IDLE || status() == LifeCycle.ACTIVE);
        return rests && !home.process().isDueByItself() ? restingSinceNs : Long.MAX_VALUE;
    }

    void close() {
        context.timers.disarm(this);
    }

    private LifeCycle status() {
        return home.process().status();
    }
}
