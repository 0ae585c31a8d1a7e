package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.LogFields;
import dev.sand.workflow.Execution;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.GrowingSignals;
import dev.sand.workflow.KeptSignals;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives an execution's state machine with one signal after the other; {@link Steps} does what it commands. A signal that is
 * evaluated elsewhere, or whose record must be in the global bus before its effects, holds up those that follow. While the
 * journal of an earlier owner is replayed, steps are only noted; those still open at its end are {@link Resumption}'s.
 */
final class Signals {
    private static final Logger LOG = LoggerFactory.getLogger(Signals.class);

    /** What holds up the signals. */
    private enum Awaited { NOTHING, EVALUATION, JOURNAL, RESUMPTION, NEXT_TURN }

    /** The signals so far, as the execution's history is made of them; of an execution that had too many, none. */
    static final class Kept {
        private static final int SHORT = 1_000;
        private final GrowingSignals packing = new GrowingSignals();
        private List<Signal> signals = List.of();
        private long bytes;
        private boolean tooMany;
        private boolean changed;

        void add(Signal signal) {
            if (tooMany) {
                return;
            }
            Signal held = KeptSignals.held(signal);
            bytes += KeptSignals.heldBytes(held);
            changed = true;
            tooMany = signals.size() >= KeptSignals.MOST_SIGNALS || bytes > KeptSignals.MOST_HELD_BYTES;
            if (tooMany || signals.isEmpty()) {
                signals = tooMany ? List.of() : new ArrayList<>(4);
            }
            if (!tooMany) {
                signals.add(held);
            }
        }

        /** Packs them, off the shard: what it packed before it knows. */
        GrowingSignals packing() {
            return packing;
        }

        boolean isShort() {
            return signals.size() <= SHORT;
        }

        /** What was given to be kept is not; nothing is no history in the place of an earlier one. */
        void keepAgain() {
            changed = tooMany || !signals.isEmpty();
        }

        /** Those of an execution that has more of them than when this was last asked, none if they are too many now; else null. */
        List<Signal> changed() {
            if (!changed) {
                return null;
            }
            changed = false;
            return List.copyOf(signals);
        }
    }

    /** Of those that came while one held them up, a wide Map's for example: the others follow in turns of their own. */
    private static final int MOST_A_TURN = 8;

    private final CoreContext context;
    private final RunningExecution execution;
    private final Execution machine;
    private final Steps steps;
    private final Callbacks callbacks;
    private ArrayDeque<Signal> inbox;
    /** Made with this, and so linked before anybody waits: a wide Map is the first to need it. */
    private final Runnable nextTurn = this::onNextTurn;
    /** Signals at the head of the inbox that come from the journal, the first one included. */
    private int replaying;
    /** Of those, signals from before the redrive: the end that they led to does not count. */
    private int before;
    private Resumption resumption;
    /** What signals that are not processed yet mean for the process that the execution runs in. */
    private final Map<Signal, ProcessRecords.Ending> changes = new IdentityHashMap<>(0);
    private boolean busy;
    private Awaited awaited = Awaited.NOTHING;
    /** The record that is waited for changes a process too: that cannot be withdrawn any more, and counts once it is there. */
    private boolean writesChange;
    /** The signal at hand; with what it commanded while that waits for its record. */
    private Signal pending;
    private List<Command> effects;

    /**
     * @param recovery what the journal has of an earlier owner; null: the execution is new
     * @param before what it did before it is redriven, behind Started; null: it is not
     */
    Signals(CoreContext context, RunningExecution execution, Application application, Execution machine, Input.Recover recovery,
            List<Signal> before) {
        this.context = context;
        this.execution = execution;
        this.machine = machine;
        this.callbacks = new Callbacks(context, execution);
        this.steps = new Steps(context, execution, application, this);
        if (before != null) {
            inbox = new ArrayDeque<>(before);
            inbox.add(new Signal.Redriven(execution.request().redrive()));
            machine.expect(inbox);
            this.before = before.size() + 1;
            replaying = this.before;
        }
        if (recovery != null) {
            if (inbox == null) {
                inbox = new ArrayDeque<>(recovery.replay());
            } else {
                inbox.addAll(recovery.replay());
            }
            replaying = inbox.size() + 1;
            resumption = new Resumption(context, recovery, execution.arrivedNs());
        }
    }

    Steps steps() {
        return steps;
    }

    Callbacks callbacks() {
        return callbacks;
    }

    /** Nothing is taken in before its start, which comes. */
    void hold() {
        busy = true;
    }

    void start(Signal.Started started) {
        busy = true;
        process(started);
        drainInbox();
    }

    /** Something happened to a step. @param change of the process that it ran in; null: none */
    void signal(Signal signal, ProcessRecords.Ending change) {
        if (change != null) {
            changes.put(signal, change);
        }
        signal(signal);
    }

