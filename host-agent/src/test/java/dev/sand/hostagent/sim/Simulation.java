package dev.sand.hostagent.sim;

import static dev.sand.hostagent.sim.Dice.MS;

import dev.sand.event.ApplicationName;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRequest;
import dev.sand.event.TaskCallback;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Allowance;
import dev.sand.hostagent.core.Allowances;
import dev.sand.hostagent.core.CoreView;
import dev.sand.hostagent.core.HostCore;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.core.Rule;
import dev.sand.hostagent.shard.HostAllowances;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/**
 * One run of the core under a simulated clock, in a world drawn from a seed: requests of all kinds, processes that die at
 * every point, slow and refusing adapters, stale and doubled reports, and host agents that crash and recover. After each
 * step the invariants hold (DESIGN, decision 2); at the end faults stop, everything finishes, and nothing is left.
 */
final class Simulation implements Driver, Seeds.Run {
    /** From a deadline until the process must be gone: two kills, the stop of the sandbox, and its repetition. */
    static final long KILL_GRACE_NS = 1500 * MS;
    /** Longer than any execution's deadline. */
    private static final long REPORTING_NS = 6_000 * MS;
    private static final int MOST_RUNS = 3;
    private static final long PATIENCE_NS = 60_000 * MS;

    private final Set<Rule> rules;
    private final Allowance.Limits limits;
    private final Schedule schedule = new Schedule();
    private final Dice dice;
    private final Workload workload;
    private final SimHost host;
    private final SimBus bus;
    private final Callers callers = new Callers();
    private final Trace trace = new Trace();
    /** Callbacks that were said to count. */
    private final Set<String> taken = new HashSet<>();
    private final List<Action> actions = new ArrayList<>();
    private HostCore core;
    private CoreView view;
    private int incarnation;
    private int requests;
    private boolean drained;
    private boolean ending;
    private long wokenForNs = Long.MAX_VALUE;

    Simulation(long seed, Set<Rule> rules) {
        this(seed, rules, Allowance.Limits.NONE);
    }

    /** @param limits of each tenant */
    Simulation(long seed, Set<Rule> rules, Allowance.Limits limits) {
        this.rules = rules;
        this.limits = limits;
        this.dice = new Dice(seed);
        this.workload = new Workload(dice);
        this.host = new SimHost(schedule, dice, this, over -> Handlers.token(over.eventId(), over.attempt()));
        this.bus = new SimBus(schedule, dice, this);
        boot();
        slots(slot -> new Input.SlotReady(slot, incarnation));
    }

    @Override
    public Trace trace() {
        return trace;
    }

    /** @throws Violation when something happened that must not */
    @Override
    public void run() {
        int planned = 20 + dice.below(60);
        long atNs = schedule.nowNs();
        for (int i = 0; i < planned; i++) {
            atNs += dice.percent(40) ? 0 : dice.between(0, 60 * MS);
            schedule.at(atNs, this::request);
        }
        planDisturbances(atNs - schedule.nowNs());
        schedule.at(atNs + dice.between(0, 200 * MS), dice::stopFaults);
        runUntil(() -> dice.faultsStopped() && requests == planned && callers.allAnswered() && core.openExecutions() == 0,
                "to end");
        drained = false;
        ending = true;
        on(new Input.Drain());
        runUntil(() -> drained && view.leftover() == null && host.leftover() == null, "to drain");
        callers.checkEnd(bus);
    }

    /** How many reports were said to count. */
    int taken() {
        return taken.size();
    }

    private void runUntil(BooleanSupplier done, String what) {
        long untilNs = schedule.nowNs() + PATIENCE_NS;
        while (!done.getAsBoolean()) {
            if (schedule.nowNs() > untilNs || schedule.nextNs() == Long.MAX_VALUE && core.nextDeadlineNs() == Long.MAX_VALUE) {
                throw new Violation("waited in vain for everything " + what + ": open " + core.openExecutions() + ", answered "
                        + callers.allAnswered() + ", drained " + drained + ", left in the core: " + view.leftover()
                        + ", on the host: " + host.leftover() + ", " + core.status(schedule.nowNs()));
            }
            step();
        }
    }

    private void step() {
        long dueNs = core.nextDeadlineNs();
        if (dueNs <= schedule.nextNs()) {
            schedule.advanceTo(dueNs);
            on(new Input.Tick());
        } else {
            schedule.step();
        }
    }

    // --- the host agent

    private void boot() {
        incarnation++;
        core = new HostCore(workload.configuration(), workload.factory(), "host", "r" + incarnation, 0, allowances(), rules);
        view = new CoreView(core);
        slots(slot -> new Input.SlotAcquired(slot, incarnation));
    }

    private Allowances allowances() {
        Allowances allowances = new HostAllowances();
        allowances.of(ApplicationName.DEFAULT_TENANT).limit(limits);
        return allowances;
    }

