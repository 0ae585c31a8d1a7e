package dev.sand.hostagent.sim;

import static dev.sand.hostagent.sim.Dice.MS;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.globalbus.Membership.HostCard;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.CoreView;
import dev.sand.hostagent.core.HostCore;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.shard.HostAllowances;
import dev.sand.hostagent.sim.JournalView.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One host of the simulated cluster: a core, its sandboxes, and adapters that perform what the core wants. */
final class ClusterHost implements Driver {
    private final ClusterSimulation cluster;
    private final String name;
    private final Set<String> labels;
    private final Dice dice;
    private final long clockMs;
    private final SimLink link;
    private final SimHost sandboxes;
    private final List<Action> actions = new ArrayList<>();
    private HostCore core;
    private CoreView view;
    private HostGroup group;
    /** By execution. */
    private final Map<String, Action.Journal> lastGiven = new HashMap<>();
    /** Events that were sent away and have not come back. */
    private final Set<String> sent = new HashSet<>();
    private boolean alive;
    private boolean drained;

    ClusterHost(ClusterSimulation cluster, String name, Set<String> labels, Dice dice) {
        this.cluster = cluster;
        this.name = name;
        this.labels = labels;
        this.dice = dice;
        this.clockMs = dice.between(0, 600_000);
        this.link = new SimLink(cluster.schedule(), dice);
        this.sandboxes = new SimHost(cluster.schedule(), dice.calmer(4), this, over -> cluster.checks().begins(this, over));
    }

    String name() {
        return name;
    }

    SimLink link() {
        return link;
    }

    HostCore core() {
        return core;
    }

    CoreView view() {
        return view;
    }

    boolean isAlive() {
        return alive;
    }

    boolean isDrained() {
        return drained;
    }

    SlotDriver driver(int slot) {
        return alive ? group.driver(slot) : null;
    }

    // --- life

    void start() {
        if (alive) {
            return;
        }
        alive = true;
        drained = false;
        core = new HostCore(cluster.configuration(), cluster.factory(), name, name + link.life(), clockMs, new HostAllowances(), cluster.rules());
        view = new CoreView(core);
        group = new HostGroup(this, cluster);
        report();
        if (cluster.isDraining()) {
            on(new Input.Drain());
        }
    }

    /** As kill -9 of the host agent; its sandboxes end with it. */
    void crash() {
        if (!alive) {
            return;
        }
        cluster.trace().note(name + " crashes", cluster.nowNs());
        alive = false;
        link.died();
        sandboxes.crash();
        sent.clear();
        cluster.checks().died(name);
        cluster.frontends().onHostDied(name);
        cluster.stops().onHostDied(name);
    }

    void pause(boolean now) {
        if (alive) {
            cluster.trace().note(name + (now ? " pauses" : " resumes"), cluster.nowNs());
            link.pause(now);
        }
    }

    void cut(boolean now) {
        if (alive) {
            cluster.trace().note(name + (now ? " is cut off" : " is back"), cluster.nowNs());
            link.cut(now);
        }
    }

    private void report() {
        after(100 * MS, this::report);
        double busy = dice.percent(40) ? dice.below(200) / 100.0 : sandboxes.running() / 2.0;
        HostCard card = new HostCard(name, name + link.life(), null, labels, busy, core.isDraining(), 0);
        link.out("hosts", () -> cluster.onCard(card));
    }

    /** A timer of this process. */
    void after(long delayNs, Runnable step) {
        int meant = link.life();
        cluster.schedule().after(delayNs, () -> {
            if (meant == link.life() && alive) {
                link.inside(step);
            }
        });
    }

    @Override
    public void deliver(long delayNs, Input input) {
        after(delayNs, () -> on(input));
    }

    @Override
    public void deliverAt(long atNs, Input input) {
        after(Math.max(0, atNs - cluster.nowNs()), () -> on(input));
    }

    @Override
    public void deliverPerhapsTwice(long atNs, Input input) {
        deliverAt(atNs, input);
        if (dice.fault(1)) {
            deliverAt(atNs + dice.between(0, 500 * MS), input);
        }
    }

    /** For what nobody checks. */
    boolean mayAct() {
        return group.mayAct() || !cluster.protocol().contains(Protocol.LEASE_BEFORE_EFFECT);
    }

    /** For what its receiver checks. */
    boolean mayGoOn() {
        return group.mayGoOn();
    }

    // --- the core

    void on(Input input) {
        if (!alive) {
            return;
        }
        cluster.trace().on(name);
        cluster.trace().input(input, cluster.nowNs());
        forgetSent(input);
        actions.clear();
        view.beforeInput();
        try {
            core.on(input, cluster.nowNs(), actions::add);
        } catch (RuntimeException broken) {
            throw new Violation("the core of " + name + " broke at " + input + ": " + broken.getMessage(), broken);
        }
        for (Action action : List.copyOf(actions)) {
            cluster.trace().action(action);
            perform(action);
        }
        String violation = view.violation();
        if (violation != null) {
            throw new Violation(name + ": " + violation);
        }
    }

