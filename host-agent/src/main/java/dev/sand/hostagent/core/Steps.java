package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.workflow.Execution;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.Execution.Signal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is open of one execution: drives its state machine with one signal after the other and does what it commands. A
 * signal that is heavy, or that a strict application wants journaled first, holds up those that follow. While the journal of
 * an earlier run is replayed, steps are only noted; those still open at its end are run.
 */
final class Steps {
    private final CoreContext context;
    private final RunningExecution execution;
    private final Application application;
    private final Execution machine;
    private final Map<String, Event> open = new LinkedHashMap<>(4);
    private final Map<String, StepTimer> timers = new LinkedHashMap<>(0);
    private ArrayDeque<Signal> inbox;
    /** Signals at the head of the inbox that come from the journal. */
    private int replaying;
    private boolean busy;
    /** Wall clock of the signal at hand: a timer of an earlier run has been running since then. */
    private long signalMs;
    /** The signal whose journaling or evaluation is awaited; {@code busy} until then. */
    private Signal pending;

    Steps(CoreContext context, RunningExecution execution, Application application, Execution machine) {
        this.context = context;
        this.execution = execution;
        this.application = application;
        this.machine = machine;
    }

    /** @param replay what the journal has of an earlier run; empty for a new execution */
    void start(Signal.Started started, List<Signal> replay) {
        if (!replay.isEmpty()) {
            inbox = new ArrayDeque<>(replay);
        }
        replaying = execution.isRecovered() ? replay.size() + 1 : 0;
        busy = true;
        process(started);
        drainInbox();
    }

    void onTimer(StepTimer timer) {
        timers.remove(timer.step);
        signal(new Signal.TimerFired(timer.step, context.epochMs()));
    }

    /** Something happened to a step. */
    void signal(Signal signal) {
        if (busy) {
            if (inbox == null) {
                inbox = new ArrayDeque<>(2);
            }
            inbox.add(signal);
            return;
        }
        busy = true;
        process(signal);
        drainInbox();
    }

    private void drainInbox() {
        while (pending == null && inbox != null && !inbox.isEmpty() && goesOn()) {
            process(inbox.poll());
        }
        busy = pending != null;
    }

    private boolean goesOn() {
        return !execution.isEnded() || !context.has(Rule.ONE_ANSWER);
    }

    private boolean isReplaying() {
        return replaying > 0;
    }

    private void process(Signal signal) {
        if (isReplaying()) {
            close(signal);
        } else if (execution.isStrict() && !(signal instanceof Signal.Started)) {
            pending = signal;
            execution.backups().advanced(signal, true);
            return;
        }
        evaluate(signal);
    }

    /** A replayed signal: its step is over. */
    private void close(Signal signal) {
        String step = switch (signal) {
            case Signal.TaskSucceeded succeeded -> succeeded.step();
            case Signal.TaskFailed failed -> failed.step();
            case Signal.TimerFired fired -> fired.step();
            case Signal.Started _, Signal.Stopped _ -> null;
        };
        Event event = step == null ? null : open.remove(step);
        if (event != null) {
            event.end(context);
        } else if (step != null) {
            timers.remove(step);
        }
    }

    /** A strict application's signal is in the global bus. */
    void onJournaled() {
        Signal journaled = pending;
        pending = null;
        evaluate(journaled);
        drainInbox();
    }

    boolean awaitsJournal() {
        return pending != null && execution.isStrict();
    }

    Signal pending() {
        return pending;
    }

    private void evaluate(Signal signal) {
        signalMs = signal.atMs();
        if (machine.isHeavy(signal)) {
            pending = signal;
            if (!execution.isStrict()) {
                journal(signal);
            }
            context.emit(new Action.Evaluate(execution.id(), machine, signal));
            return;
        }
        apply(machine.on(signal));
        if (!execution.isStrict() && (!execution.isEnded() || execution.backups().isDurable())) {
            journal(signal);
        }
        replayed();
    }

    private void journal(Signal signal) {
        if (!isReplaying() && !(signal instanceof Signal.Started)) {
            execution.backups().advanced(signal, false);
        }
    }

