package dev.sand.hostagent.core;

import dev.sand.event.HostAgentPort.SandboxStatus;
import dev.sand.hostagent.core.Input.AppKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The heart of a shard (DESIGN, decision 1): an input and the clock's reading in, actions out. No clock, lock, randomness or
 * I/O inside; the same inputs at the same times give the same actions. Called by the shard's event loop and by the simulator,
 * one call at a time.
 *
 * <p>Finds whom an input is for, and drops those that count no more; what follows from it is in {@link ExecutionTable} (requests
 * and their answers), {@link Grain} (queues and hand-over), {@link Attempts} (how events end), {@link Application} and
 * {@link Sandbox}, {@link Worker} and {@link Instance}.
 */
public final class HostCore {
    private final CoreContext context;
    private final InstanceInputs instanceInputs;

    /**
     * @param idPrefix up to 6 characters of [a-z0-9], new for every start of a shard, so that ids of an earlier run are known
     *                 as such
     * @param epochOffsetMs wall clock minus the clock given with inputs, in ms; for records only
     */
    public HostCore(CoreConfiguration configuration, ExecutionFactory executions, String idPrefix, long epochOffsetMs) {
        this(configuration, executions, idPrefix, epochOffsetMs, Rule.ALL);
    }

    /** For tests: with some rules switched off. */
    public HostCore(CoreConfiguration configuration, ExecutionFactory executions, String idPrefix, long epochOffsetMs,
                    Set<Rule> rules) {
        this.context = new CoreContext(configuration, executions, idPrefix, epochOffsetMs, rules);
        this.instanceInputs = new InstanceInputs(context);
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
        for (Timed due = context.timers.pollDue(nowNs); due != null; due = context.timers.pollDue(nowNs)) {
            due.onDue();
        }
        switch (input) {
            case Input.Take take -> instanceInputs.on(take);
            case Input.Finish finish -> instanceInputs.on(finish);
            case Input.Invoke invoke -> context.executions.invoke(invoke.request(), invoke.listener());
            case Input.Fail fail -> instanceInputs.on(fail);
            case Input.Publish publish -> instanceInputs.on(publish);
            case Input.InstanceClosed closed -> instanceInputs.on(closed);
            case Input.InstanceExited exited -> instanceInputs.on(exited);
            case Input.ForkFailed failed -> instanceInputs.on(failed);
            case Input.HandOverFailed failed -> instanceInputs.on(failed);
            case Input.Tick _ -> { }
            case Input.Evaluated evaluated -> onEvaluated(evaluated);
            case Input.Journaled journaled -> onJournaled(journaled);
            case Input.Recorded recorded -> context.executions.onRecorded(recorded);
            case Input.Recover recover -> context.executions.recover(recover);
            case Input.Watch watch -> onWatch(watch);
            case Input.Unwatch unwatch -> onUnwatch(unwatch);
            case Input.Cancel cancel -> onCancel(cancel);
            case Input.ApplicationLoaded loaded -> onApplicationLoaded(loaded);
            case Input.Retire retire -> onRetire(retire);
            case Input.Drain _ -> context.executions.drain();
            case Input.MemoryPressure _ -> onMemoryPressure();
            case Input.SandboxStarted started -> onSandboxStarted(started);
            case Input.SandboxFailed failed -> onSandboxFailed(failed);
            case Input.SandboxEnded ended -> onSandboxEnded(ended);
            case Input.WorkerReady ready -> onWorkerReady(ready);
            case Input.WorkerFailed failed -> onWorkerFailed(failed);
            case Input.WorkerExited exited -> onWorkerExited(exited);
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

    public int openExecutions() {
        return context.executions.openCount();
    }

    public boolean isDraining() {
        return context.draining;
    }

    public List<SandboxStatus> status(long nowNs) {
        return StatusReport.of(context.applications.values(), nowNs);
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

    private void onJournaled(Input.Journaled journaled) {
        RunningExecution execution = context.executions.get(journaled.executionId());
        if (execution == null) {
            context.drop("execution " + journaled.executionId() + " does not run (any more)", journaled);
        } else {
            execution.onJournaled(journaled);
        }
    }

    private void onWatch(Input.Watch watch) {
        RunningExecution execution = context.executions.get(watch.executionId());
        if (execution == null) {
            context.emit(new Action.Notify(watch.listener(), null));
        } else {
            execution.audience().watch(watch.listener());
        }
    }

    private void onUnwatch(Input.Unwatch unwatch) {
        RunningExecution execution = context.executions.get(unwatch.executionId());
        if (execution != null) {
            execution.audience().unwatch(unwatch.listener());
        }
    }

    private void onCancel(Input.Cancel cancel) {
        RunningExecution execution = context.executions.get(cancel.executionId());
        if (execution == null) {
            context.drop("execution " + cancel.executionId() + " does not run (any more)", cancel);
        } else {
            execution.cancel(cancel.cause());
        }
    }

    // --- applications, sandboxes, workers

    private void onApplicationLoaded(Input.ApplicationLoaded loaded) {
        Application application = context.applications.get(loaded.app());
        if (application == null || application.isReady()) {
            context.drop("application " + loaded.app() + " is not being loaded", loaded);
        } else {
            application.onLoaded(loaded.version(), loaded.failure());
        }
    }

    private void onRetire(Input.Retire retire) {
        Application application = context.applications.get(retire.app());
        if (application != null) {
            application.retire();
        }
    }

    private void onMemoryPressure() {
        Application longestIdle = null;
        for (Application application : context.applications.values()) {
            boolean idle = application.sandbox().isRunning() && application.isIdle();
            if (idle && (longestIdle == null || application.lastUsedNs() < longestIdle.lastUsedNs())) {
                longestIdle = application;
            }
        }
        if (longestIdle != null) {
            longestIdle.stop();
        }
    }

    private Sandbox sandbox(AppKey app, String id, Input input) {
        Application application = context.applications.get(app);
        if (application != null && application.sandbox().isCurrent(id)) {
            return application.sandbox();
        }
        context.drop("sandbox " + id + " is not known (any more)", input);
        return null;
    }

    private void onSandboxStarted(Input.SandboxStarted started) {
        Sandbox sandbox = sandbox(started.app(), started.sandbox(), started);
        if (sandbox != null) {
            sandbox.onStarted();
        }
    }

    private void onSandboxFailed(Input.SandboxFailed failed) {
        Sandbox sandbox = sandbox(failed.app(), failed.sandbox(), failed);
        if (sandbox != null) {
            sandbox.onFailed(failed.cause());
        }
    }

    private void onSandboxEnded(Input.SandboxEnded ended) {
        Sandbox sandbox = sandbox(ended.app(), ended.sandbox(), ended);
        if (sandbox != null) {
            sandbox.onEnded(ended.cause());
        }
    }

    private Worker worker(AppKey app, String id, Input input) {
        Worker worker = context.workers.get(id);
        if (worker != null && worker.grain().application().key().equals(app)) {
            return worker;
        }
        context.drop("worker " + id + " is not known (any more)", input);
        return null;
    }

    private void onWorkerReady(Input.WorkerReady ready) {
        Worker worker = worker(ready.app(), ready.worker(), ready);
        if (worker != null && worker.state() == Worker.State.STARTING) {
            worker.onReady(ready.pid());
        } else if (worker != null) {
            context.drop("worker " + ready.worker() + " was ready before", ready);
        }
    }

    private void onWorkerFailed(Input.WorkerFailed failed) {
        Worker worker = worker(failed.app(), failed.worker(), failed);
        if (worker != null) {
            worker.onFailed(failed.failure());
        }
    }

    private void onWorkerExited(Input.WorkerExited exited) {
        Worker worker = worker(exited.app(), exited.worker(), exited);
        if (worker != null) {
            worker.onExited(exited.cause());
        }
    }
}