    private void forgetSent(Input input) {
        if (input instanceof Input.Returned returned) {
            sent.remove(returned.result().event().eventId());
        } else if (input instanceof Input.SentAway answer && answer.failure() != null) {
            sent.remove(answer.eventId());
        }
    }

    private void perform(Action action) {
        switch (action) {
            case Action.LoadApplication load -> load(load);
            case Action.StartSandbox start -> sandboxes.start(start);
            case Action.StopSandbox stop -> sandboxes.stop(stop);
            case Action.StartWorker start -> sandboxes.start(start);
            case Action.StopWorker stop -> sandboxes.stop(stop);
            case Action.Spawn spawn -> sandboxes.spawn(spawn);
            case Action.HandOver over -> {
                if (sent.remove(over.eventId())) {
                    cluster.checks().takenBack(over.eventId());
                }
                cluster.checks().handOver(this, over);
                sandboxes.handOver(over);
            }
            case Action.Dismiss dismiss -> sandboxes.dismiss(dismiss);
            case Action.Kill kill -> sandboxes.kill(kill);
            case Action.Evaluate evaluate -> after(dice.between(0, 3 * MS), () ->
                    on(new Input.Evaluated(evaluate.executionId(), evaluate.execution().on(evaluate.signal()), null)));
            case Action.CallObjects call -> after(dice.between(0, 5 * MS), () ->
                    on(new Input.ObjectsCalled(call.executionId(), call.step(), Script.payload("{}"), null)));
            case Action.Journal journal -> journal(journal);
            case Action.Record record -> record(record);
            case Action.Accepted accepted -> {
                if (mayGoOn(accepted.slot(), accepted.epoch(), action)) {
                    SimFrontends.Try to = (SimFrontends.Try) accepted.listener();
                    link.out("frontend", () -> cluster.frontends().onAccepted(to, accepted.slot(), accepted.epoch()));
                }
            }
            case Action.Respond respond -> {
                if (respond.slot() < 0 || mayGoOn(respond.slot(), respond.epoch(), action)) {
                    SimFrontends.Try to = (SimFrontends.Try) respond.listener();
                    link.out("frontend", () -> cluster.frontends().onEnd(to, respond.result(), respond.slot(), respond.epoch()));
                }
            }
            case Action.AnswerCancel answer -> answer(answer, cluster.nowNs());
            case Action.TellShards tell -> after(0, () -> on(tell.input()));
            case Action.SendAway send -> sendAway(send);
            case Action.SendBack send -> sendBack(send);
            case Action.Drained _ -> drained = true;
            case Action.Notify _, Action.Dropped _, Action.AnswerCallback _, Action.Ask _, Action.AnswerProcessCall _, Action.AnswerOutput _,
                    Action.AnswerCommand _, Action.AnswerLook _, Action.Free _, Action.Join _, Action.RestoreProcess _, Action.WriteImage _,
                    Action.LoadValue _, Action.BringValue _, Action.MoveImage _, Action.DeleteImage _, Action.FindImage _, Action.ListImages _, Action.FindElsewhere _, Action.SendElsewhere _,
                    Action.InvokeElsewhere _, Action.FindResult _, Action.AskJournal _, Action.ListElsewhere _, Action.AnswerDelivery _, Action.TellTaken _, Action.Hurry _, Action.MarkEnded _ -> { }
        }
    }

    /** Nobody checks it: it goes out when the slot is known to be ours. */
    private void answer(Action.AnswerCancel answer, long saidNs) {
        SimStops.Answer to = (SimStops.Answer) answer.listener();
        SlotDriver driver = group.driver(answer.slot());
        boolean held = driver != null && driver.epoch() == answer.epoch();
        boolean sure = answer.failure() != null || held && mayAct() || !cluster.protocol().contains(Protocol.STOPS_TOLD_BY_THE_OWNER);
        boolean lost = !held || !mayGoOn();
        if (sure || lost) {
            link.out("frontend", to.of(sure ? answer : new Action.AnswerCancel(to, Failure.platform(Errors.UNAVAILABLE, "it is lost", true)),
                    saidNs));
        } else {
            after(10 * MS, () -> answer(answer, saidNs));
        }
    }

    /** Whether the effect goes out; while the slot is known to be ours, only under the highest epoch that there is. */
    private boolean mayGoOn(int slot, long epoch, Action action) {
        if (!mayGoOn()) {
            return false;
        }
        SlotDriver driver = group.driver(slot);
        if (driver == null || driver.epoch() != epoch) {
            throw new Violation(name + " has an effect under epoch " + epoch + " of slot " + slot + ", which it does not have: " + action);
        }
        if (mayAct()) {
            cluster.checks().effect(name, slot, epoch, action);
        }
        return true;
    }