    void onEvaluated(List<Command> commands, Failure failure) {
        pending = null;
        if (failure != null) {
            execution.onMachineFailed(failure);
            return;
        }
        apply(commands);
        replayed();
        drainInbox();
    }

    boolean awaitsEvaluation() {
        return pending != null;
    }

    private void replayed() {
        if (replaying > 0 && --replaying == 0 && !execution.isEnded()) {
            for (Event event : new ArrayList<>(open.values())) {
                if (event.state() == Event.State.HELD) {
                    run(event, true);
                }
            }
            for (StepTimer timer : timers.values()) {
                context.timers.arm(timer, context.nowNs + timer.delayNs);
            }
        }
    }

    private void apply(List<Command> commands) {
        for (int i = 0; i < commands.size() && goesOn(); i++) {
            switch (commands.get(i)) {
                case Command.RunTask task -> onRunTask(task);
                case Command.StartTimer start -> onStartTimer(start);
                case Command.Abandon abandon -> onAbandon(abandon.step());
                case Command.Succeed succeed -> execution.onSucceeded(succeed.output());
                case Command.Fail fail -> execution.onFailed(fail.error(), fail.cause());
            }
        }
    }

    private void onRunTask(Command.RunTask task) {
        int limit = context.configuration.maxOpenSteps();
        if (open.size() + timers.size() >= limit) {
            execution.onMachineFailed(Failure.limit(Errors.TOO_LARGE, "execution " + execution.id() + " has a limit of " + limit
                    + " steps at once, and " + task.step() + " would be one more", Failure.Source.GRAIN, limit, limit + 1L));
            return;
        }
        long stepDeadlineNs = task.timeoutMs() > 0 ? context.nowNs + task.timeoutMs() * 1_000_000 : Long.MAX_VALUE;
        Event event = new Event(execution, task.step(), application.grain(task.resource()), task.resource(), task.input(),
                stepDeadlineNs);
        open.put(task.step(), event);
        if (!isReplaying()) {
            run(event, false);
        }
    }

    private void run(Event event, boolean accepted) {
        if (event.grain == null) {
            event.end(context);
            execution.onEventFailed(event, Failure.platform(Errors.UNKNOWN_GRAIN, "step " + event.step + " wants grain "
                    + event.grainName + ", which application " + application.key().application() + " does not have", false));
        } else if (accepted) {
            event.grain.readmit(event);
        } else {
            event.grain.submit(event, execution.takeReservation(event.grain));
        }
    }

    private void onStartTimer(Command.StartTimer start) {
        long elapsedMs = isReplaying() && signalMs > 0 ? Math.max(0, context.epochMs() - signalMs) : 0;
        StepTimer timer = new StepTimer(this, start.step(), Math.max(0, start.delayMs() - elapsedMs) * 1_000_000);
        timers.put(start.step(), timer);
        if (!isReplaying()) {
            context.timers.arm(timer, context.nowNs + timer.delayNs);
        }
    }

    private void onAbandon(String step) {
        Event event = open.remove(step);
        if (event != null) {
            withdraw(event, Errors.CANCELLED, true);
            return;
        }
        StepTimer timer = timers.remove(step);
        if (timer != null) {
            context.timers.disarm(timer);
        }
    }

    /** @return false when the step is open no more */
    boolean closed(Event event) {
        return open.remove(event.step, event);
    }

    int openCount() {
        return open.size() + timers.size();
    }

    Event openEvent(String step) {
        return open.get(step);
    }

    /** The execution has ended: nothing of it is to run on. */
    void abandonAll(String error, boolean kills) {
        for (Event event : open.values()) {
            withdraw(event, error, kills);
        }
        open.clear();
        for (StepTimer timer : timers.values()) {
            context.timers.disarm(timer);
        }
        timers.clear();
    }

    private void withdraw(Event event, String error, boolean kills) {
        if (event.grain != null && !event.isEnded()) {
            event.grain.attempts().withdraw(event, error, kills);
        }
    }
}