    /** The execution has ended: what its functions did last takes no effect, nor is it told of. */
    void close() {
        changes.values().forEach(ProcessRecords.Ending::drop);
        changes.clear();
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
        for (int left = MOST_A_TURN; awaited == Awaited.NOTHING && inbox != null && !inbox.isEmpty() && goesOn(); left--) {
            if (left == 0) {
                awaited = Awaited.NEXT_TURN;
                context.later(FanOut.NEXT_TURN_NS, nextTurn);
            } else {
                process(inbox.poll());
            }
        }
        busy = awaited != Awaited.NOTHING;
    }

    private void onNextTurn() {
        awaited = Awaited.NOTHING;
        drainInbox();
    }

    /** Nothing follows an execution's end. */
    boolean goesOn() {
        return !execution.isEnded() || !context.has(Rule.ONE_ANSWER);
    }

    /** Steps are noted and not run. */
    boolean isReplaying() {
        return replaying > 0;
    }

    private void process(Signal signal) {
        if (!callbacks.take(signal)) {
            return;
        }
        pending = signal;
        if (execution.isWorkflow()) {
            execution.kept().add(signal);
            execution.story().changed(execution.backups().isDurable());
        }
        if (isReplaying()) {
            steps.close(signal);
        }
        if (machine.isHeavy(signal)) {
            awaited = Awaited.EVALUATION;
            context.emit(new Action.Evaluate(execution.id(), machine, signal));
        } else {
            List<Command> commands;
            try {
                commands = machine.on(signal);
            } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
                onBroken(e);
                return;
            }
            evaluated(commands);
        }
    }

    /** It ends its execution and nothing else; whoever takes that over gives it the same signals, and so comes to the same end. */
    private void onBroken(Throwable thrown) {
        LOG.atError().addKeyValue(LogFields.EXECUTION_ID, execution.id()).setCause(thrown).log("execution {} could not go on", execution.id());
        execution.ending().machineFailed(Failure.platform(Errors.BAD_REQUEST, "the workflow could not go on: " + thrown, false));
    }

    boolean awaitsEvaluation() {
        return awaited == Awaited.EVALUATION;
    }

    void onEvaluated(List<Command> commands, Failure failure) {
        awaited = Awaited.NOTHING;
        if (failure != null) {
            execution.ending().machineFailed(failure);
            return;
        }
        evaluated(commands);
        drainInbox();
    }

    /**
     * Strict, and whatever changes a process: the record of cause and effects first, then the effects. Relaxed: the other way round,
     * unawaited.
     */
    private void evaluated(List<Command> commands) {
        ProcessRecords.Ending change = changes.isEmpty() ? null : changes.remove(pending);
        if (change != null) {
            awaited = Awaited.JOURNAL;
            writesChange = true;
            effects = commands;
            execution.backups().finished(pending, commands, change, this::onJournaled);
            return;
        }
        boolean isNew = !isReplaying() && !(pending instanceof Signal.Started) && !(pending instanceof Signal.Redriven);
        if (isNew && execution.isStrict() && context.has(Rule.GLOBAL_BEFORE_LOCAL)) {
            awaited = Awaited.JOURNAL;
            effects = commands;
            execution.backups().finished(pending, commands, this::onJournaled);
            return;
        }
        Signal cause = pending;
        callbacks.journaled(cause);
        steps.apply(before > 0 ? withoutEnd(commands) : commands, cause, machine);
        if (isNew && (!execution.isEnded() || execution.backups().isDurable())) {
            execution.backups().finished(cause, commands, null);
        }
        replayed();
    }

    /** The record that was awaited is in the global bus. */
    private void onJournaled() {
        if (execution.isEnded()) {
            return;
        }
        awaited = Awaited.NOTHING;
        writesChange = false;
        callbacks.journaled(pending);
        steps.apply(effects, pending, machine);
        drainInbox();
        execution.onWritten();
    }

    /** Whether what a function did to its process is on its way into the journal. */
    boolean writesChange() {
        return writesChange;
    }

    private static List<Command> withoutEnd(List<Command> commands) {
        return commands.stream().filter(command -> !(command instanceof Command.Fail || command instanceof Command.Succeed)).toList();
    }

    /** Once the last signal of the journal is replayed, what is still open goes on. */
    private void replayed() {
        before -= before > 0 ? 1 : 0;
        if (replaying == 0 || --replaying > 0 || execution.isEnded() || resumption == null) {
            return;
        }
        execution.onReplayed();
        if (execution.isEnded()) {
            return;
        }
        Map<String, Integer> attempts = resumption.begin(steps.events());
        if (!attempts.isEmpty() && context.has(Rule.RESUMED_BEFORE_RERUN)) {
            awaited = Awaited.RESUMPTION;
            execution.backups().resumed(attempts, this::resume);
        } else {
            resume();
        }
    }

    private void resume() {
        awaited = Awaited.NOTHING;
        Resumption ended = resumption;
        resumption = null;
        steps.resume(ended);
        drainInbox();
    }

    /** Since when a timer of an earlier owner has been running, in ms before now. */
    long elapsedMs(Signal cause) {
        return isReplaying() && resumption != null ? resumption.elapsedMs(cause, replaying) : 0;
    }
}