    private void load(Action.LoadApplication load) {
        boolean fails = dice.fault(1);
        deliver(dice.between(0, 3 * MS), new Input.ApplicationLoaded(load.app(), fails ? null : cluster.version(load.app()),
                fails ? Failure.platform(Errors.UNAVAILABLE, "the registry is away", true) : null));
    }

    // --- the global bus

    void journal(Action.Journal journal) {
        if (!mayGoOn(journal.slot(), journal.epoch(), journal)) {
            return;
        }
        lastGiven.put(journal.executionId(), journal);
        boolean fails = dice.fault(2);
        boolean told = journal.awaited() || journal.await() == Action.Await.IF_WRITTEN && !fails;
        boolean apart = !cluster.protocol().contains(Protocol.CAUSE_WITH_EFFECTS) && journal.backup() instanceof Action.Backup.Finished;
        if (apart) {
            link.out("journal" + journal.slot(), () -> cluster.append(journal.slot(), new Entry.Written(journal, cluster.nowNs(), true)));
        }
        link.out("journal" + journal.slot(), () -> {
            boolean there = !fails || dice.percent(20); // the answer may be lost, and not the record
            if (there) {
                long offset = cluster.append(journal.slot(), new Entry.Written(journal, cluster.nowNs(), false));
                link.in(() -> appended(offset, journal));
            } else if (dice.percent(50)) { // it comes after all, behind others that were given later, or behind another's claim
                cluster.schedule().after(dice.between(MS, (dice.percent(70) ? 400 : 2000) * MS), () -> late(journal));
            }
            if (told) {
                link.in(() -> journaled(journal, fails ? Failure.platform(Errors.UNAVAILABLE, "the bus is full", true) : null));
            }
        });
    }

    /** Records of one execution keep their order: what is behind one that the bus did not take waits until it is there. */
    private void late(Action.Journal journal) {
        if (lastGiven.get(journal.executionId()) == journal) {
            cluster.append(journal.slot(), new Entry.Written(journal, cluster.nowNs(), false));
        }
    }

    /** A record that got there may be void, unless the slot is known to be ours: so it is told then. */
    private void journaled(Action.Journal journal, Failure failure) {
        if (group.driver(journal.slot()) == null || group.driver(journal.slot()).epoch() != journal.epoch() || !mayGoOn()) {
            return;
        }
        if (failure == null && !mayAct()) {
            after(10 * MS, () -> journaled(journal, null));
        } else {
            on(new Input.Journaled(journal.executionId(), journal.sequence(), failure));
        }
    }

    private void appended(long offset, Action.Journal journal) {
        SlotDriver driver = driver(journal.slot());
        if (driver != null && driver.epoch() == journal.epoch()) {
            driver.onAppended(offset, journal);
        }
    }

    private void record(Action.Record record) {
        if (!mayGoOn(record.slot(), record.epoch(), record)) {
            return;
        }
        boolean fails = dice.fault(2);
        link.out("store", () -> {
            if (!fails) {
                cluster.store().write(record.record(), record.epoch());
            }
            if (record.awaited()) {
                link.in(() -> on(new Input.Recorded(record.record().executionId(),
                        fails ? Failure.platform(Errors.UNAVAILABLE, "the store is away", true) : null)));
            }
        });
    }

    private void sendAway(Action.SendAway send) {
        if (!mayGoOn(send.event().slot(), send.event().epoch(), send)) {
            return;
        }
        if (!mayAct()) {
            deliver(0, new Input.SentAway(send.event().executionId(), send.event().eventId(), send.event().attempt(),
                    Failure.platform(Errors.UNAVAILABLE, "the bus is away", true)));
            return;
        }
        cluster.checks().sentAway(send);
        sent.add(send.event().eventId());
        int place = cluster.slotOf(send.host());
        boolean fails = place < 0 || dice.fault(4);
        link.out("work", () -> {
            if (place >= 0 && (!fails || dice.percent(60))) {
                cluster.checks().inWork(send.event(), fails);
                cluster.appendWork(place, send.event());
            }
            link.in(() -> on(new Input.SentAway(send.event().executionId(), send.event().eventId(), send.event().attempt(),
                    fails ? Failure.platform(Errors.UNAVAILABLE, "not in the work queue", true) : null)));
        });
    }

    private void sendBack(Action.SendBack send) {
        if (!mayGoOn()) {
            return;
        }
        link.out("returns", () -> {
            cluster.appendReturn(send.result());
            link.in(() -> group.drivers().forEach(driver -> driver.onResultAppended(send.result().event())));
        });
    }

    String leftover() {
        return sandboxes.leftover();
    }
}
