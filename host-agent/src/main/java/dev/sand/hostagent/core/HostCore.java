package dev.sand.hostagent.core;

import dev.sand.event.HostAgentPort.SandboxStatus;
import dev.sand.event.QueuedEvents;
import dev.sand.hostagent.core.Input.AppKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;

/**
 * The heart of a shard (DESIGN, decision 1): an input and the clock's reading in, actions out. No clock, lock, randomness or
 * I/O inside; the same inputs at the same times give the same actions. Called by the shard's event loop and by the simulator,
 * one call at a time.
 *
 * <p>Finds whom an input is for, and drops those that count no more; what follows from it is in {@link Intake} (requests),
 * {@link ExecutionTable} and {@link Ending} (their answers), {@link Grain} (queues and hand-over), {@link Attempts} (how events end), {@link Application} and
 * {@link Sandbox}, {@link Worker} and {@link Instance}.
 */
public final class HostCore {
    /** Of what is due: a thousand Waits may end at one instant. The rest is due at once, in a turn of its own. */
    private static final int MOST_DUE_A_TURN = 32;

    private final CoreContext context;
    private final InstanceInputs instanceInputs;
    private final ApplicationInputs applicationInputs;
    private final ClusterInputs clusterInputs;

    /**
     * @param host this host's id, as in its card
     * @param idPrefix up to 6 characters of [a-z0-9], new for every start of a shard, so that ids of an earlier run are known
     *                 as such
     * @param epochOffsetMs wall clock minus the clock given with inputs, in ms; for records only
     * @param allowances of all shards of this host
     */
    public HostCore(CoreConfiguration configuration, ExecutionFactory executions, String host, String idPrefix,
                    long epochOffsetMs, Allowances allowances) {
        this(configuration, executions, host, idPrefix, epochOffsetMs, allowances, Rule.ALL);
    }

    /** For tests: with some rules switched off. */
    public HostCore(CoreConfiguration configuration, ExecutionFactory executions, String host, String idPrefix,
                    long epochOffsetMs, Allowances allowances, Set<Rule> rules) {
        this.context = new CoreContext(configuration, executions, host, idPrefix, epochOffsetMs, allowances, rules);
        this.instanceInputs = new InstanceInputs(context);
        this.applicationInputs = new ApplicationInputs(context);
        this.clusterInputs = new ClusterInputs(context);
    }

    /** For tests: as {@link #on(Input, long, ActionSink)}, with the actions in a list. */
    public List<Action> on(Input input, long nowNs) {
        List<Action> actions = new ArrayList<>();
        on(input, nowNs, actions::add);
        return actions;
    }

    /** @param nowNs the monotonic clock, never going back */
    public void on(Input input, long nowNs, ActionSink sink) {
        context.begin(nowNs, sink);
        Timed due = context.timers.pollDue(nowNs);
        for (int left = MOST_DUE_A_TURN; due != null; due = --left == 0 ? null : context.timers.pollDue(nowNs)) {
            due.onDue();
        }
        perform(input);
    }

    private void perform(Input input) {
        switch (input) {
            case Input.Take take -> instanceInputs.on(take);
            case Input.Finish finish -> instanceInputs.on(finish);
            case Input.Invoke invoke -> context.intake.invoke(invoke.request(), invoke.listener());
            case Input.FinishInProcess finish -> instanceInputs.on(finish);
            case Input.CallProcess call -> instanceInputs.on(call);
            case Input.Command command -> context.processes.commands().on(command);
            case Input.Deliver deliver -> context.processes.deliveries().on(deliver);
            case Input.FromElsewhere answer -> answer.then().run();
            case Input.Joined joined -> joined.join().then().accept(joined.joined());
            case Input.ListProcesses list -> context.processes.commands().on(list);
            case Input.Fail fail -> instanceInputs.on(fail);
            case Input.Publish publish -> instanceInputs.on(publish);
            case Input.InstanceClosed closed -> instanceInputs.on(closed);
            case Input.InstanceExited exited -> instanceInputs.on(exited);
            case Input.ForkFailed failed -> instanceInputs.on(failed);
            case Input.HandOverFailed failed -> instanceInputs.on(failed);
            case Input.Tick _ -> { }
            case Input.SlotAcquired acquired -> clusterInputs.on(acquired);
            case Input.SlotReady ready -> clusterInputs.on(ready);
            case Input.SlotLost lost -> clusterInputs.on(lost);
            case Input.Taken taken when context.slots.holds(taken.slot(), taken.epoch()) -> perform(taken.what());
            case Input.Taken stale -> context.drop("slot " + stale.slot() + " is not ours under epoch " + stale.epoch(), stale);
            case Input.HostsChanged changed -> {
                context.readers.onHosts(changed.hosts(), context.host, context.nowNs);
                context.placing.onHosts(changed.hosts());
            }
            case Input.RunForOwner run -> context.guests.run(run);
            case Input.Returned returned -> context.placing.returning().on(returned);
            case Input.SentAway sent -> context.placing.sending().onSentAway(sent);
            case Input.Evaluated evaluated -> onEvaluated(evaluated);
            case Input.ObjectsCalled called -> onObjectsCalled(called);
            case Input.Journaled journaled -> context.executions.onJournaled(journaled);
            case Input.ChangeJournaled journaled -> journaled.carried().then().accept(journaled.failure());
            case Input.Recorded recorded -> context.executions.onRecorded(recorded);
            case Input.Recover recover -> context.executions.recover(recover);
            case Input.RecoverProcess recover -> context.processes.recovery().recover(recover);
            case Input.ProcessRestored restored -> restored.restore().then().accept(restored.restored(), restored.failure());
            case Input.ImageWritten written -> written.write().then().accept(written.failure());
            case Input.ImageMoved moved -> moved.move().then().accept(moved.failure());
            case Input.ImageDeleted deleted -> deleted.delete().then().run();
            case Input.ValueLoaded loaded -> loaded.load().then().accept(loaded.value(), loaded.failure());
            case Input.ValueBrought brought -> brought.bring().then().accept(brought.value(), brought.failure());
            case Input.ImageFound found -> found.find().then().on(found.view(), found.place(), found.failure());
            case Input.ImagesListed listed -> listed.list().then().accept(listed.views(), listed.failure());
            case Input.AlreadyEnded ended -> context.executions.alreadyEnded(ended);
            case Input.Watch watch -> onWatch(watch);
            case Input.Unwatch unwatch -> onUnwatch(unwatch);
            case Input.Cancel cancel -> context.stops.on(cancel);
            case Input.Delete delete -> {
                context.executions.delete(delete);
                context.processes.delete(delete);
            }
            case Input.Callback callback -> onCallback(callback);
            case Input.Answered answered -> onAnswered(answered);
            case Input.ApplicationLoaded loaded -> applicationInputs.on(loaded);
            case Input.Retire retire -> applicationInputs.on(retire);
            case Input.SecretsChanged changed -> applicationInputs.on(changed);
            case Input.Drain _ -> context.executions.drain();
            case Input.Resume _ -> context.draining = false;
            case Input.MemoryPressure(Map<String, Long> invoked, boolean sandboxes) -> {
                if (sandboxes) {
                    applicationInputs.onMemoryPressure();
                }
                context.processes.onMemoryPressure(invoked);
            }
            case Input.RoomShort(String application, Map<String, Long> invoked, IntConsumer leaving) ->
                    leaving.accept(context.processes.onRoomShort(application, invoked));
            case Input.HeapFull full -> context.processes.on(full);
            case Input.InstancesFreed freed -> context.turns.on(freed);
            case Input.RoomWanted wanted -> applicationInputs.on(wanted);
            case Input.SandboxStarted started -> applicationInputs.on(started);
            case Input.SandboxFailed failed -> applicationInputs.on(failed);
            case Input.SandboxEnded ended -> applicationInputs.on(ended);
            case Input.WorkerReady ready -> applicationInputs.on(ready);
            case Input.WorkerFailed failed -> applicationInputs.on(failed);
            case Input.WorkerExited exited -> applicationInputs.on(exited);
        }
    }