    /** As kill -9: what was on its way is lost; the journal and the records are not. */
    private void crash() {
        trace.note("crash", schedule.nowNs());
        host.crash();
        bus.crash();
        callers.onCrash();
        boot();
        for (Input.Recover recover : bus.recover()) {
            callers.replayed.add(recover.request().executionId());
            on(recover);
        }
        slots(slot -> new Input.SlotReady(slot, incarnation));
    }

    private void slots(IntFunction<Input> input) {
        for (int slot = 0; slot < workload.configuration().slots(); slot++) {
            on(input.apply(slot));
        }
    }

    @Override
    public void deliver(long delayNs, Input input) {
        deliverAt(schedule.nowNs() + delayNs, input);
    }

    @Override
    public void deliverAt(long atNs, Input input) {
        int meant = incarnation;
        schedule.at(atNs, () -> {
            if (meant == incarnation) {
                on(input);
            }
        });
    }

    @Override
    public void deliverPerhapsTwice(long atNs, Input input) {
        deliverAt(atNs, input);
        if (dice.fault(2)) {
            deliverAt(atNs + dice.between(0, 500 * MS), input);
        }
    }

    private void on(Input input) {
        trace.input(input, schedule.nowNs());
        view.beforeInput();
        actions.clear();
        try {
            core.on(input, schedule.nowNs(), actions::add);
        } catch (RuntimeException broken) {
            throw new Violation("the core broke at " + input + ": " + broken.getMessage(), broken);
        }
        for (Action action : List.copyOf(actions)) {
            trace.action(action);
            perform(action);
        }
        callers.checkAccepted(bus);
        String violation = view.violation();
        if (violation != null) {
            throw new Violation(violation);
        }
        host.check();
    }

    private void perform(Action action) {
        switch (action) {
            case Action.LoadApplication load -> load(load);
            case Action.StartSandbox start -> host.start(start);
            case Action.StopSandbox stop -> host.stop(stop);
            case Action.TellShards tell -> deliver(dice.hop(), tell.input());
            case Action.StartWorker start -> host.start(start);
            case Action.StopWorker stop -> host.stop(stop);
            case Action.Spawn spawn -> host.spawn(spawn);
            case Action.HandOver over -> {
                callers.onHandOver(over.eventId(), over.attempt(), Script.text(over.payload()),
                        MOST_RUNS + host.unseen(over.eventId()));
                host.handOver(over);
            }
            case Action.Dismiss dismiss -> host.dismiss(dismiss);
            case Action.Kill kill -> host.kill(kill);
            case Action.Journal journal -> bus.journal(journal, callers.durable.contains(journal.executionId()));
            case Action.Evaluate evaluate -> evaluate(evaluate);
            case Action.CallObjects call -> callObjects(call);
            case Action.Respond respond -> {
                if (respond.result().failure() != null) {
                    host.checkCrash(respond.result().failure().cause());
                }
                callers.onEnd((Callers.Call) respond.listener(), respond.result());
            }
            case Action.Accepted accepted -> callers.onAccepted((Callers.Call) accepted.listener());
            case Action.Record record -> bus.record(record);
            case Action.Notify notify -> {
                if (notify.hop() == null) {
                    notify.listener().onEnd();
                } else {
                    notify.listener().onHop(notify.hop());
                }
            }
            case Action.AnswerCallback answer when answer.outcome() == null -> answer.listener().onFailed(answer.failure());
            case Action.AnswerCallback answer -> answer.listener().onDone(answer.outcome());
            case Action.AnswerCancel answer when answer.failure() != null -> answer.listener().onFailed(answer.failure());
            case Action.AnswerCancel answer -> answer.listener().onDone(answer.byThis());
            case Action.Drained _ -> drained = true;
            case Action.Dropped _, Action.SendAway _, Action.SendBack _, Action.Ask _, Action.AnswerProcessCall _, Action.AnswerOutput _, Action.AnswerCommand _, Action.AnswerLook _, Action.RestoreProcess _, Action.WriteImage _,
                    Action.LoadValue _, Action.BringValue _, Action.MoveImage _, Action.DeleteImage _, Action.FindImage _, Action.ListImages _, Action.FindElsewhere _, Action.SendElsewhere _,
                    Action.InvokeElsewhere _, Action.FindResult _, Action.AskJournal _, Action.ListElsewhere _, Action.AnswerDelivery _, Action.TellTaken _, Action.Hurry _, Action.MarkEnded _,
                    Action.Free _, Action.Join _ -> { }
        }
    }

    private void load(Action.LoadApplication load) {
        boolean fails = dice.fault(3);
        deliver(dice.between(0, 3 * MS) + dice.hop(), new Input.ApplicationLoaded(load.app(),
                fails ? null : workload.version(load.app()), fails ? Failure.platform(Errors.UNAVAILABLE, "the registry is away", true) : null));
    }