    /** When the next Tick is due at the latest; Long.MAX_VALUE: none. */
    public long nextDeadlineNs() {
        return context.timers.nextDueNs();
    }

    public Counters counters() {
        return context.counters;
    }

    /** Whether the execution runs here now. */
    public boolean isOpen(String executionId) {
        return context.executions.get(executionId) != null;
    }

    /** Whether the application was deleted, this version with it. */
    public boolean isDeleted(AppKey app) {
        return context.executions.isDeleted(app.application(), app.version());
    }

    public int openExecutions() {
        return context.executions.openCount();
    }

    public boolean isDraining() {
        return context.draining;
    }

    public List<SandboxStatus> status(long nowNs) {
        return StatusReport.of(context.applications.values(), nowNs);
    }

    /** The first of those that wait for a grain. */
    public List<QueueLook.Waiting> queued(QueuedEvents.Look look) {
        return QueueLook.of(context, look);
    }

    /** What was measured since the start, as it is now: for scrapes. */
    public Figures.Reading figures(long nowNs) {
        return context.figures.read(nowNs);
    }

    CoreContext context() {
        return context;
    }

    // --- executions

    private void onEvaluated(Input.Evaluated evaluated) {
        RunningExecution execution = context.executions.get(evaluated.executionId());
        if (execution == null) {
            context.drop("execution " + evaluated.executionId() + " does not run (any more)", evaluated);
        } else {
            execution.onEvaluated(evaluated);
        }
    }

    private void onObjectsCalled(Input.ObjectsCalled called) {
        RunningExecution execution = context.executions.get(called.executionId());
        if (execution == null || !execution.onObjectsCalled(called)) {
            context.drop("nobody waits for objects of " + called.step() + " of execution " + called.executionId(), called);
        }
    }

    private void onAnswered(Input.Answered answered) {
        RunningExecution execution = context.executions.get(answered.executionId());
        if (execution == null) {
            context.drop("execution " + answered.executionId() + " does not run (any more)", answered);
        } else {
            execution.onAnswered(answered);
        }
    }

    private void onWatch(Input.Watch watch) {
        RunningExecution execution = context.executions.get(watch.executionId());
        if (execution == null) {
            context.emit(new Action.Notify(watch.listener(), null));
        } else {
            execution.audience().watch(watch.listener());
            execution.story().watched();
        }
    }

    private void onUnwatch(Input.Unwatch unwatch) {
        RunningExecution execution = context.executions.get(unwatch.executionId());
        if (execution != null) {
            execution.audience().unwatch(unwatch.listener());
        }
    }

    /** What is not known here may be known soon, of a slot whose journals are not read to their end. */
    private void onCallback(Input.Callback callback) {
        RunningExecution execution = context.executions.get(callback.executionId());
        int slot = context.slots.of(callback.executionId());
        if (execution != null) {
            execution.onCallback(callback);
        } else if (context.slots.state(slot) != SlotTable.State.OURS) {
            Callbacks.later(context, callback, "is another host's, or its journal is being read");
        } else {
            Callbacks.notAwaited(context, callback.listener());
        }
    }
}