    private void evaluate(Action.Evaluate evaluate) {
        int meant = incarnation;
        boolean fails = dice.fault(1);
        schedule.after(dice.between(0, 5 * MS), () -> {
            if (meant == incarnation) {
                on(new Input.Evaluated(evaluate.executionId(), fails ? null : evaluate.execution().on(evaluate.signal()),
                        fails ? Failure.platform(Errors.TIMEOUT, "the expression took too long", false) : null));
            }
        });
    }

    private void callObjects(Action.CallObjects call) {
        int meant = incarnation;
        boolean fails = dice.fault(1);
        schedule.after(dice.between(0, 8 * MS), () -> {
            if (meant == incarnation) {
                on(new Input.ObjectsCalled(call.executionId(), call.step(), fails ? null : Script.payload("{}"), "the store is away"));
            }
        });
    }

    // --- the world's doings

    private void request() {
        requests++;
        Callers.Call before = !callers.calls.isEmpty() && dice.percent(12) ? dice.oneOf(callers.calls) : null;
        // What ended under an earlier host agent is known by its record alone, which a frontend looks up before it asks.
        boolean again = before != null
                && (before.incarnation == incarnation || before.lost && !bus.hasEnded(before.request.executionId()));
        InvocationRequest request = again ? before.request : draw();
        Callers.Call call = new Callers.Call(request, requests, incarnation);
        callers.calls.add(call);
        on(new Input.Invoke(request, call));
        for (String step : workload.callbacks(request)) {
            report(request.executionId(), step, schedule.nowNs() + REPORTING_NS);
        }
        if (dice.percent(15)) {
            Callers.Watcher watcher = new Callers.Watcher();
            callers.watchers.add(watcher);
            on(new Input.Watch(request.executionId(), watcher));
        }
        if (dice.percent(6)) {
            Callers.Stop stop = callers.new Stop(request.executionId());
            callers.stops.add(stop);
            deliver(dice.between(0, 100 * MS), new Input.Cancel(request.executionId(), null, "not wanted any more", stop));
        }
    }

    /** Whoever has a token reports again and again: what is said to count, counts once, and for good. */
    private void report(String executionId, String step, long untilNs) {
        String token = executionId + "/" + step;
        if (schedule.nowNs() > untilNs) {
            return;
        }
        boolean isHeartbeat = dice.aside(30);
        TaskCallback what = isHeartbeat ? TaskCallback.heartbeat(token) : TaskCallback.success(token, Script.payload("called back"));
        on(new Input.Callback(executionId, step, what, new Input.Listener<>() {
            @Override
            public void onDone(TaskCallback.Outcome outcome) {
                if (outcome == TaskCallback.Outcome.TAKEN && !isHeartbeat && !taken.add(token)) {
                    throw new Violation("the callback of " + token + " was taken twice");
                }
            }

            @Override
            public void onFailed(Failure failure) { }
        }));
        schedule.after(dice.aside(5, 120) * MS, () -> report(executionId, step, untilNs));
    }

    private InvocationRequest draw() {
        AppKey app = dice.oneOf(workload.applications());
        String target = dice.percent(2) ? "unknown" : dice.oneOf(workload.targets(app));
        long timeoutMs = dice.percent(10) ? 1 + dice.below(100) : 200 + dice.below(4000);
        return new InvocationRequest("x" + requests, app.application(), app.version(), target,
                Script.payload("in" + ".".repeat(dice.below(200))), timeoutMs, dice.percent(35), null);
    }

    private void planDisturbances(long spanNs) {
        if (dice.fault(25)) {
            int crashes = 1 + dice.below(2);
            for (int i = 0; i < crashes; i++) {
                schedule.after(dice.between(0, spanNs + 1), this::crash);
            }
        }
        for (int i = dice.below(4); i > 0; i--) {
            deliver(dice.between(0, spanNs + 1), new Input.MemoryPressure());
        }
        for (int i = dice.aside(0, 5); i > 0; i--) {
            String application = workload.applications().get(dice.aside(0, workload.applications().size())).application();
            schedule.after(dice.aside(0, (int) (spanNs / MS) + 1) * MS, () -> {
                host.renewSecrets(application);
                on(new Input.SecretsChanged(application));
            });
        }
        if (dice.percent(30)) {
            deliver(dice.between(0, spanNs + 1), new Input.Retire(dice.oneOf(workload.applications())));
        }
        if (dice.percent(5)) {
            long atNs = dice.between(spanNs / 2, spanNs + 1);
            deliver(atNs, new Input.Drain());
            if (dice.aside(0, 2) == 0) {
                schedule.after(atNs + dice.aside(0, (int) (spanNs / MS) + 1) * MS, () -> {
                    if (!ending) {
                        on(new Input.Resume());
                    }
                });
            }
        }
    }
}
